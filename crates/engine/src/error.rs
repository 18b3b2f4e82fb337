//! What can stop the engine. Bad documents never do: they are counted.

use std::path::PathBuf;

use lore_index::IndexError;
use lore_sources::SourceError;

/// Why a request could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The tree to search is not there, or not a folder.
    #[error("could not open the tree `{}`: {reason}", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The query holds nothing to search for.
    #[error("the query holds no word to search for")]
    EmptyQuery,
    /// The query is not of the query language.
    #[error("could not understand the query: {}", .0.message)]
    Query(Box<crate::QueryError>),
    /// No passage is what was pointed at.
    #[error("could not find `{subject}`: {reason}")]
    Subject {
        /// What was typed.
        subject: String,
        /// Why it is nothing.
        reason: String,
        /// What is called nearly so, nearest first.
        nearest: Vec<String>,
    },
    /// No commit is what was named, or its tree cannot be searched.
    #[error("could not search the tree at `{name}`: {reason}")]
    Revision {
        /// What was typed.
        name: String,
        /// Why it is nothing.
        reason: String,
        /// Branches and tags that are called nearly so, nearest first.
        nearest: Box<[String]>,
    },
    /// It cannot be answered before there is an index.
    #[error("{what} needs the index, which is not there yet")]
    NeedsIndex {
        /// What was asked for.
        what: &'static str,
    },
    /// A ranking weight is set for a signal that does not exist.
    #[error("there is no ranking signal `{name}`; the signals are {}", known.join(", "))]
    UnknownSignal {
        /// The name that was set.
        name: String,
        /// The names that exist, in the order of explanations.
        known: Vec<&'static str>,
    },
    /// A file that was named as an export of tickets is none, or cannot be read.
    #[error("could not read the tickets of `{}`: {reason}", path.display())]
    Export {
        /// The file, as it was named.
        path: PathBuf,
        /// What is wrong with it, and what was looked for.
        reason: String,
    },
    /// A source could not be scanned.
    #[error(transparent)]
    Source(SourceError),
    /// The index failed, also after a rebuild.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl From<SourceError> for EngineError {
    fn from(error: SourceError) -> EngineError {
        match error {
            SourceError::Export { path, reason } => EngineError::Export { path, reason },
            SourceError::Revision { name, reason } => {
                EngineError::Revision { name, reason, nearest: Box::default() }
            }
            error => EngineError::Source(error),
        }
    }
}
