//! Arguments of the commands that keep an index and tell of it, of settings and of what was asked.

use std::path::PathBuf;

use clap::Args;
use lore_settings::flags::{CommonArguments, TreeArguments};

/// Arguments of `lore index`.
#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    /// Read what differs from the disk (the default)
    #[arg(long, group = "mode", help_heading = "Index")]
    pub(crate) update: bool,

    /// Throw the index away and make it anew
    #[arg(long, group = "mode", help_heading = "Index")]
    pub(crate) rebuild: bool,

    /// Write the index file of sage, `.sage/search-index.json`
    ///
    /// It is written into the tree. The file is for other programs: a search never
    /// reads it. It is made anew from what is on disk each time, so that `--rebuild` and `--update`
    /// (`--rebuild-index` and `--update-index` are the same) change nothing.
    #[arg(long, help_heading = "Index", conflicts_with = "status")]
    pub(crate) sage: bool,

    /// As `--rebuild`, with `--sage`
    #[arg(long, hide_short_help = true, requires = "sage", conflicts_with = "mode")]
    pub(crate) rebuild_index: bool,

    /// As `--update`, with `--sage`
    #[arg(long, hide_short_help = true, requires = "sage", conflicts_with_all = ["mode", "rebuild_index"])]
    pub(crate) update_index: bool,

    /// Change nothing, show the state: the same as `lore status`
    #[arg(long, group = "mode", help_heading = "Index")]
    pub(crate) status: bool,

    /// Go on, and keep the index up to date while the tree changes
    ///
    /// By what the system tells of changes, and by a walk now and then. Every update is one line, or
    /// one JSON object. Ctrl-C ends it.
    #[arg(long, group = "mode", help_heading = "Index", conflicts_with = "sage")]
    pub(crate) watch: bool,

    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore clean`.
#[derive(Debug, Args)]
pub(crate) struct CleanArguments {
    /// Delete the indexes of this tree, which may be gone
    #[arg(value_name = "TREE")]
    pub(crate) named: Option<PathBuf>,

    /// Delete all indexes
    #[arg(long, help_heading = "Index", conflicts_with = "named")]
    pub(crate) all: bool,

    /// Show what would be deleted, and delete nothing
    #[arg(long, help_heading = "Index")]
    pub(crate) dry_run: bool,

    /// Do not ask
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

    /// Only queries that found nothing when they were last asked
    #[arg(long, help_heading = "Query")]
    pub(crate) zero: bool,

    /// Only queries that were asked more than once, most often first
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
    /// Trust the file as it is now, without being asked
    #[arg(long, conflicts_with_all = ["list", "remove"], help_heading = "Trust")]
    pub(crate) yes: bool,

    /// List the files that are trusted, and those that changed since
    #[arg(long, conflicts_with = "remove", help_heading = "Trust")]
    pub(crate) list: bool,

    /// Trust the file of this tree no more
    #[arg(long, help_heading = "Trust")]
    pub(crate) remove: bool,

    /// Search this folder instead of the current repository
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

/// Arguments of `lore completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}
