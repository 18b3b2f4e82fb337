//! The style of text output: colours, icons, width and grouping.

use std::fmt;

use anstyle::{AnsiColor, Color};

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
    /// The name of a hit.
    Title,
}

/// The rule for grouping hits by source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Hits are always grouped.
    Always,
    /// Hits are grouped if they come from several sources.
    Several,
    /// Hits are only sorted by rank.
    Never,
}

/// The options of text output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// True to write escape sequences for colours.
    pub color: bool,
    /// True to write icons of sources.
    pub icons: bool,
    /// Maximum number of columns of a line.
    pub width: usize,
    /// The grouping of hits by source.
    pub grouping: Grouping,
    /// True to end paths with NUL instead of a line end.
    pub null: bool,
}

impl Style {
    /// No colours and icons, 80 columns.
    #[cfg(any(test, feature = "fixtures"))]
    pub fn plain() -> Style {
        Style { color: false, icons: false, width: 80, grouping: Grouping::Several, null: false }
    }

    /// The text in the style of its role.
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
