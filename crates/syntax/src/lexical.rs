//! Lexical properties of a language, for colours.

use crate::{
    comments::CommentSigns,
    language::{Language, Structure},
};

impl Language {
    /// The syntax of comments.
    pub fn comment_signs(&self) -> &CommentSigns {
        &self.comments
    }

    /// The words that the grammar reserves, sorted: its tokens that consist of letters, digits and `_`. Empty
    /// for a language without a grammar. Nothing is parsed.
    pub fn keywords(&self) -> &'static [String] {
        match self.structure {
            Structure::Grammar(grammar) => grammar.keywords(),
            Structure::Lines(_) | Structure::Prose(_) => &[],
        }
    }

    /// Returns true for prose: Markdown and similar formats, and plain text.
    pub fn is_prose(&self) -> bool {
        matches!(self.structure, Structure::Prose(_))
    }
}
