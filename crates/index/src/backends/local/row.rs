//! A row on its way into tantivy: borrowed fields, nothing copied.

use std::sync::Arc;

use lore_schema::Field;
use tantivy::schema::{
    Document, Field as Column,
    document::{
        DeserializeError, DocumentDeserialize, DocumentDeserializer, ReferenceValue,
        ReferenceValueLeaf, Value,
    },
};

use super::{backlog::Ticket, schema::Columns};
use crate::Terms;

/// One chunk or one document.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) columns: Arc<Columns>,
    pub(super) unit: Arc<str>,
    pub(super) terms: Vec<(Field, Terms)>,
    /// Number of the document, on document rows.
    pub(super) document: Option<u64>,
    /// Kind of the symbol as a bit, on chunk rows with a symbol.
    pub(super) symbol_kind: Option<u64>,
    pub(super) stored: Vec<u8>,
    /// The outline, on rows of documents that have one.
    pub(super) outline: Option<Vec<u8>>,
    /// Counts the row as pending until tantivy drops it.
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
        for (field, terms) in &self.terms {
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

/// The stored bytes of a row on their way out, in the order of the columns: first the row's own,
/// then the outline's.
#[derive(Debug, Default)]
pub(super) struct StoredBytes {
    pub(super) own: Vec<u8>,
    pub(super) outline: Option<Vec<u8>>,
}

impl DocumentDeserialize for StoredBytes {
    fn deserialize<'de, D>(mut deserializer: D) -> Result<StoredBytes, DeserializeError>
    where
        D: DocumentDeserializer<'de>,
    {
        let mut stored = StoredBytes::default();
        if let Some((_, bytes)) = deserializer.next_field::<Vec<u8>>()? {
            stored.own = bytes;
        }
        if let Some((_, bytes)) = deserializer.next_field::<Vec<u8>>()? {
            stored.outline = Some(bytes);
        }
        Ok(stored)
    }
}
