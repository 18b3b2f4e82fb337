//! Reads posting lists: live rows with their weighted frequencies.

use lore_schema::Field;
use tantivy::{SegmentReader, postings::BlockSegmentPostings, schema::IndexRecordOption};

use super::{schema::Columns, tokenizer::is_indexed};

/// A row that holds a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    pub(super) row: u32,
    /// Weighted frequency, later BM25.
    pub(super) value: f32,
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
    let mut hits: Vec<Hit> = Vec::new();
    let mut lists = 0_usize;
    for (term, weight) in forms {
        if !is_indexed(term) {
            continue;
        }
        let Some(info) = inverted.terms().get(term.as_bytes())? else { continue };
        // A weight that is no number counts for nothing.
        let weight = if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        let before = hits.len();
        hits.reserve(info.doc_freq.min(segment.max_doc()) as usize);
        let mut blocks =
            inverted.read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
        while blocks.block_len() > 0 {
            let rows = blocks.docs().iter().zip(blocks.freqs());
            let block =
                rows.map(|(row, frequency)| Hit { row: *row, value: weight * *frequency as f32 });
            match alive {
                None => hits.extend(block),
                Some(alive) => hits.extend(block.filter(|hit| alive.is_alive(hit.row))),
            }
            blocks.advance();
        }
        lists += usize::from(hits.len() > before);
    }
    if lists > 1 {
        // Stable, and made for concatenated sorted runs.
        hits.sort_by_key(|hit| hit.row);
        hits.dedup_by(|later, kept| {
            let same = later.row == kept.row;
            if same {
                kept.value += later.value;
            }
            same
        });
    }
    Ok(hits)
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
