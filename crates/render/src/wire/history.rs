//! The JSON of the history.

use std::path::Path;

use serde::Serialize;

use super::{SCHEMA, display, tenths};

/// All searches with one query on one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct PastQuery {
    /// The query, as it was typed last.
    pub query: String,
    /// The tree.
    pub root: String,
    /// How often it was asked.
    pub times: u64,
    /// How often nothing was found.
    pub times_without_hits: u64,
    /// When it was asked last, RFC 3339 in UTC.
    pub last_time: String,
    /// Hits that were shown last.
    pub last_hits: u64,
    /// Milliseconds of the median search.
    pub median_ms: f64,
    /// Milliseconds of the slowest one.
    pub slowest_ms: f64,
}

/// The history.
#[derive(Serialize)]
pub struct HistoryWire<'a> {
    schema: u32,
    file: String,
    enabled: bool,
    queries: Vec<PastQueryWire<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PastQueryWire<'a> {
    query: &'a str,
    root: &'a str,
    times: u64,
    times_without_hits: u64,
    last_time: &'a str,
    last_hits: u64,
    median_ms: f64,
    slowest_ms: f64,
}

/// The wire form of the history.
pub fn history<'a>(file: &Path, enabled: bool, asked: &'a [PastQuery]) -> HistoryWire<'a> {
    let queries = asked.iter().map(|one| PastQueryWire {
        query: &one.query,
        root: &one.root,
        times: one.times,
        times_without_hits: one.times_without_hits,
        last_time: &one.last_time,
        last_hits: one.last_hits,
        median_ms: tenths(one.median_ms),
        slowest_ms: tenths(one.slowest_ms),
    });
    HistoryWire { schema: SCHEMA, file: display(file), enabled, queries: queries.collect() }
}
