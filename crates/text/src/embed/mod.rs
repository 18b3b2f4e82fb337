//! Turns text into vectors: similar meanings have small angles.
//!
//! Queries and chunks are encoded differently, and only vectors of the same model are comparable.

#[cfg(feature = "model2vec")]
mod model2vec;
mod static_model;
#[cfg(feature = "model2vec")]
mod tensor;
mod vector;
mod vocabulary;
mod words;

#[cfg(feature = "model2vec")]
pub use self::model2vec::{Model2VecEmbedder, Model2VecFiles};
pub use self::static_model::StaticEmbedder;

/// A passage to embed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkText<'a> {
    /// Root-relative path of its file, or the name of a document without one; may be empty.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
}

/// An embedding model.
pub trait Embedder: Send + Sync {
    /// Name in answers: `embedded`, or the user's name for it.
    fn name(&self) -> &str;

    /// Version of its vectors: those with another fingerprint are not comparable.
    fn fingerprint(&self) -> &str;

    /// Returns true if a new passage is embedded while it is indexed, which a search may wait for,
    /// rather than afterwards.
    fn is_fast(&self) -> bool;

    /// The vector of a question, of length 1; all zeros if no part of it is known.
    ///
    /// # Errors
    /// If the embedder cannot be reached, or returns an invalid response.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError>;

    /// The vectors of passages, in their order and all of one dimension, each as in
    /// [`Embedder::embed_query`].
    ///
    /// # Errors
    /// As [`Embedder::embed_query`]; then none of the passages has a vector.
    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Lets an embedder with a static lifetime be shared like others.
impl<E: Embedder + ?Sized> Embedder for &E {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn fingerprint(&self) -> &str {
        (**self).fingerprint()
    }

    fn is_fast(&self) -> bool {
        (**self).is_fast()
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        (**self).embed_query(query)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        (**self).embed_chunks(chunks)
    }
}

/// A failure to make a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedError {
    /// The action, its target, and the reason of the failure, on one line.
    pub reason: String,
    /// A remedy, as a sentence or a command.
    pub hint: Option<String>,
    /// The part that has to change before a retry can succeed.
    pub at_fault: Fault,
}

/// Cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One of the texts, or too many texts at once: others may succeed.
    Text,
    /// The embedder: no text would succeed.
    Embedder,
}

impl std::fmt::Display for EmbedError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for EmbedError {}
