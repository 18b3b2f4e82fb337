//! The signal of the length of a file.

use lore_schema::{Category, SourceName};

use super::{Side, Signal};
use crate::{
    query::Tests,
    rank::{DocumentCandidate, Question},
};

/// Length of a file of code, for queries about how something works: the file that implements it is
/// longer than those that declare, wrap or forward it and contain the same words. Only files with
/// definitions have it: a log is long for no reason.
///
/// Evidence of words grows with the number of chunks that contain them, and similarity hardly does,
/// so this belongs to the side of similarity: words alone lose by it. It is the prior for long
/// documents of informational queries (Kraaij, Westerveld and Hiemstra, 2002: proportional to the
/// length, hence the logarithm in a sum).
pub(crate) struct Length;

impl Signal for Length {
    fn name(&self) -> &'static str {
        "length"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let document = &candidate.parts.document;
        // In queries for tests, neither long tests nor the long files that they test are better.
        let has_length = question.intent.how
            && question.query.tests != Tests::Requested
            && question.source == SourceName::Code
            && matches!(document.category, Category::Own | Category::Example)
            && !document.names.is_empty();
        if has_length { share(document.bytes as f32) - median(question.mean_bytes) } else { 0.0 }
    }

    fn side(&self) -> Side {
        Side::Meaning
    }
}

/// Length share of a median hit, in a tree with this mean length of files. The signal is the
/// difference from it, so that files of code are on average neither ahead of nor behind pages and
/// scripts without functions, which lack the signal. It depends on no filter.
fn median(mean_bytes: u64) -> f32 {
    share(mean_bytes as f32 * MEDIAN_TO_MEAN).min(MAX_MEDIAN)
}

/// Length of a median hit relative to the mean of its tree. Over the trees of the development set
/// that gives a share of 0.47; the first ten hits for queries that begin with `how` have 0.52.
const MEDIAN_TO_MEAN: f32 = 2.5;

/// Maximum share of a median hit: a tree of long tables does not contain longer code.
const MAX_MEDIAN: f32 = 0.5;

/// Lengths, in bytes, where the signal begins and ends to grow. With 2 or 8 kB for the one and 64
/// to 256 kB for the other, the queries gain 0.0006 to 0.0018 by it.
const SHORT: f32 = 4.0 * 1024.0;
const LONG: f32 = 64.0 * 1024.0;

/// Position of a length in bytes between both on a logarithmic scale, 0.0..=1.0.
fn share(bytes: f32) -> f32 {
    ((bytes / SHORT).max(1.0).ln() / (LONG / SHORT).ln()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_doubling_of_a_file_adds_the_same() {
        let quarters =
            [4.0, 8.0, 16.0, 32.0, 64.0].map(|kilobytes| share(kilobytes * 1024.0) * 4.0);
        for (index, share) in quarters.into_iter().enumerate() {
            assert!((share - index as f32).abs() < 1e-5, "{quarters:?}");
        }
        assert!(share(0.0).abs() < 1e-6 && share(4095.0).abs() < 1e-6);
        assert!((share(u64::MAX as f32) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_median_hit_has_a_length_of_zero() {
        assert!(median(0).abs() < 1e-6 && median(300).abs() < 1e-6, "all are short");
        assert!((median(6_400) - share(16_000.0)).abs() < 1e-6);
        assert!((median(u64::MAX) - 0.5).abs() < 1e-6, "tables are long");
    }
}
