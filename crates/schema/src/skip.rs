//! Reasons for skipping a file or a record. They are counted and shown.

use std::collections::BTreeMap;

/// The reason why a file or a record was not indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// A commit beyond the number of commits that are read.
    BeyondLimit,
    /// A NUL byte near the start: not text.
    Binary,
    /// Only whitespace.
    Empty,
    /// Excluded by an ignore rule.
    Ignored,
    /// A record of a store that could not be parsed.
    Malformed,
    /// Not a regular file: a socket, a device.
    NotAFile,
    /// A link that is not followed: its target is outside the tree, missing, a cycle, or skipped
    /// itself.
    Symlink,
    /// Larger than the limit.
    TooLarge,
    /// The operating system refused to read it.
    Unreadable,
}

impl SkipReason {
    /// All reasons, sorted by name.
    pub const ALL: &'static [SkipReason] = &[
        SkipReason::BeyondLimit,
        SkipReason::Binary,
        SkipReason::Empty,
        SkipReason::Ignored,
        SkipReason::Malformed,
        SkipReason::NotAFile,
        SkipReason::Symlink,
        SkipReason::TooLarge,
        SkipReason::Unreadable,
    ];

    /// The name that is shown to users, in the style of JSON keys.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::BeyondLimit => "beyondLimit",
            SkipReason::Binary => "binary",
            SkipReason::Empty => "empty",
            SkipReason::Ignored => "ignored",
            SkipReason::Malformed => "malformed",
            SkipReason::NotAFile => "notAFile",
            SkipReason::Symlink => "symlink",
            SkipReason::TooLarge => "tooLarge",
            SkipReason::Unreadable => "unreadable",
        }
    }

    /// Returns the reason with this name, if there is one.
    pub fn from_name(name: &str) -> Option<SkipReason> {
        SkipReason::ALL.iter().copied().find(|reason| reason.as_str() == name)
    }
}

/// Number of skipped files and records, by reason.
pub type SkipCounts = BTreeMap<SkipReason, u64>;
