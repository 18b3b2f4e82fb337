//! Posting lists: live rows with their weighted term frequencies.

use lore_schema::Field;
use tantivy::{SegmentReader, postings::BlockSegmentPostings, schema::IndexRecordOption};

use super::{bits::bits, schema::Columns, tokenizer::is_indexed};

/// A row that contains a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    pub(super) row: u32,
    /// Number of occurrences, weighted by form.
    pub(super) frequency: f32,
}

/// Finds the live rows of a segment that contain at least one of the terms in a field, sorted by
/// row. Frequencies are added in the order of the forms, so that the result is the same in every
/// segment.
pub(super) fn read<'a>(
    segment: &SegmentReader,
    columns: &Columns,
    field: Field,
    forms: impl Iterator<Item = (&'a str, f32)>,
    sums: &mut Sums,
) -> tantivy::Result<Vec<Hit>> {
    let inverted = segment.inverted_index(columns.of(field))?;
    let alive = segment.alive_bitset();
    let mut found = Vec::new();
    for (term, weight) in forms.filter(|(term, _)| is_indexed(term)) {
        if let Some(info) = inverted.terms().get(term.as_bytes())? {
            // An infinite weight or NaN counts as 0.
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
    Ok(sums.merge(lists))
}

/// Number of rows whose frequencies are added at a time, so that the sums stay in the processor's
/// cache.
const WINDOW: u32 = 1 << 12;

/// Buffers for merging posting lists.
///
/// Forms of one word often occur in the same rows, in an order that branch prediction cannot learn.
/// Adding window by window is therefore faster than comparing the heads of the lists.
#[derive(Debug)]
pub(super) struct Sums {
    /// Sum of each row of a window; all 0 between windows.
    sums: Vec<f32>,
    /// Rows of a window that are in a list: bit `n % 64` of word `n / 64`; no bits between windows.
    occupied: Vec<u64>,
}

impl Sums {
    /// Allocates the buffers, which are reused for any number of merges.
    pub(super) fn new() -> Sums {
        let words = (WINDOW / u64::BITS) as usize;
        Sums { sums: vec![0.0; WINDOW as usize], occupied: vec![0; words] }
    }

    /// Merges lists. The frequencies of a row are added in the order of the lists.
    fn merge(&mut self, mut lists: Vec<Vec<Hit>>) -> Vec<Hit> {
        lists.retain(|list| !list.is_empty());
        if lists.len() < 2 {
            return lists.pop().unwrap_or_default();
        }
        let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        let mut left: Vec<&[Hit]> = lists.iter().map(Vec::as_slice).collect();
        while let Some(first) = left.iter().filter_map(|list| list.first()).map(|hit| hit.row).min()
        {
            let begin = first - first % WINDOW;
            let mut last = first;
            for list in &mut left {
                // Only damaged lists contain rows in the last, incomplete window.
                let end = begin.checked_add(WINDOW);
                let here = end.map_or(list.len(), |end| first_from(list, 0, end));
                let (here, rest) = list.split_at(here);
                *list = rest;
                last = last.max(here.last().map_or(0, |hit| hit.row));
                for hit in here {
                    let place = hit.row - begin;
                    self.sums[place as usize] += hit.frequency;
                    self.occupied[(place / u64::BITS) as usize] |= 1 << (place % u64::BITS);
                }
            }
            let words = (first - begin) / u64::BITS..(last - begin) / u64::BITS + 1;
            let occupied = &mut self.occupied[words.start as usize..words.end as usize];
            for (word, bits_of_word) in words.zip(occupied) {
                let start = word * u64::BITS;
                let sums = &mut self.sums[start as usize..(start + u64::BITS) as usize];
                all.extend(bits(std::mem::take(bits_of_word)).map(|bit| {
                    let frequency = std::mem::take(&mut sums[bit as usize]);
                    Hit { row: begin + start + bit, frequency }
                }));
            }
        }
        all
    }
}

/// Returns the position of the first hit at or after a row, searching from position `from`.
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

/// Returns the live rows of a segment that contain a term in a field, ascending, at most `limit`.
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

/// Returns true if any row of a posting list is live.
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
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn list(rows: Vec<u32>, frequency: f32) -> Vec<Hit> {
        rows.into_iter().map(|row| Hit { row, frequency }).collect()
    }

    /// Rows that are often in several lists, and close to the borders of windows.
    fn rows() -> impl Strategy<Value = u32> {
        prop_oneof![0..60_u32, WINDOW - 30..WINDOW + 30, 0..5 * WINDOW, Just(u32::MAX)]
    }

    proptest! {
        #[test]
        fn frequencies_are_added_in_the_order_of_the_lists(
            lists in prop::collection::vec((prop::collection::btree_set(rows(), 0..40), 1_u8..9), 0..6),
        ) {
            let lists: Vec<Vec<Hit>> = lists
                .into_iter()
                .map(|(rows, tenths)| list(rows.into_iter().collect(), f32::from(tenths) * 0.1))
                .collect();
            let mut expected: BTreeMap<u32, f32> = BTreeMap::new();
            for hit in lists.iter().flatten() {
                *expected.entry(hit.row).or_default() += hit.frequency;
            }
            let expected = expected.into_iter().map(|(row, frequency)| Hit { row, frequency });
            let expected: Vec<Hit> = expected.collect();
            let mut sums = Sums::new();
            prop_assert_eq!(sums.merge(lists.clone()), expected.clone());
            prop_assert_eq!(sums.merge(lists), expected, "the buffers are empty again");
        }
    }
}
