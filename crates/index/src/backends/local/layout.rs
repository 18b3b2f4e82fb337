//! The layout of a segment: the assignment of rows to documents.
//!
//! The rows of a document are adjacent, chunks first, the document's own row last: they enter
//! tantivy as one batch, are deleted together, and merging keeps their order.

use std::ops::Range;

use tantivy::{
    SegmentReader, TantivyError,
    columnar::{Column, ColumnIndex},
};

use super::schema::DOCUMENT;

/// The documents of a segment, including deleted ones, counted from 0 in the order of their rows.
#[derive(Debug)]
pub(super) struct Layout {
    /// The document of each row.
    documents: Vec<u32>,
    /// The own row of each document, which is its last one.
    own_rows: Vec<u32>,
    /// The number of each document in the state; `None` if there are no documents.
    numbers: Option<Column<u64>>,
}

impl Layout {
    /// Reads the layout of a segment.
    pub(super) fn read(segment: &SegmentReader) -> tantivy::Result<Layout> {
        let rows = segment.max_doc();
        let numbers = numbers(segment, DOCUMENT)?;
        let own_rows: Vec<u32> = match numbers.as_ref().map(|column| &column.index) {
            None | Some(ColumnIndex::Empty { .. }) => Vec::new(),
            Some(ColumnIndex::Full) => (0..rows).collect(),
            Some(ColumnIndex::Optional(index)) => index.iter_non_null_docs().collect(),
            Some(ColumnIndex::Multivalued(_)) => {
                return Err(corrupt("a row belongs to several documents"));
            }
        };
        if own_rows.last().is_some_and(|row| *row >= rows) {
            return Err(corrupt("a document has more rows than the segment"));
        }
        let mut documents = Vec::with_capacity(rows as usize);
        for (document, own_row) in (0_u32..).zip(&own_rows) {
            documents.resize(*own_row as usize + 1, document);
        }
        if documents.len() != rows as usize {
            return Err(corrupt("the last rows belong to no document"));
        }
        Ok(Layout { documents, own_rows, numbers })
    }

    /// Number of documents.
    pub(super) fn len(&self) -> usize {
        self.own_rows.len()
    }

    /// The document of a row.
    pub(super) fn document(&self, row: u32) -> u32 {
        self.documents[row as usize]
    }

    /// The own row of a document.
    pub(super) fn own_row(&self, document: u32) -> u32 {
        self.own_rows[document as usize]
    }

    /// Returns the document whose own row this is.
    pub(super) fn of_own_row(&self, row: u32) -> Option<u32> {
        let document = *self.documents.get(row as usize)?;
        (self.own_row(document) == row).then_some(document)
    }

    /// Returns the end of a block of documents that starts with `document` and has at most `rows`
    /// rows, or has only that document if it has more rows. `None` after the last document.
    pub(super) fn first_after(&self, document: u32, rows: u32) -> Option<u32> {
        let start = document as usize;
        let own_rows = self.own_rows.get(start..).filter(|rest| !rest.is_empty())?;
        let end = self.chunks(document).start.saturating_add(rows);
        let taken = own_rows.partition_point(|own_row| *own_row < end).max(1);
        u32::try_from(start + taken).ok()
    }

    /// The number of a document in the state.
    pub(super) fn number(&self, document: u32) -> Option<u64> {
        // Only own rows have a number, so that the n-th number is that of the n-th document.
        let numbers = self.numbers.as_ref()?;
        (document < numbers.values.num_vals()).then(|| numbers.values.get_val(document))
    }

    /// The rows of a document's chunks.
    pub(super) fn chunks(&self, document: u32) -> Range<u32> {
        let start = match document.checked_sub(1) {
            Some(previous) => self.own_rows[previous as usize] + 1,
            None => 0,
        };
        start..self.own_row(document)
    }
}

/// Opens a column of numbers; `None` if no row of the segment has one.
pub(super) fn numbers(segment: &SegmentReader, name: &str) -> tantivy::Result<Option<Column<u64>>> {
    segment.fast_fields().column_opt::<u64>(name)
}

fn corrupt(reason: &str) -> TantivyError {
    TantivyError::InternalError(reason.to_owned())
}
