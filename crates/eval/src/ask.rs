//! Asks an engine every query of a collection.

use std::{error::Error, path::Path, time::Instant};

use lore_engine::{
    Engine, EngineError, Fusion, Mode, Progress, SearchRequest, SearchResponse, SpecAnswer,
};
use lore_schema::{Filter, SourceName};

use crate::{Answer, Collection, EvalError, Query, Ranked, Run, Trees};

/// Which door of the engine is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The search.
    Search,
    /// The lexical floor over spec nodes.
    Spec,
}

/// How a collection is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Where the trees lie.
    pub trees: Trees,
    /// Sources that are searched; those of the collection if empty.
    pub sources: Vec<SourceName>,
    /// Results a query.
    pub limit: usize,
    /// Whether hits carry the parts of their scores.
    pub explain: bool,
    /// Which door is used.
    pub door: Door,
    /// How hits are found.
    pub mode: Mode,
    /// How words and meaning come together.
    pub fusion: Fusion,
    /// Least similarity in meaning of a hit, 0.0..=1.0.
    pub min_similarity: Option<f32>,
}

/// What was answered to one query, while it is fresh.
#[derive(Debug)]
pub struct Answered<'a> {
    /// The query.
    pub query: &'a Query,
    /// What becomes part of the run.
    pub answer: &'a Answer,
    /// The whole answer; `None` from the floor, and where the query is empty.
    pub response: Option<&'a SearchResponse>,
    /// Queries that are answered, this one included.
    pub done: usize,
    /// Queries of the collection.
    pub known: usize,
}

/// Makes an engine for a tree.
pub type Open<'a> = &'a dyn Fn(&Path) -> Result<Engine, Box<dyn Error + Send + Sync>>;

/// Asks every query, repository by repository. `open` makes an engine for a tree; `each` sees every
/// answer as it comes. An empty query is answered with nothing.
///
/// # Errors
/// A tree that is not there is found before the first query is asked. Otherwise the first error of
/// the engine.
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
            let started = Instant::now();
            let (results, response) = match plan.door {
                Door::Search => {
                    let request = SearchRequest {
                        filter: Filter { sources: sources.clone(), ..Filter::default() },
                        limit: plan.limit,
                        explain: plan.explain,
                        mode: plan.mode,
                        fusion: plan.fusion,
                        min_similarity: plan.min_similarity,
                        snippet_lines: 1,
                        ..SearchRequest::new(query.text.clone())
                    };
                    match engine.search(&request, progress) {
                        Ok(response) => (of_search(&response, &place.prefix), Some(response)),
                        Err(EngineError::EmptyQuery) => (Vec::new(), None),
                        Err(error) => return Err(failed(query)(error)),
                    }
                }
                Door::Spec => match engine.spec(&query.text, plan.limit) {
                    Ok(answer) => (of_spec(&answer, &place.prefix), None),
                    Err(EngineError::EmptyQuery) => (Vec::new(), None),
                    Err(error) => return Err(failed(query)(error)),
                },
            };
            let answer = Answer {
                id: query.id.clone(),
                repository: query.repository.clone(),
                query: query.text.clone(),
                results,
                milliseconds: Some((started.elapsed().as_secs_f64() * 1e6).round() / 1e3),
            };
            done += 1;
            each(&Answered {
                query,
                answer: &answer,
                response: response.as_ref(),
                done,
                known: collection.queries.len(),
            })?;
            run.insert(answer);
        }
    }
    Ok(run)
}

fn of_search(response: &SearchResponse, prefix: &str) -> Vec<Ranked> {
    response
        .hits
        .iter()
        .map(|hit| Ranked {
            path: hit.path.as_ref().map(|path| format!("{prefix}{path}")).unwrap_or_default(),
            start_line: hit.start_line,
            end_line: hit.end_line,
            id: hit.id.clone(),
            score: f64::from(hit.score),
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
            id: hit.id.clone(),
            score: hit.score,
        })
        .collect()
}
