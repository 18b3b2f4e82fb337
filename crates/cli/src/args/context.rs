//! Arguments of `lore classify`, `lore policy` and `lore context`.

use std::path::PathBuf;

use clap::{Args, builder::PossibleValuesParser};
use lore_render::{output::context::Format, tokens::Tokenizer};
use lore_settings::flags::{CommonArguments, RevisionArguments, TreeArguments};

/// Maximum number of tokens of a package.
const MAX_TOKENS: u64 = 100_000_000;

/// Arguments of `lore classify`.
#[derive(Debug, Args)]
pub(crate) struct ClassifyArguments {
    /// A task in words; `-` reads one from each line of standard input
    #[arg(required = true, value_name = "QUERY", help_heading = "Query")]
    pub(crate) query: Vec<String>,

    /// Report `search` if the confidence is lower [default: 0.25]
    ///
    /// From 0 to 1.
    #[arg(long, value_name = "CONFIDENCE", help_heading = "Query", value_parser = confidence)]
    pub(crate) min_confidence: Option<f64>,

    /// Output format: human, json, jsonl or toon [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = ["human", "json", "jsonl", "toon"], hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,
}

/// Arguments of `lore policy`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// Show only the policy of this intent
    #[arg(value_name = "INTENT", help_heading = "Query")]
    pub(crate) intent: Option<String>,

    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore context`.
#[derive(Debug, Args)]
pub(crate) struct ContextArguments {
    /// Description of a task, or the identifier of a ticket
    #[arg(required = true, value_name = "TASK", help_heading = "Query")]
    pub(crate) task: Vec<String>,

    /// Write at most N tokens [default: 8000]
    ///
    /// Counts everything that is written. The package lists what does not fit, with a command that
    /// shows it.
    #[arg(short = 'b', long, value_name = "N", help_heading = "Output",
        value_parser = clap::value_parser!(u64).range(1..=MAX_TOKENS))]
    pub(crate) budget: Option<u64>,

    /// Tokenizer for the budget: o200k or cl100k [default: o200k]
    #[arg(long, value_name = "NAME", help_heading = "Output",
        value_parser = Tokenizer::NAMES, hide_possible_values = true)]
    pub(crate) tokenizer: Option<String>,

    /// Level of detail of definitions, from 0 to 3 [default: that of the policy]
    ///
    /// 0: only the tree of files. 1: names and kinds. 2: signatures and the first line of the
    /// documentation. 3: the whole documentation, short bodies, and the last commit.
    #[arg(short = 'l', long, value_name = "LEVEL", help_heading = "Query",
        value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) level: Option<u8>,

    /// Use this intent instead of guessing it
    #[arg(long, value_name = "INTENT", help_heading = "Query",
        value_parser = PossibleValuesParser::new(intents()), hide_possible_values = true)]
    pub(crate) intent: Option<String>,

    /// A file that the task is about; may be given several times
    #[arg(short = 'f', long = "file", value_name = "FILE", help_heading = "Query")]
    pub(crate) files: Vec<String>,

    /// Write into this file, completely or not at all
    ///
    /// Does not replace a file that is not a package.
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the file of `--out` whatever it contains
    #[arg(long, help_heading = "Output", requires = "out")]
    pub(crate) force: bool,

    /// Output format: markdown, agent, human, json, jsonl, paths or toon [default: markdown]
    ///
    /// `agent` and `human` are the same as `markdown`. `paths` are those of the items.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = Format::NAMES, hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// The names of the intents, in the order in which policies are shown.
fn intents() -> Vec<&'static str> {
    lore_engine::policies().iter().map(|policy| policy.intent).collect()
}

fn confidence(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
