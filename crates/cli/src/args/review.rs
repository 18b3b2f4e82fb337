//! Arguments of `lore review`.

use std::path::PathBuf;

use clap::Args;
use lore_engine::ReviewKind;
use lore_render::output::review;
use lore_settings::flags::{CommonArguments, TreeArguments};

/// Maximum number of tokens of an answer.
const MAX_TOKENS: u64 = 100_000_000;

/// Maximum time for the history of documents, in seconds.
const MAX_SECONDS: u64 = 86_400;

/// Arguments of `lore review`.
#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    /// `OLD..NEW`, a commit, a file with a patch, or `-` for a patch on stdin [default: what is not committed]
    ///
    /// `OLD...NEW` starts at the last common commit. A commit is compared with its first parent.
    #[arg(value_name = "CHANGE", help_heading = "Query", conflicts_with = "staged")]
    pub(crate) change: Option<String>,

    /// Review what is staged
    #[arg(long, help_heading = "Query")]
    pub(crate) staged: bool,

    /// Show at most N findings of each kind [default: 10]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Read the history for documents for at most N seconds [default: 10]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    pub(crate) max_seconds: Option<u64>,

    /// Exit 1 if there is a finding of one of these kinds [default: caller,document]
    ///
    /// Several kinds are separated by commas, as in `--gate=caller,test`. The kinds are spec, caller,
    /// document, test, co-change and revert. Findings that are only possible do not count.
    #[arg(long, value_name = "KINDS", help_heading = "Gate", num_args = 0..=1, require_equals = true,
        value_delimiter = ',', default_missing_value = "caller,document",
        value_parser = clap::builder::PossibleValuesParser::new(ReviewKind::ALL.iter().map(|kind| kind.as_str())),
        hide_possible_values = true)]
    pub(crate) gate: Option<Vec<String>>,

    /// Write at most N tokens [default: 1500]
    ///
    /// For the format `agent`. What does not fit is counted.
    #[arg(short = 'b', long, value_name = "N", help_heading = "Output",
        value_parser = clap::value_parser!(u64).range(1..=MAX_TOKENS))]
    pub(crate) budget: Option<u64>,

    /// Output format: human, agent, json, jsonl, markdown, paths or toon [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(review::review_format_names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

impl ReviewArguments {
    /// The patch file, if the change is one: `-`, or a file that exists.
    pub(crate) fn patch(&self) -> Option<PathBuf> {
        let change = self.change.as_deref()?;
        let path = PathBuf::from(change);
        (change == "-" || path.is_file()).then_some(path)
    }
}
