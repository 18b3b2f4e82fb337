//! Sets agents up to use lore, and takes that back: their configuration files are other people's,
//! so that everything here is about not harming them.
//!
//! `agents` is the table of what is known, `plan` works out on texts what would change, and `apply`
//! writes it. Texts are edited by putting bytes in and taking the same bytes out: `jsonc` and
//! `tables` for entries, `markers` for instructions. `record` remembers what was put in.
//!
//! **Invariant:** an edit is only offered if taking it out again gives the bytes that were there.

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

pub(crate) use self::{
    agents::{AGENTS, Agent, Scope},
    apply::apply,
    folders::Folders,
    plan::{Change, Plan, Wishes, install, uninstall},
    record::Record,
};

/// Why a file cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Line and column in characters, 1-based, where one place is to blame.
    pub(crate) place: Option<(usize, usize)>,
    /// What is wrong, without a final dot.
    pub(crate) reason: String,
}

impl Problem {
    fn at(text: &str, offset: usize, reason: impl Into<String>) -> Problem {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before[line..].trim_start_matches('\u{feff}').chars().count() + 1;
        let number = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        Problem { place: Some((number, column)), reason: reason.into() }
    }

    /// Of the file as a whole.
    fn whole(reason: impl Into<String>) -> Problem {
        Problem { place: None, reason: reason.into() }
    }

    /// `path:line:column`, or the path alone.
    pub(crate) fn located(&self, path: &str) -> String {
        match self.place {
            Some((line, column)) => format!("{path}:{line}:{column}"),
            None => path.to_owned(),
        }
    }
}

/// Where an entry stands in a tree of values.
struct Place<'a> {
    /// The names of the containers, from the root on. The last one is a list if there is no key.
    containers: &'a [String],
    /// The name of the entry; `None` in a list.
    key: Option<&'a str>,
    value: &'a Value,
}

/// Whether an entry is in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Present {
    Absent,
    /// As it would be written.
    Same,
    /// Something else has its name, there.
    Different(Problem),
}

/// What became of taking an entry out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Removal {
    /// It is not there.
    Absent,
    /// It is not as it was written, there.
    Edited(Problem),
    /// The text without it.
    Text(String),
}

/// What is needed to take out exactly what was put in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Trace {
    /// What was written before it; `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lead: Option<String>,
    /// What was written behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tail: Option<String>,
    /// How many containers around it were made.
    #[serde(default)]
    made: usize,
    /// Whether the text had no value before.
    #[serde(default)]
    whole: bool,
}

/// The line end of a text: that of its first line.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
