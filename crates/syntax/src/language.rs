//! A language as a row of data.

use crate::{comments::CommentSigns, finder::shapes::Shape, grammar::Grammar};

/// A language: a row, not an enum.
#[derive(Debug)]
pub struct Language {
    /// Lower-case name that users type: `rust`, `c++`, `markdown`.
    pub name: &'static str,
    /// Other lower-case names that users type for it: `cpp`, `js`.
    pub aliases: &'static [&'static str],
    /// Endings of file names after the last dot, lower case.
    pub(crate) extensions: &'static [&'static str],
    /// Whole file names; with a final `*`, prefixes of file names.
    pub(crate) file_names: &'static [&'static str],
    /// Programs after `#!`, without version.
    pub(crate) interpreters: &'static [&'static str],
    /// Comment syntax.
    pub(crate) comments: CommentSigns,
    /// Structure that the text is cut along.
    pub(crate) structure: Structure,
}

impl Language {
    /// Returns true if texts of the language define names; false for prose.
    pub fn has_definitions(&self) -> bool {
        !matches!(self.structure, Structure::Prose(_))
    }
}

/// Structure that a text is cut along.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Structure {
    /// Definitions, found by a parser.
    Grammar(&'static Grammar),
    /// Lines, with definitions of these shapes.
    Lines(&'static [Shape]),
    /// Headings and paragraphs.
    Prose(Prose),
}

/// Heading syntax of a prose format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prose {
    /// `== Heading`.
    Asciidoc,
    /// `# Heading`, or a title that is underlined.
    Markdown,
    /// `* Heading`.
    Org,
    /// No headings.
    Plain,
    /// A title underlined with punctuation.
    Rst,
}
