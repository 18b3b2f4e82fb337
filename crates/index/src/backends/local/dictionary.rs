//! Lookups in the dictionaries: terms by prefix, and document frequencies.

use std::collections::{BTreeMap, BTreeSet};

use lore_schema::{Field, Level};
use tantivy::schema::IndexRecordOption;

use super::{postings, snapshot::Snapshot};

/// Finds terms that start with a prefix, are accepted and occur in a live row, in byte order.
pub(super) fn terms(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    accept: &dyn Fn(&str) -> bool,
    limit: usize,
) -> tantivy::Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for segment in &snapshot.segments {
        let reader = &segment.reader;
        let inverted = reader.inverted_index(snapshot.expected.columns.of(field))?;
        let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
        let mut in_segment = 0;
        while in_segment < limit && stream.advance() {
            if !stream.key().starts_with(prefix.as_bytes()) {
                break;
            }
            let Ok(term) = std::str::from_utf8(stream.key()) else { continue };
            if !accept(term) {
                continue;
            }
            let option = IndexRecordOption::Basic;
            let blocks = inverted.read_block_postings_from_terminfo(stream.value(), option)?;
            if postings::any_alive(reader, blocks) {
                found.insert(term.to_owned());
                in_segment += 1;
            }
        }
    }
    Ok(found.into_iter().take(limit).collect())
}

/// Maximum number of terms of a segment that are compared by frequency, which take about 10 ms.
const MAX_COMPARED_TERMS: usize = 100_000;

/// Finds the terms that start with a prefix and occur in the most rows. Deleted rows count, as no
/// row is read.
pub(super) fn frequent_terms(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    limit: usize,
) -> tantivy::Result<Vec<(String, u64)>> {
    let mut rows: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for segment in &snapshot.segments {
        let reader = &segment.reader;
        let inverted = reader.inverted_index(snapshot.expected.columns.of(field))?;
        let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
        let mut compared = 0;
        while compared < MAX_COMPARED_TERMS && stream.advance() {
            if !stream.key().starts_with(prefix.as_bytes()) {
                break;
            }
            let count = u64::from(stream.value().doc_freq);
            match rows.get_mut(stream.key()) {
                Some(known) => *known += count,
                None => {
                    rows.insert(stream.key().to_vec(), count);
                }
            }
            compared += 1;
        }
    }
    let mut terms: Vec<(String, u64)> = rows
        .into_iter()
        .filter_map(|(term, count)| Some((String::from_utf8(term).ok()?, count)))
        .collect();
    // The sort is stable: terms of equal count remain in byte order.
    terms.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    terms.truncate(limit);
    Ok(terms)
}

/// Counts the documents that contain a term in a field.
pub(super) fn document_frequency(
    snapshot: &Snapshot,
    field: Field,
    term: &str,
) -> tantivy::Result<u64> {
    let mut documents = 0;
    for segment in &snapshot.segments {
        let columns = &snapshot.expected.columns;
        let rows = postings::rows(&segment.reader, columns, field, term, usize::MAX)?;
        if field.level() == Level::Document {
            documents += rows.len() as u64;
            continue;
        }
        let layout = segment.layout()?;
        let mut last = None;
        for row in rows {
            let document = Some(layout.document(row));
            documents += u64::from(document != last);
            last = document;
        }
    }
    Ok(documents)
}
