//! Arguments of `lore drift`.

use std::path::PathBuf;

use clap::Args;
use lore_engine::{DriftState, StatementKind};
use lore_settings::flags::{CommonArguments, RevisionArguments, TreeArguments};

/// Maximum time for the history, in seconds.
const MAX_SECONDS: u64 = 86_400;

/// Arguments of `lore drift`.
#[derive(Debug, Args)]
pub(crate) struct DriftArguments {
    /// Documents and directories to check [default: the whole tree]
    #[arg(value_name = "PATH", help_heading = "Query")]
    pub(crate) paths: Vec<PathBuf>,

    /// Report only what changed since a commit, branch, tag or date
    ///
    /// These are statements whose subject was removed since, and new statements that are wrong.
    #[arg(long, value_name = "REV", help_heading = "Query")]
    pub(crate) since: Option<String>,

    /// Check only this kind of statement; may be given several times
    #[arg(long = "kind", value_name = "KIND", help_heading = "Query", value_delimiter = ',',
        value_parser = clap::builder::PossibleValuesParser::new(StatementKind::ALL.iter().map(|kind| kind.as_str())))]
    pub(crate) kinds: Vec<String>,

    /// Read the history for at most N seconds [default: 60]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    pub(crate) max_seconds: Option<u64>,

    /// Exit 1 if there is a finding with one of these states [default: all but unknown]
    ///
    /// Several states are separated by commas, as in `--gate=gone,broken`. The states are gone,
    /// renamed, moved, changed, broken and unknown.
    #[arg(long, value_name = "STATES", help_heading = "Gate", num_args = 0..=1, require_equals = true,
        value_delimiter = ',', default_missing_value = "gone,renamed,moved,changed,broken",
        value_parser = clap::builder::PossibleValuesParser::new(DriftState::ALL.iter().map(|state| state.as_str())),
        hide_possible_values = true)]
    pub(crate) gate: Option<Vec<String>>,

    /// Omit the findings in this file
    #[arg(long, value_name = "FILE", help_heading = "Gate")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write all findings to this file, for `--baseline`
    #[arg(long, value_name = "FILE", help_heading = "Gate", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// Output format: human, json or sarif [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(["human", "json", "sarif"]), hide_possible_values = true)]
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
