//! Lexical queries and their results: candidates with evidence, not scores.

use lore_schema::Field;

use crate::{ChunkId, DocumentId, DocumentSet};

/// A form of a word in one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldTerm {
    /// The field to search.
    pub field: Field,
    /// The term, exactly as in the dictionary.
    pub term: String,
    /// Share of a full occurrence that one occurrence of this form counts for, 0.0..=1.0.
    pub weight: f32,
}

/// A word of the query with all its forms. They count as one term, whose document frequency is that
/// of the union.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TermGroup {
    /// The forms, in any order.
    pub forms: Vec<FieldTerm>,
    /// Weight of the group in the choice of candidates, above 0.0; a full word has 1.0. Evidence is
    /// not scaled by it.
    pub weight: f32,
    /// True if the group only adds evidence. A document that matches only optional groups is no
    /// candidate, and one without them may still count as a match of all groups.
    pub optional: bool,
}

/// A lexical query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LexicalQuery {
    /// The words. A document qualifies if it matches at least one that is not optional.
    pub groups: Vec<TermGroup>,
    /// Weight of each field in the choice of candidates, in the order of [`Field::ALL`]. Evidence
    /// is not scaled by it.
    pub weights: [f32; Field::ALL.len()],
    /// Maximum number of chunks per candidate.
    pub chunks_per_document: usize,
    /// Documents that may become candidates. Like a filter, the set changes no statistics.
    pub within: DocumentSet,
    /// Additional candidates beyond the limit, after the best ones, if they qualify.
    pub also: Vec<DocumentId>,
    /// Documents that are reported apart from the candidates.
    pub reserve: Reserve,
}

/// Documents that are reported apart from the candidates, the best ones of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reserve {
    /// The documents, in any order.
    pub documents: Vec<DocumentId>,
    /// Maximum number that is reported.
    pub limit: usize,
}

/// BM25 scores of every group in every field, for one row. Fields of the other level have 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    values: Vec<f32>,
}

impl Evidence {
    /// Returns empty evidence for this many groups.
    pub fn zeros(groups: usize) -> Evidence {
        Evidence { values: vec![0.0; groups * Field::ALL.len()] }
    }

    /// BM25 score of a group in a field, at least 0.0.
    pub fn get(&self, group: usize, field: Field) -> f32 {
        self.values[group * Field::ALL.len() + field.index()]
    }

    /// Sets the BM25 score of a group in a field.
    pub fn set(&mut self, group: usize, field: Field, value: f32) {
        self.values[group * Field::ALL.len() + field.index()] = value;
    }

    /// BM25 scores of all groups in a field, in the order of the groups.
    pub fn of(&self, field: Field) -> impl Iterator<Item = f32> + '_ {
        self.values.iter().skip(field.index()).step_by(Field::ALL.len()).copied()
    }

    /// Sum over all groups in a field.
    pub fn sum(&self, field: Field) -> f32 {
        self.of(field).sum()
    }

    /// Returns true if no group has a score.
    pub fn is_zero(&self) -> bool {
        self.values.iter().all(|value| *value == 0.0)
    }
}

/// A row that contains a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    /// The document.
    pub document: DocumentId,
    /// The chunk, for fields of chunks.
    pub chunk: Option<ChunkId>,
}

/// A document in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Listed<'a> {
    /// Root-relative path.
    pub path: &'a str,
    /// The document.
    pub id: DocumentId,
    /// True if its parser gave up.
    pub fell_back: bool,
    /// Time of the last change from its own attributes, in seconds since the epoch.
    pub updated: Option<i64>,
}

/// A document for ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The document.
    pub id: DocumentId,
    /// Evidence in the fields of documents.
    pub evidence: Evidence,
    /// Its best chunks, best first; empty if only fields of documents matched.
    pub chunks: Vec<ChunkCandidate>,
}

/// A chunk of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkCandidate {
    /// The chunk.
    pub id: ChunkId,
    /// Evidence in the fields of chunks.
    pub evidence: Evidence,
}

/// Statistics of a group over the whole source, unfiltered.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GroupStatistics {
    /// Inverse document frequency in each field, in the order of [`Field::ALL`]: `ln(1 + (N - df +
    /// 0.5) / (df + 0.5))` over the live rows of the field's level; 0 if the group does not occur.
    pub idf: [f32; Field::ALL.len()],
    /// Number of documents, unfiltered, that contain the group in any field.
    pub documents: u64,
}

/// Result of a [`LexicalQuery`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matches {
    /// The candidates, by descending selection score, then by document key.
    pub candidates: Vec<Candidate>,
    /// The best of [`LexicalQuery::reserve`] that are not candidates, in the same order.
    pub reserve: Vec<Candidate>,
    /// Statistics of each group.
    pub groups: Vec<GroupStatistics>,
    /// Number of documents that the filter accepts and that match at least one group that is not
    /// optional.
    pub total: u64,
    /// Number of documents that the filter accepts and that match all groups that are not optional.
    pub matched_all: u64,
}
