//! What is asked and answered under `--as sage`.

use crate::SearchRequest;

/// A source of sage, by the names that its users type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SageSource {
    /// What is written for agents: `.sage`, but for patterns and tickets.
    Agent,
    /// All other prose.
    Docs,
    /// Commits.
    Git,
    /// Patterns to follow or to avoid.
    Patterns,
    /// Specifications, research and decisions.
    Specs,
    /// Templates for agents, which are only searched when they are asked for.
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
pub struct SageRequest {
    /// The query and what restricts it. Its sources, languages and least score are not looked at.
    pub search: SearchRequest,
    /// The sources; all but templates if empty.
    pub sources: Vec<SageSource>,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SageHit {
    /// Its source; `None` only in a hit that is being made.
    pub source: Option<SageSource>,
    /// Root-relative path; for a commit empty.
    pub path: String,
    /// Its title; for a commit the first line of the message.
    pub title: String,
    /// Identifier of a ticket, full hash of a commit.
    pub id: Option<String>,
    /// The points, which order hits of one tier. Not bounded.
    pub score: f64,
    /// Whether the query stands in it word for word; such hits come first.
    pub exact: bool,
    /// What the points come from, and what they were multiplied by, in the order of the rule.
    pub parts: Vec<(&'static str, f64)>,
    /// The factor of the source.
    pub factor: f64,
    /// The heading above the match, or `title`.
    pub section: String,
    /// The line of the match in the file, 1-based; `None` for what is no file.
    pub line: Option<u32>,
    /// Every line that matches, for patterns and phrases, at most a hundred.
    pub lines: Vec<u32>,
    /// The match with its surroundings, on one line of at most 200 characters.
    pub snippet: String,
    /// Characters of the snippet that match, end exclusive, ascending.
    pub highlights: Vec<(usize, usize)>,
    /// The state of a ticket, or the status of a spec.
    pub status: Option<String>,
    /// Who wrote a commit.
    pub author: Option<String>,
    /// When it was made, in seconds since the epoch.
    pub created: Option<i64>,
    /// When it was last changed, in seconds since the epoch.
    pub updated: Option<i64>,
    /// For a ticket, those that it depends on and that are not done.
    pub blocked_by: Vec<String>,
    /// For a ticket, those that it names.
    pub related: Vec<String>,
    /// For a pattern, its language.
    pub language: Option<String>,
    /// For a pattern, what it is for.
    pub use_case: Option<String>,
    /// For a commit, the files that it changed.
    pub files: Vec<String>,
    /// Near-duplicates that are not shown by themselves: source and path.
    pub also_in: Vec<String>,
}

/// The answer of a search by the rule of sage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SageAnswer {
    /// The hits, best first.
    pub hits: Vec<SageHit>,
    /// How many there are, those behind the limit included.
    pub total: usize,
    /// What was read otherwise than it may have been meant, one line each.
    pub warnings: Vec<String>,
    /// Milliseconds from the request to the answer, reading included.
    pub elapsed_ms: f64,
}

/// What the index file of sage says of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SageDocument {
    /// Its source.
    pub source: SageSource,
    /// `source:path`, or `source:hash`.
    pub id: String,
    /// Root-relative path; empty for a commit.
    pub path: String,
    /// Its title.
    pub title: String,
    /// When it was last changed, in seconds since the epoch.
    pub updated: Option<i64>,
    /// Its words, folded, sorted, each once, function words left out.
    pub words: Vec<String>,
}
