//! The signal of how much a file holds.

use lore_schema::{Category, SourceName};

use super::{Side, Signal};
use crate::rank::{DocumentCandidate, Question};

/// How much a file of code holds, where the question asks how something works: the file that does it,
/// rather than one that declares it, wraps it or passes it on, which say the same words in fewer lines.
/// Only what defines something: a log is long for no reason.
///
/// Evidence of words grows with the passages that hold them, likeness in meaning hardly does, so this
/// stands on its side: words alone lose by it. A prior for long documents is what retrieval has for
/// questions that want to be told something (Kraaij, Westerveld and Hiemstra, 2002: proportional to the
/// length, hence the logarithm in a sum).
pub(crate) struct Length;

impl Signal for Length {
    fn name(&self) -> &'static str {
        "length"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let document = &candidate.parts.document;
        let counts =
            counts(question) && document.category == Category::Own && !document.names.is_empty();
        if counts { share(document.bytes) } else { 0.0 }
    }

    fn side(&self) -> Side {
        Side::Meaning
    }
}

/// Whether lengths count for a question.
pub(super) fn counts(question: &Question<'_>) -> bool {
    question.intent.how && question.source == SourceName::Code
}

/// What it comes to for a middling hit: the mean and the median of the first ten over the questions of
/// the development set that begin with `how`.
pub(super) const MIDDLING: f32 = 0.5;

/// Where a file begins to be long, and where more of it says no more, in bytes. With 2 or 8 kB for the
/// one and 64 to 256 kB for the other, the questions gain 0.0006 to 0.0018 by it.
const SHORT: f32 = 4.0 * 1024.0;
const LONG: f32 = 64.0 * 1024.0;

/// Place of a length between both on a logarithmic scale, 0.0..=1.0.
fn share(bytes: u64) -> f32 {
    ((bytes as f32 / SHORT).max(1.0).ln() / (LONG / SHORT).ln()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubling_a_file_counts_the_same_wherever_it_counts() {
        let quarters = [4, 8, 16, 32, 64].map(|kilobytes| share(kilobytes * 1024) * 4.0);
        for (index, share) in quarters.into_iter().enumerate() {
            assert!((share - index as f32).abs() < 1e-5, "{quarters:?}");
        }
        assert!(share(0).abs() < 1e-6 && share(4095).abs() < 1e-6);
        assert!((share(u64::MAX) - 1.0).abs() < 1e-6);
    }
}
