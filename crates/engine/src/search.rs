//! The path of a query: parse, retrieve, assemble, score, present.
//!
//! Each stage takes what the one before returned and changes none of it; all of them read the same
//! [`SearchContext`].

pub(crate) mod assemble;
pub(crate) mod context;
pub(crate) mod hit;
pub(crate) mod parse;
pub(crate) mod present;
pub(crate) mod restrict;
pub(crate) mod retrieve;
pub(crate) mod rewrite;
pub(crate) mod score;
pub(crate) mod templates;

use self::{
    assemble::assemble,
    context::SearchContext,
    parse::{ParsedQuery, parse, parse_without_phrases},
    present::{Selection, fold_duplicates, present},
    retrieve::{Retrieved, retrieve},
    score::{score, select},
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
    remembered: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    parse::check(request)?;
    let mut snapshot = refresh::take(config, &request.filter.sources, IndexMode::Update, progress)?;
    search_in(&mut snapshot, config, request, remembered)
}

/// Answers a request from a snapshot of the sources that it names. The warnings of the snapshot
/// move into the response.
pub(crate) fn search_in(
    snapshot: &mut Snapshot,
    config: &EngineConfig,
    request: &SearchRequest,
    remembered: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let context = SearchContext { request, snapshot, config };
    let query = parse(context)?;
    let retrieved = retrieve(&query, context)?;
    let (query, retrieved) = or_without_phrases(query, retrieved, context)?;
    let assembled = assemble(retrieved.sources, &query, context)?;
    let mut scored = score(assembled.sources, &query, context);
    // Before the limit cuts the list, so that duplicates take no places.
    let texts = fold_duplicates(&mut scored, context);
    let ranked = select(scored, &query, request.limit);
    let (terms, totals) = (assembled.terms, retrieved.totals);
    let mut response =
        present(Selection { ranked, texts, terms, totals }, &query, context, remembered)?;
    response.warnings.splice(0..0, std::mem::take(&mut snapshot.warnings));
    Ok(response)
}

/// The fallback of a sentence with quoted phrases that no document contains: the same request with
/// its phrases read as words, if that finds anything.
fn or_without_phrases(
    query: ParsedQuery,
    retrieved: Retrieved,
    context: SearchContext<'_>,
) -> Result<(ParsedQuery, Retrieved), EngineError> {
    if !query.plan.cites || !retrieved.admits_nothing() {
        return Ok((query, retrieved));
    }
    let words = parse_without_phrases(&query, context)?;
    let found = retrieve(&words, context)?;
    Ok(if found.has_candidates() { (words, found) } else { (query, retrieved) })
}
