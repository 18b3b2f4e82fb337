//! Names that are shared by all settings.

/// The value of an unset optional setting.
pub const NONE: &str = "none";

/// Prefix of the keys of ranking weights, one per signal.
pub(crate) const WEIGHTS: &str = "ranking.weights.";

/// Prefix of the keys that select the embedding model and server.
pub(crate) const EMBEDDING: &str = "embedding.";

/// Name of both the user's and the project's settings file.
pub const FILE_NAME: &str = "lorehound.toml";
