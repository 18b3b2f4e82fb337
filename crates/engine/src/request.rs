//! What is asked.

use lore_schema::Filter;

use crate::Clock;

/// How hits are retrieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words alone.
    Lexical,
    /// By meaning alone.
    Semantic,
}

impl Mode {
    /// Every mode, in the order of their names.
    pub const ALL: &'static [Mode] = &[Mode::Hybrid, Mode::Lexical, Mode::Semantic];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Semantic => "semantic",
        }
    }

    /// The mode with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.as_str() == name)
    }
}

/// How evidence of words and of meaning come together.
///
/// What each of them says of a document counts `weight x (alpha x 1 / (rrf_k + rank) + (1 - alpha) x
/// score)`, where the rank is the document's place by that evidence alone, from 1, and the score its
/// evidence as a share of the most that the question allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fusion {
    /// Weight of meaning, 0.0..=1.0.
    pub semantic_weight: f32,
    /// Weight of words, 0.0..=1.0.
    pub bm25_weight: f32,
    /// How little the first places are ahead of the next ones, 1.0 or more.
    pub rrf_k: f32,
    /// Share of the rank beside that of the score, 0.0..=1.0.
    pub alpha: f32,
}

impl Fusion {
    /// The values that `SwiftIndex` published.
    pub const PUBLISHED: Fusion =
        Fusion { semantic_weight: 0.7, bm25_weight: 0.3, rrf_k: 60.0, alpha: 0.7 };
}

impl Default for Fusion {
    /// What the development set and the other collections prefer; `docs/concepts/ranking.md` has the
    /// figures.
    fn default() -> Fusion {
        Fusion { semantic_weight: 0.3, bm25_weight: 0.7, rrf_k: 60.0, alpha: 0.0 }
    }
}

/// Whether the query language is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// The whole language.
    #[default]
    Full,
    /// The whole language, but `NOT` is a word; `-word` still excludes.
    WithoutNot,
    /// Words alone: every sign is text.
    Raw,
}

/// A query that is looked for in every text file, rather than in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternKind {
    /// A text as it stands.
    Literal,
    /// A regular expression.
    Regex,
}

impl PatternKind {
    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            PatternKind::Literal => "literal",
            PatternKind::Regex => "regex",
        }
    }
}

/// What becomes of archived specs and tickets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Archived {
    /// They are searched.
    #[default]
    Include,
    /// They are left out.
    Exclude,
    /// They alone are searched.
    Only,
}

impl Archived {
    /// Every choice with the name that users type, in the order of the names.
    pub const ALL: &'static [(&'static str, Archived)] =
        &[("exclude", Archived::Exclude), ("include", Archived::Include), ("only", Archived::Only)];
}

/// Restrictions on what documents say of themselves, all of them met by every hit. An empty list
/// restricts nothing; the values of one list are alternatives, compared as a whole, in any letter
/// case, and a `*` at the end of one stands for the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttributeFilter {
    /// Statuses or states.
    pub statuses: Vec<String>,
    /// Tags or labels.
    pub tags: Vec<String>,
    /// Priorities.
    pub priorities: Vec<String>,
    /// Who it is assigned to, by some of their names.
    pub assignees: Vec<String>,
    /// Who wrote it, by some of their names.
    pub authors: Vec<String>,
    /// Other fields: name, value. Values of one name are alternatives.
    pub fields: Vec<(String, String)>,
    /// Archived specs and tickets.
    pub archived: Archived,
}

impl AttributeFilter {
    /// Whether it lets everything pass.
    pub fn is_empty(&self) -> bool {
        *self == AttributeFilter::default()
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The query, as typed.
    pub query: String,
    /// How the query is read.
    pub syntax: Syntax,
    /// What time it is, for dates in words.
    pub clock: Clock,
    /// What restricts the search.
    pub filter: Filter,
    /// What documents must say of themselves.
    pub attributes: AttributeFilter,
    /// Least score of a hit, 0.0..=1.0.
    pub min_score: f32,
    /// Least similarity in meaning of a hit, 0.0..=1.0. Says nothing where no embedding takes part.
    pub min_similarity: Option<f32>,
    /// Whether the query is a pattern that is looked for in every file, and which kind.
    pub pattern: Option<PatternKind>,
    /// Whether a pattern tells capitals apart.
    pub case_sensitive: bool,
    /// Most hits that are returned, at least 1.
    pub limit: usize,
    /// How hits are retrieved.
    pub mode: Mode,
    /// How evidence of words and of meaning come together in the hybrid mode.
    pub fusion: Fusion,
    /// Whether hits carry the parts of their score.
    pub explain: bool,
    /// Longest snippet, in lines; with 0 a pattern's files are named and not read again.
    pub snippet_lines: usize,
    /// Lines of the file before and after each snippet that are shown with it.
    pub context_lines: usize,
    /// Whether hits carry the whole text of their spans.
    pub bodies: bool,
    /// How many steps the search goes on from its best hits, along what they call and use; 0 for
    /// none.
    pub hops: usize,
    /// What an answer may bring beside its hits.
    pub extras: Extras,
}

/// What an answer may bring beside its hits. None of it is asked for by default.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that may be asked for")]
pub struct Extras {
    /// Whether an empty answer looks for the words in what is not searched, too, which takes up to
    /// 0.15 seconds.
    pub elsewhere: bool,
    /// Whether words of a small list that mean nearly the same are added to those of the query.
    pub expand: bool,
    /// Words to add, from whoever knows more of them: a program, or an embedder's nearest words.
    pub expansions: Vec<Expansion>,
    /// Whether words that nobody here knows, and abbreviations, are searched by what is known to
    /// stand for them.
    pub rewrite: bool,
    /// Whether the answer suggests what to ask next.
    pub follow_ups: bool,
    /// Whether the answer names everything that holds the words literally.
    pub holders: bool,
    /// How many of the hits are read and returned, best first; `None` for all. The order may depend on
    /// how many hits are asked for, and not on this.
    pub described: Option<usize>,
}

/// Words that are added to a word of the query: a document with one of them is found, too, and counts
/// for less than one with the word itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The word of the query.
    pub word: String,
    /// The words that are added to it.
    pub added: Vec<String>,
}

impl SearchRequest {
    /// A question with everything else as it is by default: ten hits of at most twelve lines.
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
}

/// A question for definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolRequest {
    /// The name, or a part of a path, as typed.
    pub query: String,
    /// Which definitions count.
    pub filter: Filter,
    /// Most definitions that are returned, at least 1.
    pub limit: usize,
}

/// How definitions are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// What a definition calls.
    Callees,
    /// Who calls it.
    Callers,
    /// What a module imports; of no module, between all folders.
    Dependencies,
    /// Who imports a module.
    Dependents,
    /// Who implements, extends or derives a type.
    Implementations,
    /// How one definition reaches another by calls.
    Path,
    /// Who calls it, uses it as a type, or implements it.
    References,
    /// What belongs together with it.
    Related,
}

impl Relation {
    /// Every relation, in the order of their names.
    pub const ALL: &'static [Relation] = &[
        Relation::Callees,
        Relation::Callers,
        Relation::Dependencies,
        Relation::Dependents,
        Relation::Implementations,
        Relation::Path,
        Relation::References,
        Relation::Related,
    ];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::Callees => "callees",
            Relation::Callers => "callers",
            Relation::Dependencies => "dependencies",
            Relation::Dependents => "dependents",
            Relation::Implementations => "implementations",
            Relation::Path => "path",
            Relation::References => "references",
            Relation::Related => "related",
        }
    }
}

/// What is asked about the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearchQuestion {
    /// The relation.
    pub relation: Relation,
    /// The name that it is about: of a definition, or a part of a path for dependencies; `None` for
    /// all of them.
    pub subject: Option<String>,
    /// The other end of a path.
    pub object: Option<String>,
}

impl ResearchQuestion {
    /// Reads a question in words (`what calls save?`) or as a relation (`callers of save`); `None`
    /// if it asks for none.
    pub fn parse(text: &str) -> Option<ResearchQuestion> {
        crate::graph::ask(text)
    }
}

/// A question about the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchRequest {
    /// What is asked.
    pub question: ResearchQuestion,
    /// How many steps are taken; `None` for what fits the relation: 8 for a path, 2 for callers, 1 otherwise. For
    /// dependencies of the whole tree, the number of folders that a name keeps.
    pub depth: Option<usize>,
    /// Which definitions count.
    pub filter: Filter,
    /// Most edges that are returned, at least 1.
    pub limit: usize,
}

/// How much of the index is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexMode {
    /// What differs from the disk.
    Update,
    /// Everything.
    Rebuild,
}

/// Progress of long work, called from worker threads.
pub trait Progress: Sync {
    /// `done` of `known` units of the source are finished; `known` grows while the scan runs.
    fn advance(&self, source: lore_schema::SourceName, done: u64, known: u64);

    /// One line about something that was mended or left out.
    fn note(&self, message: &str);
}
