//! The wire form of the state of a search cluster.

use lore_engine::{ClusterIndex, ClusterRepository, ClusterStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA;

/// The state of a search cluster.
#[derive(Serialize, JsonSchema)]
pub struct ClusterWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Name of the cluster.
    name: &'a str,
    /// Version of OpenSearch.
    version: &'a str,
    /// `green`, `yellow` if copies are missing, `red` if rows are.
    health: &'a str,
    /// Number of nodes.
    nodes: u64,
    /// The index; null before `lore cluster init`.
    index: Option<IndexWire>,
    /// The repositories, by name.
    repositories: Vec<RepositoryWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct IndexWire {
    /// Number of shards, without copies.
    shards: u64,
    /// Number of copies of each shard beside the first.
    replicas: u64,
    /// Number of rows of all kinds, without copies.
    rows: u64,
    /// Size on disk in bytes, with copies.
    bytes: u64,
}

#[derive(Serialize, JsonSchema)]
struct RepositoryWire<'a> {
    /// Name.
    name: &'a str,
    /// The sources with an index, by name.
    sources: Vec<SourceWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct SourceWire<'a> {
    /// Name.
    name: &'a str,
    /// Number of documents.
    documents: u64,
    /// Number of passages.
    chunks: u64,
    /// Number of the last commit of the index.
    generation: u64,
}

/// The wire form of the state of a cluster.
pub fn cluster(status: &ClusterStatus) -> ClusterWire<'_> {
    let index = |index: &ClusterIndex| IndexWire {
        shards: index.shards,
        replicas: index.replicas,
        rows: index.rows,
        bytes: index.bytes,
    };
    ClusterWire {
        schema: SCHEMA,
        name: &status.name,
        version: &status.version,
        health: &status.health,
        nodes: status.nodes,
        index: status.index.as_ref().map(index),
        repositories: status.repositories.iter().map(repository).collect(),
    }
}

fn repository(repository: &ClusterRepository) -> RepositoryWire<'_> {
    let sources = repository.sources.iter();
    RepositoryWire {
        name: &repository.name,
        sources: sources
            .map(|(source, (documents, chunks, generation))| SourceWire {
                name: source.as_str(),
                documents: *documents,
                chunks: *chunks,
                generation: *generation,
            })
            .collect(),
    }
}
