//! The analyzer trait, and the list of analyzers.

use crate::analyzers::{code, path, prose};

/// Relation of a token to the text that it was cut from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// A word, a part of an identifier, or one CJK character. Each takes the next position.
    Part,
    /// An identifier of several parts, or a pair of CJK characters, as one term. It takes no
    /// position of its own and follows its last part.
    Whole,
}

/// A term with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The folded term.
    pub term: &'a str,
    /// First byte in the text.
    pub start: usize,
    /// One past the last byte in the text.
    pub end: usize,
    /// Relation to the text.
    pub form: Form,
}

/// Cuts a text into tokens.
pub trait Analyzer: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Pushes the tokens of `text`, ordered by their ends.
    fn analyze(&self, text: &str, sink: &mut dyn FnMut(Token<'_>));
}

/// All analyzers, sorted by name.
pub static ANALYZERS: &[&dyn Analyzer] = &[&code::Code, &path::Path, &prose::Prose];

/// The analyzer with this name.
///
/// # Panics
/// If there is none: names are constants.
pub fn analyzer(name: &str) -> &'static dyn Analyzer {
    *ANALYZERS
        .iter()
        .find(|analyzer| analyzer.name() == name)
        .expect("callers use the names in ANALYZERS")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_is_sorted_and_unique() {
        assert!(ANALYZERS.windows(2).all(|pair| pair[0].name() < pair[1].name()));
    }
}
