//! Candidates of one source, each once.

use std::collections::hash_map::Entry;

use foldhash::HashMap;
use lore_index::{Candidate, ChunkCandidate, DocumentId, Evidence, Holder, Similar};
use lore_schema::{Field, Level};

/// Candidates in the order in which they were added.
pub(super) struct Candidates {
    /// The candidates.
    pub(super) list: Vec<Candidate>,
    /// Position of each document in the list.
    pub(super) positions: HashMap<DocumentId, usize>,
}

impl Candidates {
    /// Candidates without repetition.
    pub(super) fn new(list: Vec<Candidate>) -> Candidates {
        let positions = list.iter().enumerate().map(|(at, candidate)| (candidate.id, at)).collect();
        Candidates { list, positions }
    }

    /// Identifiers of the documents, in their order.
    pub(super) fn ids(&self) -> Vec<DocumentId> {
        self.list.iter().map(|candidate| candidate.id).collect()
    }

    /// Adds those that are not in the list.
    pub(super) fn add(&mut self, more: Vec<Candidate>) {
        for candidate in more {
            if let Entry::Vacant(position) = self.positions.entry(candidate.id) {
                position.insert(self.list.len());
                self.list.push(candidate);
            }
        }
    }

    /// Adds chunks to the candidates that contain them: a chunk that declares a name need not be
    /// among those with most evidence.
    pub(super) fn add_chunks(&mut self, holders: &[Holder], words: usize) {
        for holder in holders {
            let Some(id) = holder.chunk else { continue };
            let Some(&position) = self.positions.get(&holder.document) else { continue };
            let candidate = &mut self.list[position];
            if candidate.chunks.iter().all(|chunk| chunk.id != id) {
                candidate.chunks.push(ChunkCandidate { id, evidence: Evidence::zeros(words) });
            }
        }
    }

    /// Adds those that are not in the list as documents without any word.
    pub(super) fn add_without_words(&mut self, ids: &[DocumentId], words: usize) {
        let without_evidence = |id: &DocumentId| Candidate {
            id: *id,
            evidence: Evidence::zeros(words),
            chunks: Vec::new(),
        };
        self.add(ids.iter().map(without_evidence).collect());
    }
}

/// A candidate with its most similar chunks beside those that contain words, and the similarity of
/// each chunk. A chunk that is not among the most similar counts as similar as the last of these,
/// which is an upper bound.
pub(super) fn with_similar_chunks(
    mut candidate: Candidate,
    similar: Option<&Similar>,
    words: usize,
) -> (Candidate, Vec<f32>) {
    let Some(similar) = similar.filter(|similar| !similar.chunks.is_empty()) else {
        return (candidate, Vec::new());
    };
    for chunk in &similar.chunks {
        if candidate.chunks.iter().all(|other| other.id != chunk.id) {
            let evidence = Evidence::zeros(words);
            candidate.chunks.push(ChunkCandidate { id: chunk.id, evidence });
        }
    }
    let last = similar.chunks.last().map_or(0.0, |chunk| chunk.similarity);
    let similarity = |chunk: &ChunkCandidate| {
        let known = similar.chunks.iter().find(|other| other.id == chunk.id);
        known.map_or(last, |known| known.similarity)
    };
    let similarities = candidate.chunks.iter().map(similarity).collect();
    (candidate, similarities)
}

/// Returns whether a candidate contains one of the first words of a query.
pub(super) fn contains_any(candidate: &Candidate, words: usize) -> bool {
    (0..words).any(|word| {
        Field::ALL.iter().any(|field| {
            let contains = |evidence: &Evidence| evidence.get(word, *field) > 0.0;
            match field.level() {
                Level::Document => contains(&candidate.evidence),
                Level::Chunk => candidate.chunks.iter().any(|chunk| contains(&chunk.evidence)),
            }
        })
    })
}
