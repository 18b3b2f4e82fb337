//! One pass over unindexed content: its matches, and what is left of its time and bytes.

use std::time::{Duration, Instant};

use super::needles::{self, Needles};

/// Most places of one sort that are told.
const MAX_MATCHES_PER_KIND: usize = 3;

/// How far is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnindexedBounds {
    /// Time for all of it. Files and git are looked through side by side.
    pub time: Duration,
    /// Bytes that are read of files, and as many of git's objects.
    pub bytes: u64,
    /// Commits that are looked at for deleted files, newest first.
    pub commits: usize,
    /// Branches that are compared with HEAD, in the order of their names.
    pub branches: usize,
}

/// Why a place is not searched. In the order in which they are told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnindexedReason {
    /// A rule leaves the file out.
    Ignored,
    /// The file is larger than the limit.
    TooLarge,
    /// The file is no text.
    Binary,
    /// The file was deleted.
    Deleted {
        /// The full hash of the commit that deleted it.
        commit: String,
    },
    /// The file is another one on a branch that is not checked out.
    Branch {
        /// Its name, without `refs/heads/`.
        name: String,
    },
}

/// A place that holds a word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnindexedMatch {
    /// Why it is not searched.
    pub reason: UnindexedReason,
    /// Root-relative path with `/`.
    pub path: String,
    /// The line, 1-based; `None` where there are no lines.
    pub line: Option<u32>,
    /// The word, as it was given.
    pub word: String,
}

/// What was found, and how far was looked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnindexedMatches {
    /// A few places of each sort.
    pub matches: Vec<UnindexedMatch>,
    /// Files that were read, whether in the folder or in git.
    pub files: u64,
    /// Commits that were looked at.
    pub commits: u64,
    /// Branches that were compared.
    pub branches: u64,
    /// Whether all was looked at that the bounds name, rather than what the time allowed.
    pub complete: bool,
}

/// One way of looking, with what is left of its means.
pub(crate) struct UnindexedSearch<'a> {
    needles: &'a Needles<'a>,
    deadline: Instant,
    bytes: u64,
    pub(crate) seen: UnindexedMatches,
}

impl<'a> UnindexedSearch<'a> {
    pub(super) fn new(
        needles: &'a Needles<'a>,
        deadline: Instant,
        bytes: u64,
    ) -> UnindexedSearch<'a> {
        let seen = UnindexedMatches { complete: true, ..UnindexedMatches::default() };
        UnindexedSearch { needles, deadline, bytes, seen }
    }

    /// Whether time and bytes are left. Once they are not, the answer says so.
    pub(crate) fn has_budget(&mut self) -> bool {
        let may = self.bytes > 0 && Instant::now() < self.deadline;
        self.seen.complete &= may;
        may
    }

    /// Bytes that may still be read.
    pub(crate) fn bytes_left(&self) -> u64 {
        self.bytes
    }

    /// Notes that not all of something was looked at.
    pub(crate) fn mark_incomplete(&mut self) {
        self.seen.complete = false;
    }

    /// Whether enough places of this sort are known.
    pub(crate) fn has_enough(&self, is_kind: impl Fn(&UnindexedReason) -> bool) -> bool {
        let of_kind = self.seen.matches.iter().filter(|found| is_kind(&found.reason));
        of_kind.count() >= MAX_MATCHES_PER_KIND
    }

    /// Looks through a content, and notes the first place of the first word that stands in it.
    pub(crate) fn read(&mut self, path: &str, content: &[u8], reason: &UnindexedReason) {
        self.seen.files += 1;
        self.bytes = self.bytes.saturating_sub(content.len() as u64);
        if let Some((word, offset)) = self.needles.find(content) {
            let line = (!needles::is_binary(content)).then(|| needles::line(content, offset));
            self.seen.matches.push(UnindexedMatch {
                reason: reason.clone(),
                path: path.to_owned(),
                line,
                word: word.to_owned(),
            });
        }
    }
}
