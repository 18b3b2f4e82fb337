//! Options of a walk.

use std::path::PathBuf;

use crate::{custom::CustomSources, git::Revision, secrets::Secrets, stored::StoredTree};

/// Options of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOptions {
    /// Lists hidden files and folders. Version-control folders are never listed.
    pub hidden: bool,
    /// Maximum file size in bytes. Larger files are skipped and counted as too large; ticket stores
    /// may be larger.
    pub max_file_size: u64,
    /// Number of threads, at least 1.
    pub threads: usize,
    /// Maximum number of commits that one scan of the git source reads, newest first; `None` for
    /// all. Later scans keep what was read. With 0 the git source has no commits.
    pub commits: Option<usize>,
    /// Continues with the older commits that earlier scans did not read.
    pub older_commits: bool,
    /// Exports of issue trackers to read as tickets, even if they are outside the root or ignored.
    /// Absolute paths, or paths relative to the root.
    pub exports: Vec<PathBuf>,
    /// Sources that the caller implements. They are read as they are now, also with a commit.
    pub custom: CustomSources,
    /// Commit to list instead of the folder on disk. Exports are still read from disk, because they
    /// have no history.
    pub at: Option<Revision>,
    /// Files that are stored elsewhere and listed instead of the folder, which does not exist.
    pub stored: Option<StoredTree>,
    /// Handling of secrets in texts that are read.
    pub secrets: Secrets,
}
