//! Requests: what callers send to the engine.

mod search;

use std::time::Duration;

use lore_schema::Filter;
use lore_sources::Workload;

pub use self::search::{
    Archived, AttributeFilter, Expansion, Extras, Fusion, Mode, PatternKind, SearchRequest, Syntax,
};
pub(crate) use self::search::{MAX_LITERAL_BYTES, MAX_QUERY_BYTES};

/// A request for definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolRequest {
    /// The name or path fragment, as typed.
    pub query: String,
    /// Filter of the definitions.
    pub filter: Filter,
    /// Maximum number of definitions, at least 1.
    pub limit: usize,
}

/// Relation between definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// Definitions that a definition calls.
    Callees,
    /// Callers of a definition.
    Callers,
    /// Imports of a module; without a module, imports between all folders.
    Dependencies,
    /// Importers of a module.
    Dependents,
    /// Types that implement, extend or derive a type.
    Implementations,
    /// Call path from one definition to another.
    Path,
    /// Callers, uses as a type, and implementations.
    References,
    /// Related definitions.
    Related,
}

impl Relation {
    /// All relations, sorted by name.
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

    /// Returns the name that users type.
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

/// A question about the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearchQuestion {
    /// The relation.
    pub relation: Relation,
    /// Name of the definition, or part of a path for dependencies; `None` for all.
    pub subject: Option<String>,
    /// The other end of a path.
    pub object: Option<String>,
}

impl ResearchQuestion {
    /// Parses a question in words (`what calls save?`) or as a relation (`callers of save`); `None`
    /// if it contains no relation.
    pub fn parse(text: &str) -> Option<ResearchQuestion> {
        crate::graph::ask(text)
    }
}

/// A request to the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchRequest {
    /// The question.
    pub question: ResearchQuestion,
    /// Maximum number of steps; `None` for the default of the relation: 8 for a path, 2 for
    /// callers, 1 otherwise. For dependencies of the whole tree, the number of folder levels in a
    /// name.
    pub depth: Option<usize>,
    /// Filter of the definitions.
    pub filter: Filter,
    /// Maximum number of edges, at least 1.
    pub limit: usize,
    /// True to show edges that name one of more than three definitions, of which some were not asked
    /// about, and to follow edges by name alone in a path. Otherwise they are counted, and shown only if
    /// there are no others.
    pub guesses: bool,
}

/// Extent of an index run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexMode {
    /// Update what differs from the disk.
    Update,
    /// Rebuild everything.
    Rebuild,
}

/// A phase of the work that brings an index up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The files of the tree are listed.
    List,
    /// The units of a source are compared with the index, and read if they differ.
    Read {
        /// The source.
        source: lore_schema::SourceName,
        /// Units that were read.
        finished: Workload,
        /// All units that have to be read, if that is known. Never decreases.
        total: Option<Workload>,
    },
    /// The vectors of documents are computed.
    Embed {
        /// The source.
        source: lore_schema::SourceName,
        /// Number of documents with vectors.
        finished: u64,
        /// Number of all documents that need them.
        total: u64,
    },
    /// The index of a source is written.
    Write(lore_schema::SourceName),
    /// An export is checked and unpacked.
    Import,
    /// The indexes are copied and packed into one file.
    Export,
    /// Commits that earlier runs did not read are read, for a limited time.
    History {
        /// Number of commits that were read.
        finished: u64,
        /// The rest of that time.
        left: Duration,
    },
}

/// Progress of long work, called from worker threads. Every method has a default that does nothing; `&()`
/// is a receiver of no reports.
pub trait Progress: Sync {
    /// Reports the phase of the work, and how much of it is finished.
    fn phase(&self, _phase: Phase) {}

    /// Returns true if the totals of [`Phase::Read`] are wanted. Computing them takes some milliseconds
    /// for each ten thousand files.
    fn wants_totals(&self) -> bool {
        false
    }

    /// Returns false to decline a first index that is expected to take so long. The request then fails with
    /// [`EngineError::SlowIndex`](crate::EngineError::SlowIndex), and nothing is read.
    fn accepts(&self, _expected: Duration) -> bool {
        true
    }

    /// Reports that `done` of `known` units of a source are finished; `known` grows while the scan
    /// runs.
    fn advance(&self, _source: lore_schema::SourceName, _done: u64, _known: u64) {}

    /// Returns true to end the work early. What is done is kept: an index run then commits it and fails
    /// with [`EngineError::Interrupted`](crate::EngineError::Interrupted).
    fn is_stopped(&self) -> bool {
        false
    }

    /// Reports one line about something that was repaired or skipped.
    fn note(&self, _message: &str) {}
}

/// Reports nothing.
impl Progress for () {}
