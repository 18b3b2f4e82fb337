//! Output of a walk, over a folder on disk or over the tree of a commit.

use std::cmp::Ordering;

use lore_schema::SkipCounts;

use crate::fingerprint::Version;

/// A file as the walk saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Root-relative path with `/`; absolute for an export that lies outside of the root.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Fingerprint of size, times and inode; 0 when the file was changed so recently that the
    /// times cannot tell one more change.
    pub metadata: u64,
}

/// A file that the walk lists.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) entry: Entry,
    pub(crate) version: Version,
    /// Whether it is listed only because a store or agent instructions are read even when ignored.
    pub(crate) ignored: bool,
}

/// What a walk gives: the files, sorted by path, and what it left out.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) found: Vec<Found>,
    pub(crate) skipped: SkipCounts,
    /// Folders that were read, the root first, without a slash at the end, sorted.
    pub(crate) folders: Vec<String>,
    /// Files and folders that were ignored, the latter with a final `/`; at most [`MOST_NAMED`].
    pub(crate) ignored: Vec<String>,
    /// Whether every folder was read before the walk was stopped.
    pub(crate) is_complete: bool,
}

/// Most ignored files and folders that are named, not only counted.
pub(crate) const MOST_NAMED: usize = 10_000;

/// The order of the files of a walk.
pub(crate) fn by_path(left: &Found, right: &Found) -> Ordering {
    left.entry.path.cmp(&right.entry.path)
}

/// Adds counts to counts.
pub(crate) fn add_counts(total: &mut SkipCounts, more: &SkipCounts) {
    for (&reason, count) in more {
        *total.entry(reason).or_default() += count;
    }
}
