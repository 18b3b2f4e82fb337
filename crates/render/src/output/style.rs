//! The style of text output: colours, links, width, amount and grouping.

use std::fmt;

use anstyle::{Ansi256Color, AnsiColor, Color};
pub use lore_highlight::Theme;
use lore_highlight::{Class, Color as ThemeColor};

use super::links::Links;

/// The role of a piece of text, which decides its colour. No information is in colours only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The name of a group.
    Heading,
    /// Line numbers, receipts and other details.
    Dim,
    /// A word of the query.
    Match,
    /// A path.
    Path,
    /// The source of a hit.
    Source,
    /// The name of a hit.
    Title,
}

/// The rule for grouping hits by source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Hits are always grouped.
    Always,
    /// In Markdown, hits are grouped if they come from several sources.
    Several,
    /// Hits are only sorted by rank.
    Never,
}

/// The amount of text that is shown of each hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Two or three lines, so that ten hits fit on a screen.
    Screen,
    /// The whole passage.
    Passage,
}

/// The options of text output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Style {
    /// True to write escape sequences for colours.
    pub color: bool,
    /// The colours of code.
    pub theme: Theme,
    /// The links of places; `None` for none.
    pub links: Option<Links>,
    /// True to write icons of sources.
    pub icons: bool,
    /// The amount of text of each hit.
    pub amount: Amount,
    /// True to add details of hits and of the receipt.
    pub verbose: bool,
    /// Maximum number of columns of a line.
    pub width: usize,
    /// The grouping of hits by source.
    pub grouping: Grouping,
    /// True to end paths with NUL instead of a line end.
    pub null: bool,
}

impl Style {
    /// No colours, links and icons, 80 columns, whole passages.
    pub fn plain() -> Style {
        Style {
            color: false,
            theme: Theme::Plain,
            links: None,
            icons: false,
            amount: Amount::Passage,
            verbose: false,
            width: 80,
            grouping: Grouping::Several,
            null: false,
        }
    }

    /// Code in the colour of its class. A match is bold and underlined, so that it keeps its colour.
    pub(super) fn code<T: fmt::Display>(
        &self,
        class: Option<Class>,
        matched: bool,
        text: T,
    ) -> Painted<T> {
        let mut style = anstyle::Style::new();
        if !self.color {
            return Painted { style, text };
        }
        if let Some(class) = class {
            let look = self.theme.look(class);
            style = style.fg_color(look.color.map(|color| match color {
                // Terminals without 256 colours know only the short codes of the first 16.
                ThemeColor::Ansi(number) => match Ansi256Color(number).into_ansi() {
                    Some(color) => Color::Ansi(color),
                    None => Color::Ansi256(Ansi256Color(number)),
                },
                ThemeColor::Fixed(number) => Color::Ansi256(Ansi256Color(number)),
            }));
            for (is_set, effect) in [
                (look.bold, anstyle::Effects::BOLD),
                (look.dim, anstyle::Effects::DIMMED),
                (look.italic, anstyle::Effects::ITALIC),
            ] {
                style = if is_set { style | effect } else { style };
            }
        }
        if matched {
            style = style.bold().underline();
        }
        Painted { style, text }
    }

    /// The text in the style of its role.
    pub fn paint<T: fmt::Display>(&self, role: Role, text: T) -> Painted<T> {
        let style = match role {
            _ if !self.color => anstyle::Style::new(),
            Role::Heading => anstyle::Style::new().bold().underline(),
            Role::Dim => anstyle::Style::new().dimmed(),
            Role::Match => anstyle::Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Red))),
            Role::Path => anstyle::Style::new().fg_color(Some(Color::Ansi(AnsiColor::Magenta))),
            Role::Source => anstyle::Style::new().fg_color(Some(Color::Ansi(AnsiColor::Cyan))),
            Role::Title => anstyle::Style::new().bold(),
        };
        Painted { style, text }
    }
}

/// A text with its style.
pub struct Painted<T> {
    style: anstyle::Style,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}{}", self.style.render(), self.text, self.style.render_reset())
    }
}
