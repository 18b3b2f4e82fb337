//! Signals of word evidence: BM25 per field, each divided by the maximum of the query.

use lore_schema::Field;

use super::Signal;
use crate::rank::{DocumentCandidate, Question};

macro_rules! field_signal {
    ($(#[$doc:meta])* $type:ident, $name:literal, $field:expr) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl Signal for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
                candidate.field($field)
            }
        }
    };
}

field_signal! {
    /// The three best chunks, each counting half of the one before: several chunks about the query
    /// outweigh one.
    Chunks, "chunks", Field::Body
}
field_signal! {
    /// Names around the chunks: enclosing and own definitions, headings, the file's stem.
    Context, "context", Field::Context
}
field_signal! {
    /// Identifiers as a whole.
    Whole, "whole", Field::Whole
}
field_signal! {
    /// Title, identifier and description of the document.
    Title, "title", Field::Title
}
field_signal! {
    /// Names that the document defines, in parts.
    Names, "names", Field::Names
}
field_signal! {
    /// Comments and documentation strings: prose that explains code.
    Comments, "comments", Field::Comments
}
field_signal! {
    /// Tags, components and other attributes.
    Attributes, "attributes", Field::Attributes
}

/// The best chunk alone: one chunk that contains all words.
pub(crate) struct BestChunk;

impl Signal for BestChunk {
    fn name(&self) -> &'static str {
        "best-chunk"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.best_chunk
    }
}

/// Share of the query's weighted idf that the document contains in any field.
pub(crate) struct Coverage;

impl Signal for Coverage {
    fn name(&self) -> &'static str {
        "coverage"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        question.share(|word| candidate.holds[word])
    }
}
