//! Turns text into terms, identically for documents and queries, and into vectors.
//!
//! Pure: no I/O, no state. The index contains unstemmed terms. English inflection is handled when a
//! query is prepared, by [`Relation::stem()`] over the words of the dictionary. So identifiers are
//! never stemmed, exact phrases stay exact, and the rule can change without a new index.

mod agent_nouns;
mod analyzer;
mod analyzers;
mod embed;
mod fold;
mod irregular;
mod parts;
mod scan;
mod stem;
mod stop;

#[cfg(feature = "model2vec")]
pub use crate::embed::{Model2VecEmbedder, Model2VecFiles};
pub use crate::{
    analyzer::{ANALYZERS, Analyzer, Form, Token, analyzer},
    embed::{ChunkText, EmbedError, Embedder, Fault, StaticEmbedder},
    fold::fold,
    parts::parts,
    scan::is_cjk,
    stem::{Relation, form_prefixes, same_stem, stem},
    stop::is_stop_word,
};

/// Version of the analysis: terms with another fingerprint are not comparable.
///
/// History: `text-1` unstemmed parts and wholes, accents removed, CJK characters and pairs; `text-2`
/// the plural of an acronym has the acronym as its part.
pub fn fingerprint() -> &'static str {
    "text-2"
}
