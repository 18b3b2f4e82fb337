//! Searches several trees for one answer: each has its own index, statistics and snapshot, and all of
//! them have one list of hits.
//!
//! Scores of one source are comparable between trees, because they are calibrated on shares of the
//! query, not on counts. The stages are those of a search in one tree, with two differences: a word
//! is replaced only if no tree contains it, and the numbers of texts that are read and of hits are
//! those of one answer. So a tree without good candidates costs no more than its index.

use std::{
    collections::{HashMap, HashSet},
    panic::resume_unwind,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

use lore_schema::SourceName;

use super::{
    RankedList,
    choose::choose_lines,
    confidence::confidence,
    context::SearchContext,
    correct::is_known_anywhere,
    facets,
    lines::show_quotations,
    named::{OnlyPlace, definitions, show_definition},
    parse::{self, Order, ParsedQuery},
    present::{ReadTexts, Selection, fold_duplicates, holders_of, present},
    rerank::places,
    retrieve::{Looked, LookedTree, shortlists},
    score::{ScoredDocument, last_change, select},
    score_candidates,
    uses::add_uses,
    weak::{MAX_JUDGED, MAX_WEAK, explain_weak, is_weak},
};
use crate::{
    Absence, Confidence, EngineConfig, EngineError, Facets, GraphPart, IndexMode, Progress,
    Receipt, SearchRequest, SearchResponse,
    answers::follow_ups::FollowUpCache,
    rank::{Ranked, by_rank},
    state::{refresh, snapshot::Snapshot},
};

/// Documents beyond the limit that are compared with those above, because they take the places of
/// duplicates.
const SPARE: usize = 10;

/// A tree that is searched.
pub(crate) struct Member<'a> {
    pub(crate) config: &'a EngineConfig,
    /// The request, as it is for this tree.
    pub(crate) request: &'a SearchRequest,
    pub(crate) follow_ups: &'a FollowUpCache,
}

/// The answers of all trees.
pub(crate) struct Answers {
    /// The answer of each tree, in their order. Its hits are those of the common list.
    pub(crate) responses: Vec<Result<SearchResponse, EngineError>>,
    /// The tree of each hit of the common list.
    pub(crate) order: Vec<usize>,
    /// Explanation of an answer that is too weak.
    pub(crate) weakness: Option<Absence>,
    /// Certainty of the first hits.
    pub(crate) confidence: Option<Confidence>,
}

/// Searches all trees, `threads` at a time. A tree that cannot be searched has an error instead of an
/// answer.
///
/// # Errors
/// When the query is invalid.
pub(crate) fn search(
    members: &[Member<'_>],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Answers, EngineError> {
    let start = Instant::now();
    for member in members {
        // First, so that a syntax error is reported without a walk of the trees.
        parse::check(member.request)?;
    }
    let snapshots: Vec<Result<Snapshot, EngineError>> = each(members, threads, |member| {
        refresh::take(member.config, &member.request.filter.sources, IndexMode::Update, progress)
    });
    let contexts: Vec<Option<SearchContext<'_>>> = members
        .iter()
        .zip(&snapshots)
        .map(|(Member { config, request, .. }, snapshot)| {
            let snapshot = snapshot.as_ref().ok()?;
            Some(SearchContext { request, snapshot, config })
        })
        .collect();
    let states = retrieve(&contexts, threads);
    let (states, Choice { order, weakness, confidence }) = choose(states, threads);
    let is_empty = states.iter().flatten().all(|state| state.list.scored.is_empty());
    let is_open: Vec<bool> = contexts.iter().map(Option::is_some).collect();
    let opened: Vec<usize> = (0..members.len()).filter(|member| is_open[*member]).collect();
    let order = order.into_iter().map(|tree| opened[tree]).collect();
    let caches = opened.iter().map(|member| members[*member].follow_ups);
    let states = states.into_iter().zip(caches);
    let mut presented = each(states, threads, |(state, cache)| {
        let state = state?;
        let config = state.context.config;
        let response = state.present(is_empty, cache)?;
        config.check_texts_since(start)?;
        Ok(response)
    })
    .into_iter();
    drop(contexts);
    let responses = snapshots
        .into_iter()
        .map(|snapshot| {
            let mut snapshot = snapshot?;
            let mut response = presented.next().unwrap_or(Err(EngineError::EmptyQuery))?;
            response.warnings.splice(0..0, std::mem::take(&mut snapshot.warnings));
            Ok(response)
        })
        .collect();
    Ok(Answers { responses, order, weakness, confidence })
}

/// The state of the search in one tree.
struct State<'a> {
    context: SearchContext<'a>,
    list: RankedList,
    texts: ReadTexts,
    facets: Option<Facets>,
    only: Option<OnlyPlace>,
    /// Number of definitions of the name that the query consists of.
    definitions: usize,
    graph: Option<GraphPart>,
}

impl<'a> State<'a> {
    fn new(context: SearchContext<'a>, list: RankedList) -> State<'a> {
        State {
            context,
            list,
            texts: ReadTexts::new(),
            facets: None,
            only: None,
            definitions: 0,
            graph: None,
        }
    }

    /// Shows the definition of a name and the edges of a question about uses, as in one tree.
    fn completed(mut self) -> Result<State<'a>, EngineError> {
        let State { context, list, texts, definitions: count, .. } = &mut self;
        let RankedList { query, scored, totals, .. } = list;
        let context = *context;
        *scored = select(std::mem::take(scored), query, context.ranking_limit());
        show_quotations(scored, query, texts, context)?;
        let mut found = definitions(query, context)?;
        *count = found.len();
        let only = found.pop().filter(|_| found.is_empty());
        if let Some(only) = &only {
            show_definition(only, scored, &totals.admitted, query, context)?;
        }
        self.graph = add_uses(scored, &totals.admitted, query, context)?;
        self.only = only.as_ref().map(OnlyPlace::of);
        Ok(self)
    }

    /// Presents the hits that are left. A tree without hits explains that only if no tree has one.
    fn present(
        mut self,
        is_empty: bool,
        cache: &FollowUpCache,
    ) -> Result<SearchResponse, EngineError> {
        let context = self.context;
        let RankedList { query, scored, terms, sequence, totals } = &mut self.list;
        if scored.is_empty() && !is_empty {
            let SearchContext { snapshot, config, request } = context;
            let receipt = snapshot.receipt(config, totals.documents, totals.matched_all, 0);
            return Ok(SearchResponse {
                query: request.query.clone(),
                hits: Vec::new(),
                receipt: Receipt { semantic: query.vector.name.clone(), ..receipt },
                absence: None,
                follow_ups: Vec::new(),
                holders: holders_of(query, &totals.admitted, context)?,
                facets: self.facets,
                warnings: std::mem::take(&mut query.warnings),
            });
        }
        choose_lines(scored, &mut self.texts, terms, sequence, query, context)?;
        let RankedList { query, scored: ranked, terms, totals, .. } = self.list;
        let selection = Selection { ranked, texts: self.texts, terms, totals };
        let mut response = present(selection, &query, context, cache)?;
        response.facets = self.facets;
        response.receipt.graph = self.graph;
        Ok(response)
    }
}

/// Retrieves the candidates of all trees that could be opened, and ranks them by the statistics of their
/// indexes.
fn retrieve<'a>(contexts: &[Option<SearchContext<'a>>], threads: usize) -> States<'a> {
    let opened = || contexts.iter().flatten().copied();
    let is_known = |term: &str| {
        for other in opened() {
            if is_known_anywhere(term, &other.snapshot.readers())? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let parsed = each(opened(), threads, |context| parse::parse_beside(context, &is_known));
    let looked = each(opened().zip(&parsed), threads, |(context, query)| {
        Looked::up(query_of(query)?, context)
    });
    let trees = opened().zip(&parsed).zip(&looked).filter_map(|((context, query), looked)| {
        Some(LookedTree { query: query.as_ref().ok()?, looked: looked.as_ref().ok()?, context })
    });
    let mut shortlists = shortlists(&trees.collect::<Vec<_>>()).into_iter();
    let looked = opened().zip(&parsed).zip(looked).map(|((context, query), looked)| {
        let list = looked.is_ok().then(|| shortlists.next()).flatten().unwrap_or_default();
        (context, query, looked, list)
    });
    let retrieved = each(looked, threads, |(context, query, looked, list)| {
        looked?.retrieve(query_of(query)?, &list, context)
    });
    each(opened().zip(parsed).zip(retrieved), threads, |((context, query), retrieved)| {
        Ok(State::new(context, score_candidates(query?, retrieved?, context)?))
    })
}

/// The query of a tree. The error is one that the error of the parser replaces in the end.
fn query_of(parsed: &Result<ParsedQuery, EngineError>) -> Result<&ParsedQuery, EngineError> {
    parsed.as_ref().map_err(|_| EngineError::EmptyQuery)
}

/// Properties of the whole answer.
#[derive(Default)]
struct Choice {
    /// The tree of each hit.
    order: Vec<usize>,
    weakness: Option<Absence>,
    confidence: Option<Confidence>,
}

/// The trees, each with its state or the reason why it has none.
type States<'a> = Vec<Result<State<'a>, EngineError>>;

/// Chooses the hits of the answer: leaves in each tree only those of its documents that belong to it.
fn choose(mut states: States<'_>, threads: usize) -> (States<'_>, Choice) {
    let places = places(&states.iter().map(documents).collect::<Vec<_>>());
    let lists = states.iter_mut().zip(places);
    let lists = lists.filter_map(|(state, places)| Some((state.as_mut().ok()?, places)));
    each(lists, threads, |(state, places)| {
        state.list.rerank(&places, &mut state.texts, state.context);
        let request = state.context.request;
        let wants_facets = request.extras.facets;
        state.facets = wants_facets.then(|| facets::facets(&state.list.scored, request.clock.now));
    });
    let Some(context) = states.iter().flatten().map(|state| state.context).next() else {
        return (states, Choice::default());
    };
    // A list by dates is chosen by them.
    let is_ranked = |state: &State<'_>| state.list.query.order() != Order::LastChange;
    if states.iter().flatten().all(is_ranked) {
        keep_best(&mut states, context.ranking_limit().saturating_add(SPARE));
    }
    each(states.iter_mut().flatten(), threads, |state| {
        fold_duplicates(&mut state.list.scored, &mut state.texts, state.context);
    });
    drop_repeated(&mut states);
    let weakness = weakness(&states);
    let completed = each(states, threads, |state| state?.completed());
    let mut states: States<'_> = completed;
    let graph = common_graph(&mut states, context.shown_limit());
    let weakness = weakness.filter(|_| !graph);
    let limit = if weakness.is_some() { MAX_WEAK } else { context.ranking_limit() };
    let merged = merge(&states, limit);
    let confidence = confidence_of(&states, &merged, weakness.is_some());
    let order: Vec<usize> =
        merged.iter().take(context.shown_limit()).map(|(tree, _)| *tree).collect();
    let mut shown = vec![0; states.len()];
    for tree in &order {
        shown[*tree] += 1;
    }
    for (state, shown) in states.iter_mut().zip(shown) {
        if let Ok(state) = state {
            // The common list has the documents of a tree in their order.
            state.list.scored.truncate(shown);
        }
    }
    (states, Choice { order, weakness, confidence })
}

/// The documents of a tree, best first.
fn documents<'s>(state: &'s Result<State<'_>, EngineError>) -> &'s [Ranked<ScoredDocument>] {
    state.as_ref().map_or(&[], |state| &state.list.scored)
}

/// Keeps the best documents of all trees together, and the best of each source.
fn keep_best(states: &mut States<'_>, count: usize) {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for (tree, state) in states.iter().enumerate() {
        all.extend((0..documents(state).len()).map(|at| (tree, at)));
    }
    let document = |(tree, at): &(usize, usize)| &documents(&states[*tree])[*at];
    all.sort_by(|left, right| by_rank(document(left), document(right)));
    let mut kept: Vec<Vec<bool>> =
        states.iter().map(|state| vec![false; documents(state).len()]).collect();
    let mut has_best = [false; SourceName::ALL.len()];
    for (place, (tree, at)) in all.into_iter().enumerate() {
        let source = document(&(tree, at)).source as usize;
        let is_best = !std::mem::replace(&mut has_best[source], true);
        kept[tree][at] = place < count || is_best;
    }
    for (state, kept) in states.iter_mut().zip(kept) {
        if let Ok(state) = state {
            let mut kept = kept.into_iter();
            state.list.scored.retain(|_| kept.next().unwrap_or(false));
        }
    }
}

/// Drops documents that are in several trees: a tree may be inside another one, and two may be
/// checkouts of one repository, with the same commits. The document of the innermost tree stays.
fn drop_repeated(states: &mut States<'_>) {
    let mut kept: HashMap<PathBuf, usize> = HashMap::new();
    let depth = |context: SearchContext<'_>| context.config.root.components().count();
    let place = |context: SearchContext<'_>, document: &Ranked<ScoredDocument>| match document
        .payload
        .candidate
        .parts
        .document
        .path
        .as_str()
    {
        "" => PathBuf::from(&document.key),
        path => context.config.root.join(path),
    };
    for state in states.iter().flatten() {
        for document in &state.list.scored {
            let deepest = kept.entry(place(state.context, document)).or_default();
            *deepest = depth(state.context).max(*deepest);
        }
    }
    let mut shown = HashSet::new();
    for state in states.iter_mut().flatten() {
        let context = state.context;
        state.list.scored.retain(|document| {
            let place = place(context, document);
            kept.get(&place) == Some(&depth(context)) && shown.insert(place)
        });
    }
}

/// The places of the best documents in one list of all trees, best first: the tree, and the position
/// in its list. Within a tree, the order of its list is kept.
fn merge(states: &States<'_>, limit: usize) -> Vec<(usize, usize)> {
    let dates = |tree: &usize, document: &Ranked<ScoredDocument>| {
        let query = &states[*tree].as_ref().ok()?.list.query;
        if query.order() == Order::LastChange { last_change(document, query) } else { None }
    };
    let mut next = vec![0; states.len()];
    let mut merged = Vec::with_capacity(limit.min(100));
    while merged.len() < limit {
        let heads = (0..states.len())
            .filter_map(|tree| Some((tree, documents(&states[tree]).get(next[tree])?)));
        // `min_by` returns the first of equals.
        let first = heads.min_by(|(left, one), (right, other)| {
            match (dates(left, one), dates(right, other)) {
                (None, None) => by_rank(one, other),
                (left, right) => right.cmp(&left),
            }
        });
        let Some((tree, _)) = first else { break };
        merged.push((tree, next[tree]));
        next[tree] += 1;
    }
    merged
}

/// Explains the answer if its best documents are no answer.
fn weakness(states: &States<'_>) -> Option<Absence> {
    let merged = merge(states, MAX_JUDGED);
    let best: Vec<&Ranked<ScoredDocument>> =
        merged.iter().map(|(tree, at)| &documents(&states[*tree])[*at]).collect();
    let first = states[merged.first()?.0].as_ref().ok()?;
    is_weak(&best, &first.list.query, first.context).then(|| explain_weak(&first.list.query))
}

/// Gives the totals over all trees to each part of the graph. Returns true if there is one. `limit` is
/// the number of hits, of which each tree needs one for the definition.
fn common_graph(states: &mut States<'_>, limit: usize) -> bool {
    let parts = || states.iter().flatten().filter_map(|state| state.graph.as_ref());
    let places = limit.saturating_sub(parts().count()).max(1) as u64;
    let shown = parts().map(|part| part.shown).sum::<u64>().min(places);
    let total = parts().map(|part| part.total).sum();
    let has_graph = parts().next().is_some();
    for part in states.iter_mut().flatten().filter_map(|state| state.graph.as_mut()) {
        (part.shown, part.total) = (shown, total);
    }
    has_graph
}

/// Certainty of the first hits of the common list.
fn confidence_of(
    states: &States<'_>,
    merged: &[(usize, usize)],
    is_weak: bool,
) -> Option<Confidence> {
    let ranked: Vec<&Ranked<ScoredDocument>> =
        merged.iter().map(|(tree, at)| &documents(&states[*tree])[*at]).collect();
    let first = states[merged.first()?.0].as_ref().ok()?;
    // A name with a definition in several trees has no only one.
    let definitions: usize = states.iter().flatten().map(|state| state.definitions).sum();
    let only = first.only.filter(|_| definitions == 1);
    let query = &first.list.query;
    confidence(&ranked, query, only, first.graph.as_ref(), is_weak, first.context)
}

/// Does some work for each item, on several threads. Returns the results in the order of the items.
fn each<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    threads: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<T> = items.into_iter().collect();
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.into_iter().map(work).collect();
    }
    let queue = Mutex::new(items.into_iter().enumerate());
    let run = || {
        let mut done: Vec<(usize, R)> = Vec::new();
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((at, item)) = next else { return done };
            done.push((at, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let joined = workers.into_iter().map(thread::ScopedJoinHandle::join);
        joined.flat_map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
