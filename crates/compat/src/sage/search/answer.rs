//! Requests and answers of `--as sage`.

use std::collections::BTreeMap;

use lore_engine::SearchRequest;

/// A source of sage, by the names that its users type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SageSource {
    /// Pages for agents: `.sage`, except patterns and tickets.
    Agent,
    /// All other prose.
    Docs,
    /// Commits.
    Git,
    /// Patterns to follow or to avoid.
    Patterns,
    /// Specifications, research and decisions.
    Specs,
    /// Templates for agents, which are searched only on request.
    Templates,
    /// Tickets.
    Tickets,
}

impl SageSource {
    /// Every source, in the order of the names.
    pub const ALL: &'static [SageSource] = &[
        SageSource::Agent,
        SageSource::Docs,
        SageSource::Git,
        SageSource::Patterns,
        SageSource::Specs,
        SageSource::Templates,
        SageSource::Tickets,
    ];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            SageSource::Agent => "agent",
            SageSource::Docs => "docs",
            SageSource::Git => "git",
            SageSource::Patterns => "patterns",
            SageSource::Specs => "specs",
            SageSource::Templates => "templates",
            SageSource::Tickets => "tickets",
        }
    }
}

/// A search by the rule of sage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SageRequest {
    /// The query and its filters. Its sources, languages and minimum score are ignored.
    pub search: SearchRequest,
    /// The sources; all but templates if empty.
    pub sources: Vec<SageSource>,
}

/// A matching document.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SageHit {
    /// Its source; `None` only before the hit is complete.
    pub source: Option<SageSource>,
    /// Root-relative path; empty for a commit.
    pub path: String,
    /// Its title; for a commit the first line of the message.
    pub title: String,
    /// Identifier of a ticket, full hash of a commit.
    pub id: Option<String>,
    /// The points, which order hits of one tier. Not bounded.
    pub score: f64,
    /// True if it contains the query literally; such hits come first.
    pub exact: bool,
    /// The parts of the points, in the order of the rule.
    pub parts: Vec<(&'static str, f64)>,
    /// The factor of the source.
    pub factor: f64,
    /// The heading above the match, or `title`.
    pub section: String,
    /// The line of the match in the file, 1-based; `None` if it is no file.
    pub line: Option<u32>,
    /// Every line that matches, for patterns and phrases, at most a hundred.
    pub lines: Vec<u32>,
    /// The match with its context, on one line of at most 200 characters.
    pub snippet: String,
    /// Characters of the snippet that match, end exclusive, ascending.
    pub highlights: Vec<(usize, usize)>,
    /// The state of a ticket, or the status of a spec.
    pub status: Option<String>,
    /// The author of a commit.
    pub author: Option<String>,
    /// Creation time, in seconds since the epoch.
    pub created: Option<i64>,
    /// Time of the last change, in seconds since the epoch.
    pub updated: Option<i64>,
    /// For a ticket, the open tickets that it depends on.
    pub blocked_by: Vec<String>,
    /// For a ticket, the tickets that it mentions.
    pub related: Vec<String>,
    /// For a pattern, its language.
    pub language: Option<String>,
    /// For a pattern, its use case.
    pub use_case: Option<String>,
    /// For a commit, the files that it changed.
    pub files: Vec<String>,
    /// Near-duplicates that are not shown as hits of their own: source and path.
    pub also_in: Vec<String>,
}

/// The answer of a search by the rule of sage.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SageAnswer {
    /// The hits, best first.
    pub hits: Vec<SageHit>,
    /// Number of hits, including those after the limit.
    pub total: usize,
    /// Parts of the query that may have been misread, one line each.
    pub warnings: Vec<String>,
    /// Milliseconds from the request to the answer, reading included.
    pub elapsed_ms: f64,
}

/// The numbers of the index file of sage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SageIndex {
    /// Number of documents of each source; sources without any are absent.
    pub documents: BTreeMap<SageSource, usize>,
    /// Number of distinct words, without function words, words of one character and words of more
    /// than 64 bytes.
    pub terms: usize,
}
