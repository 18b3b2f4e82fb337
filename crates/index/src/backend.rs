//! The wall: what a storage engine must offer.

use std::{any::Any, collections::BTreeMap, path::PathBuf};

use lore_schema::{Field, Filter, Outline, SkipCounts, SourceName, Stamp};

use crate::{
    ChunkId, DenseMatches, DenseQuery, DocumentId, DocumentVectors, Holder, IndexError,
    IndexedDocument, LexicalQuery, Listed, Matches, Similar, StoredChunk, StoredDocument,
    VectorCounts,
};

/// Where the index of one source lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In this folder, which is created when something is first written.
    Folder(PathBuf),
    /// In memory, gone with the process.
    Memory,
}

/// A storage engine.
pub trait Backend: Send + Sync {
    /// Its name in settings.
    fn name(&self) -> &'static str;

    /// Number of what it writes, which changes with its form. Another number is another index.
    fn format(&self) -> u32;

    /// Opens the index of one source. `fingerprint` names the analysis that the terms come from.
    /// Nothing is created or written.
    ///
    /// # Errors
    /// [`IndexError::Incompatible`] and [`IndexError::Damaged`] mean: call [`Backend::erase`] and
    /// start anew.
    fn open(
        &self,
        source: SourceName,
        place: &Place,
        fingerprint: &str,
    ) -> Result<Box<dyn Store>, IndexError>;

    /// Makes the index of one source at a place that has none yet, out of the last state of another
    /// place, as far as possible without storing anything twice. What it holds is that of the other
    /// place, with its stamps: whoever asks for it brings it up to date. Neither place ever sees what
    /// is written to the other one later.
    ///
    /// Returns false, and leaves the place as it was, where the engine cannot do so, there is nothing
    /// to start from, or the place has an index already. An error leaves it as it was as well.
    fn seed(
        &self,
        source: SourceName,
        from: &Place,
        to: &Place,
        fingerprint: &str,
    ) -> Result<bool, IndexError> {
        let _ = (source, from, to, fingerprint);
        Ok(false)
    }

    /// Removes whatever lies at the place, for a rebuild. Fails with [`IndexError::Busy`] while
    /// somebody writes there.
    fn erase(&self, place: &Place) -> Result<(), IndexError>;

    /// Forgets which files of an index were whole, so that whoever opens it next verifies every byte.
    /// For when reading shows damage that opening did not.
    ///
    /// # Errors
    /// [`IndexError::Unwritable`] when the folder is.
    fn distrust(&self, place: &Place) -> Result<(), IndexError>;

    /// As [`Backend::erase`], for good: the folder goes, too, unless something else lies in it.
    fn remove(&self, place: &Place) -> Result<(), IndexError>;
}

/// The index of one source.
pub trait Store: Send + Sync {
    /// The last committed state. An index that was never written gives an empty reader.
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError>;

    /// Starts to change the index, on top of exactly what `base` saw. Never waits.
    ///
    /// # Errors
    /// [`IndexError::Busy`] when another writer is at work, [`IndexError::Moved`] when somebody
    /// committed after `base` was opened, [`IndexError::Unwritable`] when the folder is.
    fn writer(&self, base: &dyn Reader) -> Result<Box<dyn Writer>, IndexError>;

    /// Changes of exactly what `base` saw that stay in memory: a store that starts as the base is, of
    /// which nothing is written anywhere. Takes no lock, whoever writes.
    ///
    /// # Errors
    /// [`IndexError::Moved`] when `base` is no reader of this index.
    fn overlay(&self, base: &dyn Reader) -> Result<Box<dyn Overlay>, IndexError>;

    /// Tells writers that start from now on how many bytes they may keep in memory before they write
    /// them. A hint: there is a least that each one needs.
    fn limit_memory(&self, _bytes: u64) {}

    /// Verifies every byte against its checksum and returns what is damaged, one line each.
    fn verify(&self) -> Result<Vec<String>, IndexError>;
}

/// An index in memory over the last commit of another one, which it shares and does not change. Its
/// readers count and rank as those of one index with the same content.
pub trait Overlay: Store {
    /// Whether what it was made over is exactly what `base` sees.
    fn stands_on(&self, base: &dyn Reader) -> bool;

    /// Makes its content the next commit of the index below. Never waits.
    ///
    /// # Errors
    /// [`IndexError::Busy`] when a writer is at work, above or below, [`IndexError::Moved`] when
    /// somebody committed below since it was made, [`IndexError::Unwritable`] when the folder is.
    fn publish(&self) -> Result<(), IndexError>;
}

/// What a writer is told about a unit.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitUpdate {
    /// Name of the unit.
    pub name: String,
    /// What it looked like when it was read.
    pub stamp: Stamp,
    /// What of it was left out.
    pub skipped: SkipCounts,
    /// Everything that it yields now.
    pub documents: Vec<IndexedDocument>,
}

/// One change of an index, from many threads at once. Dropped without commit, it leaves no trace.
pub trait Writer: Send + Sync {
    /// Replaces whatever the unit had.
    fn replace(&self, unit: UnitUpdate) -> Result<(), IndexError>;

    /// Notes that the unit has the same content under another stamp.
    fn restamp(&self, unit: &str, stamp: Stamp) -> Result<(), IndexError>;

    /// Removes the unit and everything that it yielded.
    fn delete(&self, unit: &str) -> Result<(), IndexError>;

    /// Gives a document of the reader that this writer stands on the vectors of one model, in place
    /// of those that it has of that model. Of a document that is replaced or deleted as well, nothing
    /// is kept.
    fn embed(&self, document: DocumentId, vectors: DocumentVectors) -> Result<(), IndexError>;

    /// Keeps the vectors of these models alone. Without a call, those of all are kept.
    fn keep_models(&self, models: &[&str]) -> Result<(), IndexError>;

    /// Publishes all changes, the stamps and the cursor at once. Killed at any byte before this
    /// returns, the last good state stands.
    fn commit(self: Box<Self>, cursor: &str) -> Result<(), IndexError>;
}

/// Counts of one source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of documents.
    pub documents: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Documents of each reader of a format.
    pub formats: BTreeMap<String, u64>,
    /// Documents of each language.
    pub languages: BTreeMap<String, u64>,
    /// What the units left out.
    pub skipped: SkipCounts,
    /// Documents of which a parser gave up.
    pub fell_back: u64,
    /// Bytes of text that the documents hold.
    pub text_bytes: u64,
}

/// What an index takes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskUsage {
    /// Bytes of all files.
    pub bytes: u64,
    /// Those of them that other indexes hold as well, so that they are there once.
    pub shared: u64,
}

/// An immutable snapshot. A backend knows its own by their type.
pub trait Reader: Any + Send + Sync {
    /// The source that it holds.
    fn source(&self) -> SourceName;

    /// Number that grows with each commit; 0 before the first.
    fn generation(&self) -> u64;

    /// What the source's last scan ended with; `None` before the first commit.
    fn cursor(&self) -> Option<&str>;

    /// The stamp of a unit, if the index has it.
    fn stamp(&self, unit: &str) -> Option<Stamp>;

    /// Whether a unit lies in this folder, given without a slash at its end.
    fn holds_folder(&self, folder: &str) -> bool;

    /// Number of units.
    fn unit_count(&self) -> u64;

    /// Names of all units, in byte order.
    fn units(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// Candidates for a query, at most `limit` documents. Statistics come from all live rows and
    /// are exact: equal for every index with the same content, however it came about.
    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<Matches, IndexError>;

    /// Documents whose chunks are near a vector, at most `limit`. Exact: every chunk is compared.
    fn dense(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<DenseMatches, IndexError>;

    /// How near the chunks of these documents are that the filter lets in, in the order of `ids`;
    /// whoever is in the query's set or not. A document without such chunks, or without vectors, has
    /// none here.
    fn similar(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        ids: &[DocumentId],
    ) -> Result<Vec<Similar>, IndexError>;

    /// The vector of a chunk by one model, of length 1; `None` if it has none.
    fn vector(&self, model: &str, chunk: ChunkId) -> Result<Option<Vec<f32>>, IndexError>;

    /// How much is embedded by one model.
    fn vector_counts(&self, model: &str) -> Result<VectorCounts, IndexError>;

    /// Live documents that a model has not looked at, in the order of their storage, at most `limit`.
    fn unembedded(&self, model: &str, limit: usize) -> Result<Vec<DocumentId>, IndexError>;

    /// The locator of a document, without its row; `None` where the row is nobody's.
    fn locator(&self, id: DocumentId) -> Result<Option<&str>, IndexError>;

    /// Loads documents, in the order of `ids`.
    fn documents(&self, ids: &[DocumentId]) -> Result<Vec<StoredDocument>, IndexError>;

    /// Loads chunks, in the order of `ids`.
    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, IndexError>;

    /// Whether a chunk has a definition of a name, spelled just so.
    fn defines(&self, chunk: ChunkId, name: &str) -> Result<bool, IndexError>;

    /// Loads the outlines of documents, in the order of `ids`; empty where there is none.
    fn outlines(&self, ids: &[DocumentId]) -> Result<Vec<Outline>, IndexError>;

    /// The live rows that hold a term in a field, in the order of their storage, at most `limit`.
    fn holders(&self, field: Field, term: &str, limit: usize) -> Result<Vec<Holder>, IndexError>;

    /// The live rows that hold all of these terms in a field, wherever they stand there, in the order
    /// of their storage. Of no term there are none.
    fn holders_of_all(&self, field: Field, terms: &[String]) -> Result<Vec<Holder>, IndexError>;

    /// Every live document that meets the filter, in byte order of the paths. A filter by the kind
    /// of a definition lets every document pass that may hold one.
    fn listing(&self, filter: &Filter) -> Result<Vec<Listed<'_>>, IndexError>;

    /// Terms of a field's dictionary that start with `prefix`, are accepted and occur in a live row,
    /// in byte order, at most `limit`.
    fn accepted_terms(
        &self,
        field: Field,
        prefix: &str,
        accept: &dyn Fn(&str) -> bool,
        limit: usize,
    ) -> Result<Vec<String>, IndexError>;

    /// Terms of a field's dictionary that start with `prefix` and occur in a live row, in byte
    /// order, at most `limit`.
    fn terms(&self, field: Field, prefix: &str, limit: usize) -> Result<Vec<String>, IndexError> {
        self.accepted_terms(field, prefix, &|_| true, limit)
    }

    /// Terms of a field's dictionary that start with `prefix`, with the number of rows that hold
    /// them, most first and then in byte order, at most `limit`. Fast for any prefix, and therefore
    /// a hint: rows that were deleted may count, and of a very common prefix the end of the alphabet
    /// may be missing.
    fn frequent_terms(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, IndexError>;

    /// Number of live documents (not chunks) that hold the term in the field.
    fn document_frequency(&self, field: Field, term: &str) -> Result<u64, IndexError>;

    /// Counts, made once.
    fn summary(&self) -> &Summary;

    /// What the index takes on disk now: its files are looked at.
    fn disk_usage(&self) -> DiskUsage;
}
