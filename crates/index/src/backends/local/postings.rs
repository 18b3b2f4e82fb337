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
    let most = |doc_freq: u32| doc_freq.min(segment.max_doc()) as usize;
    let mut hits: Vec<Hit> =
        Vec::with_capacity(found.iter().map(|(info, _)| most(info.doc_freq)).sum());
    let mut lists = 0_usize;
    for (info, weight) in found {
        let before = hits.len();
        let mut blocks =
            inverted.read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
        while blocks.block_len() > 0 {
            let rows = blocks.docs().iter().zip(blocks.freqs());
            let block =
                rows.map(|(row, count)| Hit { row: *row, frequency: weight * *count as f32 });
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
                kept.frequency += later.frequency;
            }
            same
        });
    }
    Ok(hits)
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
