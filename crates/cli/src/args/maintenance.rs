//! Arguments of the commands about the index, settings, trust and the search history.

use std::path::PathBuf;

use clap::{Args, builder::TypedValueParser};
use lore_settings::flags::{CommonArguments, TreeArguments};

use super::ScopeArguments;
use crate::generate::Shell;

/// Arguments of `lore index`.
#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    /// The directory to index: the same as `-C DIR`
    #[arg(value_name = "DIR", conflicts_with_all = ["directory", "workspace"])]
    pub(crate) folder: Option<PathBuf>,

    /// Read only what has changed on disk (the default)
    #[arg(long, group = "mode", help_heading = "Index")]
    pub(crate) update: bool,

    /// Delete the index and build it again
    #[arg(long, group = "mode", help_heading = "Index")]
    pub(crate) rebuild: bool,

    /// Write the index file of sage, `.sage/search-index.json`
    ///
    /// The file contains counts. It is written into the tree, for other programs; a search never reads it. It is always
    /// rebuilt from the files on disk, so `--rebuild` and `--update` (also called `--rebuild-index` and
    /// `--update-index`) make no difference.
    #[arg(long, help_heading = "Contract", conflicts_with = "status")]
    pub(crate) sage: bool,

    /// Same as `--rebuild`, with `--sage`
    #[arg(long, help_heading = "Contract", requires = "sage", conflicts_with = "mode")]
    pub(crate) rebuild_index: bool,

    /// Same as `--update`, with `--sage`
    #[arg(long, help_heading = "Contract", requires = "sage", conflicts_with_all = ["mode", "rebuild_index"])]
    pub(crate) update_index: bool,

    /// Change nothing and show the state: the same as `lore status`
    #[arg(long, group = "mode", help_heading = "Index")]
    pub(crate) status: bool,

    /// Keep running, and update the index when the tree changes
    ///
    /// Uses file system events, and lists the tree from time to time. Every update prints one line, or
    /// one JSON object. Press Ctrl-C to stop.
    #[arg(long, group = "mode", help_heading = "Index", conflicts_with = "sage")]
    pub(crate) watch: bool,

    /// Write the index to FILE, for other clones of the repository
    ///
    /// The file contains words, names and vectors of all files that are searched, and commit messages: it is as
    /// confidential as the repository.
    #[arg(long, value_name = "FILE", help_heading = "Exchange",
        conflicts_with_all = ["sage", "status", "watch", "dry_run"])]
    pub(crate) export: Option<PathBuf>,

    /// Start from an index that `--export` wrote, or from the nearest one in a directory
    ///
    /// Only what this tree contains is taken from it: every file is read and compared by its content. A damaged file
    /// is refused and changes nothing. An index that is complete already is kept, unless `--rebuild` is given.
    #[arg(long, value_name = "FILE|DIR", help_heading = "Exchange",
        conflicts_with_all = ["sage", "status", "watch", "export"])]
    pub(crate) import: Option<PathBuf>,

    /// Do what a search would do before its answer, and nothing if another process is doing that
    #[arg(long, hide = true, conflicts_with_all = ["mode", "sage", "export", "import"])]
    pub(crate) background: bool,

    /// Show what would be read, and the expected time, memory and disk space; write nothing
    #[arg(long, help_heading = "Index", conflicts_with_all = ["sage", "status", "watch"])]
    pub(crate) dry_run: bool,

    /// Show the progress of the run: auto, json or none [default: auto]
    ///
    /// `auto` draws a bar on standard error if that is a terminal. `json` writes one JSON object per line
    /// to standard error, at most two per second and one at each new phase.
    #[arg(long, value_name = "FORM", default_value = "auto", hide_default_value = true,
        value_parser = ["auto", "json", "none"], hide_possible_values = true, help_heading = "Output")]
    pub(crate) progress: String,

    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,

    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

/// Arguments of `lore clean`.
#[derive(Debug, Args)]
pub(crate) struct CleanArguments {
    /// Delete the indexes of this tree, which need not exist any more
    #[arg(value_name = "TREE")]
    pub(crate) named: Option<PathBuf>,

    /// Delete all indexes
    #[arg(long, help_heading = "Index", conflicts_with = "named")]
    pub(crate) all: bool,

    /// Show what would be deleted, without deleting anything
    #[arg(long, help_heading = "Index")]
    pub(crate) dry_run: bool,

    /// Skip the confirmation prompt
    #[arg(short = 'y', long, help_heading = "Index")]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// Arguments of the commands that only report.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// `clear` deletes the history
    #[arg(value_name = "ACTION", value_parser = ["clear"], hide_possible_values = true)]
    pub(crate) action: Option<String>,

    /// Only queries that found nothing the last time
    #[arg(long, help_heading = "Query")]
    pub(crate) zero: bool,

    /// Only queries that ran more than once, the most frequent first
    #[arg(long, help_heading = "Query")]
    pub(crate) repeats: bool,

    /// The slowest queries first
    #[arg(long, help_heading = "Query")]
    pub(crate) slow: bool,

    /// Show at most N queries [default: 20]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// Arguments of `lore trust`.
#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    /// Trust the file as it is now, without a confirmation prompt
    #[arg(long, conflicts_with_all = ["list", "remove"], help_heading = "Trust")]
    pub(crate) yes: bool,

    /// List the trusted files, and those that have changed since
    #[arg(long, conflicts_with = "remove", help_heading = "Trust")]
    pub(crate) list: bool,

    /// No longer trust the file of this tree
    #[arg(long, help_heading = "Trust")]
    pub(crate) remove: bool,

    /// Use the settings file of this directory instead of the current repository
    #[arg(short = 'C', long = "directory", value_name = "DIR", help_heading = "Tree")]
    pub(crate) directory: Option<std::path::PathBuf>,
}

/// Arguments of `lore config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// Show only this setting
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,

    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// Parser of the name of a shell.
fn shell() -> impl TypedValueParser<Value = Shell> {
    let names = Shell::ALL.map(|(name, _)| name);
    let parser = clap::builder::PossibleValuesParser::new(names);
    parser.try_map(|name| Shell::from_name(&name).ok_or("no such shell"))
}

/// Arguments of `lore completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = shell())]
    pub(crate) shell: Shell,

    /// Print key bindings for `lore pick` instead: bash, fish or zsh
    ///
    /// Ctrl-x Ctrl-f then searches, and inserts the chosen paths into the command line.
    #[arg(long)]
    pub(crate) keys: bool,
}
