//! Errors of the engine. Bad documents are counted and cause no error.

use std::path::PathBuf;

use lore_index::IndexError;
use lore_sources::SourceError;

/// An error that prevents an answer. The text of an error is one line without a final period; later versions
/// may add variants.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The tree to search does not exist, or is not a folder.
    #[error("could not open the tree `{}`: {reason}", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The query contains nothing to search for.
    #[error("the query contains no word to search for")]
    EmptyQuery,
    /// The query is invalid in the query language.
    #[error("could not understand the query: {}", .0.message)]
    Query(Box<crate::QueryError>),
    /// The subject of the request does not exist.
    #[error("could not find `{subject}`: {reason}")]
    Subject {
        /// The subject as typed.
        subject: String,
        /// The reason.
        reason: String,
        /// Similar names, most similar first.
        nearest: Vec<String>,
    },
    /// The commit does not exist, or its tree cannot be searched.
    #[error("could not search the tree at `{name}`: {reason}")]
    Revision {
        /// The name as typed.
        name: String,
        /// The reason.
        reason: String,
        /// Branches and tags with similar names, most similar first.
        nearest: Box<[String]>,
    },
    /// The request needs an index, and none exists yet.
    #[error("{what} needs an index, and this tree has none yet")]
    NeedsIndex {
        /// The part of the request that needs it.
        what: &'static str,
    },
    /// The request needs the files or the history of a repository, which is searched in a cluster without a
    /// clone.
    #[error("{what} needs a clone of the repository, which is searched in a cluster")]
    NeedsClone {
        /// The part of the request that needs it.
        what: &'static str,
    },
    /// The first index would take longer than the caller waits for: see
    /// [`Progress::accepts`](crate::Progress::accepts).
    #[error("the index does not exist yet, and building it is expected to take {} s", expected.as_secs().max(1))]
    SlowIndex {
        /// Expected time until it is complete.
        expected: std::time::Duration,
        /// The files, for [`Engine::live_in`](crate::Engine::live_in).
        listing: crate::Listing,
    },
    /// A ranking weight is set for a signal that does not exist.
    #[error("there is no ranking signal `{name}`; the signals are {}", known.join(", "))]
    UnknownSignal {
        /// The name that was set.
        name: String,
        /// The names that exist, in the order of explanations.
        known: Vec<&'static str>,
    },
    /// A file that is configured as an export of tickets is not one, or cannot be read.
    #[error("could not read the tickets of `{}`: {reason}", path.display())]
    Export {
        /// The file as configured.
        path: PathBuf,
        /// The reason, and the expected formats.
        reason: String,
    },
    /// A custom source cannot be used: its name is invalid or used twice, or it belongs to a source that takes
    /// no custom sources.
    #[error("could not use the source `{name}`: {reason}")]
    CustomSource {
        /// The name of the source.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A patch cannot be read, or does not fit the files.
    #[error("could not read the patch: {reason}")]
    Patch {
        /// The reason.
        reason: String,
    },
    /// The work was stopped on request, and what was done is kept.
    #[error("interrupted: {indexed} of {total} files are indexed and kept")]
    Interrupted {
        /// Number of files whose current content is in the index.
        indexed: u64,
        /// Number of all files.
        total: u64,
    },
    /// A source could not be scanned.
    #[error(transparent)]
    Source(SourceError),
    /// The index failed, also after a rebuild.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl EngineError {
    /// Returns true if another process writes the index, or has just written it.
    pub fn is_busy(&self) -> bool {
        matches!(self, EngineError::Index(error) if error.is_concurrent())
    }
}

impl From<SourceError> for EngineError {
    fn from(error: SourceError) -> EngineError {
        match error {
            SourceError::Export { path, reason } => EngineError::Export { path, reason },
            SourceError::Revision { name, reason } => {
                EngineError::Revision { name, reason, nearest: Box::default() }
            }
            SourceError::Patch { reason } => EngineError::Patch { reason },
            error => EngineError::Source(error),
        }
    }
}
