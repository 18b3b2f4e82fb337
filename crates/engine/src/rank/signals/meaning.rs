//! Signals of similarity between the chunks of a document and the query.

use super::{Side, Signal, category::Test};
use crate::rank::{DocumentCandidate, Question};

/// The three most similar chunks, each counting half of the one before: several chunks about the
/// query outweigh one.
pub(crate) struct Similarity;

impl Signal for Similarity {
    fn name(&self) -> &'static str {
        "meaning"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.meaning * share(question, candidate)
    }

    fn side(&self) -> Side {
        Side::Meaning
    }
}

/// The most similar chunk alone.
pub(crate) struct NearestChunk;

impl Signal for NearestChunk {
    fn name(&self) -> &'static str {
        "nearest-chunk"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.nearest.unwrap_or(0.0) * share(question, candidate)
    }

    fn side(&self) -> Side {
        Side::Meaning
    }
}

/// Weight of similarity: a test is similar to everything that it tests.
fn share(question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
    if Test.value(question, candidate) > 0.0 { TEST } else { 1.0 }
}

/// Weight of the similarity of a test, unless the query is for tests. 0.0 to 0.5 give the same
/// figures.
const TEST: f32 = 0.5;
