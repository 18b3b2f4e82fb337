//! Looks rows up: which hold a term, and which documents there are.

use lore_schema::{Field, Filter, Level};

use tantivy::{
    DocSet as _, TERMINATED, Term, postings::SegmentPostings, schema::IndexRecordOption,
};

use super::{
    filter::{Judge, Verdict},
    lexical::row_number,
    postings,
    snapshot::Snapshot,
};
use crate::{ChunkId, DocumentId, Holder, Listed};

/// The live rows that hold a term in a field, in the order of their rows, at most `limit`.
pub(super) fn holders(
    snapshot: &Snapshot,
    field: Field,
    term: &str,
    limit: usize,
) -> tantivy::Result<Vec<Holder>> {
    let source = snapshot.expected.source;
    let mut holders = Vec::new();
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let forms = [(term, 1.0)].into_iter();
        let hits = postings::read(&segment.reader, &snapshot.expected.columns, field, forms)?;
        if hits.is_empty() {
            continue;
        }
        let layout = segment.layout()?;
        for hit in hits.into_iter().take(limit - holders.len()) {
            let own_row = layout.own_row(layout.document(hit.row));
            let chunk = (field.level() == Level::Chunk)
                .then(|| ChunkId { source, number: row_number(index, hit.row) });
            holders.push(Holder {
                document: DocumentId { source, number: row_number(index, own_row) },
                chunk,
            });
        }
    }
    Ok(holders)
}

/// The live rows that hold all of the terms in a field, in the order of their rows.
pub(super) fn holders_of_all(
    snapshot: &Snapshot,
    field: Field,
    terms: &[String],
) -> tantivy::Result<Vec<Holder>> {
    let source = snapshot.expected.source;
    let column = snapshot.expected.columns.of(field);
    let mut holders = Vec::new();
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let inverted = segment.reader.inverted_index(column)?;
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            let term = Term::from_field_text(column, term);
            lists.extend(inverted.read_postings(&term, IndexRecordOption::Basic)?);
        }
        if lists.len() < terms.len() {
            continue;
        }
        // The rarest decides who is looked for in the others.
        lists.sort_by_key(SegmentPostings::doc_freq);
        let Some((rarest, others)) = lists.split_first_mut() else { continue };
        let alive = segment.reader.alive_bitset();
        let layout = segment.layout()?;
        let mut row = rarest.doc();
        while row != TERMINATED {
            let next = others.iter_mut().map(|list| reach(list, row)).find(|next| *next != row);
            if let Some(next) = next {
                row = rarest.seek(next);
                continue;
            }
            if alive.is_none_or(|alive| alive.is_alive(row)) {
                let own_row = layout.own_row(layout.document(row));
                holders.push(Holder {
                    document: DocumentId { source, number: row_number(index, own_row) },
                    chunk: (field.level() == Level::Chunk)
                        .then(|| ChunkId { source, number: row_number(index, row) }),
                });
            }
            row = rarest.advance();
        }
    }
    Ok(holders)
}

/// The first row of a list that is not before this one.
fn reach(list: &mut SegmentPostings, row: u32) -> u32 {
    if list.doc() < row { list.seek(row) } else { list.doc() }
}

/// The live documents that meet a filter, in byte order of their paths.
pub(super) fn listing<'a>(
    snapshot: &'a Snapshot,
    filter: &Filter,
) -> tantivy::Result<Vec<Listed<'a>>> {
    let source = snapshot.expected.source;
    let state = &snapshot.state;
    let mut listing = Vec::with_capacity(state.documents().len());
    if !filter.sources.is_empty() && !filter.sources.contains(&source) {
        return Ok(listing);
    }
    let judge = Judge::new(filter, source, state);
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let layout = segment.layout()?;
        let alive = segment.reader.alive_bitset();
        for document in 0..u32::try_from(layout.len()).unwrap_or(u32::MAX) {
            let own_row = layout.own_row(document);
            if alive.is_some_and(|alive| !alive.is_alive(own_row)) {
                continue;
            }
            let Some(number) = layout.number(document) else { continue };
            let admits = |judge: &Judge<'_>| !matches!(judge.document(number), Verdict::Out);
            let Some(record) = state.document(number).filter(|_| judge.as_ref().is_none_or(admits))
            else {
                continue;
            };
            listing.push(Listed {
                path: state.text(record.path),
                id: DocumentId { source, number: row_number(index, own_row) },
                fell_back: record.fell_back,
                updated: record.updated,
            });
        }
    }
    listing.sort_unstable();
    Ok(listing)
}
