//! Chunks that are near a vector: every one is compared.
//!
//! The state knows the rows of every live document, so that what is gone is not seen; and who is
//! let in is decided before the comparison, so that nobody takes a place that he has to give back.

use std::{iter::once, ops::Range, panic::resume_unwind, thread::Builder};

use lore_schema::Filter;
use tantivy::{TantivyError, columnar::Column};

use super::{
    best::{Best, Scored},
    filter::{Judge, Verdict},
    gate::Gate,
    kernel::Kernel,
    layout::numbers,
    lexical::{row_number, segment_and_row},
    quantise::{Probe, row_parts, vector as row_vector},
    record::{EmbeddingRecord, RowRange},
    schema::SYMBOL_KIND,
    snapshot::{DocumentPlace, Snapshot},
    state::Embeddings,
};
use crate::{
    ChunkId, ChunkSimilarity, DenseMatches, DenseQuery, DocumentId, Similar, VectorCounts,
};

/// A model's rows and what they are compared with.
#[derive(Clone)]
struct Scan<'a> {
    snapshot: &'a Snapshot,
    embeddings: Embeddings,
    probe: Probe,
    kernel: Kernel,
    least: f32,
    /// Sums of the document that is looked at.
    sums: Vec<i32>,
}

/// A document that may become a candidate.
#[derive(Debug, Clone, Copy)]
struct Selected {
    similarity: f32,
    document: u32,
}

impl<'a> Scan<'a> {
    /// `None` if nothing can be near.
    fn new(snapshot: &'a Snapshot, query: &DenseQuery) -> Option<Scan<'a>> {
        let model = model(snapshot, &query.model)?;
        Some(Scan {
            snapshot,
            embeddings: snapshot.state.embeddings(model),
            probe: Probe::new(&query.vector)?,
            kernel: Kernel::detect(),
            least: query.least.unwrap_or(f32::NEG_INFINITY),
            sums: Vec::new(),
        })
    }

    /// Similarities of the chunks of a document that are near enough, in text order, with their
    /// ordinals.
    fn near(
        &mut self,
        rows: RowRange,
        admits: impl Fn(usize) -> bool,
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
            if scale > 0.0 && admits(ordinal) {
                let similarity = self.probe.similarity(*sum, scale);
                if similarity >= self.least {
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
    let gate = Gate::new(snapshot, filter);
    if matches!(gate, Gate::Closed) || query.within.is_none() {
        return Ok(matches);
    }
    let door = Door::new(snapshot, &gate)?;
    let embeddings = scan.embeddings.clone();
    let count = embeddings.records.len();
    let share = count.div_ceil(query.threads.max(1)).max(1);
    if share < count && (!query.within.is_all() || matches!(gate, Gate::Judged(_))) {
        // Looked up once, not by each thread.
        snapshot.places()?;
    }
    let best = std::thread::scope(|scope| {
        let door = &door;
        let (mut others, mut left) = (Vec::new(), Vec::new());
        for start in (share..count).step_by(share) {
            let range = start..count.min(start + share);
            let (mut scan, part) = (scan.clone(), range.clone());
            let work = move || compare(&mut scan, query, door, part, limit);
            // Where the system gives no thread, this one does the work.
            match Builder::new().spawn_scoped(scope, work) {
                Ok(other) => others.push(other),
                Err(_) => left.push(range),
            }
        }
        let mut best = Best::new(limit);
        let mut add = |(found, total): (Best<Selected>, u64)| {
            found.into_kept().into_iter().for_each(|selected| best.offer(selected));
            matches.total += total;
        };
        for range in once(0..count.min(share)).chain(left) {
            add(compare(&mut scan, query, door, range, limit)?);
        }
        for other in others {
            add(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok::<_, TantivyError>(best)
    })?;
    let best: Vec<u32> =
        ranked(best, limit, snapshot).into_iter().map(|selected| selected.document).collect();
    for (document, place) in best.iter().zip(snapshot.places_of(&best)?) {
        let Some(chunks) = door.admits(*document, Some(place))? else { continue };
        let rows = embeddings.of(*document).and_then(|record| record.rows);
        let chunk = |ordinal: usize| chunks.admits(ordinal);
        let similar = nearest(&mut scan, rows, place, chunk, query.chunks_per_document)?;
        matches.candidates.push(similar);
    }
    Ok(matches)
}

/// The best of a range of records, and how many documents of it are near enough.
fn compare(
    scan: &mut Scan<'_>,
    query: &DenseQuery,
    door: &Door<'_>,
    range: Range<usize>,
    limit: usize,
) -> tantivy::Result<(Best<Selected>, u64)> {
    let snapshot = scan.snapshot;
    let (mut best, mut total) = (Best::new(limit), 0);
    let records = scan.embeddings.records.range(range);
    for EmbeddingRecord { document, rows, .. } in records.iter() {
        let Some(rows) = rows else { break };
        if !query.within.is_all() {
            let place = snapshot.places()?.get(document as usize).ok_or_else(unknown)?;
            if !query.within.contains(document_id(snapshot, *place)?) {
                continue;
            }
        }
        let Some(chunks) = door.admits(document, None)? else { continue };
        let mut nearest = f32::NEG_INFINITY;
        let chunk = |ordinal: usize| chunks.admits(ordinal);
        scan.near(rows, chunk, |_, similarity| nearest = nearest.max(similarity))?;
        if nearest > f32::NEG_INFINITY {
            total += 1;
            best.offer(Selected { similarity: nearest, document });
        }
    }
    Ok((best, total))
}

/// How near the chunks of some documents are that a filter lets in.
pub(super) fn similar(
    snapshot: &Snapshot,
    query: &DenseQuery,
    filter: &Filter,
    ids: &[DocumentId],
) -> tantivy::Result<Vec<Similar>> {
    let gate = Gate::new(snapshot, filter);
    let door = Door::new(snapshot, &gate)?;
    let mut scan = Scan::new(snapshot, query).filter(|_| !matches!(gate, Gate::Closed));
    let mut all = Vec::with_capacity(ids.len());
    for id in ids {
        let mut similar = Similar { id: *id, chunks: Vec::new() };
        if let Some(scan) = &mut scan
            && let Some((place, document)) = document_at(snapshot, id.number)?
            && let Some(chunks) = door.admits(document, Some(place))?
        {
            let rows = scan.embeddings.of(document).and_then(|record| record.rows);
            let chunk = |ordinal: usize| chunks.admits(ordinal);
            similar.chunks = nearest(scan, rows, place, chunk, query.chunks_per_document)?.chunks;
        }
        all.push(similar);
    }
    Ok(all)
}

/// The vector of a chunk.
pub(super) fn vector(
    snapshot: &Snapshot,
    name: &str,
    chunk: ChunkId,
) -> tantivy::Result<Option<Vec<f32>>> {
    let Some(model) = model(snapshot, name) else { return Ok(None) };
    let Some((place, document)) = document_at(snapshot, chunk.number)? else { return Ok(None) };
    let record = snapshot.state.embeddings(model).of(document);
    let Some(rows) = record.and_then(|record| record.rows) else { return Ok(None) };
    let (_, row) = segment_and_row(chunk.number);
    let chunks = chunk_rows(snapshot, place)?;
    if !chunks.contains(&row) {
        return Ok(None);
    }
    let bytes = rows_of(snapshot, rows)?;
    let length = bytes.len() / rows.count.max(1) as usize;
    let row = bytes.chunks_exact(length.max(1)).nth((row - chunks.start) as usize);
    Ok(row.and_then(row_vector))
}

/// How much is embedded by a model.
pub(super) fn counts(snapshot: &Snapshot, name: &str) -> VectorCounts {
    let all = snapshot.state.totals().documents;
    let position = model(snapshot, name);
    let model = position.map(|position| &snapshot.state.models()[position]);
    let (documents, vectors) = model.map_or((0, 0), |model| (model.documents, model.vectors));
    // Those without rows come last.
    let first = position.and_then(|model| snapshot.state.embeddings(model).records.iter().next());
    let file =
        first.and_then(|record| snapshot.state.vector_files().get(record.rows?.file as usize));
    let dimensions = file.map(|file| file.dimension);
    VectorCounts { documents, missing: all.saturating_sub(documents), vectors, dimensions }
}

/// Documents that a model has not looked at, in the order of their rows.
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
    let mut places = snapshot.places_of(&missing)?;
    places.sort_unstable();
    places.truncate(limit);
    places.into_iter().map(|place| document_id(snapshot, place)).collect()
}

/// Position of a model.
fn model(snapshot: &Snapshot, name: &str) -> Option<usize> {
    snapshot.state.models().iter().position(|model| model.name == name)
}

/// The bytes of some rows.
fn rows_of(snapshot: &Snapshot, rows: RowRange) -> tantivy::Result<&[u8]> {
    let file = snapshot.state.vector_files().get(rows.file as usize).ok_or_else(unknown)?;
    let start = rows.first as usize * file.row_bytes();
    let end = start + rows.count as usize * file.row_bytes();
    let bytes = snapshot.vectors.get(rows.file as usize);
    bytes.and_then(|bytes| bytes.get(start..end)).ok_or_else(unknown)
}

/// Place and position in the state of the document that a row belongs to; `None` if it is gone.
fn document_at(snapshot: &Snapshot, number: u64) -> tantivy::Result<Option<(DocumentPlace, u32)>> {
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
        .map(|(segment, position)| (DocumentPlace { segment, document }, position)))
}

/// The rows of a document's chunks.
fn chunk_rows(snapshot: &Snapshot, place: DocumentPlace) -> tantivy::Result<Range<u32>> {
    let segment = snapshot.segments.get(place.segment as usize).ok_or_else(unknown)?;
    Ok(segment.layout()?.chunks(place.document))
}

fn document_id(snapshot: &Snapshot, place: DocumentPlace) -> tantivy::Result<DocumentId> {
    let row = chunk_rows(snapshot, place)?.end;
    let source = snapshot.expected.source;
    Ok(DocumentId { source, number: row_number(place.segment as usize, row) })
}

/// A document with its nearest chunks.
fn nearest(
    scan: &mut Scan<'_>,
    rows: Option<RowRange>,
    place: DocumentPlace,
    admits: impl Fn(usize) -> bool,
    limit: usize,
) -> tantivy::Result<Similar> {
    let id = document_id(scan.snapshot, place)?;
    let first = chunk_rows(scan.snapshot, place)?.start as usize;
    let mut chunks = Vec::new();
    if let Some(rows) = rows {
        scan.near(rows, admits, |ordinal, similarity| chunks.push((ordinal, similarity)))?;
    }
    chunks.sort_by(|(left_ordinal, left), (right_ordinal, right)| {
        right.total_cmp(left).then(left_ordinal.cmp(right_ordinal))
    });
    chunks.truncate(limit);
    let chunk = |(ordinal, similarity): (usize, f32)| {
        let row = u32::try_from(first + ordinal).ok()?;
        let number = row_number(place.segment as usize, row);
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

/// At most so many, by falling similarity, then by locator.
fn ranked(best: Best<Selected>, limit: usize, snapshot: &Snapshot) -> Vec<Selected> {
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

/// Lets documents in, and chunks.
struct Door<'a> {
    snapshot: &'a Snapshot,
    judge: Option<&'a Judge<'a>>,
    /// Kinds of symbols of each segment's rows, if a filter asks for them.
    symbols: Vec<Option<Column<u64>>>,
}

/// Which chunks of a document are let in.
enum Chunks<'a> {
    All,
    Symbols { judge: &'a Judge<'a>, column: Option<&'a Column<u64>>, first: u32 },
}

impl Chunks<'_> {
    fn admits(&self, ordinal: usize) -> bool {
        match self {
            Chunks::All => true,
            Chunks::Symbols { judge, column, first } => {
                let row = u32::try_from(ordinal).ok().and_then(|row| row.checked_add(*first));
                let kinds = row.and_then(|row| column.and_then(|column| column.first(row)));
                kinds.is_some_and(|kinds| judge.admits_symbol(kinds))
            }
        }
    }
}

impl<'a> Door<'a> {
    fn new(snapshot: &'a Snapshot, gate: &'a Gate<'a>) -> tantivy::Result<Door<'a>> {
        let judge = match gate {
            Gate::Judged(judge) => Some(judge),
            Gate::Open | Gate::Closed => None,
        };
        let mut symbols = Vec::new();
        if judge.is_some() {
            for segment in &snapshot.segments {
                symbols.push(numbers(&segment.reader, SYMBOL_KIND)?);
            }
        }
        Ok(Door { snapshot, judge, symbols })
    }

    /// Which chunks of a document are let in; `None` if it is out. Where it lies is looked up if it
    /// is not given.
    fn admits(
        &self,
        document: u32,
        place: Option<DocumentPlace>,
    ) -> tantivy::Result<Option<Chunks<'_>>> {
        let position = document as usize;
        let Some(judge) = self.judge else { return Ok(Some(Chunks::All)) };
        let record = self.snapshot.state.documents().get(position).ok_or_else(unknown)?;
        Ok(match judge.record(&record) {
            Verdict::Out => None,
            Verdict::In => Some(Chunks::All),
            Verdict::Chunks => {
                let place = match place {
                    Some(place) => place,
                    None => *self.snapshot.places()?.get(position).ok_or_else(unknown)?,
                };
                let column = self.symbols.get(place.segment as usize).and_then(Option::as_ref);
                let first = chunk_rows(self.snapshot, place)?.start;
                Some(Chunks::Symbols { judge, column, first })
            }
        })
    }
}

fn unknown() -> TantivyError {
    TantivyError::InternalError("vectors belong to a document that is not known".to_owned())
}
