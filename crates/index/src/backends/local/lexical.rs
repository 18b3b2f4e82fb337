//! Candidates for words: BM25 of every word in every field, exact over all segments.
//!
//! Term at a time: first all posting lists, because the document frequency of a word is that of
//! the union of its forms over all segments; then the scores; then the sums. The length of a field
//! in one row is tantivy's, which keeps it in one byte: exact up to 40 terms, rounded down by at
//! most an eighth above. Everything else is exact and independent of how the rows are spread.

use std::collections::HashSet;

use lore_schema::{Field, Filter, Level};
use tantivy::{TantivyError, fieldnorm::FieldNormReader};

use super::{
    filter::Judge,
    layout::Layout,
    postings::{self, Hit},
    snapshot::Snapshot,
    state::Totals,
    tally::{Gate, Gates, List, Tally},
};
use crate::{
    Candidate, ChunkCandidate, ChunkId, DocumentId, DocumentSet, Evidence, GroupStatistics,
    LexicalQuery, Matches,
};

/// How soon further occurrences of a word stop to count.
const K1: f32 = 1.2;
/// How much the length of a field counts.
const B: f32 = 0.75;

/// A document that may become a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Selected {
    score: f32,
    segment: usize,
    document: u32,
}

/// Answers a query.
pub(super) fn search(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    filter: &Filter,
    limit: usize,
) -> tantivy::Result<Matches> {
    let mut matches = Matches {
        groups: vec![GroupStatistics::default(); query.groups.len()],
        ..Matches::default()
    };
    let lists = read_lists(snapshot, query, &mut matches.groups)?;
    let gate = gate(snapshot, filter);
    let weights =
        query.weights.map(|weight| if weight.is_finite() { weight.max(0.0) } else { 0.0 });
    let required = query.groups.iter().filter(|group| !group.optional).count();
    let mut tallies = Vec::with_capacity(lists.len());
    let mut selected = Vec::new();
    for (index, (segment, lists)) in snapshot.segments.iter().zip(&lists).enumerate() {
        let layout = segment.layout()?;
        let within = |document| query.within.holds(row_number(index, layout.own_row(document)));
        let gate = Gates { filter: &gate, within: &within };
        let tally = Tally::new(segment, layout, lists, &query.groups, &weights, &gate)?;
        for (group, documents) in matches.groups.iter_mut().zip(&tally.group_documents) {
            group.documents += documents;
        }
        matches.total += tally.documents().len() as u64;
        for (document, groups) in tally.documents() {
            matches.matched_all += u64::from(*groups as usize == required);
            let score = tally.selection_score(layout, *document);
            if score > 0.0 {
                selected.push(Selected { score, segment: index, document: *document });
            }
        }
        tallies.push((layout, tally));
    }
    let named = |documents: &[DocumentId]| -> Vec<Selected> {
        if documents.is_empty() {
            return Vec::new();
        }
        let named = DocumentSet::of(documents.iter().copied());
        let own_row = |one: &Selected| tallies[one.segment].0.own_row(one.document);
        let wanted = |one: &Selected| named.holds(row_number(one.segment, own_row(one)));
        selected.iter().copied().filter(wanted).collect()
    };
    let (mut also, mut reserve) = (named(&query.also), named(&query.reserve.documents));
    let mut chosen = choose(snapshot, selected, limit)?;
    let place = |one: &Selected| (one.segment, one.document);
    let mut known: HashSet<(usize, u32)> = chosen.iter().map(place).collect();
    also.retain(|one| known.insert(place(one)));
    let rest = also.len();
    chosen.extend(choose(snapshot, also, rest)?);
    reserve.retain(|one| !known.contains(&place(one)));
    let candidates = chosen.len();
    chosen.extend(choose(snapshot, reserve, query.reserve.most)?);
    matches.candidates = collect(snapshot, query, &chosen, &tallies, &lists);
    matches.reserve = matches.candidates.split_off(candidates);
    Ok(matches)
}

/// What a filter says of a source and its documents.
pub(super) fn gate<'a>(snapshot: &'a Snapshot, filter: &'a Filter) -> Gate<'a> {
    if !filter.sources.is_empty() && !filter.sources.contains(&snapshot.expected.source) {
        return Gate::Closed;
    }
    Judge::new(filter, snapshot.expected.source, &snapshot.state).map_or(Gate::Open, Gate::Judged)
}

/// Reads and scores the posting lists of every segment, ordered by group and field.
fn read_lists(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    statistics: &mut [GroupStatistics],
) -> tantivy::Result<Vec<Vec<List>>> {
    let totals = snapshot.state.totals();
    let mut lists: Vec<Vec<List>> = snapshot.segments.iter().map(|_| Vec::new()).collect();
    for (group, terms) in query.groups.iter().enumerate() {
        for field in Field::ALL.iter().copied() {
            let forms = || terms.forms.iter().filter(|form| form.field == field);
            if forms().next().is_none() {
                continue;
            }
            let mut found = Vec::with_capacity(lists.len());
            for segment in &snapshot.segments {
                let forms = forms().map(|form| (form.term.as_str(), form.weight));
                let columns = &snapshot.expected.columns;
                found.push(postings::read(&segment.reader, columns, field, forms)?);
            }
            let frequency: usize = found.iter().map(Vec::len).sum();
            if frequency == 0 {
                continue;
            }
            let scale = Scale::new(totals, field, frequency as u64);
            statistics[group].idf[field.index()] = scale.idf;
            for ((segment, mut hits), lists) in snapshot.segments.iter().zip(found).zip(&mut lists)
            {
                if !hits.is_empty() {
                    let column = snapshot.expected.columns.of(field);
                    scale.apply(&mut hits, &segment.reader.get_fieldnorms_reader(column)?);
                    lists.push(List { group, field, hits });
                }
            }
        }
    }
    Ok(lists)
}

/// BM25 of one group in one field.
struct Scale {
    idf: f32,
    /// By the byte that stands for a length: what the frequency is set against.
    norms: [f32; 256],
}

impl Scale {
    fn new(totals: &Totals, field: Field, frequency: u64) -> Scale {
        let rows = match field.level() {
            Level::Chunk => totals.chunks,
            Level::Document => totals.documents,
        };
        let average = single(totals.tokens[field.index()] as f64 / rows as f64);
        let (rows, frequency) = (rows as f64, frequency as f64);
        let idf = single((1.0 + (rows - frequency + 0.5) / (frequency + 0.5)).ln());
        let norms = std::array::from_fn(|id| {
            let length = FieldNormReader::id_to_fieldnorm(u8::try_from(id).unwrap_or(u8::MAX));
            K1 * (1.0 - B + B * length as f32 / average)
        });
        Scale { idf, norms }
    }

    fn apply(&self, hits: &mut [Hit], lengths: &FieldNormReader) {
        for hit in hits {
            let norm = self.norms[usize::from(lengths.fieldnorm_id(hit.row))];
            hit.value = self.idf * hit.value * (K1 + 1.0) / (hit.value + norm);
        }
    }
}

/// The nearest number of single precision: counts are exact in double precision, scores need not be.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what it is for")]
fn single(value: f64) -> f32 {
    value as f32
}

/// The best documents, by falling score, then by locator.
fn choose(
    snapshot: &Snapshot,
    mut selected: Vec<Selected>,
    limit: usize,
) -> tantivy::Result<Vec<Selected>> {
    let Some(last) = limit.checked_sub(1) else { return Ok(Vec::new()) };
    if last < selected.len() {
        let (_, threshold, _) =
            selected.select_nth_unstable_by(last, |left, right| right.score.total_cmp(&left.score));
        let threshold = threshold.score;
        // All that tie with the last one stay: the locator decides among them.
        selected.retain(|candidate| candidate.score >= threshold);
    }
    let mut keyed = Vec::with_capacity(selected.len());
    for candidate in selected {
        keyed.push((sort_key(snapshot, candidate)?, candidate));
    }
    keyed.sort_by(|(left_key, left), (right_key, right)| {
        right.score.total_cmp(&left.score).then_with(|| left_key.cmp(right_key))
    });
    keyed.truncate(limit);
    Ok(keyed.into_iter().map(|(_, candidate)| candidate).collect())
}

/// Locator and unit of a document.
fn sort_key(snapshot: &Snapshot, candidate: Selected) -> tantivy::Result<(&str, &str)> {
    let segment = &snapshot.segments[candidate.segment];
    let number = segment.layout()?.number(candidate.document);
    let document = number.and_then(|number| snapshot.state.document(number)).ok_or_else(|| {
        TantivyError::InternalError("a row belongs to a document that is not known".to_owned())
    })?;
    Ok((snapshot.state.text(document.locator), snapshot.state.unit_of(&document)))
}

/// Number of a row inside a reader.
pub(super) fn row_number(segment: usize, row: u32) -> u64 {
    (segment as u64) << 32 | u64::from(row)
}

/// The segment and row of a number.
pub(super) fn segment_and_row(number: u64) -> (usize, u32) {
    let row = u32::try_from(number & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (usize::try_from(number >> 32).unwrap_or(usize::MAX), row)
}

/// Where the evidence of a row goes.
struct Wanted {
    row: u32,
    candidate: usize,
    /// Position among the candidate's chunks; `None` for its own row.
    chunk: Option<usize>,
}

fn collect(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    chosen: &[Selected],
    tallies: &[(&Layout, Tally)],
    lists: &[Vec<List>],
) -> Vec<Candidate> {
    let source = snapshot.expected.source;
    let zeros = || Evidence::zeros(query.groups.len());
    let mut wanted: Vec<Vec<Wanted>> = tallies.iter().map(|_| Vec::new()).collect();
    let mut candidates = Vec::with_capacity(chosen.len());
    for (index, selected) in chosen.iter().enumerate() {
        let (layout, tally) = &tallies[selected.segment];
        let wanted = &mut wanted[selected.segment];
        let own_row = layout.own_row(selected.document);
        let rows = tally.best_chunks(layout, selected.document, query.chunks_per_document);
        wanted.push(Wanted { row: own_row, candidate: index, chunk: None });
        for (chunk, row) in rows.iter().enumerate() {
            wanted.push(Wanted { row: *row, candidate: index, chunk: Some(chunk) });
        }
        let chunk = |row: u32| ChunkCandidate {
            id: ChunkId { source, number: row_number(selected.segment, row) },
            evidence: zeros(),
        };
        candidates.push(Candidate {
            id: DocumentId { source, number: row_number(selected.segment, own_row) },
            evidence: zeros(),
            chunks: rows.into_iter().map(chunk).collect(),
        });
    }
    for (mut wanted, lists) in wanted.into_iter().zip(lists) {
        wanted.sort_unstable_by_key(|wanted| wanted.row);
        for List { group, field, hits } in lists {
            let mut at = 0;
            for Wanted { row, candidate, chunk } in &wanted {
                at = first_from(hits, at, *row);
                if let Some(hit) = hits.get(at)
                    && hit.row == *row
                {
                    let candidate = &mut candidates[*candidate];
                    let evidence = match chunk {
                        Some(chunk) => &mut candidate.chunks[*chunk].evidence,
                        None => &mut candidate.evidence,
                    };
                    evidence.set(*group, *field, hit.value);
                }
            }
        }
    }
    candidates
}

/// Position of the first hit at or after a row, not before `from`.
fn first_from(hits: &[Hit], from: usize, row: u32) -> usize {
    let mut low = from;
    let mut step = 1;
    while hits.get(low + step).is_some_and(|hit| hit.row < row) {
        low += step;
        step *= 2;
    }
    let high = (low + step + 1).min(hits.len());
    low + hits[low..high].partition_point(|hit| hit.row < row)
}
