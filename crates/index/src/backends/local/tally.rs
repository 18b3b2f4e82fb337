//! Adds up the evidence of one segment by row and by document, and applies the filter.

use lore_schema::Field;

use super::{
    filter::{Judge, Verdict},
    layout::{Layout, numbers},
    postings::Hit,
    schema::SYMBOL_KIND,
    snapshot::Segment,
};
use crate::TermGroup;

/// Rows of one segment that hold a group in a field, by row, with their BM25.
#[derive(Debug)]
pub(super) struct List {
    pub(super) group: usize,
    pub(super) field: Field,
    pub(super) hits: Vec<Hit>,
}

/// How much a document's best chunks count toward its selection, best first.
const CHUNK_SHARES: [f32; 3] = [1.0, 0.5, 0.25];

/// Who is let in.
pub(super) enum Gate<'a> {
    /// Everybody.
    Open,
    /// Nobody: the filter names other sources.
    Closed,
    /// Whom the filter admits.
    Judged(Judge<'a>),
}

/// Everything that decides who is let in.
pub(super) struct Gates<'a> {
    pub(super) filter: &'a Gate<'a>,
    /// Whether the query lets a document of the segment in.
    pub(super) within: &'a dyn Fn(u32) -> bool,
}

/// A document while it is counted. Groups are numbered from 1; 0 is none.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    /// The last group that was seen, filter or not.
    seen: u32,
    /// The last group that was seen in an admitted row.
    admitted: u32,
    /// Number of groups in admitted rows, optional ones apart.
    groups: u32,
    /// An admitted chunk matched.
    has_chunk: bool,
    verdict: Option<Verdict>,
}

/// The sums of one segment.
#[derive(Debug)]
pub(super) struct Tally {
    /// Weighted evidence of each admitted row, 0 elsewhere.
    scores: Vec<f32>,
    /// The admitted documents with a match and the number of their groups, optional ones apart.
    documents: Vec<(u32, u32)>,
    /// For each group, the documents that hold it, filter or not.
    pub(super) group_documents: Vec<u64>,
}

impl Tally {
    /// Adds up lists, which are ordered by group.
    pub(super) fn new(
        segment: &Segment,
        layout: &Layout,
        lists: &[List],
        groups: &[TermGroup],
        weights: &[f32; Field::ALL.len()],
        gates: &Gates<'_>,
    ) -> tantivy::Result<Tally> {
        let (judge, symbols) = match gates.filter {
            Gate::Judged(judge) => (Some(judge), numbers(&segment.reader, SYMBOL_KIND)?),
            Gate::Open | Gate::Closed => (None, None),
        };
        let mut counts = vec![Count::default(); layout.len()];
        let mut scores = vec![0.0_f32; segment.reader.max_doc() as usize];
        let mut touched = Vec::new();
        let mut group_documents = vec![0; groups.len()];
        for List { group, field, hits } in lists {
            let weight = weights[field.index()] * groups[*group].weight.max(0.0);
            let ordinal = u32::try_from(*group).unwrap_or(u32::MAX - 1) + 1;
            for hit in hits {
                let document = layout.document(hit.row);
                let count = &mut counts[document as usize];
                if count.seen != ordinal {
                    count.seen = ordinal;
                    group_documents[*group] += 1;
                }
                let is_chunk = hit.row != layout.own_row(document);
                let verdict = *count.verdict.get_or_insert_with(|| {
                    if !(gates.within)(document) {
                        return Verdict::Out;
                    }
                    let Some(judge) = judge else { return Verdict::In };
                    let number = layout.number(document);
                    number.map_or(Verdict::Out, |number| judge.document(number))
                });
                let admitted = match (verdict, judge) {
                    (Verdict::Out, _) => false,
                    (Verdict::Chunks, Some(judge)) => {
                        let symbol = symbols.as_ref().and_then(|column| column.first(hit.row));
                        !is_chunk || symbol.is_some_and(|kind| judge.admits_symbol(kind))
                    }
                    _ => true,
                };
                if !admitted {
                    continue;
                }
                if count.admitted == 0 {
                    touched.push(document);
                }
                if count.admitted != ordinal {
                    count.admitted = ordinal;
                    count.groups += u32::from(!groups[*group].optional);
                }
                count.has_chunk |= is_chunk;
                scores[hit.row as usize] += weight * hit.value;
            }
        }
        if matches!(gates.filter, Gate::Closed) {
            touched.clear();
        }
        let documents = touched
            .into_iter()
            .map(|document| (document, counts[document as usize]))
            .filter(|(_, count)| count.groups > 0)
            .filter(|(_, count)| count.verdict != Some(Verdict::Chunks) || count.has_chunk)
            .map(|(document, count)| (document, count.groups))
            .collect();
        Ok(Tally { scores, documents, group_documents })
    }

    /// The admitted documents with a match and the number of groups that they hold.
    pub(super) fn documents(&self) -> &[(u32, u32)] {
        &self.documents
    }

    /// What makes a document a candidate: its own row and its best chunks.
    pub(super) fn selection_score(&self, layout: &Layout, document: u32) -> f32 {
        let chunks = layout.chunks(document);
        let mut best = [0.0_f32; CHUNK_SHARES.len()];
        for score in &self.scores[chunks.start as usize..chunks.end as usize] {
            let mut score = *score;
            for place in &mut best {
                if score > *place {
                    std::mem::swap(&mut score, place);
                }
            }
        }
        let own = self.scores[layout.own_row(document) as usize];
        own + best.iter().zip(CHUNK_SHARES).map(|(score, share)| score * share).sum::<f32>()
    }

    /// Rows of the best chunks of a document, best first, at most `limit`.
    pub(super) fn best_chunks(&self, layout: &Layout, document: u32, limit: usize) -> Vec<u32> {
        let score = |row: u32| self.scores[row as usize];
        let mut rows: Vec<u32> = layout.chunks(document).filter(|row| score(*row) > 0.0).collect();
        rows.sort_by(|left, right| score(*right).total_cmp(&score(*left)).then(left.cmp(right)));
        rows.truncate(limit);
        rows
    }
}
