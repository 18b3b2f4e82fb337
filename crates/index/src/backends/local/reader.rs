//! The reader: answers queries from an immutable snapshot.
//!
//! A query goes through these steps:
//!
//! 1. [`LocalStore::reader`](super::store::LocalStore) shares the last [`Snapshot`], or opens it if
//!    there was another commit. Opening verifies the files ([`snapshot`](super::snapshot)).
//! 2. [`Reader::lexical`] reads posting lists and selects the best documents ([`lexical`]);
//!    [`Reader::dense`] compares vectors ([`dense`]). Both apply the filter first
//!    ([`segment_filter`](super::segment_filter), [`filter`](super::filter)) and return identifiers
//!    with evidence.
//! 3. [`Reader::documents`], [`Reader::chunks`] and [`Reader::outlines`] load stored rows by
//!    identifier: segment and row are in the number ([`segment_and_row`]), tantivy returns the
//!    bytes, and `codec` and `outline` decode them.
//! 4. Lookups by term ([`lookup`], [`dictionary`]) use the same snapshot. Units, stamps and counts
//!    come from its state alone.
//!
//! Every access of files is [`guarded`]: a panic or an error of tantivy becomes an [`IndexError`].

use std::sync::{Arc, OnceLock, atomic::AtomicUsize};

use lore_schema::{Field, Filter, Outline, SourceName, Stamp};
use tantivy::directory::OwnedBytes;

use super::{
    codec::{decode_chunk, decode_document, defines_name},
    dense, dictionary,
    failure::{damaged, guarded, while_reading},
    lexical, lookup,
    outline::decode_outline,
    row::StoredBytes,
    row_number::{row_number, segment_and_row},
    snapshot::{DocumentAddress, Segment, Snapshot},
    writer::has_unnamed_files,
};
use crate::{
    ChunkId, ChunkedContent, DenseMatches, DenseQuery, DiskUsage, DocumentId, Holder, IndexError,
    IndexVersion, LexicalQuery, Listed, Matches, Reader, Similar, StoredChunk, StoredDocument,
    Summary, VectorCounts, backends::frequencies::Frequencies,
};

/// A reader of the local backend.
pub(super) struct LocalReader {
    snapshot: Arc<Snapshot>,
    frequencies: Frequencies,
    /// Counts of all documents, computed once.
    counted: OnceLock<Summary>,
    /// Likely position of the next unit that is looked up.
    next_unit: AtomicUsize,
}

impl LocalReader {
    pub(super) fn new(snapshot: Arc<Snapshot>) -> LocalReader {
        LocalReader {
            snapshot,
            frequencies: Frequencies::new(),
            counted: OnceLock::new(),
            next_unit: AtomicUsize::new(0),
        }
    }

    fn guarded<T>(&self, read: impl FnOnce() -> tantivy::Result<T>) -> Result<T, IndexError> {
        let path = self.snapshot.path();
        guarded(path, || read().map_err(|error| while_reading(path, &error)))
    }

    /// Returns the segment and the row of a number.
    fn row(&self, source: SourceName, number: u64) -> Result<(&Segment, u32), IndexError> {
        let (segment, row) = segment_and_row(number);
        let segment = self.snapshot.segments.get(segment);
        segment
            .filter(|segment| source == self.source() && row < segment.reader.max_doc())
            .map(|segment| (&**segment, row))
            .ok_or_else(|| IndexError::Storage {
                path: self.snapshot.path().to_owned(),
                reason: "the row belongs to another reader".to_owned(),
            })
    }

    /// Checks that these rows exist.
    fn check_rows(
        &self,
        mut ids: impl Iterator<Item = (SourceName, u64)>,
    ) -> Result<(), IndexError> {
        ids.try_for_each(|(source, number)| self.row(source, number).map(drop))
    }

    /// Loads and decodes stored rows.
    fn rows<T>(
        &self,
        ids: impl Iterator<Item = (SourceName, u64)>,
        decode: impl Fn(&StoredBytes<'_>) -> Option<T>,
    ) -> Result<Vec<T>, IndexError> {
        ids.map(|(source, number)| {
            let (segment, row) = self.row(source, number)?;
            let row = self.stored(segment, row)?;
            let stored = StoredBytes::split(&row).and_then(|stored| decode(&stored));
            stored.ok_or_else(|| self.undecodable())
        })
        .collect()
    }

    /// Loads the stored bytes of a row.
    fn stored(&self, segment: &Segment, row: u32) -> Result<OwnedBytes, IndexError> {
        self.guarded(|| segment.store()?.get_document_bytes(row))
    }

    /// Loads the chunks of a document.
    fn chunks_of(&self, id: DocumentId) -> Result<Vec<StoredChunk>, IndexError> {
        let (index, row) = segment_and_row(id.number);
        let (segment, _) = self.row(id.source, id.number)?;
        let rows = self.guarded(|| {
            let layout = segment.layout()?;
            Ok(layout.chunks(layout.document(row)))
        })?;
        let chunk = |row| ChunkId { source: id.source, number: row_number(index, row) };
        self.chunks(&rows.map(chunk).collect::<Vec<_>>())
    }

    fn undecodable(&self) -> IndexError {
        damaged(self.snapshot.path(), "a stored row cannot be decoded")
    }
}

impl Reader for LocalReader {
    fn source(&self) -> SourceName {
        self.snapshot.expected.source
    }

    fn version(&self) -> IndexVersion {
        self.snapshot.version()
    }

    fn cursor(&self) -> Option<&str> {
        self.snapshot.payload.is_some().then(|| self.snapshot.state.cursor())
    }

    fn is_partial(&self) -> bool {
        self.snapshot.is_partial()
    }

    fn has_leftovers(&self) -> bool {
        has_unnamed_files(&self.snapshot)
    }

    fn stamp(&self, unit: &str) -> Option<Stamp> {
        self.snapshot.state.stamp(unit, &self.next_unit)
    }

    fn can_restore(&self, unit: &str, content: u64) -> bool {
        self.snapshot.shelved(unit, content).is_some()
    }

    fn has_folder(&self, folder: &str) -> bool {
        self.snapshot.state.has_folder(folder)
    }

    fn unit_count(&self) -> u64 {
        self.snapshot.state.units().len() as u64
    }

    fn units(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.snapshot.state.unit_names())
    }

    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<Matches, IndexError> {
        self.guarded(|| lexical::search(&self.snapshot, query, filter, limit))
    }

    fn dense(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<DenseMatches, IndexError> {
        self.guarded(|| dense::search(&self.snapshot, query, filter, limit))
    }

    fn similar(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        ids: &[DocumentId],
    ) -> Result<Vec<Similar>, IndexError> {
        self.check_rows(ids.iter().map(|id| (id.source, id.number)))?;
        self.guarded(|| dense::similar(&self.snapshot, query, filter, ids))
    }

    fn vector(&self, model: &str, chunk: ChunkId) -> Result<Option<Vec<f32>>, IndexError> {
        self.check_rows([(chunk.source, chunk.number)].into_iter())?;
        self.guarded(|| dense::vector(&self.snapshot, model, chunk))
    }

    fn vector_counts(&self, model: &str) -> Result<VectorCounts, IndexError> {
        Ok(dense::counts(&self.snapshot, model))
    }

    fn unembedded(&self, model: &str, limit: usize) -> Result<Vec<DocumentId>, IndexError> {
        self.guarded(|| dense::unembedded(&self.snapshot, model, limit))
    }

    fn locator(&self, id: DocumentId) -> Result<Option<&str>, IndexError> {
        let (segment, row) = self.row(id.source, id.number)?;
        let layout = self.guarded(|| segment.layout())?;
        let state = &self.snapshot.state;
        let document = layout.number(layout.document(row)).and_then(|it| state.document(it));
        Ok(document.map(|document| state.text(document.locator)))
    }

    fn sample_number(&self, id: DocumentId) -> Result<Option<u64>, IndexError> {
        let (segment, row) = self.row(id.source, id.number)?;
        let layout = self.guarded(|| segment.layout())?;
        // Documents are numbered by the hash of their locator.
        Ok(layout.number(layout.document(row)))
    }

    fn documents(&self, ids: &[DocumentId]) -> Result<Vec<StoredDocument>, IndexError> {
        let source = self.source();
        self.rows(ids.iter().map(|id| (id.source, id.number)), |stored| {
            decode_document(source, stored.own)
        })
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, IndexError> {
        self.rows(ids.iter().map(|id| (id.source, id.number)), |stored| decode_chunk(stored.own))
    }

    fn by_content(&self, content: u64) -> Result<Option<ChunkedContent>, IndexError> {
        let Some(position) = self.snapshot.by_content(content) else { return Ok(None) };
        let addresses = self.guarded(|| self.snapshot.addresses_of(&[position]))?;
        let Some(DocumentAddress { segment, document }) = addresses.first().copied() else {
            return Ok(None);
        };
        let row = self.guarded(|| {
            let segment = self.snapshot.segments.get(segment as usize);
            segment.map(|segment| Ok(segment.layout()?.own_row(document))).transpose()
        })?;
        let Some(row) = row else { return Ok(None) };
        let id = DocumentId { source: self.source(), number: row_number(segment as usize, row) };
        let bytes = {
            let (segment, row) = self.row(id.source, id.number)?;
            self.stored(segment, row)?
        };
        let stored = StoredBytes::split(&bytes).ok_or_else(|| self.undecodable())?;
        let document = decode_document(id.source, stored.own);
        let chunks = self.chunks_of(id)?;
        let outline = match stored.outline {
            Some(outline) => decode_outline(outline, || Ok::<_, IndexError>(chunks.clone()))?,
            None => Some(Outline::default()),
        };
        let (document, outline) = document.zip(outline).ok_or_else(|| self.undecodable())?;
        Ok(Some(ChunkedContent { document, chunks, outline }))
    }

    fn defines(&self, chunk: ChunkId, name: &str) -> Result<bool, IndexError> {
        let ids = [(chunk.source, chunk.number)].into_iter();
        let found = self.rows(ids, |stored| defines_name(stored.own, name))?;
        Ok(found.contains(&true))
    }

    fn outlines(&self, ids: &[DocumentId]) -> Result<Vec<Outline>, IndexError> {
        let outline = |id: &DocumentId| {
            let (segment, row) = self.row(id.source, id.number)?;
            let bytes = self.stored(segment, row)?;
            let stored = StoredBytes::split(&bytes).ok_or_else(|| self.undecodable())?;
            let Some(outline) = stored.outline else { return Ok(Outline::default()) };
            let outline = decode_outline(outline, || self.chunks_of(*id))?;
            outline.ok_or_else(|| self.undecodable())
        };
        ids.iter().map(outline).collect()
    }

    fn holders(&self, field: Field, term: &str, limit: usize) -> Result<Vec<Holder>, IndexError> {
        self.guarded(|| lookup::holders(&self.snapshot, field, term, limit))
    }

    fn holders_of_all(&self, field: Field, terms: &[String]) -> Result<Vec<Holder>, IndexError> {
        self.guarded(|| lookup::holders_of_all(&self.snapshot, field, terms))
    }

    fn listing(&self, filter: &Filter) -> Result<Vec<Listed<'_>>, IndexError> {
        self.guarded(|| lookup::listing(&self.snapshot, filter))
    }

    fn listing_of(
        &self,
        ids: &[DocumentId],
        filter: &Filter,
    ) -> Result<Vec<Listed<'_>>, IndexError> {
        self.guarded(|| lookup::listing_of(&self.snapshot, ids, filter))
    }

    fn accepted_terms(
        &self,
        field: Field,
        prefix: &str,
        accept: &dyn Fn(&str) -> bool,
        limit: usize,
    ) -> Result<Vec<String>, IndexError> {
        self.guarded(|| dictionary::terms(&self.snapshot, field, prefix, accept, limit))
    }

    fn frequent_terms(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, IndexError> {
        self.guarded(|| dictionary::frequent_terms(&self.snapshot, field, prefix, limit))
    }

    fn document_frequency(&self, field: Field, term: &str) -> Result<u64, IndexError> {
        self.frequencies.get(field, term, || {
            self.guarded(|| dictionary::document_frequency(&self.snapshot, field, term))
        })
    }

    fn summary(&self) -> &Summary {
        self.counted.get_or_init(|| self.count())
    }

    fn disk_usage(&self) -> DiskUsage {
        self.snapshot.storage.disk_usage()
    }
}

impl LocalReader {
    /// Counts all documents.
    fn count(&self) -> Summary {
        let state = &self.snapshot.state;
        let mut summary = Summary {
            documents: state.totals().documents,
            chunks: state.totals().chunks,
            skipped: state.skipped(),
            ..Summary::default()
        };
        let mut formats = vec![0; state.labels().len()];
        let mut languages = formats.clone();
        let count = |counts: &mut Vec<u64>, label: u32| {
            if let Some(count) = counts.get_mut(label as usize) {
                *count += 1;
            }
        };
        for document in state.documents().iter() {
            count(&mut formats, document.format);
            if let Some(language) = document.language {
                count(&mut languages, language);
            }
            summary.fell_back += u64::from(document.fell_back);
            summary.text_bytes += document.bytes;
        }
        let named = |counts: Vec<u64>| {
            let labels = state.labels().iter().cloned();
            labels.zip(counts).filter(|(_, count)| *count > 0).collect()
        };
        summary.formats = named(formats);
        summary.languages = named(languages);
        summary
    }
}
