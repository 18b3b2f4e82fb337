//! Arguments of the commands about specs: `lore spec` and `lore owners`.

use clap::Args;
use lore_settings::flags::{CommonArguments, RevisionArguments, TreeArguments};

/// Arguments of `lore spec`.
#[derive(Debug, Args)]
pub(crate) struct SpecArguments {
    /// Words or a question to search for
    #[arg(required = true, value_name = "QUERY", help_heading = "Query")]
    pub(crate) query: Vec<String>,

    /// Show at most N hits [default: 10]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Write the array of hits as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Also show linked places: `code` for the files and definitions that a spec governs
    #[arg(long, value_name = "WHAT", help_heading = "Output", value_parser = ["code"],
        hide_possible_values = true)]
    pub(crate) follow: Option<String>,

    /// Search only spex nodes, and answer exactly as spex does
    #[arg(long = "as", value_name = "SYSTEM", help_heading = "Contract", value_parser = ["spex"],
        hide_possible_values = true, conflicts_with = "follow")]
    pub(crate) system: Option<String>,

    /// Character between the directories in an identifier: `_` or `/` [default: _]
    #[arg(long, value_name = "CHARACTER", help_heading = "Contract", value_parser = ["_", "/"],
        hide_possible_values = true)]
    pub(crate) id_sep: Option<String>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore owners`.
#[derive(Debug, Args)]
pub(crate) struct OwnersArguments {
    /// A file or directory, or `file#name` for a part of a file
    #[arg(value_name = "PATH", help_heading = "Query")]
    pub(crate) path: String,

    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}
