//! How text looks: colours where there are any, and the width of a line.

use std::fmt;

use anstyle::{AnsiColor, Color};

/// What a piece of text is. Colours say nothing that the text does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A group's name.
    Heading,
    /// Line numbers, receipts and other small print.
    Dim,
    /// A word of the query.
    Match,
    /// A path.
    Path,
    /// The name of a hit.
    Title,
}

/// Whether hits are grouped by source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Also when all hits are of one source.
    Always,
    /// When hits come from several sources.
    Several,
    /// By rank alone.
    Never,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether escape sequences for colours are written.
    pub color: bool,
    /// Whether sources have icons.
    pub icons: bool,
    /// Columns of a line.
    pub width: usize,
    /// Whether hits are grouped by source.
    pub grouping: Grouping,
    /// Whether paths end with NUL instead of a line end.
    pub null: bool,
}

impl Style {
    /// Text alone, 80 columns.
    #[cfg(any(test, feature = "fixtures"))]
    pub fn plain() -> Style {
        Style { color: false, icons: false, width: 80, grouping: Grouping::Several, null: false }
    }

    /// The text in the look of its role.
    pub fn paint<T: fmt::Display>(&self, role: Role, text: T) -> Painted<T> {
        let style = match role {
            _ if !self.color => anstyle::Style::new(),
            Role::Heading => anstyle::Style::new().bold().underline(),
            Role::Dim => anstyle::Style::new().dimmed(),
            Role::Match => anstyle::Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Red))),
            Role::Path => anstyle::Style::new().fg_color(Some(Color::Ansi(AnsiColor::Magenta))),
            Role::Title => anstyle::Style::new().bold(),
        };
        Painted { style, text }
    }
}

/// A text with its look.
pub struct Painted<T> {
    style: anstyle::Style,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}{}", self.style.render(), self.text, self.style.render_reset())
    }
}
