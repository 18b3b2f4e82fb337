//! The wire form of a place with what surrounds it.

use lore_console::dates;
use lore_engine::{PlaceChange, PlaceResponse};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReceiptWire, SCHEMA, graph::ResearchWire, receipt, research};
use crate::output::place::{Costs, View};

/// An answer of `lore expand`. Of `text`, `uses` and `changes`, the requested one is present.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceWire<'a> {
    schema: u32,
    id: &'a str,
    source: &'static str,
    kind: &'a str,
    name: &'a str,
    path: Option<&'a str>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    others: &'a [String],
    tokens: TokensWire,
    text: Option<&'a str>,
    uses: Option<ResearchWire<'a>>,
    changes: Option<Vec<ChangeWire<'a>>>,
    has_older_changes: bool,
    receipt: ReceiptWire<'a>,
    warnings: &'a [String],
}

/// Tokens of each view; null for those that the place does not have.
#[derive(Serialize)]
struct TokensWire {
    text: usize,
    uses: Option<usize>,
    history: Option<usize>,
}

/// A commit that changed the lines of a place.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeWire<'a> {
    hash: &'a str,
    date: Option<String>,
    author: Option<&'a str>,
    subject: &'a str,
    body: &'a str,
    renamed_from: Option<&'a str>,
    is_origin: bool,
}

/// The wire form of a view of a place.
pub fn place_view<'a>(response: &'a PlaceResponse, view: View, costs: &Costs) -> PlaceWire<'a> {
    let subject = &response.subject;
    let uses = response.uses.as_ref().filter(|_| view == View::Uses);
    let changes = response.changes.as_ref().filter(|_| view == View::History);
    PlaceWire {
        schema: SCHEMA,
        id: &subject.id,
        source: subject.source.as_str(),
        kind: &subject.kind,
        name: &subject.title,
        path: subject.path.as_deref(),
        start_line: subject.start_line,
        end_line: subject.end_line,
        others: &response.others,
        tokens: TokensWire { text: costs.whole, uses: costs.uses, history: costs.history },
        text: (view == View::Whole).then_some(response.text.as_str()),
        uses: uses.map(|uses| research(response.relation, uses)),
        changes: changes.map(|changes| changes.iter().map(change).collect()),
        has_older_changes: response.has_older_changes,
        receipt: receipt(&response.receipt),
        warnings: &response.warnings,
    }
}

/// The wire form of a commit that changed the lines of a place.
pub fn change(change: &PlaceChange) -> ChangeWire<'_> {
    ChangeWire {
        hash: &change.hash,
        date: change.date.and_then(dates::rfc3339),
        author: change.author.as_deref(),
        subject: &change.subject,
        body: &change.body,
        renamed_from: change.renamed_from.as_deref(),
        is_origin: change.is_origin,
    }
}
