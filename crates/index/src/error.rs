//! Errors of an index.

use std::path::PathBuf;

/// The reason why an index could not be read or written.
///
/// `path` is the folder of the index, or whatever names its location.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Another process is writing. Readers are not affected.
    #[error("another process is writing the index at `{}`", path.display())]
    Busy {
        /// Folder of the index.
        path: PathBuf,
    },
    /// There was another commit since the reader was opened. The caller scans again.
    #[error("another process changed the index at `{}` during the update", path.display())]
    Moved {
        /// Folder of the index.
        path: PathBuf,
    },
    /// The files are damaged.
    #[error("the index at `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// Folder of the index.
        path: PathBuf,
        /// Description of the damage.
        reason: String,
    },
    /// The files were written by another version or with another text analysis.
    #[error("the index at `{}` has another format: {reason}", path.display())]
    Incompatible {
        /// Folder of the index.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
    /// The location cannot be written: it is read-only or full.
    #[error("could not write the index at `{}`: {reason}", path.display())]
    Unwritable {
        /// Folder of the index.
        path: PathBuf,
        /// Error message of the operating system.
        reason: String,
    },
    /// A cluster does not accept the user of the settings, or the settings do not trust its certificate.
    #[error("could not use the index at `{}`: {reason}", path.display())]
    Refused {
        /// Address of the index.
        path: PathBuf,
        /// The reason, without secrets.
        reason: String,
        /// The setting to check.
        hint: &'static str,
    },
    /// An export cannot be written.
    #[error("could not export the index to `{}`: {reason}", path.display())]
    Export {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// An export cannot be used. Nothing of it was.
    #[error("could not import the index from `{}`: {reason}", path.display())]
    Import {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Any other error of the storage.
    #[error("could not read the index at `{}`: {reason}", path.display())]
    Storage {
        /// Folder of the index.
        path: PathBuf,
        /// Error message of the storage.
        reason: String,
    },
}

impl IndexError {
    /// Returns true if another process writes the index, or has written it since the reader was opened.
    pub fn is_concurrent(&self) -> bool {
        matches!(self, IndexError::Busy { .. } | IndexError::Moved { .. })
    }
}
