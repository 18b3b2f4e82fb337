//! Arguments of `lore cluster`.

use clap::{Args, Subcommand};
use lore_settings::flags::{CommonArguments, TreeArguments};

/// Arguments of `lore cluster`.
#[derive(Debug, Args)]
pub(crate) struct ClusterArguments {
    #[command(subcommand)]
    pub(crate) action: ClusterAction,
}

/// Actions of `lore cluster`.
#[derive(Debug, Subcommand)]
pub(crate) enum ClusterAction {
    /// Create the index in the cluster
    ///
    /// Does nothing if it exists. The numbers of shards and copies cannot be changed later without
    /// writing the index again.
    Init(ClusterInitArguments),

    /// Show the state of the cluster and the repositories in it
    Status(ClusterStatusArguments),

    /// Write a repository into the cluster, or what changed since the last time
    Ingest(ClusterIngestArguments),

    /// Remove repositories from the cluster
    Forget(ClusterForgetArguments),
}

/// Arguments that name a cluster.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterTarget {
    /// URL of the cluster; several nodes are separated by commas [setting: cluster.url]
    #[arg(long = "cluster", value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// Arguments of `lore cluster init`.
#[derive(Debug, Args)]
pub(crate) struct ClusterInitArguments {
    /// Number of shards; a repository is in one of them
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Cluster",
        value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) shards: u32,

    /// Number of copies of each shard beside the first
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Cluster",
        value_parser = clap::value_parser!(u32).range(0..=16))]
    pub(crate) replicas: u32,

    #[command(flatten)]
    pub(crate) target: ClusterTarget,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Arguments of `lore cluster status`.
#[derive(Debug, Args)]
pub(crate) struct ClusterStatusArguments {
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) target: ClusterTarget,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Arguments of `lore cluster ingest`.
#[derive(Debug, Args)]
pub(crate) struct ClusterIngestArguments {
    /// Name of the repository in the cluster [setting: cluster.repository]
    #[arg(long = "as", value_name = "NAME", help_heading = "Cluster")]
    pub(crate) name: Option<String>,

    /// Write all of it again
    #[arg(long, help_heading = "Cluster")]
    pub(crate) rebuild: bool,

    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) target: ClusterTarget,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Arguments of `lore cluster forget`.
#[derive(Debug, Args)]
pub(crate) struct ClusterForgetArguments {
    /// Names of repositories in the cluster
    #[arg(required = true, value_name = "NAME", help_heading = "Cluster")]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) target: ClusterTarget,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}
