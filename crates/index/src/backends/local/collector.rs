//! Adds up the evidence of one segment by row and by document, and finds the best documents.
//!
//! Blocks of documents are counted one after the other, so that the sums of a block stay in the
//! processor's cache however many rows there are.

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

/// Rows of one segment that hold a group in a field, by row.
pub(super) struct List {
    pub(super) group: usize,
    pub(super) field: Field,
    /// What a row's BM25 counts in the choice of candidates.
    pub(super) weight: f32,
    pub(super) bm25: Rc<Bm25>,
    /// Lengths of the field.
    pub(super) lengths: FieldNormReader,
    pub(super) hits: Vec<Hit>,
}

impl List {
    /// BM25 of a row.
    pub(super) fn score(&self, hit: Hit) -> f32 {
        self.bm25.score(hit.frequency, self.lengths.fieldnorm_id(hit.row))
    }
}

/// How much a document's best chunks count toward its selection, best first.
const CHUNK_SHARES: [f32; 3] = [1.0, 0.5, 0.25];

/// What these come to, and more than rounding adds.
const MAX_SHARES: f32 = 1.76;

/// Rows of a block, but for a document that alone has more: their sums are 32 kB. In a build for tests,
/// whose trees are small, they cross blocks, too.
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

/// Counts the segments of a snapshot, one after the other.
#[derive(Debug)]
pub(super) struct Collector<'q> {
    groups: &'q [TermGroup],
    /// Number of groups that are not optional.
    required: usize,
    /// Admitted documents with a match of a group that is not optional.
    pub(super) total: u64,
    /// Of these, those that match every such group.
    pub(super) matched_all: u64,
    /// For each group, the documents that hold it, admitted or not.
    pub(super) group_documents: Vec<u64>,
    /// The best of the admitted documents.
    pub(super) best: TopK<Selected>,
    /// Those of the admitted documents that were named.
    pub(super) named: Vec<Selected>,
}

impl<'q> Collector<'q> {
    /// Nothing is counted yet.
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

    /// Counts a segment. `lists` are ordered by group, `named` are documents of it, ascending.
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
            (here, named) = named.split_at(named.partition_point(|one| *one < block.documents.end));
            self.end_block(&block, filter, row_filter, here);
        }
    }

    /// Takes in the group that is being counted.
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

    /// Takes in what was found in a block.
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
                    let one = Selected { score, segment, document };
                    if is_named {
                        self.named.push(one);
                    }
                    self.best.push(one);
                }
            }
        }
    }
}

/// Decides about the rows of a segment while they are counted.
trait RowFilter {
    /// Whether nobody has to be asked.
    const ACCEPTS_ALL: bool;

    /// Whether a row of a document is let in.
    fn accepts(&mut self, document: u32, row: u32) -> bool;

    /// Whether a document stays of which a row was let in.
    fn accepts_document(&self, document: u32) -> bool;
}

/// Everybody is in.
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

/// Each document is judged once.
struct FilteredRows<'a> {
    filter: &'a SegmentFilter<'a>,
    decisions: Vec<Option<Acceptance>>,
    /// Whether a chunk of the document was let in.
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

/// Documents that lie one after the other, and what was found in them. Of each set of documents, bit
/// `n % 64` of word `n / 64` is the `n`-th one.
#[derive(Debug, Default)]
struct Block {
    documents: Range<u32>,
    rows: Range<u32>,
    /// Weighted evidence of each admitted row.
    scores: Vec<f32>,
    /// The group that is being counted.
    group: Option<usize>,
    /// Who holds it.
    seen: Vec<u64>,
    /// Who holds it in an admitted row; not told where everybody is let in.
    admitted: Vec<u64>,
    /// Who holds any group that is not optional.
    any: Vec<u64>,
    /// Who holds all groups that are not optional, of those that ended.
    all: Vec<u64>,
    /// How many groups ended that are not optional.
    ended: usize,
}

impl Block {
    /// Forgets the last block.
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

    /// Adds rows of the group that is being counted.
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

    /// A score that the document does not exceed: that of its own row, with all of its best chunks
    /// as good as the best one. Most documents cannot be candidates by it, and it takes less than
    /// the score.
    fn max_score(&self, layout: &Layout, document: u32) -> f32 {
        let at = |row: u32| (row - self.rows.start) as usize;
        let (chunks, own) = (layout.chunks(document), at(layout.own_row(document)));
        // Of numbers that are not negative, the larger one has the larger bits, and whole numbers are
        // compared many at a time.
        let as_whole = |score: &f32| score.to_bits().cast_signed();
        let best = self.scores[at(chunks.start)..own].iter().map(as_whole).fold(0, i32::max);
        self.scores[own] + MAX_SHARES * f32::from_bits(best.cast_unsigned())
    }

    /// What makes a document a candidate: its own row and its best chunks.
    fn selection_score(&self, layout: &Layout, document: u32) -> f32 {
        let at = |row: u32| (row - self.rows.start) as usize;
        let (chunks, own) = (layout.chunks(document), at(layout.own_row(document)));
        let mut best = [0.0_f32; CHUNK_SHARES.len()];
        for &score in &self.scores[at(chunks.start)..own] {
            // Most hold nothing.
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

/// The documents of a segment, cut into blocks.
fn blocks(layout: &Layout) -> impl Iterator<Item = Range<u32>> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        next = layout.first_after(start, BLOCK_ROWS)?;
        Some(start..next)
    })
}

/// The best of the chunks of a document by their sums, best first, at most `limit`.
pub(super) fn best_chunks(chunks: Range<u32>, scores: &[f32], limit: usize) -> Vec<u32> {
    let mut best: Vec<(u32, f32)> =
        chunks.zip(scores.iter().copied()).filter(|(_, score)| *score > 0.0).collect();
    best.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    best.into_iter().take(limit).map(|(row, _)| row).collect()
}
