//! Rows of the index: on the way into tantivy with borrowed fields, and the stored bytes on the way
//! out.

use std::sync::Arc;

use lore_schema::Field;
use tantivy::schema::{
    Document, Field as Column,
    document::{ReferenceValue, ReferenceValueLeaf, Value},
};

use super::{backlog::Ticket, schema::Columns};
use crate::Terms;

/// The row of a chunk or a document.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) columns: Arc<Columns>,
    pub(super) unit: Arc<str>,
    pub(super) terms: Vec<(Field, Terms)>,
    /// Number of the document, on document rows.
    pub(super) document: Option<u64>,
    /// Kinds of the symbols as bits, on chunk rows with symbols.
    pub(super) symbol_kind: Option<u64>,
    pub(super) stored: Vec<u8>,
    /// The outline, on rows of documents that have one.
    pub(super) outline: Option<Vec<u8>>,
    /// Counts the unit as pending until tantivy drops its last row.
    pub(super) ticket: Option<Ticket>,
}

/// A field of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cell<'a> {
    Text(&'a str),
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> for Cell<'a> {
    type ArrayIter = std::iter::Empty<Cell<'a>>;
    type ObjectIter = std::iter::Empty<(&'a str, Cell<'a>)>;

    fn as_value(&self) -> ReferenceValue<'a, Cell<'a>> {
        ReferenceValue::Leaf(match *self {
            Cell::Text(text) => ReferenceValueLeaf::Str(text),
            Cell::Number(number) => ReferenceValueLeaf::U64(number),
            Cell::Bytes(bytes) => ReferenceValueLeaf::Bytes(bytes),
        })
    }
}

impl Document for Row {
    type Value<'a> = Cell<'a>;
    type FieldsValuesIter<'a> = std::vec::IntoIter<(Column, Cell<'a>)>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let mut cells = Vec::with_capacity(self.terms.len() + 4);
        // To tantivy an empty field and a missing one are equal, but a missing one costs nothing.
        for (field, terms) in self.terms.iter().filter(|(_, terms)| !terms.as_encoded().is_empty())
        {
            cells.push((self.columns.of(*field), Cell::Text(terms.as_encoded())));
        }
        cells.push((self.columns.unit, Cell::Text(&self.unit)));
        if let Some(document) = self.document {
            cells.push((self.columns.document, Cell::Number(document)));
        }
        if let Some(symbol_kind) = self.symbol_kind {
            cells.push((self.columns.symbol_kind, Cell::Number(symbol_kind)));
        }
        cells.push((self.columns.stored, Cell::Bytes(&self.stored)));
        if let Some(outline) = &self.outline {
            cells.push((self.columns.outline, Cell::Bytes(outline)));
        }
        cells.into_iter()
    }
}

/// The stored bytes of a row, in the order of the columns.
#[derive(Debug)]
pub(super) struct StoredBytes<'r> {
    pub(super) own: &'r [u8],
    pub(super) outline: Option<&'r [u8]>,
}

/// Type number of a field of bytes in tantivy's stored rows.
const BYTES: u8 = 4;

impl<'r> StoredBytes<'r> {
    /// Splits a stored row into its fields; `None` if it is damaged.
    ///
    /// A row has the number of its fields and then, for each field: the column (4 bytes), the type
    /// (1), the length, the bytes. Numbers have groups of 7 bits, lowest first; the last one has
    /// its highest bit set. tantivy's own reader is not used because it reads byte by byte and
    /// copies outlines even if they are not needed.
    pub(super) fn split(mut row: &'r [u8]) -> Option<StoredBytes<'r>> {
        let fields = number(&mut row)?;
        let own = bytes(&mut row)?;
        let outline = if fields > 1 { Some(bytes(&mut row)?) } else { None };
        Some(StoredBytes { own, outline })
    }
}

/// Reads a field of bytes and advances `row`.
fn bytes<'r>(row: &mut &'r [u8]) -> Option<&'r [u8]> {
    let [_, _, _, _, BYTES, rest @ ..] = *row else { return None };
    *row = rest;
    let length = usize::try_from(number(row)?).ok()?;
    let (field, rest) = row.split_at_checked(length)?;
    *row = rest;
    Some(field)
}

/// Reads a number of tantivy's stored rows and advances `row`; `None` at the end.
pub(super) fn number(row: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = row.split_first()?;
        *row = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 != 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_damaged_rows_does_not_panic() {
        let row = [0x81, 0, 0, 0, 0, BYTES, 0x82, 7, 9];
        assert_eq!(StoredBytes::split(&row).expect("a row").own, [7, 9]);
        for end in 0..row.len() {
            assert!(StoredBytes::split(&row[..end]).is_none(), "{end} bytes");
        }
        let no_end =
            [0x81, 0, 0, 0, 0, BYTES, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F];
        assert!(StoredBytes::split(&no_end).is_none());
        let other_type = [0x81, 0, 0, 0, 0, 1, 0x82, 7, 9];
        assert!(StoredBytes::split(&other_type).is_none());
    }
}
