//! What can go wrong with an index, as values.

use std::path::PathBuf;

/// Why an index could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Another process is writing. Readers are not affected.
    #[error("another process is writing the index at `{}`", path.display())]
    Busy {
        /// Folder of the index.
        path: PathBuf,
    },
    /// Somebody committed since the reader was opened: scan again.
    #[error("the index at `{}` moved on while it was being updated", path.display())]
    Moved {
        /// Folder of the index.
        path: PathBuf,
    },
    /// The files are damaged.
    #[error("the index at `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// Folder of the index.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The files were written by another version or with another analysis.
    #[error("the index at `{}` has another format: {reason}", path.display())]
    Incompatible {
        /// Folder of the index.
        path: PathBuf,
        /// What differs.
        reason: String,
    },
    /// The folder cannot be written: read-only or full.
    #[error("could not write the index at `{}`: {reason}", path.display())]
    Unwritable {
        /// Folder of the index.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// Anything else that the storage reported.
    #[error("could not read the index at `{}`: {reason}", path.display())]
    Storage {
        /// Folder of the index.
        path: PathBuf,
        /// What the storage said.
        reason: String,
    },
}
