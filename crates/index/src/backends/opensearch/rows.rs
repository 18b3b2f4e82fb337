//! The rows of a unit: of each document first its chunks, then its own row, then its vectors.

use std::collections::BTreeSet;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
};
use lore_schema::{Category, Field, Level};
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    cluster::vector_column,
    lines::Batch,
    state::{key_number, routing},
    table::{Document, Unit, unit_number},
    terms::{CONTAINED, column, contained, length_column, rounded_length, text},
    words::Words,
};
use crate::{
    DocumentVectors, IndexedDocument, Terms, UnitUpdate,
    backends::local::{
        codec::{encode_chunk, encode_document},
        outline::encode_outline,
        quantise::{Rows, row_bytes, row_parts},
    },
};

/// The part of the identifiers of rows that they share.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) key: String,
    pub(super) routing: String,
    prefix: String,
}

impl Names {
    pub(super) fn new(key: &str) -> Names {
        Names { key: key.to_owned(), routing: routing(key), prefix: key_number(key) }
    }

    /// Identifier of a row of a chunk or a document.
    pub(super) fn row(&self, number: u64) -> String {
        format!("{}-{number:x}", self.prefix)
    }

    /// Identifier of a row with the text of a document.
    fn text(&self, number: u64) -> String {
        format!("{}-t{number:x}", self.prefix)
    }

    fn unit(&self, unit: &str, change: u64) -> String {
        format!("{}-u{unit}-{change:x}", self.prefix)
    }

    fn vector(&self, model: &str, kind: char, number: u64, change: u64) -> String {
        let model = xxh3_64(model.as_bytes());
        format!("{}-{kind}{model:x}-{number:x}-{change:x}", self.prefix)
    }

    fn words(&self, field: Field, change: u64, block: u64) -> String {
        format!("{}-w{}-{block:x}-{change:x}", self.prefix, field.index())
    }
}

/// The attributes that filters of other programs need, on the rows of chunks and documents.
fn attributes(row: &mut Map<String, Value>, document: &Document) {
    let lower = |text: &str| Value::String(text.to_ascii_lowercase());
    if let Some(language) = &document.language {
        row.insert("language".to_owned(), lower(language));
    }
    row.insert("kind".to_owned(), lower(&document.kind));
    let category: Category = document.category();
    row.insert("category".to_owned(), json!(category.as_str()));
}

/// The rows of a unit, encoded.
#[derive(Debug)]
pub(super) struct UnitRows {
    pub(super) unit: Unit,
    pub(super) batch: Batch,
    pub(super) words: Words,
    /// Dimensions of the vectors.
    pub(super) dimensions: BTreeSet<usize>,
}

/// Number of rows of the chunks and documents of a unit.
pub(super) fn row_count(update: &UnitUpdate) -> u64 {
    update.documents.iter().map(|document| document.chunks.len() as u64 + 1).sum()
}

impl UnitRows {
    /// Encodes a unit for a change. Its rows are numbered from `first`.
    ///
    /// # Errors
    /// The reason, if the vectors do not fit to the chunks.
    pub(super) fn new(
        names: &Names,
        change: u64,
        first: u64,
        update: UnitUpdate,
    ) -> Result<UnitRows, String> {
        let mut rows = UnitRows {
            unit: Unit::new(&update),
            batch: Batch::default(),
            words: Words::default(),
            dimensions: BTreeSet::new(),
        };
        let unit = unit_number(&update.name);
        let mut number = first;
        for document in update.documents {
            let chunks = u32::try_from(document.chunks.len()).map_err(|error| error.to_string())?;
            let own = number + u64::from(chunks);
            rows.document(names, change, &unit, own, document)?;
            number = own + 1;
        }
        Ok(rows)
    }

    fn document(
        &mut self,
        names: &Names,
        change: u64,
        unit: &str,
        own: u64,
        document: IndexedDocument,
    ) -> Result<(), String> {
        let described = describe(own, &document);
        let failed = |error: postcard::Error| error.to_string();
        let new_row = |kind: &str, number: u64| {
            let mut row = Map::new();
            row.insert("key".to_owned(), json!(names.key));
            row.insert("row".to_owned(), json!(kind));
            row.insert("change".to_owned(), json!(change));
            row.insert("unit".to_owned(), json!(unit));
            row.insert("number".to_owned(), json!(number));
            row.insert("document".to_owned(), json!(own));
            attributes(&mut row, &described);
            row
        };
        let first = own - u64::from(described.chunks);
        let (mut of_chunks, mut of_document) = (Words::default(), Words::default());
        let mut stored_chunks = Vec::with_capacity(document.chunks.len());
        let mut symbols_of = Vec::with_capacity(document.chunks.len());
        for (number, chunk) in (first..).zip(document.chunks) {
            let mut row = new_row("chunk", number);
            row.insert("ordinal".to_owned(), json!(chunk.stored.ordinal));
            let kinds = chunk.stored.symbols.iter().chain(&chunk.stored.symbol);
            let kinds: BTreeSet<&str> = kinds.map(|symbol| symbol.kind.as_str()).collect();
            if !kinds.is_empty() {
                row.insert("symbols".to_owned(), json!(kinds));
            }
            symbols_of.push(row.get("symbols").cloned());
            self.fields(&mut row, &chunk.terms, Level::Chunk, &mut of_chunks);
            row.insert(
                "stored".to_owned(),
                encode_chunk(&chunk.stored).map(bytes).map_err(failed)?,
            );
            self.batch.put(&names.row(number), &names.routing, &row);
            stored_chunks.push(chunk.stored);
        }
        let mut row = new_row("document", own);
        self.fields(&mut row, &document.terms, Level::Document, &mut of_document);
        let words = Field::ALL.iter().flat_map(|field| {
            of_chunks.sorted(*field).into_iter().map(|word| contained(*field, word))
        });
        row.insert(CONTAINED.to_owned(), json!(words.collect::<Vec<_>>().join(" ")));
        self.words.absorb(of_chunks);
        self.words.absorb(of_document);
        row.insert(
            "stored".to_owned(),
            encode_document(&document.stored).map(bytes).map_err(failed)?,
        );
        if let Some(outline) = &document.outline {
            let encoded = encode_outline(outline, &stored_chunks).map_err(failed)?;
            row.insert("outline".to_owned(), bytes(encoded));
        }
        self.batch.put(&names.row(own), &names.routing, &row);
        // A row of its own: queries that read many documents do not load their texts.
        if let Some(text) = document.text {
            let row = json!({
                "key": names.key, "row": "text", "change": change, "unit": unit, "document": own,
                "text": text,
            });
            if let Value::Object(row) = row {
                self.batch.put(&names.text(own), &names.routing, &row);
            }
        }
        for vectors in &document.vectors {
            let encoded = Vectors::new(vectors, described.chunks as usize)?;
            self.dimensions.extend(encoded.dimension());
            encoded.write(names, change, unit, &described, &symbols_of, &mut self.batch);
        }
        self.unit.documents.push(described);
        Ok(())
    }

    /// Adds the fields of a level to a row, and their words to a set.
    fn fields(
        &mut self,
        row: &mut Map<String, Value>,
        terms: &[(Field, Terms)],
        level: Level,
        words: &mut Words,
    ) {
        // A field on a row of the other level would be counted against the wrong rows.
        for (field, terms) in terms.iter().filter(|(field, _)| field.level() == level) {
            let text = text(terms);
            if text.is_empty() {
                continue;
            }
            let mut count = 0_u32;
            for word in text.split_terminator(' ') {
                count = count.saturating_add(1);
                words.insert(*field, word);
            }
            let tokens = &mut self.unit.tokens[field.index()];
            *tokens = tokens.saturating_add(count);
            row.insert(length_column(*field), json!(rounded_length(count)));
            row.insert(column(*field), json!(text));
        }
    }
}

fn describe(number: u64, document: &IndexedDocument) -> Document {
    let stored = &document.stored;
    let category = Category::ALL.iter().position(|known| *known == stored.category);
    Document {
        number,
        chunks: u32::try_from(document.chunks.len()).unwrap_or(u32::MAX),
        locator: stored.key.locator.clone(),
        path: stored.path.clone(),
        format: stored.format.clone(),
        kind: stored.kind.clone(),
        language: stored.language.clone(),
        category: category.and_then(|place| u8::try_from(place).ok()).unwrap_or(0),
        updated: stored.attributes.updated,
        bytes: stored.bytes,
        fell_back: stored.fell_back,
    }
}

fn bytes(bytes: Vec<u8>) -> Value {
    Value::String(STANDARD.encode(bytes))
}

/// Decodes the bytes of a column, which the cluster returns without the padding that it requires.
pub(super) fn decoded(value: &Value) -> Option<Vec<u8>> {
    STANDARD_NO_PAD.decode(value.as_str()?).ok()
}

/// The vectors of a document by one model, rounded.
#[derive(Debug)]
pub(super) struct Vectors {
    model: String,
    rows: Rows,
}

impl Vectors {
    /// Rounds the vectors of a document with `chunks` chunks.
    ///
    /// # Errors
    /// The reason, if there are vectors, but not one per chunk, or their dimensions differ.
    pub(super) fn new(vectors: &DocumentVectors, chunks: usize) -> Result<Vectors, String> {
        let refused =
            |reason: String| format!("vectors of `{}` were refused: {reason}", vectors.model);
        let count = vectors.chunks.len();
        if count != 0 && count != chunks {
            return Err(refused(format!("{count} vectors for {chunks} chunks")));
        }
        let rows = Rows::new(&vectors.chunks);
        let rows = rows.ok_or_else(|| refused("their dimensions differ".to_owned()))?;
        Ok(Vectors { model: vectors.model.to_string(), rows })
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// Number of components; `None` without vectors.
    pub(super) fn dimension(&self) -> Option<usize> {
        (self.rows.dimension > 0).then_some(self.rows.dimension)
    }

    /// Appends the rows: one per vector, and one that records that the model processed the document.
    /// `symbols` has the kinds of definitions of each chunk.
    pub(super) fn write(
        &self,
        names: &Names,
        change: u64,
        unit: &str,
        document: &Document,
        symbols: &[Option<Value>],
        batch: &mut Batch,
    ) {
        let new_row = |kind: &str, number: u64| {
            let row = json!({
                "key": names.key, "row": kind, "change": change, "unit": unit, "number": number,
                "document": document.number, "model": self.model,
            });
            let Value::Object(row) = row else { return Map::new() };
            row
        };
        let dimension = self.rows.dimension;
        let column = vector_column(dimension);
        let encoded = self.rows.bytes.chunks_exact(row_bytes(dimension));
        let first = document.number - u64::from(document.chunks);
        for (ordinal, encoded) in encoded.enumerate() {
            let Some((components, scale)) = row_parts(encoded).filter(|(_, scale)| *scale > 0.0)
            else {
                continue;
            };
            debug_assert!(scale.is_finite());
            let number = first + ordinal as u64;
            let mut row = new_row("vector", number);
            row.insert("ordinal".to_owned(), json!(ordinal));
            row.insert("dimension".to_owned(), json!(dimension));
            row.insert("stored".to_owned(), bytes(encoded.to_vec()));
            if let Some(Some(symbols)) = symbols.get(ordinal) {
                row.insert("symbols".to_owned(), symbols.clone());
            }
            let id = names.vector(&self.model, 'v', number, change);
            batch.put_vector(&id, &names.routing, &row, &column, components);
        }
        let mut row = new_row("model", document.number);
        row.insert("vectors".to_owned(), json!(self.rows.vectors));
        row.insert("dimension".to_owned(), json!(dimension));
        batch.put(&names.vector(&self.model, 'm', document.number, change), &names.routing, &row);
    }
}

/// Appends the row that describes a unit.
pub(super) fn put_unit(
    names: &Names,
    change: u64,
    unit: &Unit,
    batch: &mut Batch,
) -> Result<(), String> {
    let number = unit_number(&unit.name);
    let encoded = postcard::to_stdvec(unit).map_err(|error| error.to_string())?;
    let row = json!({
        "key": names.key, "row": "unit", "change": change, "unit": number, "stored": bytes(encoded),
    });
    if let Value::Object(row) = row {
        batch.put(&names.unit(&number, change), &names.routing, &row);
    }
    Ok(())
}

/// Number of words of a block of the dictionary.
const BLOCK: usize = 500;

/// Appends the blocks of the dictionary: sorted words of a field, and the first and the last of them.
/// Returns the number of blocks.
pub(super) fn put_words(names: &Names, change: u64, words: &Words, batch: &mut Batch) -> u64 {
    let mut count = 0;
    for field in Field::ALL {
        for block in words.sorted(*field).chunks(BLOCK) {
            let row = json!({
                "key": names.key, "row": "words", "change": change, "field": field.as_str(),
                "first": block.first(), "last": block.last(),
                "stored": bytes(block.join("\n").into_bytes()),
            });
            if let Value::Object(row) = row {
                batch.put(&names.words(*field, change, count), &names.routing, &row);
                count += 1;
            }
        }
    }
    count
}
