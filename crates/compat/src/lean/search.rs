//! The search of lean-spec over specs in memory: every field of every spec, all words required, by
//! the published rule of scores.
//!
//! **Invariant:** pure but for [`search`], which reads the documents and measures the time.

mod answer;
mod scoring;
mod snippet;
mod spec;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, ops::Range, time::Instant};

use lore_engine::{Archived, Engine, EngineError, SearchRequest, documents::parse_query};
use lore_schema::{Document, SourceName};

pub(super) use self::{
    answer::{LeanAnswer, LeanHit, LeanMatch, LeanSpec},
    scoring::LeanField,
};
use self::{
    scoring::{ARCHIVED, Mention, NEUTRAL, field_score, rounded, shown},
    spec::{Spec, Text},
};
use crate::documents::{
    DocumentFilter, Pattern, Plan, Term, View, Words, is_word, needs_dates, oldest_date,
    unknown_field,
};

/// Maximum number of matches shown per spec.
const MATCHES: usize = 5;

/// Matches in the content are more than this number of lines apart.
const LINES: u32 = 3;

/// Number of specs with some of the words to report if none has all.
const PARTIAL: usize = 3;

/// Minimum similarity of a word that is in no spec to the word suggested for it.
const SIMILAR: f64 = 0.6;

/// Searches the specs of every format in memory, without an index. The minimum score of the request
/// is on the scale 0.0..=100.0; its sources and languages are ignored. With `strict`, the answer names
/// no near misses if nothing is found.
///
/// # Errors
/// [`EngineError::EmptyQuery`] when the query is blank, [`EngineError::Query`] when it has a syntax
/// error; otherwise when the tree cannot be read.
pub(super) fn search(
    engine: &Engine,
    request: &SearchRequest,
    strict: bool,
) -> Result<LeanAnswer, EngineError> {
    let started = Instant::now();
    if request.query.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let documents = engine.documents(&[SourceName::Specs], &|_, unit| !is_fixture(unit))?;
    let mut request = request.clone();
    if needs_dates(&request) {
        let undated = documents.iter().filter(|document| document.attributes.updated.is_none());
        let paths = undated.map(|document| document.path.clone());
        request.filter.dates = engine.last_changes(paths, oldest_date(&request));
    }
    let mut answer = rank(&documents, &request, strict)?;
    answer.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(answer)
}

/// Returns true for a path below a folder with input of tests, whose specs describe nothing.
fn is_fixture(path: &str) -> bool {
    path.split('/').any(|folder| folder.trim_matches('_').ends_with("fixtures"))
}

/// Searches documents. The minimum score of the request is on the scale 0.0..=100.0, its sources and
/// languages are ignored, and its filter contains the dates of files. With `strict`, the answer names
/// no near misses if nothing is found. `elapsed_ms` stays 0.
///
/// # Errors
/// If the query is blank or has a syntax error.
fn rank(
    documents: &[Document],
    request: &SearchRequest,
    strict: bool,
) -> Result<LeanAnswer, EngineError> {
    let plan = plan(documents, request)?;
    let filter = DocumentFilter::with_all_tags(&request.filter, &request.attributes);
    let dates = &request.filter.dates;
    let specs: Vec<Spec<'_>> = Spec::of(documents, plan.terms().len(), dates)
        .into_iter()
        .filter(|spec| filter.admits(&spec.facts))
        .collect();
    let ranks = plan.terms().iter().any(|term| term.ranks);
    let mut found: Vec<Scored<'_, '_>> = specs
        .iter()
        .filter(|spec| plan.holds(*spec, Words::Searched))
        .map(|spec| Scored::of(spec, &plan, request))
        .filter(|scored| f64::from(request.min_score) <= shown(scored.score))
        .collect();
    found.sort_by(|left, right| left.compare(right, ranks));
    let mut answer = LeanAnswer {
        total: found.len(),
        hits: found.iter().take(request.limit).map(|scored| scored.hit(&plan)).collect(),
        searched: specs.len(),
        words: plan
            .terms()
            .iter()
            .filter(|term| term.ranks)
            .map(|term| term.typed.clone())
            .collect(),
        warnings: plan.warnings.clone(),
        ..LeanAnswer::default()
    };
    if found.is_empty() && !strict {
        answer.partial = partial(&specs, &plan, request);
        answer.near = near(&specs, &plan);
    }
    Ok(answer)
}

/// Parses the query.
fn plan(documents: &[Document], request: &SearchRequest) -> Result<Plan, EngineError> {
    let parsed = parse_query(documents, request)?;
    let mut plan = Plan::of(parsed.expression.as_ref(), request.clock);
    plan.warnings.extend(parsed.unknown_fields.iter().map(|name| unknown_field(name)));
    if plan.is_empty() { Err(EngineError::EmptyQuery) } else { Ok(plan) }
}

/// A spec with its score.
struct Scored<'s, 'd> {
    spec: &'s Spec<'d>,
    /// The score before the cut at the maximum.
    score: f64,
    /// Number of query words that occur as whole words.
    exact: usize,
}

impl<'s, 'd> Scored<'s, 'd> {
    fn of(spec: &'s Spec<'d>, plan: &Plan, request: &SearchRequest) -> Scored<'s, 'd> {
        // A query that matches without any word has the same base score for all; words add to it.
        let base = if plan.holds(spec, Words::Absent) { NEUTRAL } else { 0.0 };
        let mut score = base;
        let mut exact = 0;
        // Other forms of the words score only if the spec has none of the words as typed.
        let is_literal = spec.has_literal(plan);
        for (index, term) in plan.terms().iter().enumerate().filter(|(_, term)| term.ranks) {
            let mut is_exact = false;
            for &field in LeanField::ALL {
                if term.field.is_some_and(|wanted| wanted != field.as_str()) {
                    continue;
                }
                let mentions =
                    spec.texts.iter().filter(|text| text.field == field).flat_map(|text| {
                        let found = if is_literal {
                            text.found(index, &term.pattern)
                        } else {
                            spec.found(text, index, term)
                        };
                        found.iter().map(|found| mention(text, found.exact, found.range.start))
                    });
                let mentions = mentions.inspect(|mention| is_exact |= mention.exact);
                score += field_score(field, mentions);
            }
            exact += usize::from(is_exact);
        }
        if request.attributes.archived == Archived::Include && spec.facts.is_archived() {
            // Being archived makes a spec rank lower; it does not hide it.
            score = (score * ARCHIVED).max(score.min(f64::from(request.min_score)));
        }
        Scored { spec, score, exact }
    }

    /// Orders the best first, and equal scores by the shorter name.
    fn compare(&self, other: &Scored<'_, '_>, ranks: bool) -> std::cmp::Ordering {
        let recency = |scored: &Scored<'_, '_>| {
            let attributes = &scored.spec.main.attributes;
            (!ranks).then_some(attributes.updated.or(attributes.created))
        };
        other
            .score
            .total_cmp(&self.score)
            .then_with(|| recency(other).cmp(&recency(self)))
            .then_with(|| other.exact.cmp(&self.exact))
            .then_with(|| self.spec.id().chars().count().cmp(&other.spec.id().chars().count()))
            .then_with(|| self.spec.id().cmp(other.spec.id()))
            .then_with(|| self.spec.main.path.cmp(&other.spec.main.path))
    }

    fn hit(&self, plan: &Plan) -> LeanHit {
        let spec = self.spec;
        let (matches, mentions) = matches(spec, plan);
        let missing = plan
            .terms()
            .iter()
            .enumerate()
            .filter(|(index, term)| term.ranks && term.required && !spec.holds_term(*index, term))
            .map(|(_, term)| term.typed.clone())
            .collect();
        LeanHit { spec: about(spec), score: rounded(self.score), mentions, matches, missing }
    }
}

fn mention(text: &Text<'_>, exact: bool, start: usize) -> Mention {
    Mention { exact, early: text.is_early(start) }
}

/// Metadata of a spec, without fields that readers add for internal use.
fn about(spec: &Spec<'_>) -> LeanSpec {
    let attributes = &spec.main.attributes;
    let noted = ["archived", "parent", "supersededBy"];
    LeanSpec {
        name: spec.id().to_owned(),
        path: spec.main.path.clone(),
        format: spec.main.format,
        title: spec.main.title.clone(),
        status: attributes.status.clone(),
        priority: attributes.priority.clone(),
        tags: attributes.tags.clone(),
        assignee: attributes.assignee.clone(),
        description: attributes.description.clone(),
        created: spec.created,
        updated: attributes.updated,
        custom: attributes
            .extra
            .iter()
            .filter(|(name, _)| !noted.contains(&name.as_str()))
            .cloned()
            .collect(),
        pages: spec.pages.iter().map(|page| page.path.clone()).collect(),
    }
}

/// One mention in a text.
struct Place {
    range: Range<usize>,
    score: f64,
}

/// The best matches of a spec, and the number of mentions per field.
fn matches(spec: &Spec<'_>, plan: &Plan) -> (Vec<LeanMatch>, Vec<(LeanField, usize)>) {
    let mut mentions: Vec<(LeanField, usize)> = Vec::new();
    let mut all: Vec<LeanMatch> = Vec::new();
    // The frequency of a word is that in its field, not that on one of its pages.
    let frequency = |index: usize, field: LeanField, term: &Term| -> usize {
        let texts = spec.texts.iter().filter(|text| text.field == field);
        texts.map(|text| spec.found(text, index, term).len()).sum()
    };
    for text in &spec.texts {
        let mut places: Vec<Place> = Vec::new();
        for (index, term) in plan.terms().iter().enumerate().filter(|(_, term)| term.ranks) {
            if term.field.is_some_and(|wanted| wanted != text.field.as_str()) {
                continue;
            }
            let frequency = frequency(index, text.field, term);
            places.extend(spec.found(text, index, term).iter().map(|found| Place {
                range: found.range.clone(),
                score: mention(text, found.exact, found.range.start).score(text.field, frequency),
            }));
        }
        if places.is_empty() {
            continue;
        }
        match mentions.last_mut() {
            Some((field, count)) if *field == text.field => *count += places.len(),
            _ => mentions.push((text.field, places.len())),
        }
        places.sort_by_key(|place| (place.range.start, place.range.end));
        if text.field == LeanField::Content {
            all.extend(in_content(spec, text, &places));
        } else {
            let marks: Vec<_> = places.iter().map(|place| place.range.clone()).collect();
            let snippet = snippet::whole(&text.original, &marks);
            all.push(LeanMatch {
                field: text.field,
                text: snippet.text,
                score: rounded(best(&places)),
                highlights: snippet.highlights,
                line: None,
                page: None,
            });
        }
    }
    // The sort is stable: equal scores stay in the order of fields and lines.
    all.sort_by_key(|found| std::cmp::Reverse(found.score));
    all.truncate(MATCHES);
    (all, mentions)
}

fn best(places: &[Place]) -> f64 {
    places.iter().map(|place| place.score).fold(0.0, f64::max)
}

/// The matches in a page, the best of those that are near each other.
fn in_content(spec: &Spec<'_>, text: &Text<'_>, places: &[Place]) -> Vec<LeanMatch> {
    let marks: Vec<_> = places.iter().map(|place| place.range.clone()).collect();
    let lines = lines(&text.original, &marks);
    let is_main = std::ptr::eq(text.document, spec.main);
    // A place with several of the words is better than one with a single word.
    let around = |index: usize| {
        let near = places.iter().zip(&lines).filter(|(_, line)| line.abs_diff(lines[index]) <= 1);
        near.map(|(place, _)| place.score).sum::<f64>()
    };
    let mut order: Vec<usize> = (0..places.len()).collect();
    let ranked: Vec<f64> = order.iter().map(|&index| around(index)).collect();
    order.sort_by(|&left, &right| {
        places[right]
            .score
            .total_cmp(&places[left].score)
            .then_with(|| ranked[right].total_cmp(&ranked[left]))
            .then_with(|| left.cmp(&right))
    });
    let mut taken: Vec<u32> = Vec::new();
    let mut matches = Vec::new();
    for index in order {
        let line = lines[index];
        let place = &places[index];
        let is_description = is_main
            && spec.paragraph.as_ref().is_some_and(|range| range.contains(&place.range.start));
        if is_description || taken.iter().any(|other| other.abs_diff(line) <= LINES) {
            continue;
        }
        taken.push(line);
        let snippet = snippet::around(&text.original, &place.range, &marks, text.hidden());
        matches.push(LeanMatch {
            field: LeanField::Content,
            text: snippet.text,
            score: rounded(place.score),
            highlights: snippet.highlights,
            line: Some(line),
            page: (!is_main).then(|| text.document.path.clone()),
        });
        if matches.len() == MATCHES {
            break;
        }
    }
    matches
}

/// The lines, from 1, on which ascending ranges start.
fn lines(text: &str, ranges: &[Range<usize>]) -> Vec<u32> {
    let mut line = 1;
    let mut at = 0;
    ranges
        .iter()
        .map(|range| {
            let breaks = text[at..range.start].bytes().filter(|byte| *byte == b'\n').count();
            line += u32::try_from(breaks).unwrap_or(u32::MAX);
            at = range.start;
            line
        })
        .collect()
}

/// The specs with most of the words, for a query of which no spec has all.
fn partial(specs: &[Spec<'_>], plan: &Plan, request: &SearchRequest) -> Vec<LeanHit> {
    if plan.terms().iter().filter(|term| term.ranks).count() < 2 {
        return Vec::new();
    }
    let held = |spec: &Spec<'_>| {
        let terms = plan.terms().iter().enumerate().filter(|(_, term)| term.ranks);
        terms.filter(|(index, term)| spec.holds_term(*index, term)).count()
    };
    let mut found: Vec<(usize, Scored<'_, '_>)> = specs
        .iter()
        .filter(|spec| plan.holds(*spec, Words::Present))
        .map(|spec| (held(spec), Scored::of(spec, plan, request)))
        .filter(|(held, _)| 0 < *held)
        .collect();
    found.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.compare(&right.1, true)));
    found.iter().take(PARTIAL).map(|(_, scored)| scored.hit(plan)).collect()
}

/// For each word that is in no spec, the most similar word that is.
fn near(specs: &[Spec<'_>], plan: &Plan) -> Vec<(String, String)> {
    let unknown: Vec<(&str, &str)> = plan
        .terms()
        .iter()
        .enumerate()
        .filter(|(index, term)| {
            term.ranks && !specs.iter().any(|spec| spec.holds_term(*index, term))
        })
        .filter_map(|(_, term)| match &term.pattern {
            Pattern::Part(folded, _) if folded.chars().all(is_word) => {
                Some((term.typed.as_str(), folded.as_str()))
            }
            _ => None,
        })
        .take(PARTIAL)
        .collect();
    if unknown.is_empty() {
        return Vec::new();
    }
    let mut words: BTreeSet<String> = BTreeSet::new();
    for text in specs.iter().flat_map(|spec| &spec.texts) {
        let words_of =
            text.folded().split(|character: char| !is_word(character) || character == '_');
        for word in words_of.filter(|word| 2 < word.len()) {
            if !words.contains(word) {
                words.insert(word.to_owned());
            }
        }
    }
    unknown
        .into_iter()
        .filter_map(|(typed, folded)| {
            words
                .iter()
                .map(|word| (strsim::normalized_damerau_levenshtein(folded, word), word))
                .filter(|(similarity, _)| SIMILAR <= *similarity)
                .max_by(|left, right| left.0.total_cmp(&right.0).then_with(|| right.1.cmp(left.1)))
                .map(|(_, word)| (typed.to_owned(), word.clone()))
        })
        .collect()
}
