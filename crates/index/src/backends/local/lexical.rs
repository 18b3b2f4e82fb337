//! Lexical retrieval: BM25 of every word in every field, exact over all segments.
//!
//! A query takes three steps:
//!
//! 1. Read all posting lists, because the document frequency of a word is that of the union of its
//!    forms over all segments.
//! 2. Add up the scores by document, block by block, and select the best documents ([`Collector`]).
//! 3. Collect the evidence of the selected documents from the lists.
//!
//! The length of a field in a row is tantivy's, which stores it in one byte: exact up to 40 terms,
//! rounded down by at most an eighth above. Everything else is exact and does not depend on how the
//! rows are spread over segments.

use std::{collections::HashSet, rc::Rc};

use lore_schema::{Field, Filter};
use tantivy::TantivyError;

use super::{
    bm25::Bm25,
    collector::{Collector, List, Selected, best_chunks},
    postings::{self, Hit, Sums, first_from},
    row_number::{row_number, segment_and_row},
    segment_filter::{SegmentFilter, SourceFilter},
    snapshot::Snapshot,
    top_k::TopK,
};
use crate::{
    Candidate, ChunkCandidate, ChunkId, DocumentId, DocumentSet, Evidence, GroupStatistics,
    LexicalQuery, Matches,
};

/// Answers a query.
pub(super) fn search(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    filter: &Filter,
    limit: usize,
) -> tantivy::Result<Matches> {
    let mut groups = vec![GroupStatistics::default(); query.groups.len()];
    let lists = read_lists(snapshot, query, &mut groups)?;
    let source_filter = SourceFilter::new(snapshot, filter);
    let mut filters = Vec::with_capacity(lists.len());
    for (index, segment) in snapshot.segments.iter().enumerate() {
        filters.push(SegmentFilter::new(segment, index, &source_filter, &query.within)?);
    }
    let named = named(&filters, query.also.iter().chain(&query.reserve.documents));
    let mut collector = Collector::new(&query.groups, limit);
    for ((filter, lists), named) in filters.iter().zip(&lists).zip(&named) {
        collector.add(filter, lists, named);
    }
    for (group, documents) in groups.iter_mut().zip(&collector.group_documents) {
        group.documents = *documents;
    }

    let Collector { total, matched_all, best, named, .. } = collector;
    let mut chosen = choose(snapshot, best.into_kept(), limit)?;
    let address = |selected: &Selected| (selected.segment, selected.document);
    let mut known: HashSet<(usize, u32)> = chosen.iter().map(address).collect();
    let among = |documents: &[DocumentId]| -> Vec<Selected> {
        let among = DocumentSet::of(documents.iter().copied());
        let is_among = |selected: &&Selected| {
            among.contains_number(filters[selected.segment].number(selected.document))
        };
        named.iter().filter(is_among).copied().collect()
    };
    let mut also = among(&query.also);
    also.retain(|selected| known.insert(address(selected)));
    let rest = also.len();
    chosen.extend(choose(snapshot, also, rest)?);
    let mut reserve = among(&query.reserve.documents);
    reserve.retain(|selected| !known.contains(&address(selected)));
    let candidates = chosen.len();
    chosen.extend(choose(snapshot, reserve, query.reserve.limit)?);
    let mut all = collect(snapshot, query, &chosen, &filters, &lists);
    let reserve = all.split_off(candidates);
    Ok(Matches { total, matched_all, groups, candidates: all, reserve })
}

/// Groups documents by segment, ascending, distinct.
fn named<'a>(
    filters: &[SegmentFilter<'_>],
    documents: impl Iterator<Item = &'a DocumentId>,
) -> Vec<Vec<u32>> {
    let mut named = vec![Vec::new(); filters.len()];
    for id in documents {
        let (segment, row) = segment_and_row(id.number);
        let Some(filter) = filters.get(segment) else { continue };
        if let Some(document) = filter.layout.of_own_row(row) {
            named[segment].push(document);
        }
    }
    for documents in &mut named {
        documents.sort_unstable();
        documents.dedup();
    }
    named
}

/// Reads the posting lists of every segment, sorted by group and field.
fn read_lists(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    statistics: &mut [GroupStatistics],
) -> tantivy::Result<Vec<Vec<List>>> {
    let totals = snapshot.state.totals();
    let positive = |weight: f32| if weight.is_finite() { weight.max(0.0) } else { 0.0 };
    let mut lists: Vec<Vec<List>> = snapshot.segments.iter().map(|_| Vec::new()).collect();
    let mut sums = Sums::new();
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
                found.push(postings::read(&segment.reader, columns, field, forms, &mut sums)?);
            }
            let weight = positive(query.weights[field.index()]) * terms.weight.max(0.0);
            let frequency: usize = found.iter().map(Vec::len).sum();
            if frequency == 0 {
                continue;
            }
            let bm25 = Rc::new(Bm25::new(totals, field, frequency as u64));
            statistics[group].idf[field.index()] = bm25.idf;
            for ((segment, hits), lists) in snapshot.segments.iter().zip(found).zip(&mut lists) {
                if !hits.is_empty() {
                    let column = snapshot.expected.columns.of(field);
                    let lengths = segment.reader.get_fieldnorms_reader(column)?;
                    let bm25 = Rc::clone(&bm25);
                    lists.push(List { group, field, weight, bm25, lengths, hits });
                }
            }
        }
    }
    Ok(lists)
}

/// Selects the best documents, by descending score, then by locator.
fn choose(
    snapshot: &Snapshot,
    selected: Vec<Selected>,
    limit: usize,
) -> tantivy::Result<Vec<Selected>> {
    let mut best = TopK::new(limit);
    for candidate in selected {
        best.push(candidate);
    }
    // Documents that tie with the last one are kept, because the locator decides among them.
    let selected = best.into_kept();
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

/// Returns locator and unit of a document.
fn sort_key(snapshot: &Snapshot, candidate: Selected) -> tantivy::Result<(&str, &str)> {
    let segment = &snapshot.segments[candidate.segment];
    let number = segment.layout()?.number(candidate.document);
    let document = number
        .and_then(|number| snapshot.state.document(number))
        .ok_or_else(|| TantivyError::InternalError("a row of an unknown document".to_owned()))?;
    Ok((snapshot.state.text(document.locator), snapshot.state.unit_of(&document)))
}

/// Collects the evidence of the selected documents from the lists, in their order.
fn collect(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    chosen: &[Selected],
    filters: &[SegmentFilter<'_>],
    lists: &[Vec<List>],
) -> Vec<Candidate> {
    let mut found: Vec<Vec<(&List, Hit)>> = chosen.iter().map(|_| Vec::new()).collect();
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_unstable_by_key(|index| (chosen[*index].segment, chosen[*index].document));
    for order in order.chunk_by(|left, right| chosen[*left].segment == chosen[*right].segment) {
        let segment = order.first().map_or(0, |index| chosen[*index].segment);
        let layout = filters[segment].layout;
        for list in &lists[segment] {
            let mut at = 0;
            for &index in order {
                let document = chosen[index].document;
                at = first_from(&list.hits, at, layout.chunks(document).start);
                let rest = &list.hits[at..];
                let here = rest.iter().take_while(|hit| hit.row <= layout.own_row(document));
                found[index].extend(here.map(|hit| (list, *hit)));
            }
        }
    }
    let described = |(selected, found): (&Selected, Vec<(&List, Hit)>)| {
        candidate(snapshot, query, *selected, &filters[selected.segment], &found)
    };
    chosen.iter().zip(found).map(described).collect()
}

/// Returns a document with its best chunks and their evidence. `found` has the document's hits in
/// each list, ascending by row.
fn candidate(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    selected: Selected,
    filter: &SegmentFilter<'_>,
    found: &[(&List, Hit)],
) -> Candidate {
    let (source, layout) = (snapshot.expected.source, filter.layout);
    let own_row = layout.own_row(selected.document);
    let chunks = layout.chunks(selected.document);
    let acceptance = filter.document(selected.document);
    let mut scores = vec![0.0_f32; chunks.len()];
    for (list, hit) in found.iter().filter(|(_, hit)| chunks.contains(&hit.row)) {
        if filter.row(acceptance, selected.document, hit.row) {
            scores[(hit.row - chunks.start) as usize] += list.weight * list.score(*hit);
        }
    }
    let best = best_chunks(chunks, &scores, query.chunks_per_document);
    let zeros = || Evidence::zeros(query.groups.len());
    let chunk = |row: u32| ChunkCandidate {
        id: ChunkId { source, number: row_number(selected.segment, row) },
        evidence: zeros(),
    };
    let mut candidate = Candidate {
        id: DocumentId { source, number: filter.number(selected.document) },
        evidence: zeros(),
        chunks: best.iter().copied().map(chunk).collect(),
    };
    for (list, hit) in found {
        let evidence = if hit.row == own_row {
            &mut candidate.evidence
        } else if let Some(place) = best.iter().position(|row| *row == hit.row) {
            &mut candidate.chunks[place].evidence
        } else {
            continue;
        };
        evidence.set(list.group, list.field, list.score(*hit));
    }
    candidate
}
