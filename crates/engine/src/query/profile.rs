//! The properties of a query besides its words: its kinds, the sources and the changes that it names.
//! Pure.

use super::{Changes, Kinds, NamedSources, is_everyday};

/// The properties of a query.
#[derive(Debug, Clone)]
pub(crate) struct QueryProfile {
    /// The text, without whitespace around it.
    pub(crate) text: String,
    /// Number of its words, with identifiers split into parts.
    pub(crate) words: usize,
    /// Its words without everyday words.
    pub(crate) parts: Vec<String>,
    /// The kinds of question.
    pub(crate) kinds: Kinds,
    /// The named sources.
    pub(crate) named: NamedSources,
    /// The kinds of change that it mentions.
    pub(crate) changes: Changes,
}

impl QueryProfile {
    /// The properties of a query text. `is_name` is true for a single name.
    pub(crate) fn of(text: &str, is_name: bool) -> QueryProfile {
        let mut parts = lore_text::parts(text);
        let words = parts.len();
        parts.retain(|part| !is_everyday(part));
        QueryProfile {
            text: text.trim().to_owned(),
            words,
            parts,
            kinds: Kinds::of(text, is_name),
            named: NamedSources::of(text),
            changes: Changes::of(text),
        }
    }
}
