//! The repositories of an answer over a workspace, as JSON.

use lore_engine::RepositoryReceipt;
use schemars::JsonSchema;
use serde::Serialize;

use super::display;

#[derive(Serialize, JsonSchema)]
pub(super) struct RepositoryWire<'a> {
    /// Path from the directory of the workspace, or the name of that directory.
    name: &'a str,
    /// Root directory.
    root: String,
    /// Commit of the tree, and the number of files that differ from it; null without git.
    tree: Option<&'a str>,
    /// State of the answer: verified, `partial(N pending)` or stale.
    fresh: String,
    /// Number of searched documents.
    documents: u64,
    /// Number of documents that pass the filters and contain a word of the query.
    total: u64,
    /// Number of hits in the answer.
    hits: u64,
}

/// The wire form of a repository.
pub(super) fn repository(repository: &RepositoryReceipt) -> RepositoryWire<'_> {
    RepositoryWire {
        name: &repository.name,
        root: display(&repository.root),
        tree: repository.tree.as_deref(),
        fresh: repository.fresh.to_string(),
        documents: repository.documents,
        total: repository.total,
        hits: repository.hits,
    }
}
