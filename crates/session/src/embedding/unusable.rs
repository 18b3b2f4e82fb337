//! Replaces a configured embedder that cannot be used: a missing model, a server
//! without a key.

use lore_engine::{ChunkText, EmbedError, Embedder, StaticEmbedder};

/// Embeds nothing and returns the reason, so that the built-in model replaces it and answers
/// tell the reason.
pub(super) struct Unusable {
    name: String,
    error: EmbedError,
}

impl Unusable {
    /// Replaces the embedder `name`.
    pub(super) fn new(name: String, error: EmbedError) -> Unusable {
        Unusable { name, error }
    }
}

impl Embedder for Unusable {
    fn name(&self) -> &str {
        &self.name
    }

    /// That of the model in its place: no vectors are missing, so that none are waited for.
    fn fingerprint(&self) -> &str {
        StaticEmbedder::builtin().fingerprint()
    }

    fn is_fast(&self) -> bool {
        false
    }

    fn embed_query(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        Err(self.error.clone())
    }

    fn embed_chunks(&self, _: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Err(self.error.clone())
    }
}
