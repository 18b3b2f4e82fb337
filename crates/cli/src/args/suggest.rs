//! Arguments of `lore suggest`.

use clap::Args;
use lore_settings::flags::{CommonArguments, TreeArguments};

/// Maximum number of completions.
const MAX_SUGGESTIONS: u64 = 1_000;

/// Arguments of `lore suggest`.
#[derive(Debug, Args)]
pub(crate) struct SuggestArguments {
    /// The text typed so far
    #[arg(required = true, value_name = "PREFIX", help_heading = "Query")]
    pub(crate) prefix: Vec<String>,

    /// Suggest only these kinds
    ///
    /// One or more of path, symbol, term and title, separated by commas.
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', help_heading = "Query")]
    pub(crate) kinds: Vec<String>,

    /// Show at most N suggestions [default: 10]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=MAX_SUGGESTIONS))]
    pub(crate) limit: Option<u64>,

    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}
