//! The state of a search cluster, as its administrator sees it.

use std::collections::BTreeMap;

use lore_schema::SourceName;

/// The state of a cluster, and of the index in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterStatus {
    /// Name of the cluster.
    pub name: String,
    /// Version of OpenSearch.
    pub version: String,
    /// `green`, `yellow` if copies are missing, `red` if rows are.
    pub health: String,
    /// Number of nodes.
    pub nodes: u64,
    /// The index; `None` before it is created.
    pub index: Option<ClusterIndex>,
    /// The repositories, by name.
    pub repositories: Vec<ClusterRepository>,
}

/// The index in a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterIndex {
    /// Number of shards, without copies.
    pub shards: u64,
    /// Number of copies of each shard beside the first.
    pub replicas: u64,
    /// Number of rows of all kinds, without copies.
    pub rows: u64,
    /// Size on disk in bytes, with copies.
    pub bytes: u64,
}

/// A repository in a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterRepository {
    /// Name.
    pub name: String,
    /// Documents, chunks and number of the last commit, by source.
    pub sources: BTreeMap<SourceName, (u64, u64, u64)>,
}
