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
    schema: u32,
    id: &'a str,
    source: &'static str,
    kind: &'a str,
    name: &'a str,
    path: Option<&'a str>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    others: &'a [String],
    hops: Vec<HopWire<'a>>,
    omitted: usize,
    has_older_changes: bool,
    receipt: ReceiptWire<'a>,
    warnings: &'a [String],
}

/// A step of the chain. `from` is the position of the hop that it follows from, null for the subject.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HopWire<'a> {
    kind: &'static str,
    id: &'a str,
    title: &'a str,
    path: Option<&'a str>,
    line: Option<u32>,
    date: Option<String>,
    author: Option<&'a str>,
    status: Option<&'a str>,
    evidence: &'a str,
    quote: &'a str,
    certainty: &'static str,
    from: Option<usize>,
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
