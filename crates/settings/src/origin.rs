//! Origins of setting values.

use std::{fmt, path::PathBuf};

/// The layer that set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The user's settings file.
    User {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
    },
    /// The settings file at the root of the tree.
    Project {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
    },
    /// The weights that were fitted to the tree.
    Tuned {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A flag of this call.
    Flag(&'static str),
}

impl Origin {
    /// The layer's name: `default`, `user`, `project`, `tuned`, `environment` or `flag`.
    pub fn layer(&self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::User { .. } => "user",
            Origin::Project { .. } => "project",
            Origin::Tuned { .. } => "tuned",
            Origin::Environment(_) => "environment",
            Origin::Flag(_) => "flag",
        }
    }

    /// The file with its line, the variable or the flag; `None` for a default.
    pub fn location(&self) -> Option<String> {
        match self {
            Origin::Default => None,
            Origin::User { path, line }
            | Origin::Project { path, line }
            | Origin::Tuned { path, line } => Some(format!("{}:{line}", path.display())),
            Origin::Environment(name) => Some(name.clone()),
            Origin::Flag(name) => Some((*name).to_owned()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => write!(formatter, "the defaults"),
            Origin::User { path, line }
            | Origin::Project { path, line }
            | Origin::Tuned { path, line } => {
                write!(formatter, "`{}` line {line}", path.display())
            }
            Origin::Environment(name) => {
                write!(formatter, "the environment variable `{name}`")
            }
            Origin::Flag(name) => write!(formatter, "the flag `{name}`"),
        }
    }
}
