//! The JSON for a user's program that adds words to a query.

use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA;

/// A query and its words.
#[derive(Serialize, JsonSchema)]
pub struct ExpandableWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The query, as it was typed.
    query: &'a str,
    /// Words that can be expanded.
    words: &'a [String],
}

/// The wire form of a query and of the words that can be expanded.
pub fn expandable<'a>(query: &'a str, words: &'a [String]) -> ExpandableWire<'a> {
    ExpandableWire { schema: SCHEMA, query, words }
}
