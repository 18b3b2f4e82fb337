//! Which server makes vectors.

use clap::Args;

/// Which server makes vectors, and how it is asked.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Embedding")]
pub struct EmbeddingArguments {
    /// Make vectors with this model [default: embedded]
    ///
    /// `embedded` is the one inside of the program, `off` is none. Otherwise a name of
    /// `lore model list` or the folder of a model; with a server, the name that it has for one.
    #[arg(long = "model", value_name = "MODEL", hide_short_help = true)]
    pub model: Option<String>,

    /// Ask this server for vectors, or none
    ///
    /// A URL such as `http://localhost:11434/v1`: Ollama, vLLM, LM Studio, OpenAI and others. The
    /// texts that are indexed are sent there. `embedding.model` says which of its models is asked.
    #[arg(long = "embedding-endpoint", value_name = "URL", hide_short_help = true)]
    pub endpoint: Option<String>,

    /// Read the key of that server from this environment variable
    #[arg(long = "embedding-key-env", value_name = "NAME", hide_short_help = true)]
    pub key_env: Option<String>,

    /// Send that server N texts at once [default: 64]
    ///
    /// From 1 to 2048.
    #[arg(long = "embedding-batch", value_name = "N", hide_short_help = true)]
    pub batch: Option<u64>,

    /// Give that server N seconds for an answer [default: 30]
    ///
    /// From 1 to 600.
    #[arg(long = "embedding-timeout", value_name = "N", hide_short_help = true)]
    pub timeout: Option<u64>,
}
