//! One insertion into a file, of any form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Present, Problem, Removal, Target, Trace, jsonc, markers, tables};

/// One insertion into a file. The record stores it, so that a later version of `lore` can remove what
/// an earlier one wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "camelCase")]
pub(super) enum Edit {
    /// A member of an object in JSON with comments.
    Member { containers: Vec<String>, key: String, value: Value },
    /// An element of a list in JSON with comments.
    Element { containers: Vec<String>, value: Value },
    /// A table of a TOML file.
    Table { containers: Vec<String>, key: String, value: Value },
    /// Lines between markers. `header` is the start of a new file.
    Block { header: String, body: String },
}

impl Edit {
    /// Its name in messages.
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

    /// Reports whether two edits have the same target, with any content.
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

    /// Calls the function for its form.
    fn with<T>(
        &self,
        json: impl Fn(&Target<'_>) -> T,
        table: impl Fn(&Target<'_>) -> T,
        block: impl Fn(&str, &str) -> T,
    ) -> T {
        match self {
            Edit::Member { containers, key, value } => {
                json(&Target { containers, key: Some(key), value })
            }
            Edit::Element { containers, value } => json(&Target { containers, key: None, value }),
            Edit::Table { containers, key, value } => {
                table(&Target { containers, key: Some(key), value })
            }
            Edit::Block { header, body } => block(header, body),
        }
    }

    /// Reports whether it is in the text.
    pub(super) fn present(&self, text: &str) -> Result<Present, Problem> {
        self.with(
            |target| jsonc::present(text, target),
            |target| tables::present(text, target),
            |_, body| markers::present(text, body),
        )
    }

    /// The text with it.
    pub(super) fn insert(&self, text: &str) -> Result<(String, Trace), Problem> {
        self.with(
            |target| jsonc::insert(text, target),
            |target| tables::insert(text, target),
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
            |target| jsonc::remove(text, target, trace, force),
            |target| tables::remove(text, target, trace, force),
            |_, body| markers::remove(text, body, trace, force),
        )
    }
}
