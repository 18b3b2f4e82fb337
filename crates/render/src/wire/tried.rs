//! The wire form of what was tried before.

use lore_console::dates;
use lore_engine::{Attempt, TriedResponse};
use serde::Serialize;

use super::{ReceiptWire, SCHEMA, receipt};

/// An answer of `lore tried`.
#[derive(Serialize)]
pub struct TriedWire<'a> {
    schema: u32,
    query: &'a str,
    attempts: Vec<AttemptWire<'a>>,
    total: usize,
    receipt: ReceiptWire<'a>,
    warnings: &'a [String],
}

/// A change that was undone, or a proposal that was turned down.
#[derive(Serialize)]
struct AttemptWire<'a> {
    source: &'static str,
    id: &'a str,
    title: &'a str,
    path: Option<&'a str>,
    outcome: &'static str,
    status: Option<&'a str>,
    by: Option<&'a str>,
    date: Option<String>,
    reason: &'a str,
    paths: &'a [String],
    again: Option<&'a str>,
}

/// The wire form of what was tried before.
pub fn tried(response: &TriedResponse) -> TriedWire<'_> {
    TriedWire {
        schema: SCHEMA,
        query: &response.query,
        attempts: response.attempts.iter().map(attempt).collect(),
        total: response.total,
        receipt: receipt(&response.receipt),
        warnings: &response.warnings,
    }
}

fn attempt(attempt: &Attempt) -> AttemptWire<'_> {
    AttemptWire {
        source: attempt.source.as_str(),
        id: &attempt.id,
        title: &attempt.title,
        path: attempt.path.as_deref(),
        outcome: attempt.outcome.as_str(),
        status: attempt.status.as_deref(),
        by: attempt.by.as_deref(),
        date: attempt.date.and_then(dates::rfc3339),
        reason: &attempt.reason,
        paths: &attempt.paths,
        again: attempt.again.as_deref(),
    }
}
