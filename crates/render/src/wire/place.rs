//! The wire form of a place with what surrounds it.

use lore_console::dates;
use lore_engine::{PlaceChange, PlaceResponse};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReceiptWire, SCHEMA, graph::ResearchWire, receipt, research};
use crate::output::place::{Costs, View};

/// An answer of `lore expand`. Of `text`, `uses` and `changes`, the requested one is present.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceWire<'a> {
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
    /// Number of tokens of each view.
    tokens: TokensWire,
    /// The text; null in other views.
    text: Option<&'a str>,
    /// The callers or callees; null in other views.
    uses: Option<ResearchWire<'a>>,
    /// The commits, newest first; null in other views.
    changes: Option<Vec<ChangeWire<'a>>>,
    /// True if the index does not have all commits, so that older changes may be missing.
    has_older_changes: bool,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: ReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

/// Tokens of each view; null for those that the place does not have.
#[derive(Serialize, JsonSchema)]
struct TokensWire {
    /// Number of tokens of the text.
    text: usize,
    /// Number of tokens of the uses; null if there are none.
    uses: Option<usize>,
    /// Number of tokens of the history; null if there is none.
    history: Option<usize>,
}

/// A commit that changed the lines of a place.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeWire<'a> {
    /// Hash of the commit.
    hash: &'a str,
    /// Time, RFC 3339 in UTC.
    date: Option<String>,
    /// Author.
    author: Option<&'a str>,
    /// Subject line.
    subject: &'a str,
    /// Rest of the message.
    body: &'a str,
    /// Earlier path of the file; null if it was not renamed.
    renamed_from: Option<&'a str>,
    /// True if the commit wrote the lines first.
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
