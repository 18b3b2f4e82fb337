//! Who is let in: what a filter and the other conditions of a question say of the documents of a
//! segment, and of their rows.

use lore_schema::Filter;
use tantivy::columnar::Column;

use super::{
    filter::{Judge, Verdict},
    layout::{Layout, numbers},
    lexical::row_number,
    schema::SYMBOL_KIND,
    snapshot::{Segment, Snapshot},
};
use crate::DocumentSet;

/// What a filter says of a source and its documents.
pub(super) enum Gate<'a> {
    /// Everybody is in.
    Open,
    /// Nobody is: the filter names other sources.
    Closed,
    /// Whom the filter admits.
    Judged(Judge<'a>),
}

impl<'a> Gate<'a> {
    /// Prepares a filter for the documents of a snapshot.
    pub(super) fn new(snapshot: &'a Snapshot, filter: &'a Filter) -> Gate<'a> {
        let source = snapshot.expected.source;
        if !filter.sources.is_empty() && !filter.sources.contains(&source) {
            return Gate::Closed;
        }
        Judge::new(filter, source, &snapshot.state).map_or(Gate::Open, Gate::Judged)
    }
}

/// A segment, and who of it is let in.
pub(super) struct Admission<'a> {
    /// Its rows and documents.
    pub(super) layout: &'a Layout,
    /// Its position in the snapshot.
    pub(super) segment: usize,
    gate: &'a Gate<'a>,
    within: &'a DocumentSet,
    symbols: Option<Column<u64>>,
}

impl<'a> Admission<'a> {
    /// Prepares the segment at a position.
    pub(super) fn new(
        segment: &'a Segment,
        position: usize,
        gate: &'a Gate<'a>,
        within: &'a DocumentSet,
    ) -> tantivy::Result<Admission<'a>> {
        let symbols = match gate {
            Gate::Judged(_) => numbers(&segment.reader, SYMBOL_KIND)?,
            Gate::Open | Gate::Closed => None,
        };
        Ok(Admission { layout: segment.layout()?, segment: position, gate, within, symbols })
    }

    /// Whether everybody is let in.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.gate, Gate::Open) && self.within.is_all()
    }

    /// Number of a document inside of the snapshot.
    pub(super) fn number(&self, document: u32) -> u64 {
        row_number(self.segment, self.layout.own_row(document))
    }

    /// Decides about a document.
    pub(super) fn document(&self, document: u32) -> Verdict {
        if !self.within.holds(self.number(document)) {
            return Verdict::Out;
        }
        match self.gate {
            Gate::Open => Verdict::In,
            Gate::Closed => Verdict::Out,
            Gate::Judged(judge) => {
                let number = self.layout.number(document);
                number.map_or(Verdict::Out, |number| judge.document(number))
            }
        }
    }

    /// Decides about a row of a document, about which `verdict` was found.
    pub(super) fn row(&self, verdict: Verdict, document: u32, row: u32) -> bool {
        match (verdict, self.gate) {
            (Verdict::Out, _) => false,
            (Verdict::Chunks, Gate::Judged(judge)) if row != self.layout.own_row(document) => {
                let kind = self.symbols.as_ref().and_then(|column| column.first(row));
                kind.is_some_and(|kind| judge.admits_symbol(kind))
            }
            _ => true,
        }
    }
}
