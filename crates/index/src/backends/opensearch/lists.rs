//! The lists of the best rows of a query: which documents may be among the best ones.
//!
//! A document that is in no list has at most the last score of each (Fagin's threshold algorithm).

use std::collections::{HashMap, HashSet};

/// Weights of a document's best chunks in its selection score, best first, as in the local index.
pub(super) const CHUNK_SHARES: [f32; 3] = [1.0, 0.5, 0.25];

/// Maximum share by which two sums of the same scores differ.
const ROUNDING: f32 = 1e-4;

/// The rows of a document in the lists.
#[derive(Default)]
struct Known {
    /// Score of its own row; `None` if that is not in a list.
    own: Option<f32>,
    /// Scores of its chunks.
    chunks: Vec<f32>,
    /// True if a group that is not optional matches in one of them.
    qualifies: bool,
}

/// A row of a list.
pub(super) struct Row {
    pub(super) document: u64,
    pub(super) score: f32,
    /// True if a group that is not optional matches.
    pub(super) qualifies: bool,
}

/// The best rows of a level.
pub(super) struct List {
    /// The rows, best first.
    pub(super) rows: Vec<Row>,
    /// Maximum score of a row that is not in the list; 0 if all are.
    pub(super) rest: f32,
}

impl List {
    /// The document of each row.
    pub(super) fn documents(&self) -> impl Iterator<Item = u64> {
        self.rows.iter().map(|row| row.document)
    }
}

/// The documents of both lists that may be among the best `limit`. The rows in the lists give each
/// document a minimum score, and the last rows a maximum.
pub(super) fn promising(chunks: &List, documents: &List, limit: usize) -> HashSet<u64> {
    let mut of: HashMap<u64, Known> = HashMap::new();
    for row in &chunks.rows {
        let known = of.entry(row.document).or_default();
        known.chunks.push(row.score);
        known.qualifies |= row.qualifies;
    }
    for row in &documents.rows {
        let known = of.entry(row.document).or_default();
        known.own = Some(row.score);
        known.qualifies |= row.qualifies;
    }
    let sum = |own: f32, known: &[f32], rest: f32| {
        let scores = known.iter().copied().chain(std::iter::repeat(rest));
        own + scores.zip(CHUNK_SHARES).map(|(score, share)| score * share).sum::<f32>()
    };
    // A document that may not qualify gives no minimum.
    let mut minima: Vec<f32> = of
        .values()
        .filter(|known| known.qualifies)
        .map(|known| sum(known.own.unwrap_or(0.0), &known.chunks, 0.0))
        .collect();
    minima.sort_unstable_by(|left, right| right.total_cmp(left));
    let least = minima.get(limit.wrapping_sub(1)).copied().unwrap_or(0.0);
    // The cluster may round the sums of two requests differently.
    let least = least - least.abs() * ROUNDING;
    let may_be_best = |(_, known): &(u64, Known)| {
        sum(known.own.unwrap_or(documents.rest), &known.chunks, chunks.rest) >= least
    };
    of.into_iter().filter(may_be_best).map(|(document, _)| document).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(rows: &[(u64, f32, bool)], rest: f32) -> List {
        let row = |(document, score, qualifies): &(u64, f32, bool)| Row {
            document: *document,
            score: *score,
            qualifies: *qualifies,
        };
        List { rows: rows.iter().map(row).collect(), rest }
    }

    fn found(chunks: &List, documents: &List, limit: usize) -> Vec<u64> {
        let mut found: Vec<u64> = promising(chunks, documents, limit).into_iter().collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn documents_that_cannot_be_among_the_best_are_excluded() {
        let chunks = list(&[(1, 9.0, true), (2, 8.0, true), (3, 1.0, true)], 0.5);
        let documents = list(&[(1, 1.0, true), (4, 0.9, true)], 0.8);
        assert_eq!(found(&chunks, &documents, 1), [1]);
        assert_eq!(found(&chunks, &documents, 2), [1, 2]);
        assert_eq!(found(&chunks, &documents, 4), [1, 2, 3, 4]);
        assert_eq!(found(&chunks, &documents, 9), [1, 2, 3, 4]);
    }

    #[test]
    fn a_document_that_may_not_qualify_excludes_no_other() {
        let chunks = list(&[(1, 9.0, false), (2, 3.0, true)], 0.1);
        let documents = list(&[], 0.0);
        assert_eq!(found(&chunks, &documents, 1), [1, 2]);
        // Another row of the document qualifies.
        let documents = list(&[(1, 0.5, true)], 0.0);
        assert_eq!(found(&chunks, &documents, 1), [1]);
    }
}
