//! The traits that a storage engine implements.
//!
//! A [`Backend`] opens the [`Store`] of one source. The store hands out [`Reader`]s, which are
//! immutable snapshots, and [`Writer`]s, which change the index in one atomic commit. An engine
//! that can keep changes in memory also offers an [`Overlay`]; one that keeps its indexes in the
//! cache folder also offers an [`IndexCache`].

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use lore_schema::{Field, Filter, Outline, SkipCounts, SourceName, Stamp};

use crate::{
    ChunkId, ChunkedContent, DenseMatches, DenseQuery, DocumentId, DocumentVectors, Holder,
    IndexCache, IndexError, IndexLocation, IndexVersion, IndexedDocument, LexicalQuery, Listed,
    Matches, Similar, StoredChunk, StoredDocument, VectorCounts, cache::NoCache,
};

/// A storage engine.
pub trait Backend: fmt::Debug + Send + Sync {
    /// Name in settings.
    fn name(&self) -> &'static str;

    /// Version number of the format that it writes. Indexes of different formats are stored apart.
    fn format(&self) -> u32;

    /// Opens the index of one source. `fingerprint` names the text analysis that its terms come
    /// from. Creates and writes nothing.
    ///
    /// # Errors
    /// [`IndexError::Incompatible`] and [`IndexError::Damaged`] if the index has to be rebuilt.
    fn open(
        &self,
        source: SourceName,
        location: &IndexLocation,
        fingerprint: &str,
    ) -> Result<Box<dyn Store>, IndexError>;

    /// Opens the index of one source for a caller that may write. An index that cannot be opened is
    /// erased if [`Backend::erases`] says so, and the reason is reported in [`Opened::erased`]. With
    /// `rebuild`, an index that has content is erased in any case.
    ///
    /// # Errors
    /// An error if the index cannot be erased, or cannot be opened even then; [`IndexError::Busy`]
    /// while another process writes it.
    fn open_or_rebuild(
        &self,
        source: SourceName,
        location: &IndexLocation,
        fingerprint: &str,
        rebuild: bool,
    ) -> Result<Opened, IndexError> {
        let open = || {
            let store = self.open(source, location, fingerprint)?;
            let reader = store.reader()?;
            Ok((store, reader))
        };
        let erased = match open() {
            Ok((store, reader)) if !rebuild || reader.generation() == 0 => {
                return Ok(Opened { store, reader, erased: None });
            }
            Ok(_) => None,
            Err(error) if self.erases(&error, rebuild) => Some(error),
            Err(error) => return Err(error),
        };
        self.erase(location)?;
        let (store, reader) = open()?;
        Ok(Opened { store, reader, erased })
    }

    /// Returns true if an index that cannot be opened because of this error is erased. The default erases
    /// it in any case: an index on this machine is made again from the files.
    fn erases(&self, error: &IndexError, rebuild: bool) -> bool {
        let _ = (error, rebuild);
        true
    }

    /// Removes the content of an index, for a rebuild.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while another process writes it.
    fn erase(&self, location: &IndexLocation) -> Result<(), IndexError>;

    /// Returns true if the engine stores the texts of documents, so that they can be read without their
    /// files ([`Reader::texts`]). The default is false.
    fn stores_texts(&self) -> bool {
        false
    }

    /// Drops what the engine keeps in memory of indexes that were opened. Readers stay valid. The default
    /// keeps nothing.
    fn release(&self) {}

    /// Records that a read failed with this error, which opening did not detect. Returns true if
    /// the next call of [`Backend::open`] verifies that index completely, so that a retry makes
    /// sense.
    fn distrust(&self, damage: &IndexError) -> bool {
        let _ = damage;
        false
    }

    /// Management of the cached indexes. The default has none.
    fn cache(&self) -> &dyn IndexCache {
        &NoCache
    }
}

/// Backends are equal if they have the same name.
impl PartialEq for dyn Backend {
    fn eq(&self, other: &dyn Backend) -> bool {
        self.name() == other.name()
    }
}

/// An open index with its last state.
pub struct Opened {
    /// The index.
    pub store: Box<dyn Store>,
    /// Its last state.
    pub reader: Box<dyn Reader>,
    /// The reason for erasing it before it was opened; `None` if it was not erased, or only because
    /// the caller requested it.
    pub erased: Option<IndexError>,
}

/// The index of one source.
pub trait Store: Send + Sync {
    /// Opens the last committed state. An index without commits has an empty reader.
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError>;

    /// Starts a change on top of exactly the version `base`. Never waits.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while another writer is active, [`IndexError::Moved`] when there was a
    /// commit after `base`, [`IndexError::Unwritable`] when the location cannot be written.
    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError>;

    /// Opens an overlay: a store that starts as the version `base` and keeps all changes in memory.
    /// Takes no lock, even while there is a writer. `None` if the engine has no overlays; the
    /// caller then writes changes at once.
    ///
    /// # Errors
    /// [`IndexError::Moved`] when `base` is not the last version of this index.
    fn overlay(&self, base: IndexVersion) -> Result<Option<Box<dyn Overlay>>, IndexError> {
        let _ = base;
        Ok(None)
    }

    /// Sets how many bytes each writer that starts from now on may keep in memory before it writes
    /// them. A hint: each writer has a minimum that it needs.
    fn limit_memory(&self, _bytes: u64) {}

    /// Verifies every byte against its checksum. Returns one line for each damaged file.
    fn verify(&self) -> Result<Vec<String>, IndexError>;
}

/// An index in memory on top of the last commit of another one, which it shares and never changes.
/// Its readers count and rank exactly as those of one index with the same content.
pub trait Overlay: Store {
    /// Returns true if the overlay is on top of exactly this version.
    fn is_over(&self, base: IndexVersion) -> bool;

    /// Commits its content to the index below. Never waits.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while a writer of the overlay or of the index below is active,
    /// [`IndexError::Moved`] when there was a commit below since the overlay was opened,
    /// [`IndexError::Unwritable`] when the location cannot be written.
    fn publish(&self) -> Result<(), IndexError>;
}

/// The new content of a unit.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitUpdate {
    /// Name of the unit.
    pub name: String,
    /// Stamp of the unit when it was read.
    pub stamp: Stamp,
    /// Counts of what was skipped in it.
    pub skipped: SkipCounts,
    /// All its documents.
    pub documents: Vec<IndexedDocument>,
}

/// A change of an index, made by any number of threads. A writer that is dropped without a commit
/// leaves no trace.
pub trait Writer: Send + Sync {
    /// Replaces the content of a unit.
    fn replace(&self, unit: UnitUpdate) -> Result<(), IndexError>;

    /// Restores a unit with the content of this stamp, in place of the content that it has now.
    /// Returns false, and changes nothing, if the base version cannot restore it
    /// ([`Reader::can_restore`]) or this writer has changed it.
    fn restore(&self, unit: &str, stamp: Stamp) -> Result<bool, IndexError> {
        let _ = (unit, stamp);
        Ok(false)
    }

    /// Records a new stamp for a unit with unchanged content.
    fn restamp(&self, unit: &str, stamp: Stamp) -> Result<(), IndexError>;

    /// Removes a unit with all its documents.
    fn delete(&self, unit: &str) -> Result<(), IndexError>;

    /// Sets the vectors of one model for a document of the base version, in place of those it has
    /// of that model. They are dropped if this writer also replaces or deletes the document.
    fn embed(&self, document: DocumentId, vectors: DocumentVectors) -> Result<(), IndexError>;

    /// Keeps only the vectors of these models. Without a call, those of all models are kept.
    fn keep_models(&self, models: &[&str]) -> Result<(), IndexError>;

    /// Makes the commit remove everything that is not live from the files of the index: what this
    /// change replaces and deletes, and what earlier ones left, such as units that can be restored.
    /// A commit that cannot do that fails. The default is for engines that keep nothing.
    fn purge(&self) {}

    /// Publishes the units that were replaced or deleted so far, so that they are kept if the
    /// process is killed, and continues on top of them. The cursor stays as it was. Until
    /// [`Writer::commit`], readers see a partial index: other units are as before. Documents of the
    /// base version can no longer be embedded. The default keeps all changes for the commit.
    fn commit_part(&self) -> Result<(), IndexError> {
        Ok(())
    }

    /// Publishes all changes, the stamps and the cursor at once. If the process is killed before
    /// this returns, the index has either the old or the new state.
    fn commit(self: Box<Self>, cursor: &str) -> Result<(), IndexError>;
}

/// Counts of one source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of documents.
    pub documents: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Number of documents by format.
    pub formats: BTreeMap<String, u64>,
    /// Number of documents by language.
    pub languages: BTreeMap<String, u64>,
    /// Counts of what was skipped in the units.
    pub skipped: SkipCounts,
    /// Number of documents whose parser gave up.
    pub fell_back: u64,
    /// Size of the texts of all documents in bytes.
    pub text_bytes: u64,
}

/// The size of an index on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskUsage {
    /// Size of all files in bytes.
    pub bytes: u64,
    /// Part of it that is shared with other indexes, so that it is on disk once.
    pub shared: u64,
}

/// A prefix of terms, and a function that accepts some of them.
pub type AcceptedPrefix<'a> = (String, &'a dyn Fn(&str) -> bool);

/// An immutable snapshot of an index.
pub trait Reader: Send + Sync {
    /// The source of its documents.
    fn source(&self) -> SourceName;

    /// Identity of the state that it reads.
    fn version(&self) -> IndexVersion;

    /// Number that grows with each commit; 0 before the first.
    fn generation(&self) -> u64 {
        self.version().generation
    }

    /// Cursor of the last commit, where the source's last scan ended; `None` before the first
    /// commit.
    fn cursor(&self) -> Option<&str>;

    /// Returns true if the first build of the index was committed in parts and is not finished, so
    /// that units may be missing.
    fn is_partial(&self) -> bool {
        false
    }

    /// Returns true if a killed writer left files beside those of this version. The next writer removes
    /// them.
    fn has_leftovers(&self) -> bool {
        false
    }

    /// Stamp of a unit; `None` if the index does not have the unit.
    fn stamp(&self, unit: &str) -> Option<Stamp>;

    /// Returns true if a writer on top of this version can restore a unit with the content of this
    /// hash, which the index had before ([`Writer::restore`]).
    fn can_restore(&self, unit: &str, content: u64) -> bool {
        let _ = (unit, content);
        false
    }

    /// Returns true if a unit is in this folder, given without a slash at its end.
    fn has_folder(&self, folder: &str) -> bool;

    /// Number of units.
    fn unit_count(&self) -> u64;

    /// Names of all units, in byte order.
    fn units(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// Finds candidates for a query, at most `limit` documents. Statistics cover all live rows and
    /// are exact: equal for all indexes with the same content, whatever their history.
    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<Matches, IndexError>;

    /// Finds documents with chunks similar to a vector, at most `limit`. Exact: every chunk is
    /// compared.
    fn dense(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<DenseMatches, IndexError>;

    /// Computes the similarity of the chunks of these documents that the filter accepts, in the
    /// order of `ids`. The query's own set of documents is ignored. A document without such chunks,
    /// or without vectors, has no chunks in the result.
    fn similar(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        ids: &[DocumentId],
    ) -> Result<Vec<Similar>, IndexError>;

    /// Vector of a chunk by one model, of length 1; `None` if it has none.
    fn vector(&self, model: &str, chunk: ChunkId) -> Result<Option<Vec<f32>>, IndexError>;

    /// Counts of what one model has embedded.
    fn vector_counts(&self, model: &str) -> Result<VectorCounts, IndexError>;

    /// Live documents that a model has not processed, in storage order, at most `limit`.
    fn unembedded(&self, model: &str, limit: usize) -> Result<Vec<DocumentId>, IndexError>;

    /// Locator of a document, without loading its row; `None` if the row is deleted.
    fn locator(&self, id: DocumentId) -> Result<Option<&str>, IndexError>;

    /// A number that depends on the locator of a document alone, but for rare collisions, and so not on
    /// the order in which documents were written; `None` if the row is deleted. Its order is that of a
    /// random sample.
    fn sample_number(&self, id: DocumentId) -> Result<Option<u64>, IndexError> {
        let number = |locator: &str| xxhash_rust::xxh3::xxh3_64(locator.as_bytes());
        Ok(self.locator(id)?.map(number))
    }

    /// Loads documents, in the order of `ids`.
    fn documents(&self, ids: &[DocumentId]) -> Result<Vec<StoredDocument>, IndexError>;

    /// Loads the texts of documents, in the order of `ids`. `None` for one whose text is not stored, which
    /// is the default for all.
    fn texts(&self, ids: &[DocumentId]) -> Result<Vec<Option<String>>, IndexError> {
        Ok(vec![None; ids.len()])
    }

    /// Time of the last commit in seconds since the epoch; `None` if the engine does not record it.
    fn written(&self) -> Option<i64> {
        None
    }

    /// Loads chunks, in the order of `ids`.
    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, IndexError>;

    /// Finds a document by the content hash of its unit, which has no other documents. Its name may
    /// be any; of several, the result is one of them.
    fn by_content(&self, content: u64) -> Result<Option<ChunkedContent>, IndexError> {
        let _ = content;
        Ok(None)
    }

    /// Returns true if a chunk defines a name in exactly this spelling.
    fn defines(&self, chunk: ChunkId, name: &str) -> Result<bool, IndexError>;

    /// Loads the outlines of documents, in the order of `ids`; empty for a document without one.
    fn outlines(&self, ids: &[DocumentId]) -> Result<Vec<Outline>, IndexError>;

    /// Live rows that contain a term in a field, in storage order, at most `limit`.
    fn holders(&self, field: Field, term: &str, limit: usize) -> Result<Vec<Holder>, IndexError>;

    /// Announces that the rows with each of these terms are looked up next, with [`Reader::holders`] and
    /// this limit. A distant engine finds all of them at once; the default does nothing.
    fn announce(&self, terms: &[(Field, String)], limit: usize) -> Result<(), IndexError> {
        let _ = (terms, limit);
        Ok(())
    }

    /// Returns true if each lookup waits for another machine, so that lookups in several sources are made at
    /// the same time.
    fn is_distant(&self) -> bool {
        false
    }

    /// Live documents with a row that contains a term in a field, in storage order.
    fn documents_with(&self, field: Field, term: &str) -> Result<Vec<DocumentId>, IndexError> {
        let holders = self.holders(field, term, usize::MAX)?;
        let mut documents: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        // Rows of a document are adjacent.
        documents.dedup();
        Ok(documents)
    }

    /// Announces that the rows with all terms of each of these lists are looked up next, with
    /// [`Reader::holders_of_all`]. The default does nothing.
    fn announce_all(&self, lists: &[(Field, Vec<String>)]) -> Result<(), IndexError> {
        let _ = lists;
        Ok(())
    }

    /// Announces that the document frequencies of these terms are read next. The default does nothing.
    fn announce_frequencies(&self, terms: &[(Field, String)]) -> Result<(), IndexError> {
        let _ = terms;
        Ok(())
    }

    /// Announces that the terms with each of these prefixes, which its function accepts, are looked up next
    /// in each of these fields, with [`Reader::accepted_terms`]. The default does nothing.
    fn announce_terms(
        &self,
        fields: &[Field],
        prefixes: &[AcceptedPrefix<'_>],
    ) -> Result<(), IndexError> {
        let _ = (fields, prefixes);
        Ok(())
    }

    /// Announces that [`Reader::similar`] is called next for parts of these documents, with this query. The
    /// default does nothing.
    fn announce_similar(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        ids: &[DocumentId],
    ) -> Result<(), IndexError> {
        let _ = (query, filter, ids);
        Ok(())
    }

    /// Live rows that contain all of these terms in a field, in any order and at any distance, in
    /// storage order. Without terms the result is empty.
    fn holders_of_all(&self, field: Field, terms: &[String]) -> Result<Vec<Holder>, IndexError>;

    /// Live documents that the filter accepts, in byte order of the paths. A filter by the kind of
    /// a definition accepts every document that may have such a definition.
    fn listing(&self, filter: &Filter) -> Result<Vec<Listed<'_>>, IndexError>;

    /// The same, of these documents only. The default searches them in the whole listing.
    fn listing_of(
        &self,
        ids: &[DocumentId],
        filter: &Filter,
    ) -> Result<Vec<Listed<'_>>, IndexError> {
        let ids: BTreeSet<DocumentId> = ids.iter().copied().collect();
        let listing = self.listing(filter)?.into_iter();
        Ok(listing.filter(|listed| ids.contains(&listed.id)).collect())
    }

    /// Terms of a field's dictionary that start with `prefix`, are accepted by `accept` and occur
    /// in a live row, in byte order, at most `limit`.
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

    /// Terms of a field's dictionary that start with `prefix`, with the number of rows that contain
    /// them, most frequent first and then in byte order, at most `limit`. Fast for any prefix and
    /// therefore a hint: deleted rows may count, and for a very common prefix terms late in the
    /// alphabet may be missing.
    fn frequent_terms(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, IndexError>;

    /// Number of live documents (not chunks) that contain the term in the field.
    fn document_frequency(&self, field: Field, term: &str) -> Result<u64, IndexError>;

    /// Counts of the source, computed on the first call.
    fn summary(&self) -> &Summary;

    /// Current size of the index on disk, from the metadata of its files.
    fn disk_usage(&self) -> DiskUsage;
}
