//! Runs the queries of a collection against an engine.

use std::{error::Error, path::Path, time::Instant};

use lore_compat::spex::{SpecAnswer, search_specs};
use lore_engine::{
    Clock, Engine, EngineError, Explanation, Extras, Fusion, Hit, Mode, Progress, SearchRequest,
    SearchResponse, SignalWeight, Syntax,
};
use lore_schema::SourceName;

use crate::{
    Answer, Collection, EvalError, Judged, Parts, Query, Ranked, Run, Trees, run::right_results,
};

/// Number of results that are searched for right ones below the end of an answer.
const MAX_RANK_BELOW: usize = 50;

/// Kind of search to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchKind {
    /// The normal search.
    Search,
    /// The lexical search over spec nodes.
    Spec,
}

/// Options of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Location of the trees.
    pub trees: Trees,
    /// Sources to search; if empty, those of the collection.
    pub sources: Vec<SourceName>,
    /// Number of results for each query.
    pub limit: usize,
    /// True if hits contain the parts of their scores.
    pub explain: bool,
    /// True if right results below the end of an answer are searched for as well, which takes
    /// another search.
    pub look_below: bool,
    /// Kind of search.
    pub search_kind: SearchKind,
    /// Retrieval mode.
    pub mode: Mode,
    /// Fusion of lexical and vector scores.
    pub fusion: Fusion,
    /// Minimum vector similarity of a hit, 0.0..=1.0.
    pub min_similarity: Option<f32>,
    /// Query syntax.
    pub syntax: Syntax,
    /// Maximum length of a shown passage in lines. If `None`, the run does not record the passages.
    pub snippet_lines: Option<usize>,
    /// The current time, for dates in words.
    pub clock: Clock,
}

/// A query with its answer, as passed to the callback.
#[derive(Debug)]
pub struct Answered<'a> {
    /// The query.
    pub query: &'a Query,
    /// The answer that becomes part of the run.
    pub answer: &'a Answer,
    /// The whole response; `None` for the lexical search, and for an empty query.
    pub response: Option<&'a SearchResponse>,
    /// The ranking weights in use.
    pub weights: &'a [SignalWeight],
    /// Number of answered queries, including this one.
    pub done: usize,
    /// Number of queries of the collection.
    pub known: usize,
}

/// Opens an engine for a tree.
pub type Open<'a> = &'a dyn Fn(&Path) -> Result<Engine, Box<dyn Error + Send + Sync>>;

/// Runs all queries, repository by repository. `open` opens an engine for a tree; `each` is called
/// with every answer. An empty query has an empty answer.
///
/// # Errors
/// A missing tree is reported before the first query is run. Otherwise the first error of the
/// engine.
pub fn ask(
    collection: &Collection,
    plan: &Plan,
    open: Open<'_>,
    progress: &dyn Progress,
    each: &mut dyn FnMut(&Answered<'_>) -> Result<(), EvalError>,
) -> Result<Run, EvalError> {
    let repositories = collection.repositories();
    let places = repositories
        .iter()
        .map(|repository| Ok((*repository, plan.trees.find(repository, collection)?)))
        .collect::<Result<Vec<_>, EvalError>>()?;
    let sources = if plan.sources.is_empty() { &collection.sources } else { &plan.sources };
    let mut run = Run::default();
    let mut done = 0;
    for (repository, place) in places {
        let failed = |query: &Query| {
            let (repository, query) = (repository.to_owned(), query.id.clone());
            move |source| EvalError::Engine { repository, query, source }
        };
        let mut engine = None;
        for query in collection.queries.iter().filter(|query| query.repository == repository) {
            let engine = match &mut engine {
                Some(engine) => engine,
                none => none.insert(
                    open(&place.root)
                        .map_err(|source| EvalError::Open { path: place.root.clone(), source })?,
                ),
            };
            let (answer, response) = ask_one(engine, query, plan, sources, &place.prefix, progress)
                .map_err(failed(query))?;
            done += 1;
            each(&Answered {
                query,
                answer: &answer,
                response: response.as_ref(),
                weights: &engine.signal_weights(),
                done,
                known: collection.queries.len(),
            })?;
            run.insert(answer);
        }
    }
    Ok(run)
}

/// Runs one query on one tree. `prefix` precedes the paths of the tree to make them relative to the
/// repository's root.
pub(crate) fn ask_one(
    engine: &Engine,
    query: &Query,
    plan: &Plan,
    sources: &[SourceName],
    prefix: &str,
    progress: &dyn Progress,
) -> Result<(Answer, Option<SearchResponse>), EngineError> {
    let search = |limit: usize| {
        let request = SearchRequest::new(query.text.clone())
            .with_sources(sources.to_vec())
            .with_limit(limit)
            .with_explain(plan.explain)
            .with_mode(plan.mode)
            .with_fusion(plan.fusion)
            .with_min_similarity(plan.min_similarity)
            .with_syntax(plan.syntax)
            .with_snippet_lines(plan.snippet_lines.unwrap_or(1))
            .with_clock(plan.clock)
            .with_extras(Extras {
                rewrite: true,
                choose_lines: true,
                judge: true,
                ..Extras::default()
            });
        match engine.search(&request, progress) {
            Ok(response) => Ok(Some(response)),
            Err(EngineError::EmptyQuery) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let answer_of = |results: Vec<Ranked>| Answer {
        id: query.id.clone(),
        repository: query.repository.clone(),
        query: query.text.clone(),
        results,
        ..Answer::default()
    };
    let listed = |response: Option<&SearchResponse>| {
        let records_shown = plan.snippet_lines.is_some();
        response.map(|response| of_search(response, prefix, records_shown)).unwrap_or_default()
    };
    let started = Instant::now();
    let (results, response) = match plan.search_kind {
        SearchKind::Search => {
            let response = search(plan.limit)?;
            (listed(response.as_ref()), response)
        }
        SearchKind::Spec => match search_specs(engine, &query.text, plan.limit) {
            Ok(answer) => (of_spec(&answer, prefix), None),
            Err(EngineError::EmptyQuery) => (Vec::new(), None),
            Err(error) => return Err(error),
        },
    };
    let milliseconds = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
    let is_weak = response.as_ref().is_some_and(is_weak);
    let mut answer = Answer { milliseconds: Some(milliseconds), is_weak, ..answer_of(results) };
    if plan.look_below {
        let missing = Judged::of(query, Some(&answer)).ranks.iter().any(Option::is_none);
        let longer = match plan.search_kind {
            SearchKind::Search if missing && plan.limit < MAX_RANK_BELOW => {
                Some(answer_of(listed(search(MAX_RANK_BELOW)?.as_ref())))
            }
            _ => None,
        };
        answer.right = Some(right_results(query, &answer, longer.as_ref()));
    }
    Ok((answer, response))
}

/// Returns true if a response with hits reports that these may not be what is searched for.
fn is_weak(response: &SearchResponse) -> bool {
    response.absence.is_some() || response.receipt.weak
}

/// First and last line of the shown passage; `None` if it is not text of a file.
fn shown_lines(hit: &Hit) -> Option<(u32, u32)> {
    hit.start_line?;
    let start = Some(hit.snippet.start_line).filter(|start| 0 < *start)?;
    let further = hit.snippet.text.matches('\n').count();
    Some((start, start.saturating_add(u32::try_from(further).unwrap_or(u32::MAX))))
}

fn of_search(response: &SearchResponse, prefix: &str, records_shown: bool) -> Vec<Ranked> {
    response
        .hits
        .iter()
        .map(|hit| Ranked {
            path: hit.path.as_ref().map(|path| format!("{prefix}{path}")).unwrap_or_default(),
            start_line: hit.start_line,
            end_line: hit.end_line,
            shown: if records_shown { shown_lines(hit) } else { None },
            id: hit.id.clone(),
            score: f64::from(hit.score),
            parts: hit.explanation.as_ref().map(parts_of).unwrap_or_default(),
        })
        .collect()
}

fn of_spec(answer: &SpecAnswer, prefix: &str) -> Vec<Ranked> {
    answer
        .hits
        .iter()
        .map(|hit| Ranked {
            path: format!("{prefix}{}", hit.path),
            start_line: None,
            end_line: None,
            shown: None,
            id: hit.id.clone(),
            score: hit.score,
            parts: Parts::new(),
        })
        .collect()
}

/// The parts that are not zero, to five digits: runs are mostly read by people.
fn parts_of(explanation: &Explanation) -> Parts {
    let rounded = |contribution: f32| (contribution * 1e5).round() / 1e5;
    let parts = explanation.parts.iter();
    parts
        .map(|part| (part.name.to_owned(), rounded(part.contribution)))
        .filter(|(_, contribution)| *contribution != 0.0)
        .collect()
}
