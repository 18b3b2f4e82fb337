//! Values of settings with their origins, and the files and flags that they come from.

use std::path::PathBuf;

use crate::{kind::Value, origin::Origin};

/// A value and its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedValue {
    /// The value.
    pub value: Value,
    /// The origin.
    pub origin: Origin,
}

/// A value that a flag sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The setting's key.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// The flag, with its dashes.
    pub flag: &'static str,
}

/// A settings file and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
}
