//! Errors that stop a scan. An unreadable file never does: it is counted as skipped.

use std::path::PathBuf;

/// Reason why a source could not be scanned at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The root cannot be listed.
    #[error("could not read the directory `{}`: {reason}", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// Error of the operating system.
        reason: String,
    },
    /// A file named as an export of tickets is not one, or cannot be read.
    #[error("could not read the tickets of `{}`: {reason}", path.display())]
    Export {
        /// The file.
        path: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// A custom source cannot list its records.
    #[error("could not read the source `{name}`: {reason}")]
    Custom {
        /// Name of the source.
        name: String,
        /// Error of the source.
        reason: String,
    },
    /// The repository is there, but its history cannot be read.
    #[error("could not read the git history of `{}`: {reason}", path.display())]
    Git {
        /// The repository.
        path: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// A patch cannot be read, or does not fit the files.
    #[error("could not read the patch: {reason}")]
    Patch {
        /// Description of the problem.
        reason: String,
    },
    /// The tree of a commit cannot be searched.
    #[error("could not search the tree of `{name}`: {reason}")]
    Revision {
        /// Name of the commit, as given by the user.
        name: String,
        /// Description of the problem.
        reason: String,
    },
    /// The files of an earlier commit cannot be written to a folder.
    #[error("could not write `{}`: {reason}", path.display())]
    PastTree {
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        reason: String,
    },
}
