//! What an answer to a log says of the log.

use crate::Failure;

/// What was read of a log, and what became of the places that it names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailureReport {
    /// The failures, in the order of the log, each once. None where nothing was recognised.
    pub failures: Vec<Failure>,
    /// Warnings of compilers that are not among them, since there are errors.
    pub warnings: usize,
    /// Failures beyond the most that are looked at.
    pub beyond: usize,
    /// Places of the failures that are in the tree, those that moved included.
    pub in_tree: usize,
    /// Places that are not: libraries, and files of other trees.
    pub outside: usize,
    /// Places of which nothing tells where they are.
    pub unresolved: usize,
    /// Places whose code is somewhere else now.
    pub relocated: usize,
    /// What is unresolved, each once, at most ten.
    pub undecided: Vec<Undecided>,
    /// What is relocated, each once, at most ten.
    pub moved: Vec<Moved>,
    /// Bytes of the log, in its middle, that were not looked at.
    pub left_out: u64,
    /// The words that were searched for; empty where the messages hold none that anything here knows.
    pub words: String,
}

/// A place of which nothing tells where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// The place, as it was written.
    pub place: String,
    /// The files that may be meant, at most five; one alone lies in another folder, or ends before the
    /// line.
    pub candidates: Vec<String>,
}

/// A place whose code is somewhere else now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The place, as it was written.
    pub from: String,
    /// `path:line` of the definition that is meant.
    pub to: String,
}
