//! Options of a walk.

use std::path::PathBuf;

use crate::{git::Revision, secrets::Secrets};

/// How a folder is walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOptions {
    /// Whether hidden files and folders are listed (version-control folders never are).
    pub hidden: bool,
    /// Files above this size in bytes are skipped, counted as too large. Stores of tickets may be
    /// larger.
    pub max_file_size: u64,
    /// Threads of the walk, at least 1.
    pub threads: usize,
    /// How many commits the git source reads, newest first; `None` for all.
    pub commits: Option<usize>,
    /// Exports of issue trackers that are read as tickets although they lie outside of the root or
    /// are ignored. Absolute, or relative to the root.
    pub exports: Vec<PathBuf>,
    /// The commit whose tree is listed instead of the folder on disk. Exports are read from the disk
    /// even so: they have no history.
    pub at: Option<Revision>,
    /// Whether secrets are taken out of the texts that are read.
    pub secrets: Secrets,
}
