//! The signal of how much a file holds.

use lore_schema::{Category, SourceName};

use super::{Side, Signal};
use crate::{
    query::Tests,
    rank::{DocumentCandidate, Question},
};

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
        // Of tests that are asked for, the long ones are no better, nor is what they test.
        let has_length = question.intent.how
            && question.query.tests != Tests::AskedFor
            && question.source == SourceName::Code
            && matches!(document.category, Category::Own | Category::Example)
            && !document.names.is_empty();
        if has_length { share(document.bytes as f32) - middling(question.mean_bytes) } else { 0.0 }
    }

    fn side(&self) -> Side {
        Side::Meaning
    }
}

/// What it comes to for a middling hit of a tree whose files are so long in the mean. No page and no
/// script without a function has this signal: so that files of code are neither ahead of those that
/// tell the same nor behind them, what counts of it is what is beside this, which depends on no filter.
fn middling(mean_bytes: u64) -> f32 {
    share(mean_bytes as f32 * LONGER).min(MIDDLING)
}

/// How much longer than the mean of its tree a middling hit is. Over the trees of the development set
/// that comes to 0.47 of the signal, and the first ten for the questions that begin with `how` have 0.52.
const LONGER: f32 = 2.5;

/// Its place there, and the most that it comes to: a tree of long tables has no longer code for them.
const MIDDLING: f32 = 0.5;

/// Where a file begins to be long, and where more of it says no more, in bytes. With 2 or 8 kB for the
/// one and 64 to 256 kB for the other, the questions gain 0.0006 to 0.0018 by it.
const SHORT: f32 = 4.0 * 1024.0;
const LONG: f32 = 64.0 * 1024.0;

/// Place of a length in bytes between both on a logarithmic scale, 0.0..=1.0.
fn share(bytes: f32) -> f32 {
    ((bytes / SHORT).max(1.0).ln() / (LONG / SHORT).ln()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubling_a_file_counts_the_same_wherever_it_counts() {
        let quarters =
            [4.0, 8.0, 16.0, 32.0, 64.0].map(|kilobytes| share(kilobytes * 1024.0) * 4.0);
        for (index, share) in quarters.into_iter().enumerate() {
            assert!((share - index as f32).abs() < 1e-5, "{quarters:?}");
        }
        assert!(share(0.0).abs() < 1e-6 && share(4095.0).abs() < 1e-6);
        assert!((share(u64::MAX as f32) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_middling_hit_has_nothing_of_it() {
        assert!(middling(0).abs() < 1e-6 && middling(300).abs() < 1e-6, "all are short");
        assert!((middling(6_400) - share(16_000.0)).abs() < 1e-6);
        assert!((middling(u64::MAX) - 0.5).abs() < 1e-6, "tables are long");
    }
}
