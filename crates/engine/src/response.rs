//! What is answered.

mod failure;
mod graph;
mod holders;
pub(crate) mod id;
mod owners;

use std::{collections::BTreeMap, path::PathBuf};

use lore_schema::{SkipCounts, SourceName, Trust};
use lore_sources::UnindexedMatches;

use crate::Expansion;

pub use self::failure::{FailureReport, Moved, Undecided};
pub use self::graph::{
    Certainty, EdgeKind, GraphEdge, GraphNode, ResearchResponse, SymbolHit, SymbolMatch,
    SymbolResponse,
};
pub use self::holders::{HeldWord, Holders, HoldingFile, Scanned};
pub use self::owners::{Link, Owner, OwnersAnswer};

/// Answer to a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResponse {
    /// The query, as typed.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How far the answer can be trusted.
    pub receipt: Receipt,
    /// Why there is no hit, and what is near; `None` when there are hits.
    pub absence: Option<Absence>,
    /// What to ask next, at most five; empty unless it was asked for.
    pub follow_ups: Vec<FollowUp>,
    /// Everything that holds the words literally; `None` unless it was asked for.
    pub holders: Option<Holders>,
    /// What the user should know, one line each (a cache that cannot be written, a damaged index
    /// that was rebuilt).
    pub warnings: Vec<String>,
}

/// A query that follows from an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// The query, as one would type it.
    pub query: String,
    /// What it asks for.
    pub category: FollowUpCategory,
}

/// What a follow-up asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FollowUpCategory {
    /// Who calls a function that was found.
    Callers,
    /// What encloses a definition that was found.
    Container,
    /// What a definition that was found uses.
    Neighbour,
    /// Why it is as it is, where neither decision nor commit was found.
    Reasons,
    /// A section of a text that was found.
    Section,
    /// What tests it, where no test was found.
    Tests,
}

impl FollowUpCategory {
    /// The name that users read.
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
    /// `source:path#Container.name`, ordinal if repeated; lines only where there is neither symbol
    /// nor heading.
    pub id: String,
    /// Where it comes from.
    pub source: SourceName,
    /// Name of the reader that made the document.
    pub format: String,
    /// Symbol kind for code, otherwise what the document is.
    pub kind: String,
    /// Name of the symbol or title of the document.
    pub title: String,
    /// Root-relative path; `None` for a commit.
    pub path: Option<String>,
    /// First line of the span that is shown, 1-based; `None` for a commit.
    pub start_line: Option<u32>,
    /// Last line of the span, 1-based, inclusive.
    pub end_line: Option<u32>,
    /// Language, if it was recognised.
    pub language: Option<String>,
    /// What encloses the span, outermost first.
    pub breadcrumb: Vec<String>,
    /// The declaration on one line.
    pub signature: Option<String>,
    /// The documentation comment.
    pub doc_comment: Option<String>,
    /// Tokens that the span costs a language model: an estimate, bytes / 4 rounded up.
    pub token_count: u64,
    /// What the file is to the repository: `own`, `test`, `vendored` …
    pub category: &'static str,
    /// Who wrote it: outsiders write exports of trackers and vendored files.
    pub origin: Trust,
    /// Status or state, as written.
    pub status: Option<String>,
    /// Priority, as written.
    pub priority: Option<String>,
    /// Tags or labels.
    pub tags: Vec<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was last changed, seconds since the epoch.
    pub date: Option<i64>,
    /// Everything else that the document says about itself: name, value.
    pub extra: Vec<(String, String)>,
    /// 0.0..=1.0, a fixed monotone map of the explanation's sum.
    pub score: f32,
    /// How the hit was found: `exact` where the question stands as it is, `lexical` by its words,
    /// `multi-hop` from a better hit, `regex` or `literal` by a pattern; in an answer to a log,
    /// `frame` by a place that it names, `covering-test` as a test of such a place, `line-history` as
    /// the commit that wrote its line, `file-history` as the last one that changed its file.
    pub match_type: &'static str,
    /// Steps from the hit that led here, 0 for a hit of its own.
    pub hops: usize,
    /// What led here: `path#name`; of an answer to a log, which place of which failure.
    pub via: Option<String>,
    /// Lexical evidence alone, 0.0..=1.0.
    pub bm25_score: Option<f32>,
    /// Position by lexical evidence alone among the candidates of its source, from 1; `None` for what
    /// holds no word of the question.
    pub bm25_rank: Option<usize>,
    /// Similarity of its nearest passage in meaning, 0.0..=1.0; `None` where no embedding took part.
    pub semantic_score: Option<f32>,
    /// Position by that alone among the candidates of its source, from 1.
    pub semantic_rank: Option<usize>,
    /// The passage that answers best, with the lines around it that were asked for.
    pub snippet: Snippet,
    /// The whole text of the span, when it was asked for.
    pub body: Option<Snippet>,
    /// Up to five places in the document that match, best first.
    pub matches: Vec<Match>,
    /// Number of lines of the document that hold a word of the query.
    pub total_matches: usize,
    /// Identifiers of near-duplicates that are not shown.
    pub also_found_in: Vec<String>,
    /// Where what it names leads, when that was followed.
    pub links: Vec<Link>,
    /// The parts of the score, when they were asked for.
    pub explanation: Option<Explanation>,
}

/// A passage with its highlights.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// Whole lines of the source text, without a final line end.
    pub text: String,
    /// Line of the first line of `text` in the file, 1-based.
    pub start_line: u32,
    /// Ranges in `text`, in Unicode scalar values, end exclusive, ordered, apart.
    pub highlights: Vec<(usize, usize)>,
}

/// One place that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Where: `title`, `path`, `content`, `tags`, `description` …
    pub field: &'static str,
    /// The line, or the value of the field.
    pub text: String,
    /// Line in the file, 1-based; `None` outside the content.
    pub line: Option<u32>,
    /// Share of the query's weight that it holds, 0.0..=1.0.
    pub score: f32,
    /// Ranges in `text`, in Unicode scalar values, end exclusive, ordered, apart.
    pub highlights: Vec<(usize, usize)>,
}

/// The parts of a score. The raw score is exactly their sum.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// The parts, in the order of the signals.
    pub parts: Vec<Part>,
}

impl Explanation {
    /// The raw score.
    pub fn sum(&self) -> f32 {
        self.parts.iter().map(|part| part.contribution).sum()
    }
}

/// One named part of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Name of the signal.
    pub name: &'static str,
    /// What was measured, 0.0..=1.0; of what is told beside a middling hit, -1.0..=1.0.
    pub value: f32,
    /// Its weight; negative for a penalty.
    pub weight: f32,
    /// `value * weight`.
    pub contribution: f32,
}

/// Whether the answer reflects the disk as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Every file was compared with the index during this search.
    Verified,
    /// This many units were not looked at as they are now: files that changed while the answer was
    /// made; or, of an answer without an index, those for which the time was up.
    Partial(u64),
    /// A hit is shown that could not be checked: its file is there and cannot be read any more.
    Stale,
}

/// How far an answer can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// The tree that was searched.
    pub root: PathBuf,
    /// Abbreviated commit of the tree. Of files on disk, with `+n` where n of them differ from that
    /// commit: changed, added, deleted, or searched though git does not know them; and with `+?` where
    /// that could not be told, or not within 100 ms. `None` outside git and before the first commit.
    pub tree: Option<String>,
    /// Whether the answer reflects the disk.
    pub fresh: Freshness,
    /// Whether every document that qualifies is in the answer, rather than the best ones.
    pub exhaustive: bool,
    /// Documents that meet every filter and hold a word of the query.
    pub total: u64,
    /// Documents that meet every filter and hold all its words.
    pub matched_all: u64,
    /// What was searched, source by source; sources that the filter excludes are missing.
    pub sources: BTreeMap<SourceName, SourceReport>,
    /// What was added to the words of the query, in their order.
    pub expanded: Vec<Expansion>,
    /// What compared meaning: `embedded` for the model inside the program, the name of another
    /// embedder, or `off`.
    pub semantic: String,
    /// Why the embedder of the settings took no part, when it did not.
    pub semantic_fallback: Option<String>,
    /// What was read of a log, when that was what was asked with.
    pub failure: Option<FailureReport>,
    /// How much was looked through, for an answer without an index; `None` of one from the index.
    pub scanned: Option<Scanned>,
    /// Milliseconds from the request to the answer.
    pub elapsed_ms: f64,
}

/// What was searched of one source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceReport {
    /// Documents that were searched.
    pub documents: u64,
    /// What was left out, by reason.
    pub skipped: SkipCounts,
}

/// Why there is no hit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Absence {
    /// Reasons, one sentence each without a final dot, most telling first.
    pub reasons: Vec<String>,
    /// Up to three nearest names and titles that do exist. They are not hits.
    pub nearest: Vec<String>,
    /// Words of the query that no searched document holds, as typed.
    pub unknown_words: Vec<String>,
    /// What each filter of the request takes away, alone.
    pub filters: Vec<FilterLoss>,
    /// Where the unknown words stand in what is not searched; `None` where nobody looked.
    pub elsewhere: Option<UnindexedMatches>,
}

/// What one filter takes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterLoss {
    /// The filter: `in`, `path`, `exclude`, `lang`, `kind`, `since` …
    pub name: &'static str,
    /// Its values; a time is in seconds since the epoch.
    pub values: Vec<String>,
    /// Documents that hold a word of the query and that this filter alone leaves out.
    pub removed: u64,
}

/// What an index run did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexReport {
    /// Per source: units that were written, deleted, and left as they were.
    pub sources: BTreeMap<SourceName, (u64, u64, u64)>,
    /// Documents that got their vectors apart from their terms.
    pub embedded: u64,
    /// Bytes of text that were read and analysed.
    pub bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}

/// One source, as `lore sources` and `lore status` show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceStatus {
    /// Number of documents.
    pub documents: u64,
    /// Documents that the embedder of the settings has looked at; 0 without one.
    pub embedded: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Documents of each reader of a format.
    pub formats: BTreeMap<String, u64>,
    /// Documents of each language.
    pub languages: BTreeMap<String, u64>,
    /// What was left out, by reason.
    pub skipped: SkipCounts,
    /// Documents that were cut by lines since a parser gave up.
    pub fell_back: u64,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Bytes of index on disk.
    pub disk_bytes: u64,
    /// Those of them that are shared with other views of the repository.
    pub shared_bytes: u64,
    /// Units that differ from the disk now.
    pub pending: u64,
    /// Secrets that were taken out of texts, by the name of the rule.
    pub secrets: BTreeMap<String, SecretCount>,
}

/// How often secrets of one kind were taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SecretCount {
    /// Documents that hold one.
    pub documents: u64,
    /// All of them.
    pub secrets: u64,
}

/// State of the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The tree.
    pub root: PathBuf,
    /// Where its index lies; `None` for memory.
    pub cache: Option<PathBuf>,
    /// How many views of the repository have an index: its work trees, and commits that were asked
    /// about.
    pub views: usize,
    /// The embedder of the settings; `None` if there is none.
    pub embedder: Option<String>,
    /// Per source, in the order of their names; sources that hold nothing included.
    pub sources: BTreeMap<SourceName, SourceStatus>,
    /// What is wrong with the index or a source, one line each.
    pub problems: Vec<String>,
}

/// What `lore doctor` found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// What was checked and is well, one line each.
    pub passed: Vec<String>,
    /// What is wrong, one line each.
    pub problems: Vec<String>,
}

/// Answer of the lexical floor over spec nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpecAnswer {
    /// The hits, best first.
    pub hits: Vec<SpecHit>,
    /// Titles that are near to the query when there is no hit, at most three.
    pub nearest: Vec<String>,
    /// Nodes that were searched.
    pub nodes: usize,
    /// Words in all of them.
    pub tokens: usize,
    /// Milliseconds of pure computing.
    pub compute_ms: f64,
}

/// A spec node that the lexical floor found.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecHit {
    /// Identifier of the node.
    pub id: String,
    /// Title.
    pub title: String,
    /// Root-relative path of its file.
    pub path: String,
    /// Summed lexical score, above 0, two decimals; only the order means something.
    pub score: f64,
    /// One line around the first matched word.
    pub snippet: String,
    /// What it says that it governs: paths, with `#name` for a part.
    pub code: Vec<String>,
}
