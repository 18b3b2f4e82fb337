//! The JSON of the history.

use std::path::Path;

use serde::Serialize;

use super::{SCHEMA, display, tenths};
use crate::history::Asked;

/// The history.
#[derive(Serialize)]
pub(crate) struct HistoryWire<'a> {
    schema: u32,
    file: String,
    enabled: bool,
    queries: Vec<AskedWire<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AskedWire<'a> {
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
pub(crate) fn history<'a>(file: &Path, enabled: bool, asked: &'a [Asked]) -> HistoryWire<'a> {
    let queries = asked.iter().map(|one| AskedWire {
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
