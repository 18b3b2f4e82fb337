//! The chain from a place to the reasons for it: commits, tickets, specs, decisions, pages and tests.

use crate::{Receipt, Subject};

/// A request for the reasons of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyRequest {
    /// `path:line`, `path:line-line`, `path#name`, the name of a definition, the hash of a commit, or the
    /// identifier of a ticket or spec. Paths are root-relative.
    pub target: String,
    /// Maximum number of hops, at least 1.
    pub limit: usize,
}

/// The reasons of a place.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyResponse {
    /// The place or record.
    pub subject: Subject,
    /// The identifiers of other definitions with the requested name, at most ten.
    pub others: Vec<String>,
    /// The hops, each after the one that it follows from.
    pub hops: Vec<WhyHop>,
    /// Number of hops that were omitted because of the limit.
    pub omitted: usize,
    /// True if there may be older changes of the lines.
    pub has_older_changes: bool,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// Kind of the record that a hop leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyKind {
    /// A commit.
    Commit,
    /// A decision record.
    Decision,
    /// A page of documentation.
    Page,
    /// A pull or merge request.
    PullRequest,
    /// A spec.
    Spec,
    /// A test.
    Test,
    /// A ticket or issue.
    Ticket,
}

impl WhyKind {
    /// All kinds, sorted by name.
    pub const ALL: &'static [WhyKind] = &[
        WhyKind::Commit,
        WhyKind::Decision,
        WhyKind::Page,
        WhyKind::PullRequest,
        WhyKind::Spec,
        WhyKind::Test,
        WhyKind::Ticket,
    ];

    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            WhyKind::Commit => "commit",
            WhyKind::Decision => "decision",
            WhyKind::Page => "page",
            WhyKind::PullRequest => "pull-request",
            WhyKind::Spec => "spec",
            WhyKind::Test => "test",
            WhyKind::Ticket => "ticket",
        }
    }
}

/// Trust in the connection of a hop, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyCertainty {
    /// The text states it: a commit of these lines, a citation, a path, a resolved call.
    Certain,
    /// A name that only one definition has.
    Likely,
    /// A name that several definitions have, or files with similar names.
    Possible,
}

impl WhyCertainty {
    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            WhyCertainty::Certain => "certain",
            WhyCertainty::Likely => "likely",
            WhyCertainty::Possible => "possible",
        }
    }
}

/// A step of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyHop {
    /// Kind of the record.
    pub kind: WhyKind,
    /// Identifier that `lore expand` and `lore why` accept: `git:1a2b3c4d5e`, `docs:docs/a.md#Heading`. For
    /// a record that is not in the tree, its number: `#12`.
    pub id: String,
    /// Title: the subject of a commit, the heading of a section.
    pub title: String,
    /// Root-relative path of the record.
    pub path: Option<String>,
    /// Line of the evidence or of the test, 1-based.
    pub line: Option<u32>,
    /// Date of the record, in seconds since the epoch.
    pub date: Option<i64>,
    /// Name of the author.
    pub author: Option<String>,
    /// Status of a ticket, spec or decision.
    pub status: Option<String>,
    /// The connection: `wrote these lines`, `fixes #12`, `governs by src/*.rs`, `names Refunds.refund`.
    pub evidence: String,
    /// The sentence that gives the reason or contains the name; empty if there is none.
    pub quote: String,
    /// Certainty of the connection.
    pub certainty: WhyCertainty,
    /// Position of the hop that it follows from; `None` for the subject.
    pub from: Option<usize>,
    /// True if the record is in the tree or its history.
    pub is_known: bool,
}

impl WhyHop {
    /// Creates a certain hop to a known record, without place, date, author, status and quote.
    pub(crate) fn new(
        kind: WhyKind,
        id: String,
        title: String,
        evidence: String,
        from: Option<usize>,
    ) -> WhyHop {
        WhyHop {
            kind,
            id,
            title,
            path: None,
            line: None,
            date: None,
            author: None,
            status: None,
            evidence,
            quote: String::new(),
            certainty: WhyCertainty::Certain,
            from,
            is_known: true,
        }
    }
}
