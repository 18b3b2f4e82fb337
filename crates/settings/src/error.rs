//! Errors of the settings, with their hints.

use std::{io, path::PathBuf};

use lore_console::{names::did_you_mean, report};

use super::{Origin, SETTINGS, WEIGHTS, trust, tuned};

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

impl SettingsError {
    /// A suggestion for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            SettingsError::UnknownKey { key, .. } | SettingsError::NoSuchSetting { key } => {
                let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
                let near = did_you_mean(key, &known);
                Some(format!("the settings are {} and {WEIGHTS}SIGNAL{near}", known.join(", ")))
            }
            SettingsError::Foreign { key, variable, own, .. } => {
                let own = own.as_ref().map_or_else(
                    || "settings file".to_owned(),
                    |path| format!("settings file `{}`", path.display()),
                );
                Some(format!(
                    "put `{key}` into your own {own}, or set `{variable}`{}",
                    if trust::may_allow(key) { ", or run `lore trust`" } else { "" }
                ))
            }
            SettingsError::Tuned { root, .. } => {
                Some(format!("delete the tuned weights with `{}`", tuned::reset_command(root)))
            }
            SettingsError::Unreadable { .. }
            | SettingsError::Syntax { .. }
            | SettingsError::Unwritable { .. }
            | SettingsError::Value { .. } => None,
        }
    }
}

/// The hint of an error, if it has one.
pub fn hint(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let settings = std::iter::successors(Some(error), |error| error.source())
        .find_map(|error| error.downcast_ref::<SettingsError>());
    match settings {
        Some(settings) => settings.hint(),
        None => report::hint(error),
    }
}
