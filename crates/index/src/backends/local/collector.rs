//! The collector: adds up scores by row and by document, and selects the best documents.
//!
//! It works on blocks of documents, so that the sums of a block stay in the processor's cache,
//! however many rows a segment has.

use std::{ops::Range, rc::Rc};

use lore_schema::Field;
use tantivy::fieldnorm::FieldNormReader;

use super::{
    bits::bits,
    bm25::Bm25,
    filter::Acceptance,
    layout::Layout,
    postings::{Hit, first_from},
    segment_filter::SegmentFilter,
    top_k::{Scored, TopK},
};
use crate::TermGroup;

/// The postings of a group in a field, in one segment, sorted by row.
pub(super) struct List {
    pub(super) group: usize,
    pub(super) field: Field,
    /// Weight of the scores in the choice of candidates.
    pub(super) weight: f32,
    pub(super) bm25: Rc<Bm25>,
    /// Lengths of the field.
    pub(super) lengths: FieldNormReader,
    pub(super) hits: Vec<Hit>,
}

impl List {
    /// BM25 score of a row.
    pub(super) fn score(&self, hit: Hit) -> f32 {
        self.bm25.score(hit.frequency, self.lengths.fieldnorm_id(hit.row))
    }
}

/// Weights of a document's best chunks in its selection score, best first.
const CHUNK_SHARES: [f32; 3] = [1.0, 0.5, 0.25];

/// An upper bound of their sum, including rounding errors.
const MAX_SHARES: f32 = 1.76;

/// Maximum rows of a block, unless a single document has more: their sums take 32 kB. Small in
/// debug builds, so that tests with few documents use several blocks.
const BLOCK_ROWS: u32 = if cfg!(debug_assertions) { 8 } else { 1 << 13 };

/// A document that may become a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Selected {
    pub(super) score: f32,
    pub(super) segment: usize,
    pub(super) document: u32,
}

impl Scored for Selected {
    fn score(&self) -> f32 {
        self.score
    }
}

/// Collects the segments of a snapshot, one after the other.
#[derive(Debug)]
pub(super) struct Collector<'q> {
    groups: &'q [TermGroup],
    /// Number of groups that are not optional.
    required: usize,
    /// Number of accepted documents that match a group that is not optional.
    pub(super) total: u64,
    /// Number of them that match every such group.
    pub(super) matched_all: u64,
    /// For each group, the number of documents that contain it, accepted or not.
    pub(super) group_documents: Vec<u64>,
    /// The best accepted documents.
    pub(super) best: TopK<Selected>,
    /// Accepted documents among those requested by number.
    pub(super) named: Vec<Selected>,
}

impl<'q> Collector<'q> {
    /// Returns an empty collector.
    pub(super) fn new(groups: &'q [TermGroup], limit: usize) -> Collector<'q> {
        Collector {
            groups,
            required: groups.iter().filter(|group| !group.optional).count(),
            total: 0,
            matched_all: 0,
            group_documents: vec![0; groups.len()],
            best: TopK::new(limit),
            named: Vec::new(),
        }
    }

    /// Collects a segment. `lists` are sorted by group; `named` are requested documents, ascending.
    pub(super) fn add(&mut self, filter: &SegmentFilter<'_>, lists: &[List], named: &[u32]) {
        if filter.is_open() {
            self.add_through(&mut AllRows, filter, lists, named);
        } else {
            let documents = filter.layout.len();
            let (decisions, has_chunk) = (vec![None; documents], vec![false; documents]);
            self.add_through(
                &mut FilteredRows { filter, decisions, has_chunk },
                filter,
                lists,
                named,
            );
        }
    }

    fn add_through<D: RowFilter>(
        &mut self,
        row_filter: &mut D,
        filter: &SegmentFilter<'_>,
        lists: &[List],
        mut named: &[u32],
    ) {
        let layout = filter.layout;
        let mut at = vec![0; lists.len()];
        let mut block = Block::default();
        for documents in blocks(layout) {
            block.begin(documents, layout);
            for (list, at) in lists.iter().zip(&mut at) {
                let end = first_from(&list.hits, *at, block.rows.end);
                let hits = &list.hits[std::mem::replace(at, end)..end];
                if hits.is_empty() {
                    continue;
                }
                if block.group.is_some_and(|group| group != list.group) {
                    self.end_group::<D>(&mut block);
                }
                block.group = Some(list.group);
                block.add(list, hits, layout, row_filter);
            }
            self.end_group::<D>(&mut block);
            let here;
            (here, named) =
                named.split_at(named.partition_point(|document| *document < block.documents.end));
            self.end_block(&block, filter, row_filter, here);
        }
    }

    /// Completes the current group of a block.
    fn end_group<D: RowFilter>(&mut self, block: &mut Block) {
        let Some(group) = block.group.take() else { return };
        self.group_documents[group] +=
            block.seen.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>();
        let admitted = if D::ACCEPTS_ALL { &mut block.seen } else { &mut block.admitted };
        if !self.groups[group].optional {
            for ((any, all), here) in block.any.iter_mut().zip(&mut block.all).zip(&*admitted) {
                *any |= here;
                *all &= here;
            }
            block.ended += 1;
        }
        block.seen.fill(0);
        block.admitted.fill(0);
    }

    /// Completes a block: counts its documents and selects the best.
    fn end_block(
        &mut self,
        block: &Block,
        filter: &SegmentFilter<'_>,
        row_filter: &impl RowFilter,
        named: &[u32],
    ) {
        let (layout, segment) = (filter.layout, filter.segment);
        let has_all = block.ended == self.required;
        let mut named = named.iter().copied().peekable();
        for (word, (any, all)) in (0_u32..).zip(block.any.iter().zip(&block.all)) {
            for bit in bits(*any) {
                let document = block.documents.start + word * u64::BITS + bit;
                if !row_filter.accepts_document(document) {
                    continue;
                }
                self.total += 1;
                self.matched_all += u64::from(has_all && all >> bit & 1 == 1);
                while named.next_if(|other| *other < document).is_some() {}
                let is_named = named.next_if_eq(&document).is_some();
                if !is_named && block.max_score(layout, document) < self.best.threshold() {
                    continue;
                }
                let score = block.selection_score(layout, document);
                debug_assert!(score.is_nan() || score <= block.max_score(layout, document));
                if score > 0.0 {
                    let selected = Selected { score, segment, document };
                    if is_named {
                        self.named.push(selected);
                    }
                    self.best.push(selected);
                }
            }
        }
    }
}

/// The decision about rows and documents of a segment.
trait RowFilter {
    /// True if all rows are accepted.
    const ACCEPTS_ALL: bool;

    /// Returns true if a row of a document is accepted.
    fn accepts(&mut self, document: u32, row: u32) -> bool;

    /// Returns true if a document with an accepted row is accepted.
    fn accepts_document(&self, document: u32) -> bool;
}

/// Accepts all rows.
struct AllRows;

impl RowFilter for AllRows {
    const ACCEPTS_ALL: bool = true;

    fn accepts(&mut self, _: u32, _: u32) -> bool {
        true
    }

    fn accepts_document(&self, _: u32) -> bool {
        true
    }
}

/// Accepts the rows of a [`SegmentFilter`]. Decides once per document.
struct FilteredRows<'a> {
    filter: &'a SegmentFilter<'a>,
    decisions: Vec<Option<Acceptance>>,
    /// For each document, true if one of its chunks was accepted.
    has_chunk: Vec<bool>,
}

impl RowFilter for FilteredRows<'_> {
    const ACCEPTS_ALL: bool = false;

    fn accepts(&mut self, document: u32, row: u32) -> bool {
        let known = &mut self.decisions[document as usize];
        let acceptance = *known.get_or_insert_with(|| self.filter.document(document));
        let is_in = self.filter.row(acceptance, document, row);
        if is_in && row != self.filter.layout.own_row(document) {
            self.has_chunk[document as usize] = true;
        }
        is_in
    }

    fn accepts_document(&self, document: u32) -> bool {
        let document = document as usize;
        self.decisions[document] != Some(Acceptance::SomeChunks) || self.has_chunk[document]
    }
}

/// A block of consecutive documents with their scores. In each set of documents, bit `n % 64` of
/// word `n / 64` is the `n`-th document.
#[derive(Debug, Default)]
struct Block {
    documents: Range<u32>,
    rows: Range<u32>,
    /// Weighted score of each accepted row.
    scores: Vec<f32>,
    /// The current group.
    group: Option<usize>,
    /// Documents that contain it.
    seen: Vec<u64>,
    /// Documents that contain it in an accepted row; unused if all rows are accepted.
    admitted: Vec<u64>,
    /// Documents that match any group that is not optional.
    any: Vec<u64>,
    /// Documents that match all groups so far that are not optional.
    all: Vec<u64>,
    /// Number of completed groups that are not optional.
    ended: usize,
}

impl Block {
    /// Resets for the next block.
    fn begin(&mut self, documents: Range<u32>, layout: &Layout) {
        self.rows = layout.chunks(documents.start).start..layout.own_row(documents.end - 1) + 1;
        self.scores.clear();
        self.scores.resize(self.rows.len(), 0.0);
        let words = documents.len().div_ceil(u64::BITS as usize);
        for (set, bits) in [
            (&mut self.seen, 0),
            (&mut self.admitted, 0),
            (&mut self.any, 0),
            (&mut self.all, u64::MAX),
        ] {
            set.clear();
            set.resize(words, bits);
        }
        (self.documents, self.group, self.ended) = (documents, None, 0);
    }

    /// Adds rows of the current group.
    fn add<D: RowFilter>(
        &mut self,
        list: &List,
        hits: &[Hit],
        layout: &Layout,
        row_filter: &mut D,
    ) {
        for hit in hits {
            let document = layout.document(hit.row);
            let place = (document - self.documents.start) as usize;
            let (word, bit) = (place / u64::BITS as usize, 1 << (place % u64::BITS as usize));
            self.seen[word] |= bit;
            if !row_filter.accepts(document, hit.row) {
                continue;
            }
            if !D::ACCEPTS_ALL {
                self.admitted[word] |= bit;
            }
            self.scores[(hit.row - self.rows.start) as usize] += list.weight * list.score(*hit);
        }
    }

    /// Upper bound of the score of a document: as if all of its best chunks were as good as the
    /// best one. Cheaper than the score, and enough to rule out most documents.
    fn max_score(&self, layout: &Layout, document: u32) -> f32 {
        let at = |row: u32| (row - self.rows.start) as usize;
        let (chunks, own) = (layout.chunks(document), at(layout.own_row(document)));
        // Numbers of at least 0 have the same order as their bits, and integers are compared
        // several at a time.
        let as_whole = |score: &f32| score.to_bits().cast_signed();
        let best = self.scores[at(chunks.start)..own].iter().map(as_whole).fold(0, i32::max);
        self.scores[own] + MAX_SHARES * f32::from_bits(best.cast_unsigned())
    }

    /// Score of a document for the selection: its own row plus its best chunks.
    fn selection_score(&self, layout: &Layout, document: u32) -> f32 {
        let at = |row: u32| (row - self.rows.start) as usize;
        let (chunks, own) = (layout.chunks(document), at(layout.own_row(document)));
        let mut best = [0.0_f32; CHUNK_SHARES.len()];
        for &score in &self.scores[at(chunks.start)..own] {
            // Most chunks have no score.
            if score > best[CHUNK_SHARES.len() - 1] {
                let mut score = score;
                for place in &mut best {
                    if score > *place {
                        std::mem::swap(&mut score, place);
                    }
                }
            }
        }
        self.scores[own]
            + best.iter().zip(CHUNK_SHARES).map(|(score, share)| score * share).sum::<f32>()
    }
}

/// Iterates over the blocks of a segment.
fn blocks(layout: &Layout) -> impl Iterator<Item = Range<u32>> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        next = layout.first_after(start, BLOCK_ROWS)?;
        Some(start..next)
    })
}

/// Returns the best chunks of a document by their scores, best first, at most `limit`.
pub(super) fn best_chunks(chunks: Range<u32>, scores: &[f32], limit: usize) -> Vec<u32> {
    let mut best: Vec<(u32, f32)> =
        chunks.zip(scores.iter().copied()).filter(|(_, score)| *score > 0.0).collect();
    best.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    best.into_iter().take(limit).map(|(row, _)| row).collect()
}
