//! What can stop a scan. A bad file never does: it is a counted skip.

use std::path::PathBuf;

/// Why a source could not be scanned at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The root cannot be listed.
    #[error("could not read the folder `{}`: {reason}", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// A file that was named as an export of tickets is none, or cannot be read.
    #[error("could not read the tickets of `{}`: {reason}", path.display())]
    Export {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The repository is there, but its history cannot be read.
    #[error("could not read the git history of `{}`: {reason}", path.display())]
    Git {
        /// The repository.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The tree of a commit cannot be searched.
    #[error("could not search the tree of `{name}`: {reason}")]
    Revision {
        /// The commit, as it was named.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The files of an earlier commit cannot be laid out.
    #[error("could not write `{}`: {reason}", path.display())]
    PastTree {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
}
