//! Turns text into vectors: what is near in meaning is near in angle.
//!
//! Queries and chunks are encoded differently, and only vectors of one model can be compared.

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

/// A passage on its way to a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkText<'a> {
    /// Root-relative path of its file, or whatever names a document without one; may be empty.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
}

/// What makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// What answers call it: `embedded`, or what the user called it.
    fn name(&self) -> &str;

    /// Names the vectors that it makes: those of another fingerprint cannot be compared with them.
    fn fingerprint(&self) -> &str;

    /// Whether a new passage is embedded while it is indexed, which a search may wait for, rather
    /// than afterwards.
    fn is_fast(&self) -> bool;

    /// The vector of a question, of length 1; all zeros if nothing in it is known.
    ///
    /// # Errors
    /// When the embedder cannot be reached, or answers nonsense.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError>;

    /// The vectors of passages, each as [`Embedder::embed_query`] says, in their order and all of
    /// one dimension.
    ///
    /// # Errors
    /// As [`Embedder::embed_query`]; then none of them has a vector.
    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// So that one that lives as long as the program can be shared as others are.
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

/// Why something has no vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedError {
    /// What was tried, on what, and why it failed, on one line.
    pub reason: String,
    /// What helps, as a sentence or a command.
    pub hint: Option<String>,
    /// What has to change before another try can do better.
    pub at_fault: Fault,
}

/// What it is up to that something has no vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One of the texts, or that they are too many at once: others may well have vectors.
    Text,
    /// The embedder: no text would have one.
    Embedder,
}

impl std::fmt::Display for EmbedError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for EmbedError {}
