//! Dense retrieval: compares a query vector with the vector of every chunk.
//!
//! The state lists the rows of every live document, so that deleted documents are never compared.
//! The filter is applied before the comparison, so that rejected documents never enter the
//! selection.

use std::{iter::once, ops::Range, panic::resume_unwind, thread::Builder};

use lore_schema::Filter;
use tantivy::{TantivyError, columnar::Column};

use super::{
    filter::{Acceptance, DocumentFilter},
    kernel::Kernel,
    layout::numbers,
    quantise::{Probe, row_parts, vector as row_vector},
    record::{EmbeddingRecord, RowRange},
    row_number::{row_number, segment_and_row},
    schema::SYMBOL_KIND,
    segment_filter::SourceFilter,
    snapshot::{DocumentAddress, Snapshot},
    state::Embeddings,
    top_k::{Scored, TopK},
};
use crate::{
    ChunkId, ChunkSimilarity, DenseMatches, DenseQuery, DocumentId, Similar, VectorCounts,
};

/// A query, prepared for the rows of its model.
#[derive(Clone)]
struct Scan<'a> {
    snapshot: &'a Snapshot,
    embeddings: Embeddings,
    probe: Probe,
    kernel: Kernel,
    min_similarity: f32,
    /// Buffer for the dot products of the current document.
    sums: Vec<i32>,
}

/// A document that may become a candidate.
#[derive(Debug, Clone, Copy)]
struct Selected {
    similarity: f32,
    document: u32,
}

impl<'a> Scan<'a> {
    /// Prepares a query; `None` if no chunk can match.
    fn new(snapshot: &'a Snapshot, query: &DenseQuery) -> Option<Scan<'a>> {
        let model = model(snapshot, &query.model)?;
        Some(Scan {
            snapshot,
            embeddings: snapshot.state.embeddings(model),
            probe: Probe::new(&query.vector)?,
            kernel: Kernel::detect(),
            min_similarity: query.min_similarity.unwrap_or(f32::NEG_INFINITY),
            sums: Vec::new(),
        })
    }

    /// Calls `found` with ordinal and similarity of each accepted chunk of a document that has the
    /// minimum similarity, in text order.
    fn similarities(
        &mut self,
        rows: RowRange,
        accepts: impl Fn(usize) -> bool,
        mut found: impl FnMut(usize, f32),
    ) -> tantivy::Result<()> {
        let file = self.snapshot.state.vector_files().get(rows.file as usize);
        let Some(file) = file.filter(|file| file.dimension as usize == self.probe.components.len())
        else {
            return Ok(());
        };
        let bytes = rows_of(self.snapshot, rows)?;
        self.sums.clear();
        self.sums.resize(rows.count as usize, 0);
        self.kernel.sums(bytes, &self.probe.components, &mut self.sums);
        let rows = bytes.chunks_exact(file.row_bytes());
        for (ordinal, (row, sum)) in rows.zip(&self.sums).enumerate() {
            let scale = row_parts(row).map_or(0.0, |(_, scale)| scale);
            if scale > 0.0 && accepts(ordinal) {
                let similarity = self.probe.similarity(*sum, scale);
                if similarity >= self.min_similarity {
                    found(ordinal, similarity);
                }
            }
        }
        Ok(())
    }
}

/// Answers a query.
pub(super) fn search(
    snapshot: &Snapshot,
    query: &DenseQuery,
    filter: &Filter,
    limit: usize,
) -> tantivy::Result<DenseMatches> {
    let mut matches = DenseMatches::default();
    let Some(mut scan) = Scan::new(snapshot, query) else { return Ok(matches) };
    let source_filter = SourceFilter::new(snapshot, filter);
    if matches!(source_filter, SourceFilter::None) || query.within.is_none() {
        return Ok(matches);
    }
    let chunk_filter = ChunkFilter::new(snapshot, &source_filter)?;
    let embeddings = scan.embeddings.clone();
    let count = embeddings.records.len();
    let share = count.div_ceil(query.threads.max(1)).max(1);
    if share < count && (!query.within.is_all() || matches!(source_filter, SourceFilter::Some(_))) {
        // Computed once here, not by each thread.
        snapshot.addresses()?;
    }
    let best = std::thread::scope(|scope| {
        let chunk_filter = &chunk_filter;
        let (mut others, mut left) = (Vec::new(), Vec::new());
        for start in (share..count).step_by(share) {
            let range = start..count.min(start + share);
            let (mut scan, part) = (scan.clone(), range.clone());
            let work = move || compare(&mut scan, query, chunk_filter, part, limit);
            // If no thread can be started, this one does the work.
            match Builder::new().spawn_scoped(scope, work) {
                Ok(other) => others.push(other),
                Err(_) => left.push(range),
            }
        }
        let mut best = TopK::new(limit);
        let mut add = |(found, total): (TopK<Selected>, u64)| {
            found.into_kept().into_iter().for_each(|selected| best.push(selected));
            matches.total += total;
        };
        for range in once(0..count.min(share)).chain(left) {
            add(compare(&mut scan, query, chunk_filter, range, limit)?);
        }
        for other in others {
            add(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok::<_, TantivyError>(best)
    })?;
    let best: Vec<u32> =
        ranked(best, limit, snapshot).into_iter().map(|selected| selected.document).collect();
    for (document, address) in best.iter().zip(snapshot.addresses_of(&best)?) {
        let Some(chunks) = chunk_filter.accepts(*document, Some(address))? else { continue };
        let rows = embeddings.of(*document).and_then(|record| record.rows);
        let chunk = |ordinal: usize| chunks.accepts(ordinal);
        let similar = best_chunks(&mut scan, rows, address, chunk, query.chunks_per_document)?;
        matches.candidates.push(similar);
    }
    Ok(matches)
}

/// Compares a range of records. Returns the best documents and the number of documents with the
/// minimum similarity.
fn compare(
    scan: &mut Scan<'_>,
    query: &DenseQuery,
    chunk_filter: &ChunkFilter<'_>,
    range: Range<usize>,
    limit: usize,
) -> tantivy::Result<(TopK<Selected>, u64)> {
    let snapshot = scan.snapshot;
    let (mut best, mut total) = (TopK::new(limit), 0);
    let records = scan.embeddings.records.range(range);
    for EmbeddingRecord { document, rows, .. } in records.iter() {
        let Some(rows) = rows else { break };
        if !query.within.is_all() {
            let address = snapshot.addresses()?.get(document as usize).ok_or_else(unknown)?;
            if !query.within.contains(document_id(snapshot, *address)?) {
                continue;
            }
        }
        let Some(chunks) = chunk_filter.accepts(document, None)? else { continue };
        let mut nearest = f32::NEG_INFINITY;
        let chunk = |ordinal: usize| chunks.accepts(ordinal);
        scan.similarities(rows, chunk, |_, similarity| nearest = nearest.max(similarity))?;
        if nearest > f32::NEG_INFINITY {
            total += 1;
            best.push(Selected { similarity: nearest, document });
        }
    }
    Ok((best, total))
}

/// Computes the similarity of the accepted chunks of some documents.
pub(super) fn similar(
    snapshot: &Snapshot,
    query: &DenseQuery,
    filter: &Filter,
    ids: &[DocumentId],
) -> tantivy::Result<Vec<Similar>> {
    let source_filter = SourceFilter::new(snapshot, filter);
    let chunk_filter = ChunkFilter::new(snapshot, &source_filter)?;
    let mut scan =
        Scan::new(snapshot, query).filter(|_| !matches!(source_filter, SourceFilter::None));
    let mut all = Vec::with_capacity(ids.len());
    for id in ids {
        let mut similar = Similar { id: *id, chunks: Vec::new() };
        if let Some(scan) = &mut scan
            && let Some((address, document)) = document_at(snapshot, id.number)?
            && let Some(chunks) = chunk_filter.accepts(document, Some(address))?
        {
            let rows = scan.embeddings.of(document).and_then(|record| record.rows);
            let chunk = |ordinal: usize| chunks.accepts(ordinal);
            similar.chunks =
                best_chunks(scan, rows, address, chunk, query.chunks_per_document)?.chunks;
        }
        all.push(similar);
    }
    Ok(all)
}

/// Returns the vector of a chunk.
pub(super) fn vector(
    snapshot: &Snapshot,
    name: &str,
    chunk: ChunkId,
) -> tantivy::Result<Option<Vec<f32>>> {
    let Some(model) = model(snapshot, name) else { return Ok(None) };
    let Some((address, document)) = document_at(snapshot, chunk.number)? else { return Ok(None) };
    let record = snapshot.state.embeddings(model).of(document);
    let Some(rows) = record.and_then(|record| record.rows) else { return Ok(None) };
    let (_, row) = segment_and_row(chunk.number);
    let chunks = chunk_rows(snapshot, address)?;
    if !chunks.contains(&row) {
        return Ok(None);
    }
    let bytes = rows_of(snapshot, rows)?;
    let length = bytes.len() / rows.count.max(1) as usize;
    let row = bytes.chunks_exact(length.max(1)).nth((row - chunks.start) as usize);
    Ok(row.and_then(row_vector))
}

/// Counts what a model has embedded.
pub(super) fn counts(snapshot: &Snapshot, name: &str) -> VectorCounts {
    let all = snapshot.state.totals().documents;
    let position = model(snapshot, name);
    let model = position.map(|position| &snapshot.state.models()[position]);
    let (documents, vectors) = model.map_or((0, 0), |model| (model.documents, model.vectors));
    // Records without rows come last.
    let first = position.and_then(|model| snapshot.state.embeddings(model).records.iter().next());
    let file =
        first.and_then(|record| snapshot.state.vector_files().get(record.rows?.file as usize));
    let dimensions = file.map(|file| file.dimension);
    VectorCounts { documents, missing: all.saturating_sub(documents), vectors, dimensions }
}

/// Finds documents that a model has not processed, in storage order.
pub(super) fn unembedded(
    snapshot: &Snapshot,
    name: &str,
    limit: usize,
) -> tantivy::Result<Vec<DocumentId>> {
    if limit == 0 || counts(snapshot, name).missing == 0 {
        return Ok(Vec::new());
    }
    let mut is_missing = vec![true; snapshot.state.documents().len()];
    if let Some(model) = model(snapshot, name) {
        for record in snapshot.state.embeddings(model).records.iter() {
            if let Some(is_missing) = is_missing.get_mut(record.document as usize) {
                *is_missing = false;
            }
        }
    }
    let numbered = (0_u32..).zip(is_missing);
    let missing: Vec<u32> =
        numbered.filter_map(|(document, is_missing)| is_missing.then_some(document)).collect();
    let mut addresses = snapshot.addresses_of(&missing)?;
    addresses.sort_unstable();
    addresses.truncate(limit);
    addresses.into_iter().map(|address| document_id(snapshot, address)).collect()
}

/// Finds the position of a model.
fn model(snapshot: &Snapshot, name: &str) -> Option<usize> {
    snapshot.state.models().iter().position(|model| model.name == name)
}

/// Returns the bytes of a range of rows.
fn rows_of(snapshot: &Snapshot, rows: RowRange) -> tantivy::Result<&[u8]> {
    let file = snapshot.state.vector_files().get(rows.file as usize).ok_or_else(unknown)?;
    let start = rows.first as usize * file.row_bytes();
    let end = start + rows.count as usize * file.row_bytes();
    let bytes = snapshot.vectors.get(rows.file as usize);
    bytes.and_then(|bytes| bytes.get(start..end)).ok_or_else(unknown)
}

/// Returns the address and the position in the state of the document of a row; `None` if it is
/// deleted.
fn document_at(
    snapshot: &Snapshot,
    number: u64,
) -> tantivy::Result<Option<(DocumentAddress, u32)>> {
    let (segment, row) = segment_and_row(number);
    let Some(reader) = snapshot.segments.get(segment) else { return Ok(None) };
    if reader.reader.alive_bitset().is_some_and(|alive| !alive.is_alive(row)) {
        return Ok(None);
    }
    let layout = reader.layout()?;
    let document = layout.document(row);
    let position = layout.number(document).and_then(|number| snapshot.state.find_document(number));
    let segment = u32::try_from(segment).ok();
    let position = position.and_then(|position| u32::try_from(position).ok());
    Ok(segment
        .zip(position)
        .map(|(segment, position)| (DocumentAddress { segment, document }, position)))
}

/// Returns the rows of a document's chunks.
fn chunk_rows(snapshot: &Snapshot, address: DocumentAddress) -> tantivy::Result<Range<u32>> {
    let segment = snapshot.segments.get(address.segment as usize).ok_or_else(unknown)?;
    Ok(segment.layout()?.chunks(address.document))
}

fn document_id(snapshot: &Snapshot, address: DocumentAddress) -> tantivy::Result<DocumentId> {
    let row = chunk_rows(snapshot, address)?.end;
    let source = snapshot.expected.source;
    Ok(DocumentId { source, number: row_number(address.segment as usize, row) })
}

/// Returns a document with its most similar chunks, at most `limit`.
fn best_chunks(
    scan: &mut Scan<'_>,
    rows: Option<RowRange>,
    address: DocumentAddress,
    accepts: impl Fn(usize) -> bool,
    limit: usize,
) -> tantivy::Result<Similar> {
    let id = document_id(scan.snapshot, address)?;
    let first = chunk_rows(scan.snapshot, address)?.start as usize;
    let mut chunks = Vec::new();
    if let Some(rows) = rows {
        scan.similarities(rows, accepts, |ordinal, similarity| chunks.push((ordinal, similarity)))?;
    }
    chunks.sort_by(|(left_ordinal, left), (right_ordinal, right)| {
        right.total_cmp(left).then(left_ordinal.cmp(right_ordinal))
    });
    chunks.truncate(limit);
    let chunk = |(ordinal, similarity): (usize, f32)| {
        let row = u32::try_from(first + ordinal).ok()?;
        let number = row_number(address.segment as usize, row);
        Some(ChunkSimilarity { id: ChunkId { source: id.source, number }, similarity })
    };
    let chunks = chunks.into_iter().map(chunk).collect::<Option<_>>().ok_or_else(unknown)?;
    Ok(Similar { id, chunks })
}

impl Scored for Selected {
    fn score(&self) -> f32 {
        self.similarity
    }
}

/// Sorts the candidates by descending similarity, then by locator, and keeps `limit` of them.
fn ranked(best: TopK<Selected>, limit: usize, snapshot: &Snapshot) -> Vec<Selected> {
    let state = &snapshot.state;
    let key = |candidate: &Selected| {
        let document = state.documents().get(candidate.document as usize);
        document.map(|document| (state.text(document.locator), state.unit_of(&document)))
    };
    let mut selected = best.into_kept();
    selected.sort_by(|left, right| {
        let falling = right.similarity.total_cmp(&left.similarity);
        falling.then_with(|| key(left).cmp(&key(right)))
    });
    selected.truncate(limit);
    selected
}

/// The documents and chunks of a snapshot that a filter accepts.
struct ChunkFilter<'a> {
    snapshot: &'a Snapshot,
    document_filter: Option<&'a DocumentFilter<'a>>,
    /// Kinds of symbols of each segment's rows, if the filter needs them.
    symbols: Vec<Option<Column<u64>>>,
}

/// The accepted chunks of a document.
enum AcceptedChunks<'a> {
    All,
    Symbols { document_filter: &'a DocumentFilter<'a>, column: Option<&'a Column<u64>>, first: u32 },
}

impl AcceptedChunks<'_> {
    fn accepts(&self, ordinal: usize) -> bool {
        match self {
            AcceptedChunks::All => true,
            AcceptedChunks::Symbols { document_filter, column, first } => {
                let row = u32::try_from(ordinal).ok().and_then(|row| row.checked_add(*first));
                let kinds = row.and_then(|row| column.and_then(|column| column.first(row)));
                kinds.is_some_and(|kinds| document_filter.accepts_symbol(kinds))
            }
        }
    }
}

impl<'a> ChunkFilter<'a> {
    fn new(
        snapshot: &'a Snapshot,
        source_filter: &'a SourceFilter<'a>,
    ) -> tantivy::Result<ChunkFilter<'a>> {
        let document_filter = match source_filter {
            SourceFilter::Some(document_filter) => Some(document_filter),
            SourceFilter::All | SourceFilter::None => None,
        };
        let mut symbols = Vec::new();
        if document_filter.is_some() {
            for segment in &snapshot.segments {
                symbols.push(numbers(&segment.reader, SYMBOL_KIND)?);
            }
        }
        Ok(ChunkFilter { snapshot, document_filter, symbols })
    }

    /// Returns the accepted chunks of a document; `None` if the document is rejected. The address
    /// is looked up if it is not given.
    fn accepts(
        &self,
        document: u32,
        address: Option<DocumentAddress>,
    ) -> tantivy::Result<Option<AcceptedChunks<'_>>> {
        let position = document as usize;
        let Some(document_filter) = self.document_filter else {
            return Ok(Some(AcceptedChunks::All));
        };
        let record = self.snapshot.state.documents().get(position).ok_or_else(unknown)?;
        Ok(match document_filter.record(&record) {
            Acceptance::None => None,
            Acceptance::All => Some(AcceptedChunks::All),
            Acceptance::SomeChunks => {
                let address = match address {
                    Some(address) => address,
                    None => *self.snapshot.addresses()?.get(position).ok_or_else(unknown)?,
                };
                let column = self.symbols.get(address.segment as usize).and_then(Option::as_ref);
                let first = chunk_rows(self.snapshot, address)?.start;
                Some(AcceptedChunks::Symbols { document_filter, column, first })
            }
        })
    }
}

fn unknown() -> TantivyError {
    TantivyError::InternalError("vectors of an unknown document".to_owned())
}
