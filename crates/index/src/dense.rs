//! Vectors of chunks on their way in, and questions to them.

use std::sync::Arc;

use crate::{ChunkId, DocumentId, DocumentSet};

/// The vectors of one document, made by one embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentVectors {
    /// Fingerprint of the embedder: vectors of one model are compared with each other alone.
    pub model: Arc<str>,
    /// One a chunk, in the order of the chunks: of length 1, or empty for a chunk that has none.
    /// No chunk at all says that the document was looked at and is not embedded.
    pub chunks: Vec<Vec<f32>>,
}

/// What to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseQuery {
    /// Fingerprint of the embedder that made the vector.
    pub model: Arc<str>,
    /// A vector of length 1. One of zeros, or of another dimension than the stored ones, is near
    /// nothing.
    pub vector: Vec<f32>,
    /// How many of its nearest chunks a candidate brings along.
    pub chunks_per_document: usize,
    /// Least similarity of a chunk; `None` for any.
    pub least: Option<f32>,
    /// Who may become a candidate.
    pub within: DocumentSet,
    /// Threads that compare, which changes no answer; 0 counts as 1.
    pub threads: usize,
}

/// A document with its nearest chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Similar {
    /// Which document.
    pub id: DocumentId,
    /// Its nearest chunks, nearest first, then in text order.
    pub chunks: Vec<ChunkSimilarity>,
}

/// How near a chunk is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkSimilarity {
    /// Which chunk.
    pub id: ChunkId,
    /// Cosine of the angle, -1.0..=1.0.
    pub similarity: f32,
}

/// Answer to a [`DenseQuery`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DenseMatches {
    /// The candidates by falling similarity of their nearest chunk, then by document key.
    pub candidates: Vec<Similar>,
    /// Documents that meet the filter and have a chunk that is near enough.
    pub total: u64,
}

/// How much of a source is embedded by one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorCounts {
    /// Live documents that the model has looked at.
    pub documents: u64,
    /// Live documents that it has not looked at.
    pub missing: u64,
    /// Vectors of live chunks.
    pub vectors: u64,
    /// How many numbers they have, by one of them; `None` if there is none.
    pub dimensions: Option<u32>,
}
