//! What questions about definitions and the graph are answered with.

use lore_schema::{ConformanceKind, ReferenceKind};

use super::{Absence, Receipt};

/// How a definition was found by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolMatch {
    /// The name as typed.
    Exact,
    /// The name in other case.
    Case,
    /// A name that begins so.
    Prefix,
    /// A name that holds all parts.
    Parts,
    /// A member of a type that was found by its exact name.
    Member,
    /// A name that is spelled nearly so: perhaps what was meant.
    Near,
}

impl SymbolMatch {
    /// The name that users read.
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
    /// `public`, `private` or `unknown`, by the rule of the language.
    pub visibility: &'static str,
    /// The type or module that holds it.
    pub container: Option<String>,
    /// Names of what encloses it, outermost first, without its own.
    pub breadcrumb: Vec<String>,
    /// Root-relative path.
    pub path: String,
    /// Line of the name, 1-based.
    pub line: u32,
    /// First line with the comments and attributes that lead it, 1-based.
    pub start_line: u32,
    /// Last line, 1-based, inclusive.
    pub end_line: u32,
    /// Language, if it was recognised.
    pub language: Option<String>,
    /// The declaration on one line.
    pub signature: String,
    /// The documentation comment.
    pub doc_comment: Option<String>,
    /// What it says that it is: `implements`, `extends` or `derives`, and the name.
    pub conformances: Vec<(&'static str, String)>,
    /// What its file is to the repository: `own`, `test`, `vendored` …
    pub category: &'static str,
    /// How it was found; `None` in a listing of files.
    pub matched: Option<SymbolMatch>,
}

/// Answer to a question for definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolResponse {
    /// The name or path fragment, as typed.
    pub query: String,
    /// The definitions, best first, or by file and line.
    pub hits: Vec<SymbolHit>,
    /// How far the answer can be trusted.
    pub receipt: Receipt,
    /// Why there is none; `None` when there are hits.
    pub absence: Option<Absence>,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}

/// How sure it is that a name means a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Both stand in one file, in scope.
    SameFile,
    /// The file takes the name, or what qualifies it, from there: by an import, a path, a shared
    /// package or inheritance.
    Import,
    /// Nothing else in the tree has the name.
    UniqueName,
    /// So many definitions have the name, and nothing tells which is meant.
    OneOf(usize),
    /// The name is not defined in the tree; all that is known is the name.
    Outside,
}

impl Certainty {
    /// The name that programs read.
    pub fn as_str(self) -> &'static str {
        match self {
            Certainty::SameFile => "same-file",
            Certainty::Import => "import",
            Certainty::UniqueName => "unique-name",
            Certainty::OneOf(_) => "name",
            Certainty::Outside => "outside",
        }
    }

    /// Number of definitions that may be meant.
    pub fn candidates(self) -> usize {
        match self {
            Certainty::OneOf(count) => count,
            Certainty::Outside => 0,
            Certainty::SameFile | Certainty::Import | Certainty::UniqueName => 1,
        }
    }

    /// Whether the text itself tells which definition is meant.
    pub fn is_certain(self) -> bool {
        matches!(self, Certainty::SameFile | Certainty::Import)
    }
}

/// What an edge says: `from` … `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// Calls.
    Calls,
    /// Holds as a member, or stands beside in one type or file.
    Contains,
    /// Has derived.
    Derives,
    /// Extends.
    Extends,
    /// Implements.
    Implements,
    /// Imports.
    Imports,
    /// Fulfils by its methods, without saying so: names and numbers of parameters agree.
    Satisfies,
    /// Uses as a type.
    Uses,
}

impl EdgeKind {
    /// The verb.
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
    /// Kind of the definition, `file`, `folder`, or `name` for what is not defined in the tree.
    pub kind: &'static str,
    /// Root-relative path; `None` for what is not in the tree.
    pub path: Option<String>,
    /// Line of the name, 1-based.
    pub line: Option<u32>,
    /// The declaration on one line.
    pub signature: Option<String>,
}

/// An edge of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphEdge {
    /// Position of the node that names.
    pub from: usize,
    /// Position of the node that is named.
    pub to: usize,
    /// What it says.
    pub kind: EdgeKind,
    /// How sure it is.
    pub certainty: Certainty,
    /// Line where it is said, in the file of `from`, 1-based; `None` between folders.
    pub line: Option<u32>,
    /// Steps from what was asked for, from 1.
    pub depth: usize,
    /// How many such places there are, where several are one edge.
    pub count: usize,
}

/// Answer to a question about the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchResponse {
    /// The question in the program's own words: `callers of save`.
    pub question: String,
    /// What was asked about: positions of nodes.
    pub subjects: Vec<usize>,
    /// Definitions, files or folders.
    pub nodes: Vec<GraphNode>,
    /// Edges, nearest first, surest first, then by path and line.
    pub edges: Vec<GraphEdge>,
    /// Names that were met and are defined nowhere in the tree.
    pub outside: usize,
    /// Paths of files whose parser gave up: edges from them are missing.
    pub unparsed: Vec<String>,
    /// Paths of files that were looked at and hold text that the parser does not know, at most ten.
    pub partly_parsed: Vec<String>,
    /// Whether there is more than the limit or the bounds of work let through.
    pub is_cut: bool,
    /// How far the answer can be trusted.
    pub receipt: Receipt,
    /// Why there is nothing; `None` when there are edges.
    pub absence: Option<Absence>,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}
