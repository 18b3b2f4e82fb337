//! Asks an engine every query of a collection.

use std::{error::Error, path::Path, time::Instant};

use lore_engine::{
    Engine, EngineError, Explanation, Extras, Fusion, Mode, Progress, SearchRequest,
    SearchResponse, SignalWeight, SpecAnswer, Syntax,
};
use lore_schema::{Filter, SourceName};

use crate::{
    Answer, Collection, EvalError, Judged, Parts, Query, Ranked, Run, Trees, run::right_results,
};

/// Results among which right ones are looked for that an answer does not list.
const LOOKED_BELOW: usize = 50;

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
    /// Whether right results that an answer does not list are looked for below it, which takes one
    /// more search.
    pub look_below: bool,
    /// Which door is used.
    pub door: Door,
    /// How hits are found.
    pub mode: Mode,
    /// How words and meaning come together.
    pub fusion: Fusion,
    /// Least similarity in meaning of a hit, 0.0..=1.0.
    pub min_similarity: Option<f32>,
    /// How queries are read.
    pub syntax: Syntax,
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
    /// The weights of ranking that held.
    pub weights: &'a [SignalWeight],
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

/// Asks one query of one tree. `prefix` precedes the paths of the tree to make them ones from the
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
        let request = SearchRequest {
            filter: Filter { sources: sources.to_vec(), ..Filter::default() },
            limit,
            explain: plan.explain,
            mode: plan.mode,
            fusion: plan.fusion,
            min_similarity: plan.min_similarity,
            syntax: plan.syntax,
            snippet_lines: 1,
            extras: Extras { rewrite: true, ..Extras::default() },
            ..SearchRequest::new(query.text.clone())
        };
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
        response.map(|response| of_search(response, prefix)).unwrap_or_default()
    };
    let started = Instant::now();
    let (results, response) = match plan.door {
        Door::Search => {
            let response = search(plan.limit)?;
            (listed(response.as_ref()), response)
        }
        Door::Spec => match engine.spec(&query.text, plan.limit) {
            Ok(answer) => (of_spec(&answer, prefix), None),
            Err(EngineError::EmptyQuery) => (Vec::new(), None),
            Err(error) => return Err(error),
        },
    };
    let milliseconds = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
    let mut answer = Answer { milliseconds: Some(milliseconds), ..answer_of(results) };
    if plan.look_below {
        let missing = Judged::of(query, Some(&answer)).ranks.iter().any(Option::is_none);
        let longer = match plan.door {
            Door::Search if missing && plan.limit < LOOKED_BELOW => {
                Some(answer_of(listed(search(LOOKED_BELOW)?.as_ref())))
            }
            _ => None,
        };
        answer.right = Some(right_results(query, &answer, longer.as_ref()));
    }
    Ok((answer, response))
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
            id: hit.id.clone(),
            score: hit.score,
            parts: Parts::new(),
        })
        .collect()
}

/// The parts that say something, to five digits: a run is read more often by people than computed
/// with.
fn parts_of(explanation: &Explanation) -> Parts {
    let rounded = |contribution: f32| (contribution * 1e5).round() / 1e5;
    let parts = explanation.parts.iter();
    parts
        .map(|part| (part.name.to_owned(), rounded(part.contribution)))
        .filter(|(_, contribution)| *contribution != 0.0)
        .collect()
}
