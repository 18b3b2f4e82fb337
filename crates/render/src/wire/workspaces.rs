//! The wire forms of workspaces, and of an index run over one.

use std::path::{Path, PathBuf};

use lore_engine::IndexReport;
use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA, display};

/// The workspaces.
#[derive(Serialize, JsonSchema)]
pub struct WorkspacesWire {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Those of the user, by name, then that of the nearest file.
    workspaces: Vec<WorkspaceWire>,
}

/// A workspace.
#[derive(Serialize, JsonSchema)]
pub struct WorkspaceWire {
    /// Name.
    name: String,
    /// File that defines it.
    file: String,
    /// Its directories.
    repositories: Vec<DirectoryWire>,
}

#[derive(Serialize, JsonSchema)]
struct DirectoryWire {
    /// Path.
    path: String,
    /// True if there is a directory at the path.
    exists: bool,
}

/// The wire form of the workspaces.
pub fn workspaces(workspaces: Vec<WorkspaceWire>) -> WorkspacesWire {
    WorkspacesWire { schema: SCHEMA, workspaces }
}

/// The wire form of a workspace. Looks whether each of its directories exists.
pub fn workspace(name: &str, file: &Path, repositories: &[PathBuf]) -> WorkspaceWire {
    let directory = |path: &PathBuf| DirectoryWire { path: display(path), exists: path.is_dir() };
    WorkspaceWire {
        name: name.to_owned(),
        file: display(file),
        repositories: repositories.iter().map(directory).collect(),
    }
}

/// An index run over a workspace.
#[derive(Serialize, JsonSchema)]
pub struct IndexWorkspaceWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Name of the workspace.
    workspace: &'a str,
    /// Repositories whose indexes are up to date, in order of the run.
    repositories: Vec<IndexedWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct IndexedWire<'a> {
    /// Name of the repository: its path from the directory of the workspace.
    name: &'a str,
    /// Number of written units.
    written: u64,
    /// Number of deleted units.
    deleted: u64,
    /// Number of unchanged units.
    unchanged: u64,
    /// Number of bytes that were read.
    bytes: u64,
    /// Time in seconds.
    seconds: f64,
}

/// The wire form of an index run over a workspace. `done` has the names and the reports.
pub fn index_workspace<'a>(
    name: &'a str,
    done: &'a [(String, IndexReport)],
) -> IndexWorkspaceWire<'a> {
    let indexed = |(name, report): &'a (String, IndexReport)| {
        let [written, deleted, unchanged] = report.totals();
        let IndexReport { bytes, seconds, .. } = *report;
        IndexedWire { name, written, deleted, unchanged, bytes, seconds }
    };
    IndexWorkspaceWire {
        schema: SCHEMA,
        workspace: name,
        repositories: done.iter().map(indexed).collect(),
    }
}
