//! The JSON for a user's program that adds words to a query.

use serde::Serialize;

use super::SCHEMA;

/// A query and its words.
#[derive(Serialize)]
pub struct ExpandableWire<'a> {
    schema: u32,
    query: &'a str,
    words: &'a [String],
}

/// The wire form of a query and of the words that can be expanded.
pub fn expandable<'a>(query: &'a str, words: &'a [String]) -> ExpandableWire<'a> {
    ExpandableWire { schema: SCHEMA, query, words }
}
