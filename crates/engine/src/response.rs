//! Responses: the answers of the engine.

mod facets;
mod failure;
mod graph;
mod holders;
pub(crate) mod id;
mod owners;
mod review;
mod tried;
mod why;

use std::{collections::BTreeMap, fmt, path::PathBuf};

use lore_schema::{SkipCounts, SkipReason, SourceName, Trust};
use lore_sources::{TreeCheck, UnindexedMatches};

use crate::{Expansion, ParserFault};

pub use self::facets::{FacetValue, Facets};
pub use self::failure::{FailureReport, Moved, Undecided};
pub use self::graph::{
    Certainty, EdgeKind, GraphEdge, GraphNode, ResearchResponse, SymbolHit, SymbolMatch,
    SymbolResponse,
};
pub use self::holders::{HeldWord, Holders, HoldingFile, Scanned};
pub use self::owners::{Link, Owner, OwnersAnswer};
pub use self::review::{
    DefinitionChange, RelatedFile, ReviewFinding, ReviewKind, ReviewRequest, ReviewResponse,
    ReviewedChange, ReviewedDefinition, ReviewedFile,
};
pub use self::tried::{Attempt, Outcome, TriedRequest, TriedResponse};
pub use self::why::{WhyCertainty, WhyHop, WhyKind, WhyRequest, WhyResponse};

/// Answer to a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResponse {
    /// The query, as typed.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Explanation if there is no hit, with similar names; otherwise `None`.
    pub absence: Option<Absence>,
    /// Suggested further queries, at most five; empty unless requested.
    pub follow_ups: Vec<FollowUp>,
    /// All files that contain the words literally; `None` unless requested.
    pub holders: Option<Holders>,
    /// Counts of the attributes of what matches; `None` unless requested.
    pub facets: Option<Facets>,
    /// Warnings, one line each (the cache is not writable, a damaged index was rebuilt).
    pub warnings: Vec<String>,
}

/// A suggested query that follows from an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// The query, as a user would type it.
    pub query: String,
    /// Category of the query.
    pub category: FollowUpCategory,
}

/// Category of a suggested query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FollowUpCategory {
    /// Callers of a function that was found.
    Callers,
    /// Container of a definition that was found.
    Container,
    /// Something that a definition that was found uses.
    Neighbour,
    /// Reasons for the code, if neither a decision nor a commit was found.
    Reasons,
    /// A section of a text that was found.
    Section,
    /// Tests of the code, if no test was found.
    Tests,
}

impl FollowUpCategory {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            FollowUpCategory::Callers => "callers",
            FollowUpCategory::Container => "container",
            FollowUpCategory::Neighbour => "neighbour",
            FollowUpCategory::Reasons => "reasons",
            FollowUpCategory::Section => "section",
            FollowUpCategory::Tests => "tests",
        }
    }
}

/// A ranked result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Position in the answer, from 1.
    pub rank: usize,
    /// `source:path#Container.name`, with an ordinal if repeated. Lines are part of it only if
    /// there is neither a symbol nor a heading.
    pub id: String,
    /// Source of the document.
    pub source: SourceName,
    /// Name of the reader that produced the document.
    pub format: String,
    /// Symbol kind for code, otherwise the kind of the document.
    pub kind: String,
    /// Name of the symbol or title of the document.
    pub title: String,
    /// Root-relative path; `None` for a commit.
    pub path: Option<String>,
    /// Name of its repository, in an answer over several.
    pub repository: Option<String>,
    /// First line of the shown span, 1-based; `None` for a commit.
    pub start_line: Option<u32>,
    /// Last line of the span, 1-based, inclusive.
    pub end_line: Option<u32>,
    /// Language, if it was recognised.
    pub language: Option<String>,
    /// Names of the enclosing definitions or headings, outermost first.
    pub breadcrumb: Vec<String>,
    /// The declaration on one line.
    pub signature: Option<String>,
    /// The documentation comment.
    pub doc_comment: Option<String>,
    /// Estimated tokens of the span for a language model: bytes / 4, rounded up.
    pub token_count: u64,
    /// Category of the file in the repository: `own`, `test`, `vendored` …
    pub category: &'static str,
    /// Origin of the text: exports of trackers and vendored files come from outside.
    pub origin: Trust,
    /// Status or state, as written.
    pub status: Option<String>,
    /// Priority, as written.
    pub priority: Option<String>,
    /// Tags or labels.
    pub tags: Vec<String>,
    /// Author.
    pub author: Option<String>,
    /// Time of the last change, in seconds since the epoch.
    pub date: Option<i64>,
    /// All other attributes of the document: name, value.
    pub extra: Vec<(String, String)>,
    /// Score, 0.0..=1.0: a fixed monotone map of the explanation's sum.
    pub score: f32,
    /// Match type: `exact` by the literal query, `lexical` by words, `multi-hop` from a
    /// better hit, `regex` or `literal` by a pattern. In an answer to a log: `frame` by a stack
    /// frame, `covering-test` as a test of such a place, `line-history` as the commit that wrote
    /// its line, `file-history` as the last commit that changed its file.
    pub match_type: &'static str,
    /// Number of steps from the hit that led here; 0 for a direct hit.
    pub hops: usize,
    /// Origin of a hop: `path#name`. In an answer to a log, the frame and the failure.
    pub via: Option<String>,
    /// Lexical evidence alone, 0.0..=1.0.
    pub bm25_score: Option<f32>,
    /// Rank by lexical evidence alone among the candidates of its source, starting at 1; `None` if
    /// it contains no word of the query.
    pub bm25_rank: Option<usize>,
    /// Similarity in meaning of its best passage, 0.0..=1.0; `None` if no embedding took part.
    pub semantic_score: Option<f32>,
    /// Rank by similarity in meaning alone among the candidates of its source, starting at 1.
    pub semantic_rank: Option<usize>,
    /// The best matching passage, with the requested lines of context.
    pub snippet: Snippet,
    /// The whole text of the span, if requested.
    pub body: Option<Snippet>,
    /// Up to five matching lines or values of the document, best first.
    pub matches: Vec<Match>,
    /// Number of lines in the document that contain a word of the query.
    pub total_matches: usize,
    /// True if the text was composed from a record of a store. The lines of the hit are those of the
    /// record in the file; the lines of its passages are those of the composed text.
    pub is_composed: bool,
    /// Ids of near-duplicates that are not shown.
    pub also_found_in: Vec<String>,
    /// Targets of the references in the hit, if they were followed.
    pub links: Vec<Link>,
    /// The parts of the score, if requested.
    pub explanation: Option<Explanation>,
}

/// A passage with its highlights.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// Whole lines of the source text, without a final newline.
    pub text: String,
    /// Line of the first line of `text` in the file, 1-based.
    pub start_line: u32,
    /// Ranges in `text`, in Unicode scalar values, end exclusive, sorted, disjoint.
    pub highlights: Vec<(usize, usize)>,
}

/// A matching line or value.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Field: `title`, `path`, `content`, `tags`, `description` …
    pub field: &'static str,
    /// The line, or the value of the field.
    pub text: String,
    /// Line in the file, 1-based; `None` outside the content.
    pub line: Option<u32>,
    /// Share of the query's weight that it contains, 0.0..=1.0.
    pub score: f32,
    /// Ranges in `text`, in Unicode scalar values, end exclusive, sorted, disjoint.
    pub highlights: Vec<(usize, usize)>,
}

/// The parts of a score. The raw score is exactly their sum.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// The parts, in the order of the signals.
    pub parts: Vec<Part>,
}

impl Explanation {
    /// Returns the raw score.
    pub fn sum(&self) -> f32 {
        self.parts.iter().map(|part| part.contribution).sum()
    }
}

/// One named part of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Name of the signal.
    pub name: &'static str,
    /// The measured value, 0.0..=1.0; -1.0..=1.0 for context signals, which are relative to the
    /// median hit.
    pub value: f32,
    /// The weight; negative for a penalty.
    pub weight: f32,
    /// `value * weight`.
    pub contribution: f32,
}

/// Freshness of an answer compared with the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Every file was compared with the index during this search.
    Verified,
    /// The repository is in a cluster, and was last ingested at this time, in seconds since the epoch; 0 if
    /// that is not known. Its files were not looked at.
    Ingested(i64),
    /// This many units were not checked: files that changed during the search or, in an answer
    /// without an index, those that did not fit the time limit.
    Partial(u64),
    /// A hit could not be checked: its file exists but can no longer be read.
    Stale,
}

/// As answers write it: `verified`, `ingested(2026-01-31T12:00:00Z)`, `partial(3 pending)` or `stale`.
impl fmt::Display for Freshness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.ingestion_time()) {
            (Freshness::Verified, _) => formatter.write_str("verified"),
            (Freshness::Ingested(_), Some(time)) => write!(formatter, "ingested({time})"),
            (Freshness::Ingested(_), None) => formatter.write_str("ingested"),
            (Freshness::Partial(units), _) => write!(formatter, "partial({units} pending)"),
            (Freshness::Stale, _) => formatter.write_str("stale"),
        }
    }
}

impl Freshness {
    /// Time of the ingestion, such as `2026-01-31T12:00:00Z`; `None` for files on disk, or if it is not known.
    pub fn ingestion_time(self) -> Option<String> {
        let Freshness::Ingested(seconds @ 1..) = self else { return None };
        jiff::Timestamp::from_second(seconds).ok().map(|time| time.to_string())
    }

    /// Freshness of an answer that consists of an answer with this freshness and one with the other.
    #[must_use]
    pub fn and(self, other: Freshness) -> Freshness {
        match (self, other) {
            (Freshness::Stale, _) | (_, Freshness::Stale) => Freshness::Stale,
            (Freshness::Partial(left), Freshness::Partial(right)) => {
                Freshness::Partial(left + right)
            }
            (Freshness::Partial(units), _) | (_, Freshness::Partial(units)) => {
                Freshness::Partial(units)
            }
            (Freshness::Ingested(left), Freshness::Ingested(right)) => {
                Freshness::Ingested(left.min(right))
            }
            (Freshness::Ingested(time), _) | (_, Freshness::Ingested(time)) => {
                Freshness::Ingested(time)
            }
            (Freshness::Verified, Freshness::Verified) => Freshness::Verified,
        }
    }
}

/// Scope and freshness of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// The tree that was searched.
    pub root: PathBuf,
    /// Abbreviated commit of the tree. For files on disk with `+n` if n of them differ from that
    /// commit: changed, added, deleted, or searched but unknown to git. With `+?` if that could not
    /// be determined, or not within 100 ms. `None` outside git and before the first commit.
    pub tree: Option<String>,
    /// Freshness compared with the disk.
    pub fresh: Freshness,
    /// Basis of the comparison: a walk of all folders, or the events of watched folders.
    pub check: TreeCheck,
    /// True if every matching document is in the answer, not only the best ones, and every file of
    /// the searched sources could be read.
    pub exhaustive: bool,
    /// Documents that meet every filter and contain a word of the query.
    pub total: u64,
    /// Documents that meet every filter and contain all its words.
    pub matched_all: u64,
    /// Reports per searched source; sources that the filter excludes are missing.
    pub sources: BTreeMap<SourceName, SourceReport>,
    /// The repositories of an answer over several; empty for one tree.
    pub repositories: Vec<RepositoryReceipt>,
    /// Words added to those of the query, in their order.
    pub expanded: Vec<Expansion>,
    /// Words of the query that were replaced because no searched document contains them, in their
    /// order.
    pub corrected: Vec<Correction>,
    /// Hits that the graph contributed to a question about uses.
    pub graph: Option<GraphPart>,
    /// True if there are hits, but none contains enough of the query to be an answer. The absence
    /// then names what is missing.
    pub weak: bool,
    /// Certainty of the first hits; `None` where that was not judged: for patterns, logs,
    /// queries without words, and answers without hits.
    pub confidence: Option<Confidence>,
    /// The embedder that took part: `embedded` for the built-in model, the name of another
    /// embedder, or `off`.
    pub semantic: String,
    /// Reason why the configured embedder took no part, if it did not.
    pub semantic_fallback: Option<String>,
    /// Contents of the log, for a search from a failure.
    pub failure: Option<FailureReport>,
    /// Extent of the scan, for an answer without an index; otherwise `None`.
    pub scanned: Option<Scanned>,
    /// Milliseconds from the request to the answer.
    pub elapsed_ms: f64,
}

impl Receipt {
    /// The receipt of an answer about a tree in which nothing was searched yet: verified by a walk,
    /// exhaustive, and without embeddings.
    pub fn new(root: PathBuf) -> Receipt {
        Receipt {
            root,
            tree: None,
            fresh: Freshness::Verified,
            check: TreeCheck::Walked,
            exhaustive: true,
            total: 0,
            matched_all: 0,
            sources: BTreeMap::new(),
            repositories: Vec::new(),
            expanded: Vec::new(),
            corrected: Vec::new(),
            graph: None,
            weak: false,
            confidence: None,
            semantic: "off".to_owned(),
            semantic_fallback: None,
            failure: None,
            scanned: None,
            elapsed_ms: 0.0,
        }
    }
}

/// Part of a receipt about one of several repositories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryReceipt {
    /// Name: its path from the folder of the workspace.
    pub name: String,
    /// Its root.
    pub root: PathBuf,
    /// As [`Receipt::tree`].
    pub tree: Option<String>,
    /// Freshness compared with the disk.
    pub fresh: Freshness,
    /// Documents that were searched.
    pub documents: u64,
    /// Documents that meet every filter and contain a word of the query.
    pub total: u64,
    /// Hits in the answer.
    pub hits: u64,
}

/// Certainty of an answer: whether the lines of its first hits answer the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Confidence {
    /// The level, which decides the size of an answer for agents.
    pub sureness: Sureness,
    /// Estimated probability that one of the first `hits` hits shows the right lines, 0.0..=1.0.
    pub probability: f32,
    /// Number of hits, from the first one, that the probability is about.
    pub hits: usize,
    /// The reason why nothing is missing from the answer, if there is one: `the only definition`, `all 4 callers`.
    pub complete: Option<String>,
}

/// Level of a [`Confidence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sureness {
    /// No hit may be right.
    Unsure,
    /// One of the first hits is probably right.
    Likely,
    /// The first hits are right, with a probability of at least 0.8.
    Found,
}

impl Sureness {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Sureness::Unsure => "unsure",
            Sureness::Likely => "likely",
            Sureness::Found => "found",
        }
    }
}

/// A word of the query that was replaced by the nearest one of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The word as typed.
    pub typed: String,
    /// The word or name that was searched instead.
    pub shown: String,
}

/// The part of an answer that comes from the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphPart {
    /// The question for the graph: `callers of save`.
    pub question: String,
    /// Number of places that the answer shows.
    pub shown: u64,
    /// Number of all places.
    pub total: u64,
}

/// Report on one searched source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceReport {
    /// Documents that were searched.
    pub documents: u64,
    /// Skipped files, by reason.
    pub skipped: SkipCounts,
}

impl SourceReport {
    /// Returns true if files could not be read, so that their content was not searched.
    pub(crate) fn has_unreadable(&self) -> bool {
        self.skipped.contains_key(&SkipReason::Unreadable)
    }
}

/// Explanation of an empty answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Absence {
    /// Reasons, one sentence each without a final period, the most important first.
    pub reasons: Vec<String>,
    /// Up to three similar names and titles that exist. They are not hits.
    pub nearest: Vec<String>,
    /// Words of the query that are in no searched document, as typed.
    pub unknown_words: Vec<String>,
    /// Effect of each filter of the request on its own.
    pub filters: Vec<FilterLoss>,
    /// Places of the unknown words outside the searched files; `None` if these were not checked.
    pub elsewhere: Option<UnindexedMatches>,
}

/// Effect of one filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterLoss {
    /// The filter: `in`, `path`, `exclude`, `lang`, `kind`, `since` …
    pub name: &'static str,
    /// Its values; a time is in seconds since the epoch.
    pub values: Vec<String>,
    /// Documents that contain a word of the query and that this filter alone excludes.
    pub removed: u64,
}

/// Report of an index run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexReport {
    /// Per source: units written, deleted, and unchanged.
    pub sources: BTreeMap<SourceName, (u64, u64, u64)>,
    /// Documents whose vectors were computed separately from their terms.
    pub embedded: u64,
    /// Bytes of text that were read and analysed.
    pub bytes: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

impl IndexReport {
    /// Units written, deleted and unchanged, over all sources.
    pub fn totals(&self) -> [u64; 3] {
        let sources = self.sources.values();
        sources.fold([0; 3], |[a, b, c], (written, deleted, unchanged)| {
            [a + written, b + deleted, c + unchanged]
        })
    }
}

/// One source, as `lore sources` and `lore status` show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceStatus {
    /// Number of documents.
    pub documents: u64,
    /// Documents that the configured embedder has processed; 0 without one.
    pub embedded: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Number of documents per format reader.
    pub formats: BTreeMap<String, u64>,
    /// Number of documents per language.
    pub languages: BTreeMap<String, u64>,
    /// Skipped files, by reason.
    pub skipped: SkipCounts,
    /// Documents that were cut by lines because their parser gave up or ended.
    pub fell_back: u64,
    /// Those of them that ended their parser, by path; at most 1,000 for each fault.
    pub unparsed: Vec<UnparsedFile>,
    /// Paths of documents with text that the parser could not read, so that names may be missing; at
    /// most 1,000.
    pub partly_parsed: Vec<String>,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Bytes of index on disk.
    pub disk_bytes: u64,
    /// Bytes that are shared with other views of the repository.
    pub shared_bytes: u64,
    /// Units that differ from the disk.
    pub pending: u64,
    /// Secrets removed from texts, by the name of the rule.
    pub secrets: BTreeMap<String, SecretCount>,
}

/// A file that ended its parser and is cut by lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnparsedFile {
    /// Root-relative path.
    pub path: String,
    /// The end of the parser.
    pub fault: ParserFault,
}

/// Number of removed secrets of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SecretCount {
    /// Documents that contain one.
    pub documents: u64,
    /// All secrets.
    pub secrets: u64,
}

/// State of the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The tree.
    pub root: PathBuf,
    /// Location of the index; `None` for memory.
    pub cache: Option<PathBuf>,
    /// Number of views of the repository with an index: worktrees, and commits that were searched.
    pub views: usize,
    /// The configured embedder; `None` if there is none.
    pub embedder: Option<String>,
    /// Per source, sorted by name, including empty sources.
    pub sources: BTreeMap<SourceName, SourceStatus>,
    /// Problems with the index or a source, one line each.
    pub problems: Vec<String>,
}

/// Report of `lore doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// Checks that passed, one line each.
    pub passed: Vec<String>,
    /// Problems, one line each.
    pub problems: Vec<String>,
}
