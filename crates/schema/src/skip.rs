//! Why something was left out. Reasons are data: they are counted and shown.

use std::collections::BTreeMap;

/// Why a file or a record was not indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// A commit that is older than the ones that are read.
    BeyondLimit,
    /// A NUL byte near the start: not text.
    Binary,
    /// Nothing but white space.
    Empty,
    /// Left out by an ignore rule.
    Ignored,
    /// A record of a store that could not be parsed.
    Malformed,
    /// Not a regular file: a socket, a device.
    NotAFile,
    /// A link that is not followed: it leads out of the tree, nowhere, around itself, or to what is
    /// left out.
    Symlink,
    /// Larger than the limit.
    TooLarge,
    /// The operating system refused to read it.
    Unreadable,
}

impl SkipReason {
    /// Every reason, in the order of their names.
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

    /// The name that users read, in the form of JSON keys.
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

    /// The reason with this name, if there is one.
    pub fn from_name(name: &str) -> Option<SkipReason> {
        SkipReason::ALL.iter().copied().find(|reason| reason.as_str() == name)
    }
}

/// How often each reason applied.
pub type SkipCounts = BTreeMap<SkipReason, u64>;
