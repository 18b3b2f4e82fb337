//! Signals of meaning: how near the passages of a document are to the question.

use super::{Side, Signal, category::Test};
use crate::rank::{DocumentCandidate, Question};

/// The three nearest chunks, each counting half of the one before: several passages about the
/// question outweigh one.
pub(crate) struct Meaning;

impl Signal for Meaning {
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

/// The nearest chunk alone.
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

/// What nearness counts for: a test is near to everything that it tests.
fn share(question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
    if Test.value(question, candidate) > 0.0 { TEST } else { 1.0 }
}

/// What the nearness of a test counts for, unless tests are asked for. From 0.0 to 0.5 the figures
/// are the same.
const TEST: f32 = 0.5;
