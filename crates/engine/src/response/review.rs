//! The review of a change: the changed files, and what they touch and may break.

use crate::{Receipt, WhyCertainty};

/// The change to review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewedChange {
    /// The files on disk, compared with the commit that is checked out.
    Uncommitted,
    /// The staged files, compared with the commit that is checked out.
    Staged,
    /// A commit, branch or tag, compared with an older one.
    Between {
        /// The older one.
        old: String,
        /// The newer one.
        new: String,
        /// True to start at the newest commit that leads to both.
        is_from_common: bool,
    },
    /// A patch in the format of `git diff` or `diff -u`, applied to the files on disk or not.
    Patch(String),
}

impl ReviewedChange {
    /// Reads `OLD..NEW`, `OLD...NEW` from the last common commit, or the name of a commit, which is compared
    /// with its first parent. A missing end is HEAD. `None` for a blank name.
    pub fn of_name(name: &str) -> Option<ReviewedChange> {
        let name = name.trim();
        let end = |end: &str| if end.is_empty() { "HEAD".to_owned() } else { end.to_owned() };
        let (old, new, is_from_common) = match (name.split_once("..."), name.split_once("..")) {
            _ if name.is_empty() => return None,
            (Some((old, new)), _) => (end(old), end(new), true),
            (None, Some((old, new))) => (end(old), end(new), false),
            (None, None) => (format!("{name}~1"), name.to_owned(), false),
        };
        Some(ReviewedChange::Between { old, new, is_from_common })
    }
}

/// A request for a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRequest {
    /// The change.
    pub change: ReviewedChange,
    /// Maximum number of findings of each kind, at least 1.
    pub limit: usize,
    /// Maximum time for checking documents.
    pub time: std::time::Duration,
}

/// A review.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewResponse {
    /// The changed files, by path.
    pub files: Vec<ReviewedFile>,
    /// The findings: by kind, each kind best first.
    pub findings: Vec<ReviewFinding>,
    /// Files that the change does not contain but probably concerns, best first, at most ten.
    pub related: Vec<RelatedFile>,
    /// Number of findings that were omitted because of the limit.
    pub omitted: usize,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedFile {
    /// Root-relative path; of a removed file, its former path.
    pub path: String,
    /// Root-relative path before a renaming.
    pub old_path: Option<String>,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// The changed definitions, in text order.
    pub definitions: Vec<ReviewedDefinition>,
}

/// A changed definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedDefinition {
    /// Name with its container: `Store.open`.
    pub name: String,
    /// Bare name.
    pub bare: String,
    /// Container.
    pub container: Option<String>,
    /// Change of the definition.
    pub change: DefinitionChange,
    /// 1-based line: in the new text, or in the old one if it was removed.
    pub line: u32,
}

/// Change of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionChange {
    /// It is new.
    Added,
    /// Its body changed.
    Body,
    /// It is in another file of the change now.
    Moved,
    /// It was removed or renamed.
    Removed,
    /// Its signature changed.
    Signature,
}

impl DefinitionChange {
    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            DefinitionChange::Added => "added",
            DefinitionChange::Body => "body",
            DefinitionChange::Moved => "moved",
            DefinitionChange::Removed => "removed",
            DefinitionChange::Signature => "signature",
        }
    }
}

/// Kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReviewKind {
    /// A use of a definition whose signature changed or that was removed; the change does not touch it.
    Caller,
    /// A file that usually changes together with the changed ones.
    CoChange,
    /// A statement that the change makes untrue.
    Document,
    /// An earlier revert in the same lines.
    Revert,
    /// A spec or decision that governs a changed file.
    Spec,
    /// A test of a changed definition that the change does not contain.
    Test,
}

impl ReviewKind {
    /// All kinds, in the order of an answer.
    pub const ALL: &'static [ReviewKind] = &[
        ReviewKind::Spec,
        ReviewKind::Caller,
        ReviewKind::Document,
        ReviewKind::Test,
        ReviewKind::CoChange,
        ReviewKind::Revert,
    ];

    /// The name that users type and that is shown to them.
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewKind::Caller => "caller",
            ReviewKind::CoChange => "co-change",
            ReviewKind::Document => "document",
            ReviewKind::Revert => "revert",
            ReviewKind::Spec => "spec",
            ReviewKind::Test => "test",
        }
    }

    /// Returns the kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<ReviewKind> {
        ReviewKind::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }
}

/// Something that the change touches or may break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFinding {
    /// Its kind.
    pub kind: ReviewKind,
    /// Root-relative path; `None` for a commit.
    pub path: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// Name: of the caller, the test, the spec, the commit.
    pub name: String,
    /// The changed file or definition.
    pub subject: String,
    /// The connection: `calls Store.open, whose signature changed`.
    pub evidence: String,
    /// The line or sentence at stake; empty if there is none.
    pub quote: String,
    /// Of a co-change: the number of commits that changed both files, and of all commits of the subject.
    pub support: Option<(usize, usize)>,
    /// Certainty of the connection.
    pub certainty: WhyCertainty,
}

/// A file that the change does not contain.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedFile {
    /// Root-relative path.
    pub path: String,
    /// Estimated chance that the change should contain it, 0.0 to 1.0.
    pub score: f64,
    /// The evidence, strongest first.
    pub reasons: Vec<String>,
}
