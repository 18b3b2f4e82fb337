//! The oracle: BM25 and filters, implemented as simply as possible.

use std::collections::{BTreeMap, BTreeSet};

use lore_index::{LexicalQuery, Matches, Reader, TermGroup};
use lore_schema::{Field, Filter, Level, Part, SourceName, SymbolKind};

use crate::corpus::{Page, words};

/// The pages of every unit.
pub(crate) type Units = BTreeMap<String, Vec<Page>>;

/// BM25 by group and field.
pub(crate) type Scores = BTreeMap<(usize, Field), f32>;

/// A candidate, comparable across readers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expected {
    pub(crate) locator: String,
    pub(crate) score: f32,
    pub(crate) evidence: Scores,
    /// Ordinals and evidence of its best chunks.
    pub(crate) chunks: Vec<(u32, Scores)>,
}

/// A result, comparable across readers.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    pub(crate) candidates: Vec<Expected>,
    pub(crate) idf: Vec<[f32; Field::ALL.len()]>,
    pub(crate) group_documents: Vec<u64>,
    pub(crate) total: u64,
    pub(crate) matched_all: u64,
}

/// Weighted frequency of a group in a text; `None` if it does not occur.
fn frequency(group: &TermGroup, field: Field, text: &str) -> Option<f32> {
    let mut sum = None;
    for form in group.forms.iter().filter(|form| form.field == field) {
        let count = words(text).filter(|word| *word == form.term).count();
        if count > 0 {
            *sum.get_or_insert(0.0) += form.weight * count as f32;
        }
    }
    sum
}

fn length(text: &str) -> usize {
    words(text).filter(|word| !word.is_empty()).count()
}

struct Statistics {
    rows: f32,
    average: f32,
}

/// Answers a query by a full scan. Lengths above 40 are not quantised.
pub(crate) fn answer(units: &Units, query: &LexicalQuery, filter: &Filter, limit: usize) -> Answer {
    let pages: Vec<&Page> = units.values().flatten().collect();
    let rows_of = |page: &Page, field: Field| -> Vec<String> {
        let text = |fields: &[(Field, String)]| {
            fields
                .iter()
                .filter(|(other, _)| *other == field)
                .map(|(_, text)| text.clone())
                .collect()
        };
        match field.level() {
            Level::Document => vec![text(&page.fields)],
            Level::Chunk => page.chunks.iter().map(|piece| text(&piece.fields)).collect(),
        }
    };
    let mut answer = Answer {
        idf: vec![[0.0; Field::ALL.len()]; query.groups.len()],
        group_documents: vec![0; query.groups.len()],
        ..Answer::default()
    };
    let mut statistics = BTreeMap::new();
    for field in Field::ALL {
        let rows: Vec<String> = pages.iter().flat_map(|page| rows_of(page, *field)).collect();
        let total: usize = rows.iter().map(|text| length(text)).sum();
        let average = total as f32 / rows.len() as f32;
        for (number, group) in query.groups.iter().enumerate() {
            let with = rows.iter().filter(|text| frequency(group, *field, text).is_some()).count();
            if with > 0 {
                let (all, with) = (rows.len() as f32, with as f32);
                answer.idf[number][field.index()] = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            }
        }
        statistics.insert(*field, Statistics { rows: rows.len() as f32, average });
    }
    let evidence = |fields: &[(Field, String)]| -> Scores {
        let mut scores = Scores::new();
        for (field, text) in fields {
            for (number, group) in query.groups.iter().enumerate() {
                if let Some(frequency) = frequency(group, *field, text) {
                    let Statistics { rows, average } = &statistics[field];
                    assert!(*rows > 0.0);
                    let norm = 1.2 * (0.25 + 0.75 * length(text) as f32 / average);
                    let idf = answer.idf[number][field.index()];
                    scores.insert((number, *field), idf * frequency * 2.2 / (frequency + norm));
                }
            }
        }
        scores
    };
    let weighted = |scores: &Scores| -> f32 {
        let weight = |group: usize, field: Field| {
            query.weights[field.index()] * query.groups[group].weight.max(0.0)
        };
        scores.iter().map(|((group, field), score)| weight(*group, *field) * score).sum()
    };
    let mut candidates = Vec::new();
    let mut group_documents = vec![0; query.groups.len()];
    let (mut total, mut matched_all) = (0, 0);
    let required = query.groups.iter().filter(|group| !group.optional).count();
    for page in pages {
        let own = evidence(&page.fields);
        let all: Vec<Scores> = page.chunks.iter().map(|piece| evidence(&piece.fields)).collect();
        let groups = |scores: &Scores| scores.keys().map(|(group, _)| *group).collect::<Vec<_>>();
        let in_any: BTreeSet<usize> = all.iter().chain([&own]).flat_map(&groups).collect();
        for group in in_any {
            group_documents[group] += 1;
        }
        let Some(symbols) = admitted(page, filter) else { continue };
        let mut chunks: Vec<(u32, f32, &Scores)> = (0_u32..)
            .zip(&page.chunks)
            .zip(&all)
            .filter(|((_, piece), scores)| {
                let meets =
                    symbols.is_empty() || piece.symbol.is_some_and(|kind| symbols.contains(&kind));
                meets && !scores.is_empty()
            })
            .map(|((ordinal, _), scores)| (ordinal, weighted(scores), scores))
            .collect();
        let found: BTreeSet<usize> =
            chunks.iter().map(|(_, _, scores)| *scores).chain([&own]).flat_map(&groups).collect();
        let found = found.iter().filter(|group| !query.groups[**group].optional).count();
        if found == 0 || (!symbols.is_empty() && chunks.is_empty()) {
            continue;
        }
        total += 1;
        matched_all += u64::from(found == required);
        chunks.retain(|(_, score, _)| *score > 0.0);
        chunks.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let shares = [1.0, 0.5, 0.25];
        let score = weighted(&own)
            + chunks.iter().zip(shares).map(|((_, score, _), share)| score * share).sum::<f32>();
        if score > 0.0 {
            candidates.push(Expected {
                locator: page.locator.clone(),
                score,
                evidence: own,
                chunks: chunks
                    .into_iter()
                    .take(query.chunks_per_document)
                    .map(|(ordinal, _, scores)| (ordinal, scores.clone()))
                    .collect(),
            });
        }
    }
    candidates.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.locator.cmp(&right.locator))
    });
    candidates.truncate(limit);
    Answer { candidates, group_documents, total, matched_all, ..answer }
}

/// Returns the required kinds of symbols if a page meets a filter, otherwise `None`. Supports only
/// plain folders as path patterns.
pub(crate) fn admitted(page: &Page, filter: &Filter) -> Option<Vec<SymbolKind>> {
    let in_folder = |folder: &String| page.path.starts_with(folder.as_str());
    let updated = page.updated.or_else(|| filter.dates.get(&page.path).copied());
    let in_part = |part: &&Part| {
        (part.paths.is_empty() || part.paths.iter().any(in_folder))
            && (part.categories.is_empty() || part.categories.contains(&page.category))
    };
    let mut parts = filter.parts.iter().filter(|part| part.source == SourceName::Code).peekable();
    let meets = (parts.peek().is_none() || parts.any(|part| in_part(&part)))
        && !filter.without.contains(&page.category)
        && (filter.paths.is_empty() || filter.paths.iter().any(in_folder))
        && !filter.excludes.iter().any(in_folder)
        && (filter.categories.is_empty() || filter.categories.contains(&page.category))
        && (filter.languages.is_empty()
            || page.language.as_ref().is_some_and(|name| filter.languages.contains(name)))
        && filter.since.is_none_or(|since| updated.is_some_and(|updated| updated >= since))
        && filter.until.is_none_or(|until| updated.is_some_and(|updated| updated < until));
    if !meets {
        return None;
    }
    if filter.kinds.is_empty() || filter.kinds.contains(&page.kind) {
        return Some(Vec::new());
    }
    let symbols: Vec<SymbolKind> =
        filter.kinds.iter().filter_map(|kind| SymbolKind::from_name(kind)).collect();
    (!symbols.is_empty()).then_some(symbols)
}

/// Converts a reader's result to the comparable form. Scores of documents are 0.
pub(crate) fn comparable(reader: &dyn Reader, query: &LexicalQuery, matches: &Matches) -> Answer {
    let scores = |evidence: &lore_index::Evidence| -> Scores {
        let mut scores = Scores::new();
        for group in 0..query.groups.len() {
            for field in Field::ALL {
                let score = evidence.get(group, *field);
                if score > 0.0 {
                    scores.insert((group, *field), score);
                }
            }
        }
        scores
    };
    let ids: Vec<_> = matches.candidates.iter().map(|candidate| candidate.id).collect();
    let documents = reader.documents(&ids).expect("documents load");
    let candidates = matches
        .candidates
        .iter()
        .zip(documents)
        .map(|(candidate, document)| {
            let ids: Vec<_> = candidate.chunks.iter().map(|chunk| chunk.id).collect();
            let chunks = reader.chunks(&ids).expect("chunks load");
            Expected {
                locator: document.key.locator,
                score: 0.0,
                evidence: scores(&candidate.evidence),
                chunks: chunks
                    .iter()
                    .zip(&candidate.chunks)
                    .map(|(stored, chunk)| (stored.ordinal, scores(&chunk.evidence)))
                    .collect(),
            }
        })
        .collect();
    Answer {
        candidates,
        idf: matches.groups.iter().map(|group| group.idf).collect(),
        group_documents: matches.groups.iter().map(|group| group.documents).collect(),
        total: matches.total,
        matched_all: matches.matched_all,
    }
}
