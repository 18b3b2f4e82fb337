//! The search request and its parts.

use lore_schema::{Filter, SourceName};

use crate::Clock;

/// Retrieval mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words only.
    Lexical,
    /// By meaning only.
    Semantic,
}

impl Mode {
    /// All modes, sorted by name.
    pub const ALL: &'static [Mode] = &[Mode::Hybrid, Mode::Lexical, Mode::Semantic];

    /// Returns the name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Semantic => "semantic",
        }
    }

    /// Returns the mode with this name.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.as_str() == name)
    }
}

/// Weights for combining the evidence of words and of meaning.
///
/// Each of the two contributes `weight x (alpha x 1 / (rrf_k + rank) + (1 - alpha) x score)`. The
/// rank is the document's position by this evidence alone, starting at 1. The score is its evidence
/// divided by the maximum for the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fusion {
    /// Weight of meaning, 0.0..=1.0.
    pub semantic_weight: f32,
    /// Weight of words, 0.0..=1.0.
    pub bm25_weight: f32,
    /// RRF constant k, 1.0 or more; a higher value flattens rank differences.
    pub rrf_k: f32,
    /// Share of the rank against that of the score, 0.0..=1.0.
    pub alpha: f32,
}

impl Fusion {
    /// The values published by `SwiftIndex`.
    pub const PUBLISHED: Fusion =
        Fusion { semantic_weight: 0.7, bm25_weight: 0.3, rrf_k: 60.0, alpha: 0.7 };
}

impl Default for Fusion {
    /// Values that work best on the development set and the other collections;
    /// `docs/concepts/ranking.md` has the figures.
    fn default() -> Fusion {
        Fusion { semantic_weight: 0.3, bm25_weight: 0.7, rrf_k: 60.0, alpha: 0.0 }
    }
}

/// Syntax of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// The full query language.
    #[default]
    Full,
    /// The full language, except that `NOT` is a word; `-word` still excludes.
    WithoutNot,
    /// Words only: every character is text.
    Raw,
}

/// Kind of a pattern that is matched against every text file instead of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternKind {
    /// Literal text.
    Literal,
    /// A regular expression.
    Regex,
}

impl PatternKind {
    /// Returns the name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            PatternKind::Literal => "literal",
            PatternKind::Regex => "regex",
        }
    }
}

/// Treatment of archived specs and tickets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Archived {
    /// They are searched.
    #[default]
    Include,
    /// They are skipped.
    Exclude,
    /// Only they are searched.
    Only,
}

impl Archived {
    /// All choices with the names that users type, sorted by name.
    pub const ALL: &'static [(&'static str, Archived)] =
        &[("exclude", Archived::Exclude), ("include", Archived::Include), ("only", Archived::Only)];
}

/// Filters on the attributes of documents. A hit meets all of them. An empty list matches
/// everything. The values of one list are alternatives, compared as a whole and case-insensitively;
/// a `*` at the end of a value matches any rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttributeFilter {
    /// Statuses or states.
    pub statuses: Vec<String>,
    /// Tags or labels.
    pub tags: Vec<String>,
    /// Priorities.
    pub priorities: Vec<String>,
    /// Assignees, by one of their names.
    pub assignees: Vec<String>,
    /// Authors, by one of their names.
    pub authors: Vec<String>,
    /// Other fields: name, value. Values of one name are alternatives.
    pub fields: Vec<(String, String)>,
    /// Archived specs and tickets.
    pub archived: Archived,
}

impl AttributeFilter {
    /// Returns true if the filter accepts everything.
    pub fn is_empty(&self) -> bool {
        *self == AttributeFilter::default()
    }
}

/// A search request. Start from [`SearchRequest::new`] and change it by the `with_` methods.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchRequest {
    /// The query, as typed.
    pub query: String,
    /// Syntax of the query.
    pub syntax: Syntax,
    /// The current time, for dates in words.
    pub clock: Clock,
    /// Filter on documents and chunks.
    pub filter: Filter,
    /// Required attributes of documents.
    pub attributes: AttributeFilter,
    /// Minimum score of a hit, 0.0..=1.0.
    pub min_score: f32,
    /// Minimum similarity in meaning of a hit, 0.0..=1.0. Ignored if no embedding takes part.
    pub min_similarity: Option<f32>,
    /// Kind of the pattern, if the query is one that is matched against every file.
    pub pattern: Option<PatternKind>,
    /// True if a pattern is case-sensitive.
    pub case_sensitive: bool,
    /// Maximum number of hits, at least 1.
    pub limit: usize,
    /// Retrieval mode.
    pub mode: Mode,
    /// Weights of words and meaning in the hybrid mode.
    pub fusion: Fusion,
    /// True if hits include the parts of their score.
    pub explain: bool,
    /// Maximum length of a snippet, in lines. With 0, the files that match a pattern are only named
    /// and not read again.
    pub snippet_lines: usize,
    /// Lines of context before and after each snippet.
    pub context_lines: usize,
    /// True if hits include the whole text of their spans.
    pub bodies: bool,
    /// Number of steps that the search follows calls and uses from its best hits; 0 for none.
    pub hops: usize,
    /// Optional parts of the answer.
    pub extras: Extras,
}

/// Optional parts of an answer. All are off by default.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent option")]
pub struct Extras {
    /// True if an empty answer also looks for the words in files that are not searched. This takes
    /// up to 0.15 seconds.
    pub elsewhere: bool,
    /// True if synonyms from a small list are added to the words of the query.
    pub expand: bool,
    /// Words to add from another source: a program, or an embedder's nearest words.
    pub expansions: Vec<Expansion>,
    /// True if words that are not in the index, and abbreviations, are replaced by what they stand
    /// for.
    pub rewrite: bool,
    /// True if the lines that answer are chosen from all of a document; otherwise those of its best
    /// chunk are shown.
    pub choose_lines: bool,
    /// True if an answer without enough evidence is reported as weak and reduced to its closest hits.
    pub judge: bool,
    /// True if the answer suggests further queries.
    pub follow_ups: bool,
    /// True if the answer lists all files that contain the words literally.
    pub holders: bool,
    /// True if the answer counts the attributes of what matches.
    pub facets: bool,
    /// Number of hits that are read and returned, best first; `None` for all. The order may depend
    /// on the limit, but not on this number.
    pub described: Option<usize>,
}

/// Words added to a word of the query. A document with an added word is found as well and scores
/// less than one with the word itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The word of the query.
    pub word: String,
    /// The added words.
    pub added: Vec<String>,
}

/// Maximum length of a query in bytes. A longer one is cut before it is read, and a longer pattern
/// is refused. Pasted reports and logs of tests are shorter, and a query is read only up to its 400th
/// word anyway.
pub(crate) const MAX_QUERY_BYTES: usize = 64 << 10;

/// Maximum length in bytes of a text for an exhaustive search: matching takes more than linear time
/// to prepare.
pub(crate) const MAX_LITERAL_BYTES: usize = 8 << 10;

impl SearchRequest {
    /// Cuts a query that is longer than [`MAX_QUERY_BYTES`] after a whole word. Returns a warning if
    /// it does.
    pub(crate) fn cut_query(&mut self) -> Option<String> {
        let length = self.query.len();
        if length <= MAX_QUERY_BYTES || self.pattern.is_some() {
            return None;
        }
        let kept = &self.query[..self.query.floor_char_boundary(MAX_QUERY_BYTES)];
        let kept = kept.rfind(char::is_whitespace).unwrap_or(kept.len());
        self.query.truncate(kept);
        Some(format!("the query has {length} bytes: only the first {kept} are searched"))
    }

    /// Creates a request with default values: ten hits of at most twelve lines.
    pub fn new(query: impl Into<String>) -> SearchRequest {
        SearchRequest {
            query: query.into(),
            syntax: Syntax::Full,
            clock: Clock::default(),
            filter: Filter::default(),
            attributes: AttributeFilter::default(),
            min_score: 0.0,
            min_similarity: None,
            pattern: None,
            case_sensitive: false,
            limit: 10,
            mode: Mode::default(),
            fusion: Fusion::default(),
            explain: false,
            snippet_lines: 12,
            context_lines: 0,
            bodies: false,
            hops: 0,
            extras: Extras::default(),
        }
    }

    /// Sets the query, as typed.
    #[must_use]
    pub fn with_query(mut self, query: impl Into<String>) -> SearchRequest {
        self.query = query.into();
        self
    }

    /// Sets the syntax of the query.
    #[must_use]
    pub fn with_syntax(mut self, syntax: Syntax) -> SearchRequest {
        self.syntax = syntax;
        self
    }

    /// Sets the current time, for dates in words.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> SearchRequest {
        self.clock = clock;
        self
    }

    /// Sets the filter on documents and chunks.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> SearchRequest {
        self.filter = filter;
        self
    }

    /// Sets the sources that are searched; none for all. The rest of the filter is kept.
    #[must_use]
    pub fn with_sources(mut self, sources: impl Into<Vec<SourceName>>) -> SearchRequest {
        self.filter.sources = sources.into();
        self
    }

    /// Sets the required attributes of documents.
    #[must_use]
    pub fn with_attributes(mut self, attributes: AttributeFilter) -> SearchRequest {
        self.attributes = attributes;
        self
    }

    /// Sets the minimum score of a hit, 0.0..=1.0.
    #[must_use]
    pub fn with_min_score(mut self, min_score: f32) -> SearchRequest {
        self.min_score = min_score;
        self
    }

    /// Sets the minimum similarity in meaning of a hit, 0.0..=1.0; `None` for any.
    #[must_use]
    pub fn with_min_similarity(mut self, min_similarity: impl Into<Option<f32>>) -> SearchRequest {
        self.min_similarity = min_similarity.into();
        self
    }

    /// Sets the kind of the pattern; `None` for a query that is no pattern.
    #[must_use]
    pub fn with_pattern(mut self, pattern: impl Into<Option<PatternKind>>) -> SearchRequest {
        self.pattern = pattern.into();
        self
    }

    /// Sets whether a pattern is case-sensitive.
    #[must_use]
    pub fn with_case_sensitive(mut self, case_sensitive: bool) -> SearchRequest {
        self.case_sensitive = case_sensitive;
        self
    }

    /// Sets the maximum number of hits, at least 1.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> SearchRequest {
        self.limit = limit;
        self
    }

    /// Sets the retrieval mode.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> SearchRequest {
        self.mode = mode;
        self
    }

    /// Sets the weights of words and meaning in the hybrid mode.
    #[must_use]
    pub fn with_fusion(mut self, fusion: Fusion) -> SearchRequest {
        self.fusion = fusion;
        self
    }

    /// Sets whether hits include the parts of their score.
    #[must_use]
    pub fn with_explain(mut self, explain: bool) -> SearchRequest {
        self.explain = explain;
        self
    }

    /// Sets the maximum length of a snippet, in lines.
    #[must_use]
    pub fn with_snippet_lines(mut self, snippet_lines: usize) -> SearchRequest {
        self.snippet_lines = snippet_lines;
        self
    }

    /// Sets the lines of context before and after each snippet.
    #[must_use]
    pub fn with_context_lines(mut self, context_lines: usize) -> SearchRequest {
        self.context_lines = context_lines;
        self
    }

    /// Sets whether hits include the whole text of their spans.
    #[must_use]
    pub fn with_bodies(mut self, bodies: bool) -> SearchRequest {
        self.bodies = bodies;
        self
    }

    /// Sets the number of steps along calls and uses; 0 for none.
    #[must_use]
    pub fn with_hops(mut self, hops: usize) -> SearchRequest {
        self.hops = hops;
        self
    }

    /// Sets the optional parts of the answer.
    #[must_use]
    pub fn with_extras(mut self, extras: Extras) -> SearchRequest {
        self.extras = extras;
        self
    }
}
