//! Responses about definitions and the graph.

use lore_schema::{ConformanceKind, ReferenceKind};

use super::{Absence, Receipt};

/// Kind of match between a name and a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolMatch {
    /// The exact name.
    Exact,
    /// The name in other case.
    Case,
    /// A name that starts with the query.
    Prefix,
    /// A name that contains all parts of the query.
    Parts,
    /// A member of a type that matched exactly.
    Member,
    /// A name with a similar spelling.
    Near,
}

impl SymbolMatch {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            SymbolMatch::Exact => "exact",
            SymbolMatch::Case => "case",
            SymbolMatch::Prefix => "prefix",
            SymbolMatch::Parts => "parts",
            SymbolMatch::Member => "member",
            SymbolMatch::Near => "near",
        }
    }
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolHit {
    /// `source:path#Container.name`, ordinal if repeated.
    pub id: String,
    /// Bare name.
    pub name: String,
    /// Kind: `function`, `class` …
    pub kind: &'static str,
    /// `public`, `private` or `unknown`, by the rules of the language.
    pub visibility: &'static str,
    /// The enclosing type or module.
    pub container: Option<String>,
    /// Names of the enclosing definitions, outermost first, without its own.
    pub breadcrumb: Vec<String>,
    /// Root-relative path.
    pub path: String,
    /// Line of the name, 1-based.
    pub line: u32,
    /// First line with the preceding comments and attributes, 1-based.
    pub start_line: u32,
    /// Last line, 1-based, inclusive.
    pub end_line: u32,
    /// Language, if it was recognised.
    pub language: Option<String>,
    /// The declaration on one line.
    pub signature: String,
    /// The documentation comment.
    pub doc_comment: Option<String>,
    /// Declared conformances: `implements`, `extends` or `derives`, and the name.
    pub conformances: Vec<(&'static str, String)>,
    /// Category of its file in the repository: `own`, `test`, `vendored` …
    pub category: &'static str,
    /// Kind of match; `None` in a listing of files.
    pub matched: Option<SymbolMatch>,
}

/// Response to a request for definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolResponse {
    /// The name or path fragment, as typed.
    pub query: String,
    /// The definitions, best first, or by file and line.
    pub hits: Vec<SymbolHit>,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Explanation if there is none; otherwise `None`.
    pub absence: Option<Absence>,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// Certainty that a name refers to a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Both are in one file, in scope.
    SameFile,
    /// The file takes the name, or its qualifier, from there: by an import, a path, a shared
    /// package or inheritance.
    Import,
    /// No other definition in the tree has the name.
    UniqueName,
    /// This many definitions have the name, and it is unknown which one is meant.
    OneOf(usize),
    /// The name is not defined in the tree.
    Outside,
}

impl Certainty {
    /// Returns the name used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Certainty::SameFile => "same-file",
            Certainty::Import => "import",
            Certainty::UniqueName => "unique-name",
            Certainty::OneOf(_) => "name",
            Certainty::Outside => "outside",
        }
    }

    /// Returns the number of possible definitions.
    pub fn candidates(self) -> usize {
        match self {
            Certainty::OneOf(count) => count,
            Certainty::Outside => 0,
            Certainty::SameFile | Certainty::Import | Certainty::UniqueName => 1,
        }
    }

    /// Returns true if the text itself determines the definition.
    pub fn is_certain(self) -> bool {
        matches!(self, Certainty::SameFile | Certainty::Import)
    }
}

/// Kind of an edge from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// Calls.
    Calls,
    /// Contains as a member, or is a neighbour in the same type or file.
    Contains,
    /// Derives.
    Derives,
    /// Extends.
    Extends,
    /// Implements.
    Implements,
    /// Imports.
    Imports,
    /// Satisfies by its methods, without a declaration: names and numbers of parameters match.
    Satisfies,
    /// Uses as a type.
    Uses,
}

impl EdgeKind {
    /// Returns the verb.
    pub fn as_str(self) -> &'static str {
        match self {
            EdgeKind::Calls => "calls",
            EdgeKind::Contains => "contains",
            EdgeKind::Derives => "derives",
            EdgeKind::Extends => "extends",
            EdgeKind::Implements => "implements",
            EdgeKind::Imports => "imports",
            EdgeKind::Satisfies => "satisfies",
            EdgeKind::Uses => "uses",
        }
    }
}

impl From<ReferenceKind> for EdgeKind {
    fn from(kind: ReferenceKind) -> EdgeKind {
        match kind {
            ReferenceKind::Call => EdgeKind::Calls,
            ReferenceKind::Implementation => EdgeKind::Implements,
            ReferenceKind::Type => EdgeKind::Uses,
        }
    }
}

impl From<ConformanceKind> for EdgeKind {
    fn from(kind: ConformanceKind) -> EdgeKind {
        match kind {
            ConformanceKind::Derives => EdgeKind::Derives,
            ConformanceKind::Extends => EdgeKind::Extends,
            ConformanceKind::Implements => EdgeKind::Implements,
        }
    }
}

/// A node of the answer: a definition, a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    /// `source:path#Container.name`, or the path of a file or folder.
    pub id: String,
    /// `Container.name`, or the path.
    pub name: String,
    /// Kind of the definition, `file`, `folder`, or `name` for a name that is not defined in the
    /// tree.
    pub kind: &'static str,
    /// Root-relative path; `None` outside the tree.
    pub path: Option<String>,
    /// Line of the name, 1-based.
    pub line: Option<u32>,
    /// The declaration on one line.
    pub signature: Option<String>,
}

/// An edge of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphEdge {
    /// Index of the referring node.
    pub from: usize,
    /// Index of the node referred to.
    pub to: usize,
    /// Kind of the edge.
    pub kind: EdgeKind,
    /// Certainty of the edge.
    pub certainty: Certainty,
    /// Line of the reference in the file of `from`, 1-based; `None` between folders.
    pub line: Option<u32>,
    /// Number of steps from the subject, starting at 1.
    pub depth: usize,
    /// Number of references that are merged into this edge.
    pub count: usize,
}

/// Response to a question about the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchResponse {
    /// The question in normalized words: `callers of save`.
    pub question: String,
    /// Indices of the nodes that were asked about.
    pub subjects: Vec<usize>,
    /// Definitions, files or folders.
    pub nodes: Vec<GraphNode>,
    /// Edges: nearest first, most certain first, then by path and line.
    pub edges: Vec<GraphEdge>,
    /// The text of the line of each edge, in the order of the edges, without surrounding whitespace;
    /// `None` if it has no line or was not read.
    pub lines: Vec<Option<String>>,
    /// Number of names that are not defined in the tree.
    pub outside: usize,
    /// Number of edges that are not shown because each names one of more than three definitions.
    pub guesses: usize,
    /// Paths of files whose parser gave up: their edges are missing.
    pub unparsed: Vec<String>,
    /// Paths of files with text that the parser could not read, at most ten.
    pub partly_parsed: Vec<String>,
    /// True if the limit or the bounds of work cut the answer.
    pub is_cut: bool,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Explanation if there is no edge; otherwise `None`.
    pub absence: Option<Absence>,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}
