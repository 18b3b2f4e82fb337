//! One pass over unindexed content: its matches, and what is left of its time and bytes.

use std::time::{Duration, Instant};

use super::words::{self, WordMatcher};

/// Maximum number of matches per [`UnindexedReason`].
const MAX_MATCHES_PER_KIND: usize = 3;

/// Bounds of a search in unindexed content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnindexedBounds {
    /// Total time. Files and git are searched in parallel.
    pub time: Duration,
    /// Number of bytes to read from files, and the same number from git objects.
    pub bytes: u64,
    /// Number of commits to search for deleted files, newest first.
    pub commits: usize,
    /// Number of branches to compare with HEAD, in the order of their names.
    pub branches: usize,
}

/// Reason why content is not indexed. In the order of display.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnindexedReason {
    /// A rule excludes the file.
    Ignored,
    /// The file is larger than the limit.
    TooLarge,
    /// The file is not text.
    Binary,
    /// The file was deleted.
    Deleted {
        /// The full hash of the commit that deleted it.
        commit: String,
    },
    /// The file differs on a branch that is not checked out.
    Branch {
        /// Name of the branch, without `refs/heads/`.
        name: String,
    },
}

/// A match of a word in unindexed content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnindexedMatch {
    /// Reason why the file is not indexed.
    pub reason: UnindexedReason,
    /// Root-relative path with `/`.
    pub path: String,
    /// Line, 1-based; `None` for a binary file.
    pub line: Option<u32>,
    /// The word as given by the caller.
    pub word: String,
}

/// Matches in unindexed content, and the extent of the search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnindexedMatches {
    /// Up to three matches per reason.
    pub matches: Vec<UnindexedMatch>,
    /// Number of files that were read, on disk or from git.
    pub files: u64,
    /// Number of commits that were searched.
    pub commits: u64,
    /// Number of branches that were compared.
    pub branches: u64,
    /// True if everything within the bounds was searched; false if time or bytes ran out.
    pub complete: bool,
}

/// One search pass, with its remaining time and bytes.
pub(crate) struct UnindexedSearch<'a> {
    matcher: &'a WordMatcher<'a>,
    deadline: Instant,
    bytes: u64,
    pub(crate) seen: UnindexedMatches,
}

impl<'a> UnindexedSearch<'a> {
    pub(super) fn new(
        matcher: &'a WordMatcher<'a>,
        deadline: Instant,
        bytes: u64,
    ) -> UnindexedSearch<'a> {
        let seen = UnindexedMatches { complete: true, ..UnindexedMatches::default() };
        UnindexedSearch { matcher, deadline, bytes, seen }
    }

    /// Returns whether time and bytes are left. If not, marks the result as incomplete.
    pub(crate) fn has_budget(&mut self) -> bool {
        let may = self.bytes > 0 && Instant::now() < self.deadline;
        self.seen.complete &= may;
        may
    }

    /// Returns the number of bytes that may still be read.
    pub(crate) fn bytes_left(&self) -> u64 {
        self.bytes
    }

    /// Marks the result as incomplete.
    pub(crate) fn mark_incomplete(&mut self) {
        self.seen.complete = false;
    }

    /// Returns whether there are enough matches of this kind.
    pub(crate) fn has_enough(&self, is_kind: impl Fn(&UnindexedReason) -> bool) -> bool {
        let of_kind = self.seen.matches.iter().filter(|found| is_kind(&found.reason));
        of_kind.count() >= MAX_MATCHES_PER_KIND
    }

    /// Searches content and records the first match of any word.
    pub(crate) fn read(&mut self, path: &str, content: &[u8], reason: &UnindexedReason) {
        self.seen.files += 1;
        self.bytes = self.bytes.saturating_sub(content.len() as u64);
        if let Some((word, offset)) = self.matcher.find(content) {
            let line = (!words::is_binary(content)).then(|| words::line(content, offset));
            self.seen.matches.push(UnindexedMatch {
                reason: reason.clone(),
                path: path.to_owned(),
                line,
                word: word.to_owned(),
            });
        }
    }
}
