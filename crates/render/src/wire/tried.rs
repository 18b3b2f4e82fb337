//! The wire form of what was tried before.

use lore_console::dates;
use lore_engine::{Attempt, TriedResponse};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReceiptWire, SCHEMA, receipt};

/// An answer of `lore tried`.
#[derive(Serialize, JsonSchema)]
pub struct TriedWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The query, as it was typed.
    query: &'a str,
    /// Attempts, best first.
    attempts: Vec<AttemptWire<'a>>,
    /// Number of all results, shown or not.
    total: usize,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: ReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

/// A change that was undone, or a proposal that was turned down.
#[derive(Serialize, JsonSchema)]
struct AttemptWire<'a> {
    /// Source: code, docs, git, patterns, specs or tickets.
    source: &'static str,
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Title or name.
    title: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// reverted, rejected or superseded.
    outcome: &'static str,
    /// Status of a ticket, spec or decision.
    status: Option<&'a str>,
    /// Commit or record that ended the attempt.
    by: Option<&'a str>,
    /// Time, RFC 3339 in UTC.
    date: Option<String>,
    /// Reason, in words.
    reason: &'a str,
    /// Paths that the attempt concerned.
    paths: &'a [String],
    /// Later commit that made the change again; null if there is none.
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
