//! Stands in for what the settings name and what cannot be used: a model that is not there, a server
//! without a key.

use lore_engine::{ChunkText, EmbedError, Embedder, StaticEmbedder};

/// Embeds nothing and says why, so that the model inside of the program takes its place and answers
/// tell the reason.
pub(super) struct Unusable {
    name: String,
    error: EmbedError,
}

impl Unusable {
    /// Stands in for what is called `name`.
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
