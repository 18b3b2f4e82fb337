//! Reads posting lists: live rows with their weighted frequencies.

use lore_schema::Field;
use tantivy::{SegmentReader, postings::BlockSegmentPostings, schema::IndexRecordOption};

use super::{schema::Columns, tokenizer::is_indexed};

/// A row that holds a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    pub(super) row: u32,
    /// How often, each form by its weight.
    pub(super) frequency: f32,
}

/// Finds the live rows of a segment that hold at least one of the terms in a field, by row. The
/// frequencies are added up in the order of the forms, so that they are the same in every segment.
pub(super) fn read<'a>(
    segment: &SegmentReader,
    columns: &Columns,
    field: Field,
    forms: impl Iterator<Item = (&'a str, f32)>,
) -> tantivy::Result<Vec<Hit>> {
    let inverted = segment.inverted_index(columns.of(field))?;
    let alive = segment.alive_bitset();
    let mut found = Vec::new();
    for (term, weight) in forms.filter(|(term, _)| is_indexed(term)) {
        if let Some(info) = inverted.terms().get(term.as_bytes())? {
            // A weight that is no number counts for nothing.
            found.push((info, if weight.is_finite() { weight.max(0.0) } else { 0.0 }));
        }
    }
    let mut lists: Vec<Vec<Hit>> = Vec::with_capacity(found.len());
    for (info, weight) in found {
        let mut list = Vec::with_capacity(info.doc_freq.min(segment.max_doc()) as usize);
        let mut blocks =
            inverted.read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
        while blocks.block_len() > 0 {
            let rows = blocks.docs().iter().zip(blocks.freqs());
            let block =
                rows.map(|(row, count)| Hit { row: *row, frequency: weight * *count as f32 });
            match alive {
                None => list.extend(block),
                Some(alive) => list.extend(block.filter(|hit| alive.is_alive(hit.row))),
            }
            blocks.advance();
        }
        lists.push(list);
    }
    if lists.len() <= MOST_MERGED {
        return Ok(lists.into_iter().reduce(merged).unwrap_or_default());
    }
    Ok(added_up(&lists))
}

/// Most lists that are merged one after the other, each time all that there is: a word has few forms,
/// but a prefix may stand for thousands. In a build for tests the laws know both ways.
const MOST_MERGED: usize = if cfg!(debug_assertions) { 2 } else { 8 };

/// Any number of lists by row as one, the frequencies of a row added up in the order of the lists.
fn added_up(lists: &[Vec<Hit>]) -> Vec<Hit> {
    let mut hits = lists.concat();
    // Stable, and made for concatenated sorted runs.
    hits.sort_by_key(|hit| hit.row);
    hits.dedup_by(|later, kept| {
        let same = later.row == kept.row;
        if same {
            kept.frequency += later.frequency;
        }
        same
    });
    hits
}

/// Two lists by row as one, the frequencies of a row added up.
fn merged(left: Vec<Hit>, right: Vec<Hit>) -> Vec<Hit> {
    // One form of a word is far more frequent than the others, so that most of the longer list is
    // copied in pieces.
    let (long, short) = if left.len() < right.len() { (right, left) } else { (left, right) };
    if short.is_empty() {
        return long;
    }
    let mut all = Vec::with_capacity(long.len() + short.len());
    let mut at = 0;
    for hit in short {
        let place = first_from(&long, at, hit.row);
        all.extend_from_slice(&long[at..place]);
        at = place;
        match long.get(at).filter(|other| other.row == hit.row) {
            None => all.push(hit),
            Some(other) => {
                all.push(Hit { frequency: hit.frequency + other.frequency, ..hit });
                at += 1;
            }
        }
    }
    all.extend_from_slice(&long[at..]);
    all
}

/// Position of the first hit at or after a row, not before `from`.
pub(super) fn first_from(hits: &[Hit], from: usize, row: u32) -> usize {
    let mut low = from;
    let mut step = 1;
    while hits.get(low + step).is_some_and(|hit| hit.row < row) {
        low += step;
        step *= 2;
    }
    let high = (low + step + 1).min(hits.len());
    low + hits[low..high].partition_point(|hit| hit.row < row)
}

/// The live rows of a segment that hold a term in a field, ascending, at most `limit`.
pub(super) fn rows(
    segment: &SegmentReader,
    columns: &Columns,
    field: Field,
    term: &str,
    limit: usize,
) -> tantivy::Result<Vec<u32>> {
    let mut rows = Vec::new();
    if !is_indexed(term) {
        return Ok(rows);
    }
    let inverted = segment.inverted_index(columns.of(field))?;
    let Some(info) = inverted.terms().get(term.as_bytes())? else { return Ok(rows) };
    let alive = segment.alive_bitset();
    let mut blocks = inverted.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
    while blocks.block_len() > 0 && rows.len() < limit {
        let live = |row: &&u32| alive.is_none_or(|alive| alive.is_alive(**row));
        rows.extend(blocks.docs().iter().filter(live));
        blocks.advance();
    }
    rows.truncate(limit);
    Ok(rows)
}

/// Whether any row of a posting list is alive.
pub(super) fn any_alive(segment: &SegmentReader, mut blocks: BlockSegmentPostings) -> bool {
    let Some(alive) = segment.alive_bitset() else { return blocks.doc_freq() > 0 };
    while blocks.block_len() > 0 {
        if blocks.docs().iter().any(|row| alive.is_alive(*row)) {
            return true;
        }
        blocks.advance();
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(rows: Vec<u32>, frequency: f32) -> Vec<Hit> {
        rows.into_iter().map(|row| Hit { row, frequency }).collect()
    }

    proptest! {
        /// Merging and sorting give the same, to the last bit.
        #[test]
        fn both_ways_add_up_the_same(
            lists in prop::collection::vec((prop::collection::btree_set(0_u32..60, 0..40), 1_u8..9), 0..6),
        ) {
            let lists: Vec<Vec<Hit>> = lists
                .into_iter()
                .map(|(rows, tenths)| list(rows.into_iter().collect(), f32::from(tenths) * 0.1))
                .collect();
            let sorted = added_up(&lists);
            prop_assert_eq!(lists.into_iter().reduce(merged).unwrap_or_default(), sorted);
        }
    }
}
