//! The files of a folder, listed once for every source.

use std::path::{Path, PathBuf};

use crate::SourceError;

/// How a folder is walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOptions {
    /// Whether hidden files and folders are listed (version-control folders never are).
    pub hidden: bool,
    /// Files above this size in bytes are skipped, counted as too large.
    pub max_file_size: u64,
    /// Threads of the walk, at least 1.
    pub threads: usize,
    /// How many commits the git source reads, newest first; `None` for all.
    pub commits: Option<usize>,
}

/// A file as the walk saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Root-relative path with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Fingerprint of size, times and inode; 0 when the file was changed so recently that the
    /// times cannot tell one more change.
    pub metadata: u64,
}

/// A listing of a folder at one moment.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Walks a folder.
    pub fn walk(root: &Path, options: &WalkOptions) -> Result<Tree, SourceError> {
        let _ = options;
        Ok(Tree { root: root.to_owned() })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }
}
