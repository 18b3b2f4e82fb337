//! Colours of classes on a terminal.

use crate::Class;

/// A colour of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// One of the 16 colours that the user's terminal defines, 0..=15.
    Ansi(u8),
    /// A colour of the palette of 256, 16..=255.
    Fixed(u8),
}

/// The look of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Colour of the text; `None` for that of the terminal.
    pub color: Option<Color>,
    /// True for bold text.
    pub bold: bool,
    /// True for faint text.
    pub dim: bool,
    /// True for slanted text.
    pub italic: bool,
}

/// A table of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// The 16 colours of the terminal, which are readable on its background.
    #[default]
    Ansi,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// No colours.
    Plain,
}

impl Theme {
    /// Names of all themes, sorted.
    pub const NAMES: &'static [&'static str] = &["ansi", "dark", "light", "plain"];

    /// The theme with this name.
    pub fn from_name(name: &str) -> Option<Theme> {
        match name {
            "ansi" => Some(Theme::Ansi),
            "dark" => Some(Theme::Dark),
            "light" => Some(Theme::Light),
            "plain" => Some(Theme::Plain),
            _ => None,
        }
    }

    /// The look of a class.
    pub fn look(self, class: Class) -> Look {
        let color = match self {
            Theme::Plain => return Look::default(),
            Theme::Ansi => ansi(class).map(Color::Ansi),
            Theme::Dark => Some(Color::Fixed(dark(class))),
            Theme::Light => Some(Color::Fixed(light(class))),
        };
        Look {
            color,
            bold: matches!(class, Class::Heading),
            dim: matches!((self, class), (Theme::Ansi, Class::Comment)),
            italic: matches!(class, Class::Comment) && self != Theme::Ansi,
        }
    }
}

fn ansi(class: Class) -> Option<u8> {
    Some(match class {
        Class::Attribute | Class::Type => 3,
        Class::Constant | Class::Number => 5,
        Class::Function | Class::Heading => 4,
        Class::Keyword => 1,
        Class::Property => 6,
        Class::String => 2,
        Class::Comment | Class::Operator | Class::Punctuation => return None,
    })
}

fn dark(class: Class) -> u8 {
    match class {
        Class::Attribute => 180,
        Class::Comment => 245,
        Class::Constant | Class::Number => 209,
        Class::Function => 117,
        Class::Heading => 111,
        Class::Keyword => 177,
        Class::Operator | Class::Property => 152,
        Class::Punctuation => 250,
        Class::String => 150,
        Class::Type => 222,
    }
}

fn light(class: Class) -> u8 {
    match class {
        Class::Attribute => 94,
        Class::Comment => 242,
        Class::Constant | Class::Number => 130,
        Class::Function => 25,
        Class::Heading => 26,
        Class::Keyword => 90,
        Class::Operator => 238,
        Class::Property => 23,
        Class::Punctuation => 240,
        Class::String => 28,
        Class::Type => 88,
    }
}
