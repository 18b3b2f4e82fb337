//! Questions to a reader, and what it answers: candidates with evidence, not scores.

use lore_schema::Field;

use crate::{ChunkId, DocumentId, DocumentSet};

/// One form of a word in one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldTerm {
    /// Where to look.
    pub field: Field,
    /// The term, exactly as it is in the dictionary.
    pub term: String,
    /// Share of a full occurrence that one occurrence of this form counts for, 0.0..=1.0.
    pub weight: f32,
}

/// One word of the question with all its forms: they count as one term, whose document frequency
/// is that of the union.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TermGroup {
    /// The forms, in any order.
    pub forms: Vec<FieldTerm>,
    /// Share of a full word that the group counts for in the choice of candidates, above 0.0.
    /// Evidence is not scaled.
    pub weight: f32,
    /// Whether the group only adds evidence: a document that holds nothing else is no candidate,
    /// and one that lacks it may still hold "every group".
    pub optional: bool,
}

/// What to retrieve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LexicalQuery {
    /// The words. A document qualifies when it holds at least one that is not optional.
    pub groups: Vec<TermGroup>,
    /// Weight of each field in the choice of candidates, in the order of [`Field::ALL`]. It decides
    /// only who becomes a candidate.
    pub weights: [f32; Field::ALL.len()],
    /// How many of its best chunks a candidate brings along.
    pub chunks_per_document: usize,
    /// Who may become a candidate. Like a filter, it changes no statistics.
    pub within: DocumentSet,
    /// Documents that are candidates beyond the limit, behind the best, if they qualify.
    pub also: Vec<DocumentId>,
    /// Who is looked at beside the candidates.
    pub reserve: Reserve,
}

/// Documents of which the best are told beside the candidates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reserve {
    /// Who, in any order.
    pub documents: Vec<DocumentId>,
    /// How many of them at most.
    pub most: usize,
}

/// BM25 of every group in every field, for one row. Fields of the other level are 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    values: Vec<f32>,
}

impl Evidence {
    /// No evidence for this many groups.
    pub fn zeros(groups: usize) -> Evidence {
        Evidence { values: vec![0.0; groups * Field::ALL.len()] }
    }

    /// BM25 of a group in a field, 0.0 or more.
    pub fn get(&self, group: usize, field: Field) -> f32 {
        self.values[group * Field::ALL.len() + field.index()]
    }

    /// Sets the BM25 of a group in a field.
    pub fn set(&mut self, group: usize, field: Field, value: f32) {
        self.values[group * Field::ALL.len() + field.index()] = value;
    }

    /// BM25 of every group in a field, in the order of the groups.
    pub fn of(&self, field: Field) -> impl Iterator<Item = f32> + '_ {
        self.values.iter().skip(field.index()).step_by(Field::ALL.len()).copied()
    }

    /// Sum over all groups of one field.
    pub fn sum(&self, field: Field) -> f32 {
        self.of(field).sum()
    }

    /// Whether nothing is known of any group.
    pub fn is_zero(&self) -> bool {
        self.values.iter().all(|value| *value == 0.0)
    }
}

/// A row that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    /// The document.
    pub document: DocumentId,
    /// The chunk, in fields of chunks.
    pub chunk: Option<ChunkId>,
}

/// A document in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Listed<'a> {
    /// Root-relative path.
    pub path: &'a str,
    /// The document.
    pub id: DocumentId,
    /// Whether its parser gave up.
    pub fell_back: bool,
    /// When it was last changed, as it says itself, in seconds since the epoch.
    pub updated: Option<i64>,
}

/// A document that is worth ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Which document.
    pub id: DocumentId,
    /// Evidence in the document-level fields.
    pub evidence: Evidence,
    /// Its best chunks, best first; empty when only document-level fields matched.
    pub chunks: Vec<ChunkCandidate>,
}

/// A chunk of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkCandidate {
    /// Which chunk.
    pub id: ChunkId,
    /// Evidence in the chunk-level fields.
    pub evidence: Evidence,
}

/// What the whole source, unfiltered, knows of a group.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GroupStatistics {
    /// Inverse document frequency in each field, in the order of [`Field::ALL`]: `ln(1 + (N - df +
    /// 0.5) / (df + 0.5))` over the live rows of the field's level; 0 where the group does not occur.
    pub idf: [f32; Field::ALL.len()],
    /// Number of documents, unfiltered, that hold the group in any field.
    pub documents: u64,
}

/// Answer to a [`LexicalQuery`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matches {
    /// The candidates, by falling selection score, then by document key.
    pub candidates: Vec<Candidate>,
    /// The best of [`LexicalQuery::reserve`] that are no candidates, in the same order.
    pub reserve: Vec<Candidate>,
    /// One entry a group.
    pub groups: Vec<GroupStatistics>,
    /// Documents that meet the filter and hold at least one group that is not optional.
    pub total: u64,
    /// Documents that meet the filter and hold every group that is not optional.
    pub matched_all: u64,
}
