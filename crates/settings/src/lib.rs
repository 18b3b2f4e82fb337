//! Settings in layers: defaults < user's file < project's file < tuned weights < environment <
//! flags.
//!
//! Every value records its origin. An unknown key or a value of the wrong type in a file is an
//! error that names file, line and key: a setting that is silently ignored is worse than none.
//!
//! The authors of a repository write the project's file. It may therefore not set output folders or
//! programs to run; such a key is ignored with a warning. A key that sets the receiver of texts is
//! an error, so that no user believes it took effect.

#![allow(
    clippy::disallowed_methods,
    reason = "settings files and the environment are read here, and files are written whole"
)]

pub mod address;
mod cluster;
mod command;
mod edit;
mod embedding;
pub mod env_vars;
mod error;
mod file;
pub mod filters;
pub mod flags;
mod folders;
mod hint;
mod keys;
mod kind;
mod origin;
mod policy;
mod policy_values;
mod registry;
pub mod request;
mod resolved;
mod settings;
mod size;
pub mod terminal;
pub mod trust;
mod tuned;
mod values;
pub mod whole_file;
pub mod workspace;

pub use self::{
    edit::set,
    error::SettingsError,
    folders::{absolute, state_folder, user_file},
    hint::hint,
    keys::{FILE_NAME, NONE},
    kind::{Kind, Value},
    origin::Origin,
    policy_values::PolicyValue,
    registry::{
        DefaultValue, EMBEDDED, FORMATS, MAX_HITS, MAX_LINES, MAX_WAIT, OFF, SETTINGS, Setting,
        THEMES,
    },
    resolved::{Override, ResolvedValue, SettingsFile},
    settings::{Settings, command_line},
    tuned::{remove_tuned, tuned_file, write_tuned},
};

#[cfg(test)]
mod tests;
