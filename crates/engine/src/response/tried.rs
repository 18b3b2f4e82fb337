//! Changes that were undone and proposals that were turned down.

use lore_schema::SourceName;

use crate::Receipt;

/// A request for what was tried before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedRequest {
    /// The words; blank for the newest attempts.
    pub query: String,
    /// Maximum number of attempts, at least 1.
    pub limit: usize,
}

/// Attempts that were undone or turned down.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedResponse {
    /// The query, as typed.
    pub query: String,
    /// The attempts, best first; the newest first if there are no words.
    pub attempts: Vec<Attempt>,
    /// Number of attempts with words of the query, or of all if there are no words.
    pub total: usize,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// Outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// A commit that a later one reverts.
    Reverted,
    /// A decision, spec or ticket that was rejected, abandoned or closed without its change.
    Rejected,
    /// A decision or spec that another one replaces.
    Superseded,
}

impl Outcome {
    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Reverted => "reverted",
            Outcome::Rejected => "rejected",
            Outcome::Superseded => "superseded",
        }
    }
}

/// A change that was undone, or a proposal that was turned down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Source of the record.
    pub source: SourceName,
    /// Identifier of the commit (`git:1a2b3c4d5e`) or of the record.
    pub id: String,
    /// Title of the record.
    pub title: String,
    /// Root-relative path of the record; `None` for a commit.
    pub path: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// Status of the record, as written: `wontfix`.
    pub status: Option<String>,
    /// Short hash of the commit that reverts it, or the successor.
    pub by: Option<String>,
    /// Date of the outcome, in seconds since the epoch.
    pub date: Option<i64>,
    /// The sentence that gives the reason; empty if there is none.
    pub reason: String,
    /// Root-relative paths of the files that it changed.
    pub paths: Vec<String>,
    /// Short hash of a later commit that makes the change again.
    pub again: Option<String>,
}
