//! The rows of a unit, encoded but not numbered yet.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use lore_schema::{Field, Level};

use crate::{
    DocumentVectors, IndexError, IndexedDocument, StoredDocument, Terms,
    backends::local::{
        codec::{encode_chunk, encode_document},
        draft::{NewDocument, NewUnit},
        filter::symbol_bit,
        outline::encode_outline,
        quantise::Rows,
        row::Row,
        schema::{Columns, unit_term},
        tokenizer::is_indexed,
    },
};

/// The rows of a unit, in storage order: of each document first the chunks, then its own row.
#[derive(Default)]
pub(super) struct UnitRows {
    pub(super) rows: Vec<Row>,
    /// Positions of the documents' own rows, which have no number yet.
    pub(super) own_rows: Vec<usize>,
    /// Vectors of each document, by model.
    pub(super) vectors: Vec<BTreeMap<Arc<str>, Rows>>,
    /// The unit and its documents for the state.
    pub(super) unit: NewUnit,
    /// Size of the rows in bytes.
    pub(super) bytes: usize,
}

impl UnitRows {
    /// Encodes the documents of a unit. `path` is named by errors.
    pub(super) fn new(
        columns: &Arc<Columns>,
        path: &Path,
        unit: &str,
        documents: Vec<IndexedDocument>,
    ) -> Result<UnitRows, IndexError> {
        let unit: Arc<str> = unit_term(unit).into();
        let mut prepared = UnitRows::default();
        let failed = |error: postcard::Error| IndexError::Storage {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        for document in documents {
            let count = document.chunks.len();
            let rounded = document
                .vectors
                .iter()
                .map(|vectors| Ok((Arc::clone(&vectors.model), round(path, vectors, count)?)));
            prepared.vectors.push(rounded.collect::<Result<_, IndexError>>()?);
            let mut chunks = Vec::with_capacity(count);
            for chunk in document.chunks {
                let stored = encode_chunk(&chunk.stored).map_err(failed)?;
                // A chunk of several definitions has the kinds of all of them.
                let symbols = chunk.stored.symbols.iter().chain(&chunk.stored.symbol);
                let symbol_kind =
                    symbols.map(|symbol| symbol_bit(symbol.kind)).reduce(|all, bit| all | bit);
                prepared.unit.chunks += 1;
                let mut row = new_row(columns, &unit, chunk.terms, Level::Chunk, stored);
                row.symbol_kind = symbol_kind;
                prepared.push(row);
                chunks.push(chunk.stored);
            }
            let stored = encode_document(&document.stored).map_err(failed)?;
            let mut row = new_row(columns, &unit, document.terms, Level::Document, stored);
            let outline = document.outline.as_ref().map(|outline| encode_outline(outline, &chunks));
            row.outline = outline.transpose().map_err(failed)?;
            prepared.push(row);
            prepared.own_rows.push(prepared.rows.len() - 1);
            prepared.unit.documents.push(new_document(document.stored));
        }
        Ok(prepared)
    }

    fn push(&mut self, row: Row) {
        self.bytes += row.stored.len() + row.outline.as_ref().map_or(0, Vec::len);
        for (field, terms) in &row.terms {
            self.bytes += terms.as_encoded().len();
            let indexed = terms.iter().filter(|term| is_indexed(term)).count();
            let tokens = &mut self.unit.tokens[field.index()];
            *tokens = tokens.saturating_add(u32::try_from(indexed).unwrap_or(u32::MAX));
        }
        self.rows.push(row);
    }
}

/// Rounds the vectors of a document with `chunks` chunks. `path` is named by errors.
///
/// # Errors
/// [`IndexError::Storage`] if there are vectors, but not one per chunk, or their dimensions differ.
pub(super) fn round(
    path: &Path,
    vectors: &DocumentVectors,
    chunks: usize,
) -> Result<Rows, IndexError> {
    let refused = |reason: String| IndexError::Storage {
        path: path.to_owned(),
        reason: format!("vectors of `{}` were refused: {reason}", vectors.model),
    };
    let count = vectors.chunks.len();
    if count != 0 && count != chunks {
        return Err(refused(format!("{count} vectors for {chunks} chunks")));
    }
    Rows::new(&vectors.chunks).ok_or_else(|| refused("their dimensions differ".to_owned()))
}

fn new_row(
    columns: &Arc<Columns>,
    unit: &Arc<str>,
    mut terms: Vec<(Field, Terms)>,
    level: Level,
    stored: Vec<u8>,
) -> Row {
    // A field on a row of the other level would be counted against the wrong rows.
    terms.retain(|(field, _)| field.level() == level);
    Row {
        columns: Arc::clone(columns),
        unit: Arc::clone(unit),
        terms,
        document: None,
        symbol_kind: None,
        stored,
        outline: None,
        ticket: None,
    }
}

fn new_document(document: StoredDocument) -> NewDocument {
    NewDocument {
        number: 0,
        locator: document.key.locator,
        path: document.path,
        format: document.format,
        kind: document.kind,
        language: document.language,
        category: document.category,
        updated: document.attributes.updated,
        bytes: document.bytes,
        fell_back: document.fell_back,
        embeddings: Vec::new(),
    }
}
