//! What is put into a file, whatever its form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Place, Present, Problem, Removal, Trace, jsonc, markers, tables};

/// One thing that is put into a file. The record keeps it, so that a later version of the program
/// knows what an earlier one wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "camelCase")]
pub(super) enum Edit {
    /// A member of an object in JSON with comments.
    Member { containers: Vec<String>, key: String, value: Value },
    /// A value of a list in JSON with comments.
    Element { containers: Vec<String>, value: Value },
    /// A table of a TOML file.
    Table { containers: Vec<String>, key: String, value: Value },
    /// Lines between markers. `header` starts a file that was not there.
    Block { header: String, body: String },
}

impl Edit {
    /// What a message calls it.
    pub(super) fn name(&self) -> String {
        match self {
            Edit::Member { containers, key, .. } | Edit::Table { containers, key, .. } => {
                format!("the entry `{}.{key}`", containers.join("."))
            }
            Edit::Element { containers, .. } => {
                format!("the entry in `{}`", containers.join("."))
            }
            Edit::Block { .. } => "the block of instructions".to_owned(),
        }
    }

    /// Whether both are the same thing, if perhaps with other content.
    pub(super) fn is_same_place(&self, other: &Edit) -> bool {
        match (self, other) {
            (
                Edit::Member { containers: left, key: left_key, .. },
                Edit::Member { containers: right, key: right_key, .. },
            )
            | (
                Edit::Table { containers: left, key: left_key, .. },
                Edit::Table { containers: right, key: right_key, .. },
            ) => left == right && left_key == right_key,
            (Edit::Element { containers: left, .. }, Edit::Element { containers: right, .. }) => {
                left == right
            }
            (Edit::Block { .. }, Edit::Block { .. }) => true,
            _ => false,
        }
    }

    /// Hands it to the module of its form.
    fn with<T>(
        &self,
        json: impl Fn(&Place<'_>) -> T,
        table: impl Fn(&Place<'_>) -> T,
        block: impl Fn(&str, &str) -> T,
    ) -> T {
        match self {
            Edit::Member { containers, key, value } => {
                json(&Place { containers, key: Some(key), value })
            }
            Edit::Element { containers, value } => json(&Place { containers, key: None, value }),
            Edit::Table { containers, key, value } => {
                table(&Place { containers, key: Some(key), value })
            }
            Edit::Block { header, body } => block(header, body),
        }
    }

    /// Whether it is in the text.
    pub(super) fn present(&self, text: &str) -> Result<Present, Problem> {
        self.with(
            |place| jsonc::present(text, place),
            |place| tables::present(text, place),
            |_, body| markers::present(text, body),
        )
    }

    /// The text with it.
    pub(super) fn insert(&self, text: &str) -> Result<(String, Trace), Problem> {
        self.with(
            |place| jsonc::insert(text, place),
            |place| tables::insert(text, place),
            |header, body| markers::insert(text, header, body),
        )
    }

    /// The text without it.
    pub(super) fn remove(
        &self,
        text: &str,
        trace: &Trace,
        force: bool,
    ) -> Result<Removal, Problem> {
        self.with(
            |place| jsonc::remove(text, place, trace, force),
            |place| tables::remove(text, place, trace, force),
            |_, body| markers::remove(text, body, trace, force),
        )
    }
}
