//! What a language is: a row of data.

use crate::{finder::Shape, grammar::Grammar, languages::LANGUAGES};

/// A language: a row, not an enum.
#[derive(Debug)]
pub struct Language {
    /// Lower-case name that users type: `rust`, `c++`, `markdown`.
    pub name: &'static str,
    /// Other lower-case names that users type for it: `cpp`, `js`.
    pub aliases: &'static [&'static str],
    /// Ends of file names after the last dot, lower case.
    pub(crate) extensions: &'static [&'static str],
    /// Whole file names, and with a final `*` their beginnings.
    pub(crate) file_names: &'static [&'static str],
    /// Programs after `#!`, without version.
    pub(crate) interpreters: &'static [&'static str],
    /// How comments are written.
    pub(crate) comments: CommentSigns,
    /// What the text is cut along.
    pub(crate) structure: Structure,
}

/// How comments and, where a comment sign can stand in them, strings are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommentSigns {
    /// Signs that make the rest of the line a comment.
    pub(crate) line: &'static [&'static str],
    /// Signs around a comment: opening, closing.
    pub(crate) block: &'static [(&'static str, &'static str)],
    /// Quotes around strings that end on their line, with `\` as escape.
    pub(crate) quotes: &'static [u8],
}

/// What a text is cut along.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Structure {
    /// Definitions, found by a parser.
    Grammar(&'static Grammar),
    /// Lines; definitions that have one of these shapes are recognised.
    Lines(&'static [Shape]),
    /// Headings and paragraphs.
    Prose(Prose),
}

/// How a format of prose writes its headings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prose {
    /// `== Heading`.
    Asciidoc,
    /// `# Heading`, or a line underneath.
    Markdown,
    /// `* Heading`.
    Org,
    /// No headings.
    Plain,
    /// A title with a line of punctuation underneath.
    Rst,
}

/// The language with this name or alias, in any letter case.
pub fn named(name: &str) -> Option<&'static Language> {
    let name = name.to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .or_else(|| LANGUAGES.iter().find(|language| language.aliases.contains(&name.as_str())))
}
