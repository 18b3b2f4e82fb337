//! Vectors of chunks, dense queries and their results.

use std::sync::Arc;

use crate::{ChunkId, DocumentId, DocumentSet};

/// The vectors of one document by one embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentVectors {
    /// Fingerprint of the embedder. Only vectors of the same model are compared.
    pub model: Arc<str>,
    /// One vector per chunk, in the order of the chunks: of length 1, or empty for a chunk without
    /// one. An empty list records that the document was processed and is not embedded.
    pub chunks: Vec<Vec<f32>>,
}

/// A dense query: finds chunks similar to a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseQuery {
    /// Fingerprint of the embedder of the vector.
    pub model: Arc<str>,
    /// A vector of length 1. A zero vector, or one whose dimension differs from the stored ones,
    /// matches nothing.
    pub vector: Vec<f32>,
    /// Maximum number of chunks per candidate.
    pub chunks_per_document: usize,
    /// Minimum similarity of a chunk; `None` for any.
    pub min_similarity: Option<f32>,
    /// Documents that may become candidates.
    pub within: DocumentSet,
    /// Number of comparing threads, which does not change the result; 0 counts as 1.
    pub threads: usize,
}

/// A document with its most similar chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Similar {
    /// The document.
    pub id: DocumentId,
    /// Its most similar chunks, by descending similarity, then in text order.
    pub chunks: Vec<ChunkSimilarity>,
}

/// Similarity of a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkSimilarity {
    /// The chunk.
    pub id: ChunkId,
    /// Cosine similarity, -1.0..=1.0.
    pub similarity: f32,
}

/// Result of a [`DenseQuery`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DenseMatches {
    /// The candidates, by descending similarity of their best chunk, then by document key.
    pub candidates: Vec<Similar>,
    /// Number of documents that the filter accepts and that have a chunk of the minimum similarity.
    pub total: u64,
}

/// Counts of what one model has embedded in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorCounts {
    /// Number of live documents that the model has processed.
    pub documents: u64,
    /// Number of live documents that it has not processed.
    pub missing: u64,
    /// Number of vectors of live chunks.
    pub vectors: u64,
    /// Dimension of the vectors; `None` if there are none.
    pub dimensions: Option<u32>,
}
