//! Lookups of rows by term, and the listing of documents.

use lore_schema::{Field, Filter, Level};

use tantivy::{
    DocSet as _, TERMINATED, Term,
    query::{BooleanQuery, EnableScoring, Query, TermQuery},
    schema::IndexRecordOption,
};

use super::{
    filter::{Acceptance, DocumentFilter},
    layout::Layout,
    postings,
    row_number::{row_number, segment_and_row},
    snapshot::Snapshot,
};
use crate::{ChunkId, DocumentId, Holder, Listed};

/// Finds the live rows that contain a term in a field, in storage order, at most `limit`.
pub(super) fn holders(
    snapshot: &Snapshot,
    field: Field,
    term: &str,
    limit: usize,
) -> tantivy::Result<Vec<Holder>> {
    let mut holders = Vec::new();
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let (columns, left) = (&snapshot.expected.columns, limit - holders.len());
        if left == 0 {
            break;
        }
        let rows = postings::rows(&segment.reader, columns, field, term, left)?;
        if rows.is_empty() {
            continue;
        }
        let layout = segment.layout()?;
        holders.extend(rows.into_iter().map(|row| holder(snapshot, field, index, layout, row)));
    }
    Ok(holders)
}

/// Finds the live rows that contain all of the terms in a field, in storage order.
pub(super) fn holders_of_all(
    snapshot: &Snapshot,
    field: Field,
    terms: &[String],
) -> tantivy::Result<Vec<Holder>> {
    let column = snapshot.expected.columns.of(field);
    let contains = |term: &String| -> Box<dyn Query> {
        let term = Term::from_field_text(column, term);
        Box::new(TermQuery::new(term, IndexRecordOption::Basic))
    };
    let all = BooleanQuery::intersection(terms.iter().map(contains).collect());
    let schema = snapshot.expected.columns.schema();
    let weight = all.weight(EnableScoring::disabled_from_schema(schema))?;
    let mut holders = Vec::new();
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let mut rows = weight.scorer(&segment.reader, 1.0)?;
        let alive = segment.reader.alive_bitset();
        let layout = segment.layout()?;
        while rows.doc() != TERMINATED {
            let row = rows.doc();
            if alive.is_none_or(|alive| alive.is_alive(row)) {
                holders.push(holder(snapshot, field, index, layout, row));
            }
            rows.advance();
        }
    }
    Ok(holders)
}

/// Returns the identifiers of a row of a segment.
fn holder(snapshot: &Snapshot, field: Field, index: usize, layout: &Layout, row: u32) -> Holder {
    let source = snapshot.expected.source;
    let own_row = layout.own_row(layout.document(row));
    Holder {
        document: DocumentId { source, number: row_number(index, own_row) },
        chunk: (field.level() == Level::Chunk)
            .then(|| ChunkId { source, number: row_number(index, row) }),
    }
}

/// Lists the live documents that a filter accepts, in byte order of their paths.
pub(super) fn listing<'a>(
    snapshot: &'a Snapshot,
    filter: &Filter,
) -> tantivy::Result<Vec<Listed<'a>>> {
    let Some(list) = List::new(snapshot, filter) else { return Ok(Vec::new()) };
    let listed = snapshot.listed()?;
    Ok(listed.iter().filter_map(|place| list.entry(*place)).collect())
}

/// Lists those of these documents that are live and that a filter accepts, in byte order of their
/// paths.
pub(super) fn listing_of<'a>(
    snapshot: &'a Snapshot,
    ids: &[DocumentId],
    filter: &Filter,
) -> tantivy::Result<Vec<Listed<'a>>> {
    let Some(list) = List::new(snapshot, filter) else { return Ok(Vec::new()) };
    let mut listing = Vec::with_capacity(ids.len());
    for id in ids {
        let (index, row) = segment_and_row(id.number);
        let Some(segment) = snapshot.segments.get(index) else { continue };
        if segment.reader.alive_bitset().is_some_and(|alive| !alive.is_alive(row)) {
            continue;
        }
        let layout = segment.layout()?;
        let number = layout.of_own_row(row).and_then(|document| layout.number(document));
        let position = number.and_then(|number| snapshot.state.find_document(number));
        if let Some(position) = position.and_then(|position| u32::try_from(position).ok()) {
            listing.extend(list.entry(Place { position, row: id.number }));
        }
    }
    listing.sort_unstable_by(|left, right| {
        left.path.cmp(right.path).then_with(|| left.id.number.cmp(&right.id.number))
    });
    Ok(listing)
}

/// A listing with a filter.
struct List<'a, 'f> {
    snapshot: &'a Snapshot,
    filter: Option<DocumentFilter<'f>>,
}

impl<'a: 'f, 'f> List<'a, 'f> {
    /// `None` if the filter excludes the source.
    fn new(snapshot: &'a Snapshot, filter: &'f Filter) -> Option<List<'a, 'f>> {
        let source = snapshot.expected.source;
        let is_searched = filter.sources.is_empty() || filter.sources.contains(&source);
        is_searched.then(|| List {
            snapshot,
            filter: DocumentFilter::new(filter, source, &snapshot.state),
        })
    }

    /// The entry of a live document; `None` if the filter excludes it.
    fn entry(&self, place: Place) -> Option<Listed<'a>> {
        let state = &self.snapshot.state;
        let record = state.documents().get(place.position as usize)?;
        let is_accepted = self
            .filter
            .as_ref()
            .is_none_or(|filter| !matches!(filter.document(record.number), Acceptance::None));
        is_accepted.then(|| Listed {
            path: state.text(record.path),
            id: DocumentId { source: self.snapshot.expected.source, number: place.row },
            fell_back: record.fell_back,
            updated: record.updated,
        })
    }
}

/// Finds the live documents, in the order of [`listing`].
pub(super) fn places(snapshot: &Snapshot) -> tantivy::Result<Vec<Place>> {
    let state = &snapshot.state;
    let mut places = Vec::with_capacity(state.documents().len());
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let layout = segment.layout()?;
        let alive = segment.reader.alive_bitset();
        for document in 0..u32::try_from(layout.len()).unwrap_or(u32::MAX) {
            let own_row = layout.own_row(document);
            if alive.is_some_and(|alive| !alive.is_alive(own_row)) {
                continue;
            }
            let position = layout.number(document).and_then(|number| state.find_document(number));
            let Some(position) = position.and_then(|position| u32::try_from(position).ok()) else {
                continue;
            };
            places.push(Place { position, row: row_number(index, own_row) });
        }
    }
    // A record is decoded each time that it is read: once here, and not for each comparison.
    let path = |place: Place| {
        let record = state.documents().get(place.position as usize);
        (record.map_or("", |record| state.text(record.path)), place)
    };
    let mut sorted: Vec<(&str, Place)> = places.into_iter().map(path).collect();
    sorted.sort_unstable_by(|(left, one), (right, other)| {
        left.cmp(right).then_with(|| one.row.cmp(&other.row))
    });
    Ok(sorted.into_iter().map(|(_, place)| place).collect())
}

/// Place of a live document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Position among the documents of the state.
    position: u32,
    /// Number of its own row.
    row: u64,
}
