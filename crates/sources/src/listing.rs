//! Output of a walk, over a folder on disk or over the tree of a commit.

use std::cmp::Ordering;

use lore_schema::SkipCounts;

use crate::fingerprint::FileVersion;

/// A listed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Root-relative path with `/`; absolute for an export outside the root.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Fingerprint of size, times and inode. 0 if the file changed so recently that its times would
    /// not show one more change.
    pub metadata: u64,
}

/// A listed file with its internal details.
#[derive(Debug, Clone)]
pub(crate) struct ListedFile {
    pub(crate) entry: Entry,
    pub(crate) version: FileVersion,
    /// Upper 32 bits of the inode; git's index has the lower ones.
    pub(crate) inode_high: u32,
    /// True if version control ignores the file: it is listed only because it belongs to a store or
    /// instructs agents.
    pub(crate) ignored: bool,
    /// True if the file has other names (hard links).
    pub(crate) is_shared: bool,
}

/// Output of a walk: files sorted by path, and what it skipped.
#[derive(Debug, Default)]
pub(crate) struct WalkOutput {
    pub(crate) files: Vec<ListedFile>,
    pub(crate) skipped: SkipCounts,
    /// Ignored files and folders, the latter with a final `/`; at most [`MAX_NAMED_IGNORED`].
    pub(crate) ignored: Vec<String>,
    /// Ignore files that are too large to apply, sorted.
    pub(crate) oversized: Vec<String>,
    /// True if every folder was read; false if the walk was stopped.
    pub(crate) is_complete: bool,
}

/// Maximum number of ignored files and folders that are listed by name; others are only counted.
pub(crate) const MAX_NAMED_IGNORED: usize = 10_000;

/// Order of the files of a walk.
pub(crate) fn by_path(left: &ListedFile, right: &ListedFile) -> Ordering {
    left.entry.path.cmp(&right.entry.path)
}

/// Adds the counts of `more` to `total`.
pub(crate) fn add_counts(total: &mut SkipCounts, more: &SkipCounts) {
    for (&reason, count) in more {
        *total.entry(reason).or_default() += count;
    }
}
