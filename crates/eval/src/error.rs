//! Errors while measuring.

use std::{error::Error, io, path::PathBuf};

use lore_engine::{EngineError, SourceError};

/// A failure to measure.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file could not be read.
    #[error("could not read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("could not write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file is malformed.
    #[error("could not understand `{}`, line {line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, 1-based.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// A directory contains neither `collection.toml` nor a JSONL file with a query.
    #[error(
        "`{}` is not a collection: it is neither a file of queries nor a folder with \
         `collection.toml` or a `.jsonl` file of queries",
        path.display()
    )]
    NotACollection {
        /// The folder.
        path: PathBuf,
    },
    /// The tree of a repository was not found.
    #[error("could not find the tree of `{repository}`{}", list(tried))]
    NoTree {
        /// The repository, as the queries name it.
        repository: String,
        /// Paths that were tried.
        tried: Vec<PathBuf>,
    },
    /// The anchor of an answer does not identify one line.
    #[error(
        "could not resolve the anchor `{anchor}` of question `{query}`: {found} lines of `{}` \
         contain it, not one",
        path.display()
    )]
    Anchor {
        /// Identifier of the question.
        query: String,
        /// The text.
        anchor: String,
        /// The file.
        path: PathBuf,
        /// Number of lines with the text.
        found: usize,
    },
    /// No engine could be opened for a tree.
    #[error("could not open the tree `{}`", path.display())]
    Open {
        /// The directory.
        path: PathBuf,
        /// The reason.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The engine could not answer.
    #[error("could not answer query `{query}` of `{repository}`")]
    Engine {
        /// The repository.
        repository: String,
        /// Identifier of the query.
        query: String,
        /// Error of the engine.
        source: EngineError,
    },
    /// The history of a repository cannot be used as a test.
    #[error(transparent)]
    History(#[from] SourceError),
    /// The tree of an earlier commit could not be indexed.
    #[error("could not index the tree before commit `{commit}`")]
    PastTree {
        /// Its short hash.
        commit: String,
        /// Error of the engine.
        source: EngineError,
    },
    /// A list of collections uses variables that have no value.
    #[error("`{}` needs values for {}", path.display(), braced(names))]
    Unset {
        /// The list.
        path: PathBuf,
        /// The variables, sorted.
        names: Vec<String>,
    },
    /// A list of collections contains an unknown name.
    #[error("could not understand `{}`, line {line}: there is no {kind} `{name}`", path.display())]
    UnknownName {
        /// The list.
        path: PathBuf,
        /// Line, 1-based.
        line: usize,
        /// Kind of name: `measure` or `source`.
        kind: &'static str,
        /// The unknown name.
        name: String,
    },
    /// A measure does not exist.
    #[error("there is no measure `{name}`")]
    UnknownMeasure {
        /// The name that was entered.
        name: String,
    },
}

fn braced(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{{{name}}}`")).collect();
    names.join(" and ")
}

fn list(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return ": no folder with trees is configured".to_owned();
    }
    let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    format!(" (tried {})", paths.join(", "))
}
