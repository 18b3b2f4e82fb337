//! Part of a response that describes a log.

use crate::Failure;

/// The failures read from a log, and what became of the positions in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailureReport {
    /// The failures in log order, without duplicates. Empty if nothing was recognised.
    pub failures: Vec<Failure>,
    /// Number of compiler warnings that are not included because there are errors.
    pub warnings: usize,
    /// Number of failures over the maximum.
    pub beyond: usize,
    /// Number of frames that are in the tree, including relocated ones.
    pub in_tree: usize,
    /// Number of frames outside the tree: libraries and files of other trees.
    pub outside: usize,
    /// Number of frames that could not be located.
    pub unresolved: usize,
    /// Number of frames whose code is now somewhere else.
    pub relocated: usize,
    /// Frames that could not be located, without duplicates, at most ten.
    pub undecided: Vec<Undecided>,
    /// Relocated frames, without duplicates, at most ten.
    pub moved: Vec<Moved>,
    /// Number of bytes in the middle of the log that were not read.
    pub skipped_bytes: u64,
    /// The words of the messages that were searched for; empty if none of them is in the index.
    pub words: String,
}

/// A frame that could not be located.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// The frame, as written.
    pub place: String,
    /// Candidate files, at most five. A single one is in a different folder, or ends before the
    /// line.
    pub candidates: Vec<String>,
}

/// A frame whose code is now somewhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The frame, as written.
    pub from: String,
    /// `path:line` of the definition.
    pub to: String,
}
