//! Arguments of the commands that find similar passages.

use clap::Args;
use lore_render::output;
use lore_settings::flags::{
    CodeFilterArguments, CommonArguments, FilterArguments, RevisionArguments, TreeArguments, share,
};

/// Arguments of `lore related`.
#[derive(Debug, Args)]
pub(crate) struct RelatedArguments {
    /// A line of a file (`src/lib.rs:10`), or the identifier of a hit
    ///
    /// A line selects the innermost definition or section around it. Also `FILE:10-20` for these lines,
    /// `FILE#Type.name`, `FILE#heading` or `FILE`, each with or without its source in front, such as
    /// `code:src/lib.rs#Type.name` or `git:3f2a91c0d4`.
    #[arg(value_name = "PASSAGE", help_heading = "Query")]
    pub(crate) passage: String,

    /// Show at most N hits [default: 10]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Omit hits that are less similar in meaning [default: 0.4]
    ///
    /// From 0 to 1.
    #[arg(long, value_name = "SIMILARITY", help_heading = "Query", value_parser = share)]
    pub(crate) min_similarity: Option<f32>,

    #[command(flatten)]
    pub(crate) filter: FilterArguments,

    /// Output format: agent, human, json, jsonl, markdown, paths or toon [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(output::names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    /// Show at most N lines of a passage [default: 5]
    #[arg(long, value_name = "N", help_heading = "Output",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_LINES))]
    pub(crate) snippet: Option<u64>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore exists`.
#[derive(Debug, Args)]
pub(crate) struct ExistsArguments {
    /// Code, or a description of what it should do; `-` reads it from standard input
    #[arg(required = true, value_name = "TEXT", help_heading = "Query")]
    pub(crate) text: Vec<String>,

    /// Treat the text as code, whatever it looks like
    #[arg(long, help_heading = "Query", conflicts_with = "intent")]
    pub(crate) code: bool,

    /// Treat the text as a description, whatever it looks like
    #[arg(long, help_heading = "Query")]
    pub(crate) intent: bool,

    /// Show at most N near clones and N helpers [default: 5]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    #[command(flatten)]
    pub(crate) filter: CodeFilterArguments,

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
