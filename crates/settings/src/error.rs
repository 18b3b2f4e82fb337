//! Errors of the settings.

use std::{io, path::PathBuf};

use crate::origin::Origin;

/// The reason why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file exists but cannot be read.
    #[error("could not read the settings file `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not valid TOML.
    #[error("could not understand the settings file `{}`: line {line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
        /// The parser's message, without a period.
        reason: String,
    },
    /// The file contains an unknown key.
    #[error(
        "could not understand the settings file `{}`: line {line}: there is no setting `{key}`",
        path.display()
    )]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
        /// The key, with its table.
        key: String,
    },
    /// A project's file sets a key that only the user may set.
    #[error(
        "could not use the setting `{key}` from {origin}: only your own settings may \
         choose the embedding model and server, not those of a project"
    )]
    Foreign {
        /// The key, with its table.
        key: String,
        /// Its position.
        origin: Origin,
        /// The environment variable of the setting.
        variable: String,
        /// The path of the user's own settings file, whether or not it exists.
        own: Option<PathBuf>,
    },
    /// A value has the wrong type or is out of range.
    #[error("could not use the setting `{key}` from {origin}: expected {expected}, found {found}")]
    Value {
        /// The key, with its table.
        key: String,
        /// Its position.
        origin: Origin,
        /// The expected kind.
        expected: String,
        /// The value found.
        found: String,
    },
    /// The file with tuned weights cannot be used.
    #[error("{source}")]
    Tuned {
        /// The tree of the weights.
        root: PathBuf,
        /// The error.
        source: Box<SettingsError>,
    },
    /// A file cannot be changed.
    #[error("could not write `{key}` into the settings file `{}`", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The key, with its table.
        key: String,
        /// The error of the change.
        source: io::Error,
    },
    /// The requested setting does not exist.
    #[error("there is no setting `{key}`")]
    NoSuchSetting {
        /// The requested key.
        key: String,
    },
}
