//! The path of a query: parse, retrieve, assemble, score, present.
//!
//! | Stage | Turns | Into |
//! |---|---|---|
//! | [`mod@parse`] | the request | words, conditions and a query vector |
//! | [`mod@retrieve`] | these | candidates of every source with their evidence, and totals |
//! | [`mod@assemble`] | candidates | candidates with the value of every signal |
//! | [`mod@score`] | these | one ranked list over all sources |
//! | [`mod@present`] | the best of them | hits with passages, and the receipt |
//!
//! Each stage takes what the one before returned and changes none of it; all of them read the same
//! [`SearchContext`]. [`fold_duplicates`] and [`select`] shorten the ranked list between the last two.

pub(crate) mod assemble;
mod choose;
pub(crate) mod context;
mod correct;
pub(crate) mod hit;
pub(crate) mod parse;
pub(crate) mod present;
pub(crate) mod rerank;
pub(crate) mod restrict;
pub(crate) mod retrieve;
pub(crate) mod rewrite;
pub(crate) mod score;
pub(crate) mod sites;
pub(crate) mod templates;
mod uses;
mod weak;

use self::{
    assemble::assemble,
    choose::choose_lines,
    context::SearchContext,
    parse::{ParsedQuery, parse, parse_without_phrases},
    present::{Selection, fold_duplicates, present},
    rerank::rerank,
    retrieve::{Retrieved, retrieve},
    score::{score, select},
    uses::add_uses,
    weak::{MAX_WEAK, explain_weak, is_weak},
};
use crate::{
    EngineConfig, EngineError, IndexMode, Progress, SearchRequest, SearchResponse,
    answers::follow_ups::FollowUpCache,
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
    let context = SearchContext { request, snapshot, config };
    let query = parse(context)?;
    let retrieved = retrieve(&query, context)?;
    let (query, retrieved) = retry_without_phrases(query, retrieved, context)?;
    let assembled = assemble(retrieved.sources, &query, context)?;
    let mut scored = score(assembled.sources, &query, context);
    let mut texts = rerank(&mut scored, &query, &assembled.terms, &assembled.sequence, context);
    // Before `select` cuts the list at the limit, so that duplicates take no places.
    fold_duplicates(&mut scored, &mut texts, context);
    let is_weak = is_weak(&scored, &query, context);
    let mut ranked = select(scored, &query, request.limit);
    let graph = add_uses(&mut ranked, &retrieved.totals.admitted, &query, context)?;
    let is_weak = is_weak && graph.is_none();
    if is_weak {
        ranked.truncate(MAX_WEAK);
    }
    let (terms, sequence) = (assembled.terms, assembled.sequence);
    choose_lines(&mut ranked, &mut texts, &terms, &sequence, &query, context)?;
    let totals = retrieved.totals;
    let mut response =
        present(Selection { ranked, texts, terms, totals }, &query, context, follow_ups)?;
    response.receipt.graph = graph;
    if is_weak && !response.hits.is_empty() {
        response.receipt.weak = true;
        response.absence = Some(explain_weak(&query));
    }
    response.warnings.splice(0..0, std::mem::take(&mut snapshot.warnings));
    Ok(response)
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
