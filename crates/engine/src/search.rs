//! The path of a query: parse, retrieve, assemble, score, rerank, present.
//!
//! | Stage | Turns | Into |
//! |---|---|---|
//! | [`mod@parse`] | the request | words, conditions and a query vector |
//! | [`mod@retrieve`] | these | candidates of every source with their evidence, and totals |
//! | [`mod@assemble`] | candidates | candidates with the value of every signal |
//! | [`mod@score`] | these | one ranked list over all sources |
//! | [`mod@rerank`] | the best of that list | the same list in a new order, by texts |
//! | [`mod@present`] | the best of them | hits with passages, and the receipt |
//!
//! Each stage takes what the one before returned and changes none of it; all of them read the same
//! [`SearchContext`]. Between the last two, [`search_one`] shortens the list ([`fold_duplicates`],
//! [`select`]), shows the definition of a name ([`named`]), adds the edges of a question about uses
//! ([`uses`]), recognises a weak answer ([`weak`]) and chooses the lines of each hit ([`choose`]). A long pasted text takes the first five
//! stages once for each of its [`views`].

mod age;
pub(crate) mod assemble;
mod choose;
mod confidence;
pub(crate) mod context;
mod correct;
mod facets;
pub(crate) mod hit;
mod lines;
mod named;
pub(crate) mod parse;
pub(crate) mod present;
pub(crate) mod rerank;
pub(crate) mod restrict;
pub(crate) mod retrieve;
pub(crate) mod reverts;
pub(crate) mod rewrite;
pub(crate) mod score;
pub(crate) mod several;
pub(crate) mod sites;
pub(crate) mod templates;
pub(crate) mod tried;
mod uses;
mod views;
mod weak;

use std::time::Instant;

use self::{
    assemble::{Assembled, assemble},
    choose::choose_lines,
    confidence::confidence,
    context::SearchContext,
    lines::show_quotations,
    named::{OnlyPlace, only_definition, show_definition},
    parse::{ParsedQuery, parse, parse_without_phrases},
    present::{ReadTexts, Selection, fold_duplicates, present},
    rerank::{places, rerank},
    retrieve::{Retrieved, Totals, retrieve},
    score::{ScoredDocument, score, select},
    uses::add_uses,
    weak::{MAX_JUDGED, MAX_WEAK, explain_weak, is_weak},
};
use crate::{
    EngineConfig, EngineError, IndexMode, Progress, SearchRequest, SearchResponse,
    answers::follow_ups::FollowUpCache,
    rank::{HighlightTerms, Ranked, Sequence},
    state::{refresh, snapshot::Snapshot},
};

/// Answers a request from the tree as it is now.
pub(crate) fn search(
    config: &EngineConfig,
    request: &SearchRequest,
    progress: &dyn Progress,
    follow_ups: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    // First, so that a syntax error is reported without a walk of the tree.
    parse::check(request)?;
    let mut snapshot = refresh::take(config, &request.filter.sources, IndexMode::Update, progress)?;
    search_in(&mut snapshot, config, request, follow_ups)
}

/// Answers a request from a snapshot, which contains the sources that the request names. Moves the
/// warnings of the snapshot into the response.
pub(crate) fn search_in(
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    request: &SearchRequest,
    follow_ups: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let start = Instant::now();
    let mut response = match views::search(SearchContext { request, snapshot, config }, follow_ups)?
    {
        Some(response) => response,
        None => search_one(SearchContext { request, snapshot, config }, follow_ups)?,
    };
    config.check_texts_since(start)?;
    response.warnings.splice(0..0, std::mem::take(&mut snapshot.warnings));
    Ok(response)
}

/// Answers a request from a snapshot, as [`search_in`] does; texts that became messages of the log
/// rank, too.
pub(crate) fn search_log_in(
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    request: &SearchRequest,
    log: &str,
    follow_ups: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let context = SearchContext { request, snapshot, config };
    let Some(mut response) = views::search_log(log, context, follow_ups)? else {
        return search_in(snapshot, config, request, follow_ups);
    };
    response.warnings.splice(0..0, std::mem::take(&mut snapshot.warnings));
    Ok(response)
}

/// Answers a request as one query.
fn search_one(
    context: SearchContext<'_>,
    follow_ups: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let mut texts = ReadTexts::new();
    let RankedList { query, mut scored, terms, sequence, totals } =
        rank(parse(context)?, &mut texts, context)?;
    let facets =
        context.request.extras.facets.then(|| facets::facets(&scored, context.request.clock.now));
    // Before `select` cuts the list at the limit, so that duplicates take no places.
    fold_duplicates(&mut scored, &mut texts, context);
    let best: Vec<_> = scored.iter().take(MAX_JUDGED).collect();
    let is_weak = is_weak(&best, &query, context);
    let mut ranked = select(scored, &query, context.ranking_limit());
    show_quotations(&mut ranked, &query, &texts, context)?;
    let only = only_definition(&query, context)?;
    if let Some(only) = &only {
        show_definition(only, &mut ranked, &totals.admitted, &query, context)?;
    }
    let graph = add_uses(&mut ranked, &totals.admitted, &query, context)?;
    let is_weak = is_weak && graph.is_none();
    if is_weak {
        ranked.truncate(MAX_WEAK);
    }
    let first: Vec<_> = ranked.iter().collect();
    let confidence = confidence(
        &first,
        &query,
        only.as_ref().map(OnlyPlace::of),
        graph.as_ref(),
        is_weak,
        context,
    );
    ranked.truncate(context.shown_limit());
    choose_lines(&mut ranked, &mut texts, &terms, &sequence, &query, context)?;
    let mut response =
        present(Selection { ranked, texts, terms, totals }, &query, context, follow_ups)?;
    response.facets = facets;
    response.receipt.graph = graph;
    response.receipt.confidence = confidence.filter(|_| !response.hits.is_empty());
    if is_weak && !response.hits.is_empty() {
        response.receipt.weak = true;
        response.absence = Some(explain_weak(&query));
    }
    Ok(response)
}

/// All candidates of a query, ranked.
struct RankedList {
    /// The query, as it was searched.
    query: ParsedQuery,
    /// The candidates of all sources, best first.
    scored: Vec<Ranked<ScoredDocument>>,
    /// The words to highlight, by source of the snapshot.
    terms: Vec<HighlightTerms>,
    /// Its tokens in their order.
    sequence: Sequence,
    /// Totals over all documents that match.
    totals: Totals,
}

/// Retrieves and ranks the candidates of a query. Adds the texts that it reads to those that were
/// read already.
fn rank(
    query: ParsedQuery,
    texts: &mut ReadTexts,
    context: SearchContext<'_>,
) -> Result<RankedList, EngineError> {
    let mut list = candidates(query, context)?;
    let places = places(&[&list.scored]).pop().unwrap_or_default();
    list.rerank(&places, texts, context);
    Ok(list)
}

/// Retrieves the candidates of a query, and ranks them by the statistics of the index alone.
fn candidates(query: ParsedQuery, context: SearchContext<'_>) -> Result<RankedList, EngineError> {
    let retrieved = retrieve(&query, context)?;
    score_candidates(query, retrieved, context)
}

/// Ranks the candidates of a query by the statistics of the index alone.
fn score_candidates(
    query: ParsedQuery,
    retrieved: Retrieved,
    context: SearchContext<'_>,
) -> Result<RankedList, EngineError> {
    let (query, retrieved) = retry_without_phrases(query, retrieved, context)?;
    let Assembled { sources, terms, sequence } = assemble(retrieved.sources, &query, context)?;
    let scored = score(sources, &query, context);
    Ok(RankedList { query, scored, terms, sequence, totals: retrieved.totals })
}

impl RankedList {
    /// Ranks the candidates again, by the texts of the best. `places` are those of [`places`].
    fn rerank(&mut self, places: &[usize], texts: &mut ReadTexts, context: SearchContext<'_>) {
        let RankedList { query, scored, terms, sequence, .. } = self;
        rerank(scored, places, query, terms, sequence, texts, context);
    }
}

/// Returns the query and its candidates as they are, except for a sentence with quoted phrases that no
/// document contains: that is retrieved again with its phrases as words, if this finds anything.
fn retry_without_phrases(
    query: ParsedQuery,
    retrieved: Retrieved,
    context: SearchContext<'_>,
) -> Result<(ParsedQuery, Retrieved), EngineError> {
    if !query.plan.is_quoting || !retrieved.admits_nothing() {
        return Ok((query, retrieved));
    }
    let fallback = parse_without_phrases(&query, context)?;
    let found = retrieve(&fallback, context)?;
    Ok(if found.has_candidates() { (fallback, found) } else { (query, retrieved) })
}
