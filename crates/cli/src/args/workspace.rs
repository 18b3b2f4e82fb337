//! Arguments of `lore workspace`, and those that choose a workspace.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lore_settings::flags::CommonArguments;

/// Arguments that choose the repositories of a command.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Workspace")]
pub(crate) struct ScopeArguments {
    /// Use all repositories of this workspace
    ///
    /// The name of a workspace, or `.` for that of the nearest `lorehound.workspace.toml`. `lore
    /// workspace` makes and lists them. Paths start at the directory that contains all repositories.
    #[arg(
        short = 'W',
        long,
        value_name = "NAME",
        conflicts_with = "directory",
        group = "repositories"
    )]
    pub(crate) workspace: Option<String>,

    /// Use the repositories in the search cluster at this URL, without a clone
    ///
    /// `lore cluster ingest` writes repositories into a cluster. They are searched as they were last
    /// ingested: those that contain most of the words, at most 8. Several nodes are separated by commas. The
    /// index, the user and the certificates are those of `cluster.…` in your settings.
    #[cfg(feature = "opensearch")]
    #[arg(long, value_name = "URL", conflicts_with = "directory", group = "repositories")]
    pub(crate) cluster: Option<String>,

    /// Use only the repositories of the workspace or cluster whose names match this glob
    ///
    /// A name is the path of the repository, or its last part. Repeatable.
    #[arg(long, value_name = "GLOB", requires = "repositories")]
    pub(crate) repo: Vec<String>,
}

impl ScopeArguments {
    /// The URL of the cluster whose repositories are used, if one is named.
    pub(crate) fn cluster_url(&self) -> Option<&str> {
        #[cfg(feature = "opensearch")]
        return self.cluster.as_deref();
        #[cfg(not(feature = "opensearch"))]
        return None;
    }
}

/// Arguments of `lore workspace`.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceArguments {
    #[command(subcommand)]
    pub(crate) action: WorkspaceAction,
}

/// Actions of `lore workspace`.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceAction {
    /// Add repositories to a workspace, and create it if it does not exist
    Add(WorkspaceChangeArguments),

    /// Remove repositories from a workspace, or the workspace if none is named
    ///
    /// Their indexes stay: `lore clean DIR` deletes one.
    Remove(WorkspaceRemoveArguments),

    /// List the workspaces and their repositories
    List(WorkspaceListArguments),
}

/// Arguments of `lore workspace add`.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceChangeArguments {
    /// Directories of repositories
    #[arg(required = true, value_name = "DIR", help_heading = "Workspace")]
    pub(crate) directories: Vec<PathBuf>,

    /// The name of the workspace [default: default]
    #[arg(short = 'W', long, value_name = "NAME", help_heading = "Workspace")]
    pub(crate) workspace: Option<String>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Arguments of `lore workspace remove`.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceRemoveArguments {
    /// Directories of repositories; without one, the workspace of `-W` is removed
    #[arg(value_name = "DIR", required_unless_present = "workspace", help_heading = "Workspace")]
    pub(crate) directories: Vec<PathBuf>,

    /// The name of the workspace [default: default]
    #[arg(short = 'W', long, value_name = "NAME", help_heading = "Workspace")]
    pub(crate) workspace: Option<String>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Arguments of `lore workspace list`.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceListArguments {
    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}
