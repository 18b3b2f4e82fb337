//! What can go wrong while measuring.

use std::{error::Error, io, path::PathBuf};

use lore_engine::{EngineError, SourceError};

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file could not be read.
    #[error("could not read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("could not write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("could not understand `{}`, line {line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where, 1-based.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A folder holds neither `collection.toml` nor `queries.jsonl`.
    #[error(
        "`{}` is no collection: it is neither a file of queries nor a folder with \
         `collection.toml` or `queries.jsonl`",
        path.display()
    )]
    NotACollection {
        /// The folder.
        path: PathBuf,
    },
    /// No folder is known that holds the tree of a repository.
    #[error("could not find the tree of `{repository}`{}", list(tried))]
    NoTree {
        /// The repository, as the queries name it.
        repository: String,
        /// Where it was looked for.
        tried: Vec<PathBuf>,
    },
    /// No engine could be made for a tree.
    #[error("could not open the tree `{}`", path.display())]
    Open {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The engine could not answer.
    #[error("could not answer query `{query}` of `{repository}`")]
    Engine {
        /// The repository.
        repository: String,
        /// Identifier of the query.
        query: String,
        /// What the engine said.
        source: EngineError,
    },
    /// The history of a repository cannot be made a test of.
    #[error(transparent)]
    History(#[from] SourceError),
    /// The tree of an earlier commit could not be indexed.
    #[error("could not index the tree before commit `{commit}`")]
    PastTree {
        /// Its short hash.
        commit: String,
        /// What the engine said.
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
    /// A list of collections names something that there is not.
    #[error("could not understand `{}`, line {line}: there is no {kind} `{name}`", path.display())]
    UnknownName {
        /// The list.
        path: PathBuf,
        /// Where, 1-based.
        line: usize,
        /// What was looked for: `measure` or `source`.
        kind: &'static str,
        /// What is written there.
        name: String,
    },
    /// There is no such measure.
    #[error("there is no measure `{name}`")]
    UnknownMeasure {
        /// What was typed.
        name: String,
    },
}

fn braced(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{{{name}}}`")).collect();
    names.join(" and ")
}

fn list(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return ": no folder of trees is given".to_owned();
    }
    let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    format!(" (looked at {})", paths.join(", "))
}
