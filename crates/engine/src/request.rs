//! What is asked.

use lore_schema::Filter;

/// How hits are retrieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By words alone.
    #[default]
    Lexical,
}

impl Mode {
    /// Every mode, in the order of their names.
    pub const ALL: &'static [Mode] = &[Mode::Lexical];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Lexical => "lexical",
        }
    }

    /// The mode with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.as_str() == name)
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The words, as typed.
    pub query: String,
    /// What restricts the search.
    pub filter: Filter,
    /// Most hits that are returned, at least 1.
    pub limit: usize,
    /// How hits are retrieved.
    pub mode: Mode,
    /// Whether hits carry the parts of their score.
    pub explain: bool,
    /// Longest snippet, in lines.
    pub snippet_lines: usize,
    /// How many steps the search goes on from its best hits, along what they call and use; 0 for
    /// none.
    pub hops: usize,
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
