//! The JSON that a program gets which adds words to a query.

use serde::Serialize;

use super::SCHEMA;

/// A query and its words.
#[derive(Serialize)]
pub struct ExpandableWire<'a> {
    schema: u32,
    query: &'a str,
    words: &'a [String],
}

/// The wire form of a query and of the words that others may be added to.
pub fn expandable<'a>(query: &'a str, words: &'a [String]) -> ExpandableWire<'a> {
    ExpandableWire { schema: SCHEMA, query, words }
}
