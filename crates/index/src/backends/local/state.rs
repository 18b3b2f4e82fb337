//! The state of a commit: the cursor, the units with their stamps, and for every document the
//! properties that filters and counts need, and the units that can be restored. One file per
//! commit.
//!
//! The file is mapped and searched in place: strings in one buffer, units sorted by name, documents
//! by number. Most queries touch a few of its pages.
//!
//! **Invariant:** a change of the written bytes is a change of the format.

use std::{
    cmp::Ordering,
    sync::atomic::{AtomicUsize, Ordering as AtomicOrdering},
};

use lore_schema::{Field, SkipCounts, SkipReason, Stamp};
use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;

use super::{
    file_names::vector_file,
    quantise::row_bytes,
    record::{DocumentRecord, EmbeddingRecord, Records, Skip, Text, UnitRecord},
    shelf::{self, ShelvedUnit},
};

/// The start of the file, with the lengths in bytes of the sections that follow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) cursor: String,
    /// Names of formats, kinds and languages.
    pub(super) labels: Vec<String>,
    /// Counts of skipped items, sorted by unit.
    pub(super) skips: Vec<Skip>,
    pub(super) totals: Totals,
    pub(super) text_bytes: u64,
    pub(super) unit_bytes: u64,
    pub(super) document_bytes: u64,
    /// Models with vectors, sorted by name.
    pub(super) models: Vec<Model>,
    /// The vector files.
    pub(super) vector_files: Vec<VectorFile>,
    pub(super) embedding_bytes: u64,
    pub(super) embedding_order_bytes: u64,
    pub(super) shelf_bytes: u64,
}

/// A model with counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Model {
    /// Fingerprint.
    pub(super) name: String,
    /// Number of documents that it has processed.
    pub(super) documents: u64,
    /// Number of vectors of live chunks.
    pub(super) vectors: u64,
}

/// A file of vectors of one model and dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VectorFile {
    /// Generation of the commit that wrote it.
    pub(super) generation: u64,
    /// Number among the files of that commit.
    pub(super) number: u32,
    /// Position of the model.
    pub(super) model: u32,
    pub(super) dimension: u32,
    /// Number of rows, including those of deleted documents.
    pub(super) rows: u32,
    pub(super) checksum: u64,
}

impl VectorFile {
    /// Name of the file.
    pub(super) fn name(&self) -> String {
        vector_file(self.generation, self.number)
    }

    /// Length of a row in bytes.
    pub(super) fn row_bytes(&self) -> usize {
        row_bytes(self.dimension as usize)
    }

    /// Length of the file in bytes.
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.rows) * self.row_bytes() as u64
    }
}

/// Sums over all units.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    pub(super) documents: u64,
    pub(super) chunks: u64,
    /// Number of terms of each field, in the order of [`Field::ALL`].
    pub(super) tokens: [u64; Field::ALL.len()],
}

impl Totals {
    /// Adds a unit.
    pub(super) fn add(&mut self, unit: &UnitRecord) {
        self.chunks = self.chunks.saturating_add(unit.chunks.into());
        for (total, tokens) in self.tokens.iter_mut().zip(unit.tokens) {
            *total = total.saturating_add(tokens.into());
        }
    }

    /// Subtracts a unit.
    pub(super) fn subtract(&mut self, unit: &UnitRecord) {
        self.chunks = self.chunks.saturating_sub(unit.chunks.into());
        for (total, tokens) in self.tokens.iter_mut().zip(unit.tokens) {
            *total = total.saturating_sub(tokens.into());
        }
    }
}

/// The state of one generation.
#[derive(Debug, Clone)]
pub(super) struct State {
    header: Header,
    text: OwnedBytes,
    units: Records<UnitRecord>,
    documents: Records<DocumentRecord>,
    /// Sorted by model, then by file and row: the order in which they are compared.
    embeddings: Records<EmbeddingRecord>,
    /// Positions in `embeddings`, sorted by model, then by document.
    embedding_order: Records<u32>,
    /// Units that can be restored, encoded.
    shelf: OwnedBytes,
}

/// The vectors of the documents by one model.
#[derive(Debug, Clone)]
pub(super) struct Embeddings {
    /// Sorted by file and row.
    pub(super) records: Records<EmbeddingRecord>,
    /// Positions in `records`, sorted by document.
    order: Records<u32>,
}

impl Embeddings {
    /// Vectors of the document at a position; `None` if the model has not processed it.
    pub(super) fn of(&self, document: u32) -> Option<EmbeddingRecord> {
        let record = |position: u32| self.records.get(position as usize);
        let found = self.order.search(|position| {
            record(*position).map_or(Ordering::Greater, |record| record.document.cmp(&document))
        });
        record(self.order.get(found.ok()?)?)
    }
}

impl State {
    /// Returns the state before the first commit.
    pub(super) fn empty() -> State {
        State {
            header: Header::default(),
            text: OwnedBytes::empty(),
            units: Records::default(),
            documents: Records::default(),
            embeddings: Records::default(),
            embedding_order: Records::default(),
            shelf: OwnedBytes::empty(),
        }
    }

    /// Opens a file whose checksum was verified; `None` if it is no state.
    pub(super) fn open(file: &OwnedBytes) -> Option<State> {
        let (header, rest) = postcard::take_from_bytes::<Header>(file).ok()?;
        let mut start = file.len() - rest.len();
        let mut section = |length: u64| {
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            let section = (end <= file.len()).then(|| file.slice(start..end));
            start = end;
            section
        };
        let text = section(header.text_bytes)?;
        let units = Records::new(section(header.unit_bytes)?)?;
        let documents = Records::new(section(header.document_bytes)?)?;
        let embeddings = Records::new(section(header.embedding_bytes)?)?;
        let embedding_order = Records::new(section(header.embedding_order_bytes)?)?;
        let shelf = section(header.shelf_bytes)?;
        let state = State { header, text, units, documents, embeddings, embedding_order, shelf };
        (start == file.len()).then_some(state)
    }

    /// The cursor of the last scan.
    pub(super) fn cursor(&self) -> &str {
        &self.header.cursor
    }

    /// Sums over all units.
    pub(super) fn totals(&self) -> &Totals {
        &self.header.totals
    }

    /// Number of rows that the index must have.
    pub(super) fn rows(&self) -> u64 {
        self.header.totals.documents.saturating_add(self.header.totals.chunks)
    }

    /// Counts of skipped items, sorted by unit.
    pub(super) fn skips(&self) -> &[Skip] {
        &self.header.skips
    }

    /// Counts of skipped items over all units.
    pub(super) fn skipped(&self) -> SkipCounts {
        let mut counts = SkipCounts::new();
        for Skip { reason, count, .. } in self.skips() {
            if let Some(reason) = SkipReason::ALL.get(usize::from(*reason)) {
                *counts.entry(*reason).or_default() += count;
            }
        }
        counts
    }

    /// Names of formats, kinds and languages.
    pub(super) fn labels(&self) -> &[String] {
        &self.header.labels
    }

    /// The units, sorted by name.
    pub(super) fn units(&self) -> &Records<UnitRecord> {
        &self.units
    }

    /// Names of the units, in byte order.
    pub(super) fn unit_names(&self) -> impl Iterator<Item = &str> {
        self.units.iter().map(|unit| self.text(unit.name))
    }

    /// Finds the position of a unit by name, or the position where it would be inserted.
    pub(super) fn find_unit(&self, name: &str) -> Result<usize, usize> {
        self.units.search(|unit| self.bytes(unit.name).cmp(name.as_bytes()))
    }

    /// Returns true if a unit is in a folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let below = format!("{folder}/");
        let index = match self.find_unit(&below) {
            Ok(index) | Err(index) => index,
        };
        self.units.get(index).is_some_and(|unit| self.text(unit.name).starts_with(&below))
    }

    /// Stamp of a unit. `guess` is its likely position and is set to the position after it, so that
    /// lookups in the order of the units need no search.
    pub(super) fn stamp(&self, name: &str, guess: &AtomicUsize) -> Option<Stamp> {
        let guessed = guess.load(AtomicOrdering::Relaxed);
        let is_there =
            self.units.get(guessed).is_some_and(|unit| self.bytes(unit.name) == name.as_bytes());
        let index = if is_there { guessed } else { self.find_unit(name).ok()? };
        guess.store(index + 1, AtomicOrdering::Relaxed);
        self.units.get(index).map(|unit| unit.stamp)
    }

    /// The documents, sorted by number.
    pub(super) fn documents(&self) -> &Records<DocumentRecord> {
        &self.documents
    }

    /// The document with this number.
    pub(super) fn document(&self, number: u64) -> Option<DocumentRecord> {
        self.documents.get(self.find_document(number)?)
    }

    /// Position of the document with this number.
    pub(super) fn find_document(&self, number: u64) -> Option<usize> {
        self.documents.search(|document| document.number.cmp(&number)).ok()
    }

    /// Models with vectors, sorted by name.
    pub(super) fn models(&self) -> &[Model] {
        &self.header.models
    }

    /// The vector files.
    pub(super) fn vector_files(&self) -> &[VectorFile] {
        &self.header.vector_files
    }

    /// Vectors of the documents by the model at a position.
    pub(super) fn embeddings(&self, model: usize) -> Embeddings {
        let counts = self.models().iter().map(|model| model.documents);
        let before = counts.clone().take(model).fold(0, u64::saturating_add);
        let after = before.saturating_add(counts.clone().nth(model).unwrap_or(0));
        let limit = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
        let range = limit(before)..limit(after);
        Embeddings {
            records: self.embeddings.range(range.clone()),
            order: self.embedding_order.range(range),
        }
    }

    /// Decodes the units that can be restored, in the order in which they left the index.
    pub(super) fn shelf(&self) -> Vec<ShelvedUnit> {
        shelf::decode(&self.shelf)
    }

    /// Name of the unit of a document.
    pub(super) fn unit_of(&self, document: &DocumentRecord) -> &str {
        self.units.get(document.unit as usize).map_or("", |unit| self.text(unit.name))
    }

    /// The buffer of all texts.
    pub(super) fn texts(&self) -> &[u8] {
        &self.text
    }

    /// Text of a unit name, locator or path.
    pub(super) fn text(&self, text: Text) -> &str {
        std::str::from_utf8(self.bytes(text)).unwrap_or_default()
    }

    fn bytes(&self, text: Text) -> &[u8] {
        let start = text.start as usize;
        self.text.get(start..start + text.length as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
