//! The JSON of the history.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{SCHEMA, display, tenths};

/// All searches with one query on one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct PastQuery {
    /// The query, as it was typed last.
    pub query: String,
    /// The tree.
    pub root: String,
    /// Number of searches.
    pub times: u64,
    /// Number of searches without hits.
    pub times_without_hits: u64,
    /// Time of the last search, RFC 3339 in UTC.
    pub last_time: String,
    /// Number of hits of the last search.
    pub last_hits: u64,
    /// Milliseconds of the median search.
    pub median_ms: f64,
    /// Milliseconds of the slowest search.
    pub slowest_ms: f64,
}

/// The history.
#[derive(Serialize, JsonSchema)]
pub struct HistoryWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// File of the records.
    file: String,
    /// True if searches are recorded.
    enabled: bool,
    /// Queries, the latest first.
    queries: Vec<PastQueryWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PastQueryWire<'a> {
    /// Query, as it was typed last.
    query: &'a str,
    /// Tree.
    root: &'a str,
    /// Number of searches.
    times: u64,
    /// Number of searches without hits.
    times_without_hits: u64,
    /// Time of the last search, RFC 3339 in UTC.
    last_time: &'a str,
    /// Number of hits of the last search.
    last_hits: u64,
    /// Median time in milliseconds.
    median_ms: f64,
    /// Maximum time in milliseconds.
    slowest_ms: f64,
}

/// The wire form of the history.
pub fn history<'a>(file: &Path, enabled: bool, queries: &'a [PastQuery]) -> HistoryWire<'a> {
    let queries = queries.iter().map(|past| PastQueryWire {
        query: &past.query,
        root: &past.root,
        times: past.times,
        times_without_hits: past.times_without_hits,
        last_time: &past.last_time,
        last_hits: past.last_hits,
        median_ms: tenths(past.median_ms),
        slowest_ms: tenths(past.slowest_ms),
    });
    HistoryWire { schema: SCHEMA, file: display(file), enabled, queries: queries.collect() }
}
