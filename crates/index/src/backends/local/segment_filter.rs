//! Row and document filters within a segment: the filter of a query together with its set of
//! documents.

use lore_schema::Filter;
use tantivy::columnar::Column;

use super::{
    filter::{Acceptance, DocumentFilter},
    layout::{Layout, numbers},
    row_number::row_number,
    schema::SYMBOL_KIND,
    snapshot::{Segment, Snapshot},
};
use crate::DocumentSet;

/// The part of a filter that concerns one source.
pub(super) enum SourceFilter<'a> {
    /// Accepts all documents of the source.
    All,
    /// Accepts no document: the filter names other sources.
    None,
    /// Accepts some documents.
    Some(DocumentFilter<'a>),
}

impl<'a> SourceFilter<'a> {
    /// Prepares a filter for the documents of a snapshot.
    pub(super) fn new(snapshot: &'a Snapshot, filter: &'a Filter) -> SourceFilter<'a> {
        let source = snapshot.expected.source;
        if !filter.sources.is_empty() && !filter.sources.contains(&source) {
            return SourceFilter::None;
        }
        DocumentFilter::new(filter, source, &snapshot.state)
            .map_or(SourceFilter::All, SourceFilter::Some)
    }
}

/// The documents and rows of a segment that a query accepts.
pub(super) struct SegmentFilter<'a> {
    /// Rows and documents of the segment.
    pub(super) layout: &'a Layout,
    /// Position of the segment in the snapshot.
    pub(super) segment: usize,
    source_filter: &'a SourceFilter<'a>,
    within: &'a DocumentSet,
    symbols: Option<Column<u64>>,
}

impl<'a> SegmentFilter<'a> {
    /// Prepares the filter for the segment at a position.
    pub(super) fn new(
        segment: &'a Segment,
        position: usize,
        source_filter: &'a SourceFilter<'a>,
        within: &'a DocumentSet,
    ) -> tantivy::Result<SegmentFilter<'a>> {
        let symbols = match source_filter {
            SourceFilter::Some(_) => numbers(&segment.reader, SYMBOL_KIND)?,
            SourceFilter::All | SourceFilter::None => None,
        };
        Ok(SegmentFilter {
            layout: segment.layout()?,
            segment: position,
            source_filter,
            within,
            symbols,
        })
    }

    /// Returns true if all documents are accepted.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.source_filter, SourceFilter::All) && self.within.is_all()
    }

    /// Number of a document in the snapshot.
    pub(super) fn number(&self, document: u32) -> u64 {
        row_number(self.segment, self.layout.own_row(document))
    }

    /// Decides about a document.
    pub(super) fn document(&self, document: u32) -> Acceptance {
        if !self.within.contains_number(self.number(document)) {
            return Acceptance::None;
        }
        match self.source_filter {
            SourceFilter::All => Acceptance::All,
            SourceFilter::None => Acceptance::None,
            SourceFilter::Some(document_filter) => {
                let number = self.layout.number(document);
                number.map_or(Acceptance::None, |number| document_filter.document(number))
            }
        }
    }

    /// Returns true if a row of a document is accepted. `acceptance` is the decision about the
    /// document.
    pub(super) fn row(&self, acceptance: Acceptance, document: u32, row: u32) -> bool {
        match (acceptance, self.source_filter) {
            (Acceptance::None, _) => false,
            (Acceptance::SomeChunks, SourceFilter::Some(document_filter))
                if row != self.layout.own_row(document) =>
            {
                let kind = self.symbols.as_ref().and_then(|column| column.first(row));
                kind.is_some_and(|kind| document_filter.accepts_symbol(kind))
            }
            _ => true,
        }
    }
}
