//! The result of the retrieve stage: candidates with their evidence, and totals.

use foldhash::HashSet;
use lore_index::{Candidate, DocumentId, DocumentSet, GroupStatistics, StoredDocument};

use crate::query::PreparedQuery;

/// The candidates of a query, and the totals over all documents that match it.
pub(crate) struct Retrieved {
    /// One entry a source of the snapshot, in their order.
    pub(crate) sources: Vec<RetrievedSource>,
    /// Totals over all sources.
    pub(crate) totals: Totals,
}

/// Totals over all documents that match a query, shown or not.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Documents that match.
    pub(crate) documents: u64,
    /// Documents that contain every word.
    pub(crate) matched_all: u64,
    /// Similarity of the most similar document, where a source has none that is similar enough.
    pub(crate) best_similarity: Option<f32>,
    /// Documents that meet the conditions, by source of the snapshot.
    pub(crate) admitted: Vec<DocumentSet>,
}

/// The candidates of one source.
pub(crate) struct RetrievedSource {
    /// Index of the source in the snapshot.
    pub(crate) source: usize,
    /// The candidates.
    pub(crate) documents: Vec<RetrievedDocument>,
    /// Statistics of the words in the index; `None` for a query without words.
    pub(crate) words: Option<WordStatistics>,
    /// Candidates whose scores support other documents.
    pub(crate) supporting: HashSet<DocumentId>,
}

/// Statistics of the words of a query in one index.
pub(crate) struct WordStatistics {
    /// The words with their forms.
    pub(crate) prepared: PreparedQuery,
    /// Statistics of each word.
    pub(crate) groups: Vec<GroupStatistics>,
}

/// A document to score.
pub(crate) struct RetrievedDocument {
    /// Evidence of the words.
    pub(crate) candidate: Candidate,
    /// The stored document.
    pub(crate) document: StoredDocument,
    /// Similarity of each chunk to the query, in the order of the candidate's chunks; empty where
    /// no embedding takes part.
    pub(crate) similarities: Vec<f32>,
    /// True if it contains the query word by word.
    pub(crate) is_exact: bool,
    /// True if the minimum similarity of the request excludes it. It still supports its neighbours:
    /// the threshold changes no score.
    pub(crate) is_below_minimum: bool,
}

impl Retrieved {
    /// Returns whether no document meets the conditions.
    pub(crate) fn admits_nothing(&self) -> bool {
        self.totals.admitted.iter().all(DocumentSet::is_none)
    }

    /// Returns whether any candidate may be shown.
    pub(crate) fn has_candidates(&self) -> bool {
        let mut documents = self.sources.iter().flat_map(|source| &source.documents);
        documents.any(|document| !document.is_below_minimum)
    }
}

impl Totals {
    /// Adds the totals of one source.
    pub(super) fn add(
        &mut self,
        documents: u64,
        matched_all: u64,
        best: Option<f32>,
        admitted: DocumentSet,
    ) {
        self.documents += documents;
        self.matched_all += matched_all;
        self.best_similarity = self.best_similarity.into_iter().chain(best).reduce(f32::max);
        self.admitted.push(admitted);
    }
}
