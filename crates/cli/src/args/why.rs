//! Arguments of `lore why` and `lore tried`.

use clap::Args;
use lore_render::output::{tried, why};
use lore_settings::flags::{CommonArguments, TreeArguments};

/// Maximum number of tokens of an answer.
const MAX_TOKENS: u64 = 100_000_000;

/// Arguments of `lore why`.
#[derive(Debug, Args)]
pub(crate) struct WhyArguments {
    /// `src/a.rs:10`, `src/a.rs:10-20`, `src/a.rs#save`, `save`, a commit, or a ticket
    #[arg(value_name = "TARGET", help_heading = "Query")]
    pub(crate) target: String,

    /// Show at most N hops [default: 20]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Write at most N tokens [default: 800]
    ///
    /// For the format `agent`. What does not fit is counted.
    #[arg(short = 'b', long, value_name = "N", help_heading = "Output",
        value_parser = clap::value_parser!(u64).range(1..=MAX_TOKENS))]
    pub(crate) budget: Option<u64>,

    /// Output format: human, agent, json, jsonl, markdown, paths or toon [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(why::why_format_names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore tried`.
#[derive(Debug, Args)]
pub(crate) struct TriedArguments {
    /// Words about what may have been tried; without words, the newest attempts
    #[arg(value_name = "QUERY", help_heading = "Query")]
    pub(crate) query: Vec<String>,

    /// Show at most N attempts [default: 10]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Output format: human, agent, json, jsonl, markdown, paths or toon [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(tried::tried_format_names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}
