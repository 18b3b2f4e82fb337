//! Flags of the embedding model and server.

use clap::Args;

/// Arguments that select the embedding model and server.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Embedding")]
pub struct EmbeddingArguments {
    /// Use this embedding model [default: embedded]
    ///
    /// `embedded` is the built-in model, `off` is none. Otherwise a name from `lore model list` or
    /// the directory of a model; with an embedding server, the server's name for a model.
    #[arg(long = "model", value_name = "MODEL", hide_short_help = true)]
    pub model: Option<String>,

    /// Use this embedding server, or `none`
    ///
    /// A URL such as `http://localhost:11434/v1`: Ollama, vLLM, LM Studio, OpenAI and others. Indexed
    /// texts are sent there. `embedding.model` selects the server's model.
    #[arg(long = "embedding-endpoint", value_name = "URL", hide_short_help = true)]
    pub endpoint: Option<String>,

    /// Read the embedding server's key from this environment variable
    #[arg(long = "embedding-key-env", value_name = "NAME", hide_short_help = true)]
    pub key_env: Option<String>,

    /// Send at most N texts in one request to the embedding server [default: 64]
    ///
    /// From 1 to 2048.
    #[arg(long = "embedding-batch", value_name = "N", hide_short_help = true)]
    pub batch: Option<u64>,

    /// Wait at most N seconds for the embedding server [default: 30]
    ///
    /// From 1 to 600.
    #[arg(long = "embedding-timeout", value_name = "N", hide_short_help = true)]
    pub timeout: Option<u64>,
}
