//! The signal of how much a file holds.

use lore_schema::{Category, SourceName};

use super::{Side, Signal};
use crate::{
    Explanation, Part,
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
        if has_length(question, candidate) { share(candidate.parts.document.bytes) } else { 0.0 }
    }

    fn side(&self) -> Side {
        Side::Meaning
    }
}

/// Whether the length of a document tells how much of what is asked for it does.
pub(crate) fn has_length(question: &Question<'_>, candidate: &DocumentCandidate) -> bool {
    let document = &candidate.parts.document;
    // Of tests that are asked for, the long ones are no better, nor is what they test.
    question.intent.how
        && question.query.tests != Tests::AskedFor
        && question.source == SourceName::Code
        && matches!(document.category, Category::Own | Category::Example)
        && !document.names.is_empty()
}

/// How long the best of an answer are that have a length.
///
/// No page and no script without a function has this signal: what counts of it is what is beside the
/// best, -1.0..=1.0, so that files of code are neither ahead of those that tell the same nor behind them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lengths {
    mean: f32,
}

impl Lengths {
    /// Of those of an answer that have a length, best first.
    pub(crate) fn of<'e>(best: impl Iterator<Item = &'e Explanation>) -> Lengths {
        let best = best.take(BEST).filter_map(|one| part_of(&one.parts));
        let (sum, count) = best.fold((0.0, 0.0), |(sum, count), at| (sum + at, count + 1.0));
        Lengths { mean: sum / f32::max(count, 1.0) }
    }

    /// Takes it off one of them.
    pub(crate) fn take_off(self, explanation: &mut Explanation) {
        let is_length = |part: &&mut Part| part.name == Length.name();
        if let Some(part) = explanation.parts.iter_mut().find(is_length) {
            part.value -= self.mean;
            part.contribution = part.value * part.weight;
        }
    }
}

fn part_of(parts: &[Part]) -> Option<f32> {
    parts.iter().find(|part| part.name == Length.name()).map(|part| part.value)
}

/// How many are the best: those that a page of an answer shows.
const BEST: usize = 10;

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

    #[test]
    fn what_the_best_have_is_taken_off() {
        let explanation = |value: f32| Explanation {
            parts: vec![Part { name: "length", value, weight: 0.5, contribution: 0.5 * value }],
        };
        let mut all: Vec<Explanation> = (0..12_u8).map(|at| explanation(f32::from(at))).collect();
        let lengths = Lengths::of(all.iter());
        for one in &mut all {
            lengths.take_off(one);
        }
        let sums: Vec<f32> = all.iter().map(Explanation::sum).collect();
        let expected: Vec<f32> = (0..12_u8).map(|at| 0.5 * (f32::from(at) - 4.5)).collect();
        assert_eq!(sums, expected);
        let short: Vec<Explanation> = (0..3).map(|_| explanation(0.0)).collect();
        assert_eq!(Lengths::of(short.iter()), Lengths { mean: 0.0 });
        assert_eq!(Lengths::of(std::iter::empty()), Lengths { mean: 0.0 });
    }
}
