//! Fusion of word evidence and similarity in one score.

use lore_schema::SourceName;

use super::signals::Side;
use crate::{Explanation, Fusion, Part};

/// Sum of a normalised score of 1 in one list, at a weight of 1. The best possible document by
/// words gets 14, which is this at their weight of 0.7; one with a similarity of 1 gets 6, at 0.3.
const MAX_LIST_SCORE: f32 = 20.0;

/// Maximum share of ranks: with ranks alone no score remains.
const MAX_ALPHA: f32 = 0.99;

impl Fusion {
    /// Reciprocal rank of a position in a list, from 1; 0 for a document that is not in the list.
    fn reciprocal(&self, rank: Option<usize>) -> f32 {
        rank.map_or(0.0, |rank| 1.0 / (self.rrf_k + rank as f32))
    }
}

/// The weights of words and of similarity in one search of one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Balance {
    /// The weights of this search, and the share of ranks.
    fusion: Fusion,
    /// Factors of the signals, by side: 1 at the default weights, with which the signals were
    /// fitted.
    words: f32,
    meaning: f32,
}

impl Balance {
    /// The balance of the hybrid mode in a source. A weight of 0 excludes a list.
    pub(crate) fn hybrid(fusion: Fusion, source: SourceName) -> Balance {
        if fusion.semantic_weight <= 0.0 {
            return Balance::of_words();
        }
        let fitted = Fusion::default();
        let is_fitted = fusion.semantic_weight.total_cmp(&fitted.semantic_weight).is_eq()
            && fusion.bm25_weight.total_cmp(&fitted.bm25_weight).is_eq();
        // Weights that the user chose count as they are in every source.
        let share = if is_fitted && source != SourceName::Code { PROSE } else { 1.0 };
        let (words, meaning) = (fusion.bm25_weight, share * fusion.semantic_weight);
        // In one list alone, the rank adds nothing to the score.
        let alpha = if words > 0.0 { fusion.alpha.min(MAX_ALPHA) } else { 0.0 };
        let fusion = Fusion { semantic_weight: meaning, alpha, ..fusion };
        Balance {
            fusion,
            words: words / fitted.bm25_weight,
            meaning: meaning / fitted.semantic_weight,
        }
    }

    /// Words alone, with the weights as fitted.
    pub(crate) fn of_words() -> Balance {
        let fusion = Fusion { semantic_weight: 0.0, alpha: 0.0, ..Fusion::default() };
        Balance { fusion, words: 1.0, meaning: 0.0 }
    }

    /// Returns whether similarity counts.
    pub(crate) fn has_meaning(&self) -> bool {
        self.fusion.semantic_weight > 0.0
    }

    /// Factor of the signals of a side.
    pub(crate) fn of_scores(&self, side: Side) -> f32 {
        match side {
            Side::Words => self.words,
            Side::Meaning => self.meaning,
            Side::Document => 1.0,
        }
    }

    /// Adds the parts that depend on the lists: the ranks in both, and the level of similarity.
    pub(crate) fn complete(
        &self,
        explanation: &mut Explanation,
        words: Option<usize>,
        meaning: Option<usize>,
    ) {
        if self.meaning > 0.0 {
            let weight = -LEVEL * self.meaning;
            explanation.parts.push(Part {
                name: "meaning-level",
                value: 1.0,
                weight,
                contribution: weight,
            });
        }
        if self.fusion.alpha <= 0.0 {
            return;
        }
        let lists = [
            ("bm25-rank", self.fusion.bm25_weight, words),
            ("semantic-rank", self.fusion.semantic_weight, meaning),
        ];
        for (name, weight, rank) in lists {
            let value = self.fusion.reciprocal(rank);
            // The formula divided by 1 - alpha: scores keep their scale, and signals of the
            // document weigh the same beside them, whatever the share of ranks.
            let weight = MAX_LIST_SCORE * weight * self.fusion.alpha / (1.0 - self.fusion.alpha);
            explanation.parts.push(Part { name, value, weight, contribution: value * weight });
        }
    }
}

/// Sum of the similarity signals of a median hit: over the development set, half of the first ten
/// are between 1.9 and 2.9. It is subtracted from all hits of a source, which changes no order
/// inside the source and keeps scores comparable with sources in which similarity counts less. With
/// 1.8 the subjects of commits to specs lose 0.013 against words alone, with 3.0 the small
/// collection of this repository loses 0.04, with 2.2 neither loses 0.01.
const LEVEL: f32 = 2.2;

/// Weight of similarity in prose, relative to code. Queries about prose use its words: with the
/// full weight, the queries of two collections of specs and documents lose 0.02 to 0.1; with 0,
/// queries in other words find nothing.
const PROSE: f32 = 0.06;

#[cfg(test)]
mod tests;
