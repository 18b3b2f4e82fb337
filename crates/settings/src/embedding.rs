//! Settings of other servers: those of embeddings, and the collector of traces.

use std::time::Duration;

use crate::{address::Address, keys::NONE, settings::Settings};

impl Settings {
    /// URL of the embedding server; `None` for none.
    pub fn embedding_endpoint(&self) -> Option<&str> {
        Some(self.text("embedding.endpoint")).filter(|url| *url != NONE)
    }

    /// Address of the collector of traces; `None` for none.
    pub fn collector(&self) -> Option<Address> {
        Address::parse_collector(self.text("server.otlp")).ok()
    }

    /// Name of the environment variable that contains the server's key; `None` for no key.
    pub fn embedding_key_variable(&self) -> Option<&str> {
        Some(self.text("embedding.key_env")).filter(|name| *name != NONE)
    }

    /// The embedding model: `embedded`, `off`, a path, or the name of one of the user's models or
    /// of the server's.
    pub fn embedding_model(&self) -> &str {
        self.text("embedding.model")
    }

    /// Number of texts in one request to the server, at least 1.
    pub fn embedding_batch(&self) -> usize {
        self.size("embedding.batch")
    }

    /// Time limit of one request to the server.
    pub fn embedding_timeout(&self) -> Duration {
        Duration::from_secs(self.number("embedding.timeout"))
    }
}
