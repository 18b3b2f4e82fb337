//! How evidence of words and of meaning come together in one score.

use lore_schema::SourceName;

use super::signals::Side;
use crate::{Explanation, Fusion, Mode, Part};

/// Raw score of a document that says everything that the question asks for, in words or in meaning:
/// what a normalised score of 1 is worth.
const FULL: f32 = 8.0;

impl Fusion {
    /// What one list says of a document, 0.0..=weight: `rank` is its place in the list, from 1, if it
    /// is in it, and `score` its score there, 0.0..=1.0.
    pub(crate) fn part(&self, weight: f32, rank: Option<usize>, score: f32) -> f32 {
        weight * (self.alpha * self.reciprocal(rank) + (1.0 - self.alpha) * score)
    }

    fn reciprocal(&self, rank: Option<usize>) -> f32 {
        rank.map_or(0.0, |rank| 1.0 / (self.rrf_k + rank as f32))
    }
}

/// How much words and meaning count in one search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Balance {
    fusion: Fusion,
    /// Weights beside those that the signals were fitted with.
    words: f32,
    meaning: f32,
}

impl Balance {
    /// The balance of a mode in one source; without an embedding, words alone count.
    pub(crate) fn new(
        fusion: Fusion,
        mode: Mode,
        has_meaning: bool,
        source: SourceName,
    ) -> Balance {
        let fitted = Fusion::default();
        let (words, meaning) = match mode {
            Mode::Hybrid if has_meaning => (
                fusion.bm25_weight / fitted.bm25_weight,
                share(source) * fusion.semantic_weight / fitted.semantic_weight,
            ),
            Mode::Semantic if has_meaning => (0.0, 1.0 / fitted.semantic_weight),
            Mode::Hybrid | Mode::Lexical | Mode::Semantic => (1.0, 0.0),
        };
        // Of one list alone, the place says nothing beyond the score.
        let alpha = if words > 0.0 && meaning > 0.0 { fusion.alpha } else { 0.0 };
        Balance { fusion: Fusion { alpha, ..fusion }, words, meaning }
    }

    /// Factor for signals of a side: what the scores of its list count for.
    pub(crate) fn of_scores(&self, side: Side) -> f32 {
        match side {
            Side::Words => self.fusion.part(self.words, None, 1.0),
            Side::Meaning => self.fusion.part(self.meaning, None, 1.0),
            Side::Document => 1.0,
        }
    }

    /// Adds what a document's places in both lists count for.
    pub(crate) fn add_places(
        &self,
        explanation: &mut Explanation,
        words: Option<usize>,
        meaning: Option<usize>,
    ) {
        if self.fusion.alpha <= 0.0 {
            return;
        }
        let lists = [("bm25-rank", self.words, words), ("semantic-rank", self.meaning, meaning)];
        for (name, weight, rank) in lists {
            let value = self.fusion.reciprocal(rank);
            let contribution = FULL * self.fusion.part(weight, rank, 0.0);
            let weight = FULL * weight * self.fusion.alpha;
            explanation.parts.push(Part { name, value, weight, contribution });
        }
    }
}

/// What meaning counts for in a source, beside what it counts for in code. Who asks about prose asks
/// in its words.
fn share(source: SourceName) -> f32 {
    if source == SourceName::Code { 1.0 } else { PROSE }
}

/// With twice as much the questions of two collections of specs lose 0.005 to 0.05, with none of it
/// other words find nothing.
const PROSE: f32 = 0.125;

#[cfg(test)]
mod tests;
