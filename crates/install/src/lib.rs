//! Adds `lore` to the configuration of coding agents, and removes it again without a trace.
//!
//! `agents` is the table of known agents, `plan` computes the changes on texts, and `apply` writes
//! them. Texts are edited by inserting bytes and removing the same bytes: `jsonc` and `tables` for
//! entries, `markers` for instructions. `record` stores what was inserted.
//!
//! **Invariant:** an edit is only offered if its removal restores the file byte for byte.

#![allow(
    clippy::disallowed_methods,
    reason = "the files that are edited are read and written here"
)]

mod agents;
mod apply;
mod edit;
mod files;
mod folders;
mod jsonc;
mod markers;
mod plan;
mod record;
mod tables;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::{
    agents::{AGENTS, Agent, Scope},
    apply::apply,
    folders::Folders,
    plan::{Change, InstallRequest, Plan, install, uninstall},
    record::Record,
};

/// The reason why a file cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line and column in characters, 1-based, if the reason is at one of them.
    pub position: Option<(usize, usize)>,
    /// The reason, without a final period.
    pub reason: String,
}

impl Problem {
    fn at(text: &str, offset: usize, reason: impl Into<String>) -> Problem {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before[line..].trim_start_matches('\u{feff}').chars().count() + 1;
        let number = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        Problem { position: Some((number, column)), reason: reason.into() }
    }

    /// A reason that concerns the whole file.
    fn whole(reason: impl Into<String>) -> Problem {
        Problem { position: None, reason: reason.into() }
    }

    /// `path:line:column`, or the path alone.
    pub fn located(&self, path: &str) -> String {
        match self.position {
            Some((line, column)) => format!("{path}:{line}:{column}"),
            None => path.to_owned(),
        }
    }
}

/// An entry and its path in a tree of values.
struct Target<'a> {
    /// The names of the containers, from the root on. The last container is a list if there is no key.
    containers: &'a [String],
    /// The name of the entry; `None` in a list.
    key: Option<&'a str>,
    value: &'a Value,
}

/// The state of an entry in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Present {
    Absent,
    /// It exists as it would be written.
    Same,
    /// Another entry has its name, at this position.
    Different(Problem),
}

/// The result of removing an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Removal {
    /// It does not exist.
    Absent,
    /// It was changed since it was written, at this position.
    Edited(Problem),
    /// The text without it.
    Text(String),
}

/// The data that removing exactly the inserted bytes needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Trace {
    /// The text written before the entry; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lead: Option<String>,
    /// The text written after the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tail: Option<String>,
    /// Number of containers added around it.
    #[serde(default)]
    made: usize,
    /// True if the text had no value before.
    #[serde(default)]
    whole: bool,
}

/// The line end of a text, taken from its first line.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
