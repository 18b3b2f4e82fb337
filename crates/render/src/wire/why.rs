//! The wire form of the reasons of a place.

use lore_console::dates;
use lore_engine::{WhyHop, WhyResponse};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReceiptWire, SCHEMA, receipt};

/// An answer of `lore why`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Source: code, docs, git, patterns, specs or tickets.
    source: &'static str,
    /// Kind, such as function, class, section, spec, ticket or commit.
    kind: &'a str,
    /// Name.
    name: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// First line, from 1.
    start_line: Option<u32>,
    /// Last line, from 1, included.
    end_line: Option<u32>,
    /// Identifiers of other places with this name.
    others: &'a [String],
    /// Steps of the chain.
    hops: Vec<HopWire<'a>>,
    /// Number of results that were not shown.
    omitted: usize,
    /// True if the index does not have all commits, so that older changes may be missing.
    has_older_changes: bool,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: ReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

/// A step of the chain. `from` is the position of the hop that it follows from, null for the subject.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HopWire<'a> {
    /// commit, decision, page, pull-request, spec, test or ticket.
    kind: &'static str,
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Title or name.
    title: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// Line of the file, from 1.
    line: Option<u32>,
    /// Time, RFC 3339 in UTC.
    date: Option<String>,
    /// Author.
    author: Option<&'a str>,
    /// Status of a ticket, spec or decision.
    status: Option<&'a str>,
    /// Evidence, in words.
    evidence: &'a str,
    /// Quoted line or text of the evidence.
    quote: &'a str,
    /// certain, likely or possible.
    certainty: &'static str,
    /// Position of the step that it follows from; null for the subject.
    from: Option<usize>,
    /// True if the target is in the index.
    is_known: bool,
}

/// The wire form of the reasons of a place.
pub fn why(response: &WhyResponse) -> WhyWire<'_> {
    let subject = &response.subject;
    WhyWire {
        schema: SCHEMA,
        id: &subject.id,
        source: subject.source.as_str(),
        kind: &subject.kind,
        name: &subject.title,
        path: subject.path.as_deref(),
        start_line: subject.start_line,
        end_line: subject.end_line,
        others: &response.others,
        hops: response.hops.iter().map(hop).collect(),
        omitted: response.omitted,
        has_older_changes: response.has_older_changes,
        receipt: receipt(&response.receipt),
        warnings: &response.warnings,
    }
}

/// The wire form of a step.
pub fn hop(hop: &WhyHop) -> HopWire<'_> {
    HopWire {
        kind: hop.kind.as_str(),
        id: &hop.id,
        title: &hop.title,
        path: hop.path.as_deref(),
        line: hop.line,
        date: hop.date.and_then(dates::rfc3339),
        author: hop.author.as_deref(),
        status: hop.status.as_deref(),
        evidence: &hop.evidence,
        quote: &hop.quote,
        certainty: hop.certainty.as_str(),
        from: hop.from,
        is_known: hop.is_known,
    }
}
