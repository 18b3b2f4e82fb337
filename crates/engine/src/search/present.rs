//! Stage 5 of a query: turns the ranked list into a response. Files are read again, which proves
//! each hit; passages are chosen, and the receipt, the holders and the reasons for an empty answer
//! added.
//!
//! **Invariant:** no hit changes its place, but for those that hops add below the hit that leads
//! there.

mod fold;
mod hops;
mod reverts;

use lore_index::DocumentSet;

pub(crate) use self::fold::{ReadTexts, fold_duplicates, read_ahead, read_unverified};
use self::{
    hops::{add_hops, seeds},
    reverts::link_reverts,
};
use crate::{
    EngineError, FollowUp, Hit, Receipt, SearchResponse, SourceReport,
    answers::{
        absence::{SemanticOutcome, explain_absence},
        follow_ups::{self, FollowUpCache},
        holders,
    },
    graph::follow,
    rank::{HighlightTerms, Ranked},
    search::{
        age::add_age,
        context::SearchContext,
        hit::{HitContext, describe},
        parse::ParsedQuery,
        retrieve::Totals,
        score::ScoredDocument,
        tried::add_tried,
    },
};

/// The hits of an answer, and what presenting them needs.
pub(crate) struct Selection {
    /// The hits, in order.
    pub(crate) ranked: Vec<Ranked<ScoredDocument>>,
    /// Texts of files that were read already.
    pub(crate) texts: ReadTexts,
    /// The words to highlight, by source of the snapshot.
    pub(crate) terms: Vec<HighlightTerms>,
    /// Totals over all documents that match.
    pub(crate) totals: Totals,
}

/// Presents the hits of a query.
pub(crate) fn present(
    mut selection: Selection,
    query: &ParsedQuery,
    context: SearchContext<'_>,
    cache: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let SearchContext { request, snapshot, config } = context;
    if request.hops > 0 {
        add_hops(&mut selection.ranked, &selection.totals.admitted, query, context)?;
    }
    selection.ranked.truncate(request.extras.described.unwrap_or(usize::MAX));
    let mut hits = describe_all(&mut selection, context)?;
    add_tried(&mut hits, &query.plan.query.text, snapshot)?;
    add_age(&mut hits, snapshot)?;
    let totals = &selection.totals;
    let absence = if hits.is_empty() {
        let outcome = SemanticOutcome {
            best: totals.best_similarity,
            has_no_known_word: query.vector.is_blank(),
            semantic_only: query.is_semantic_only(),
        };
        let documents = totals.documents;
        Some(explain_absence(config, snapshot, query, request, documents, &outcome)?)
    } else {
        None
    };
    // Duplicates are shown by the hit that they were folded into.
    let shown: usize = hits.iter().map(|hit| 1 + hit.also_found_in.len()).sum();
    let all = snapshot.receipt(config, totals.documents, totals.matched_all, shown as u64);
    let receipt = Receipt {
        exhaustive: all.exhaustive && !all.sources.values().any(SourceReport::has_unreadable),
        expanded: query.expanded.clone(),
        corrected: query.corrected.clone(),
        semantic: query.vector.name.clone(),
        semantic_fallback: query.vector.fallback.clone(),
        ..all
    };
    let follow_ups = if request.extras.follow_ups {
        related_queries(&hits, &selection.ranked, context, cache)?
    } else {
        Vec::new()
    };
    Ok(SearchResponse {
        query: request.query.clone(),
        hits,
        receipt,
        absence,
        follow_ups,
        holders: holders_of(query, &totals.admitted, context)?,
        facets: None,
        warnings: query.warnings.clone(),
    })
}

/// Describes the hits whose files still contain them.
fn describe_all(
    selection: &mut Selection,
    context: SearchContext<'_>,
) -> Result<Vec<Hit>, EngineError> {
    let SearchContext { request, snapshot, config } = context;
    let mut hits: Vec<Hit> = Vec::with_capacity(selection.ranked.len());
    for ranked in &selection.ranked {
        let document = &ranked.payload;
        let path = &document.candidate.parts.document.path;
        // Where the walk could not trust the times of a file, reading it without a check proves
        // nothing.
        let has_times = || snapshot.tree.entry(path).is_some_and(|listed| listed.metadata != 0);
        let read = selection
            .texts
            .remove(path)
            .or_else(|| if has_times() { read_unverified(document, context) } else { None });
        let reader = snapshot.sources[document.source].reader.as_ref();
        let context = HitContext {
            proof: snapshot.proof_context(document.source, config),
            request,
            terms: &selection.terms[document.source],
        };
        // A file that vanished or changed since the scan is no hit.
        let Some(mut hit) = describe(ranked, read, &context) else { continue };
        // A hop may lead to a definition that a better hit shows already.
        if request.hops > 0 && hits.iter().any(|shown| shown.id == hit.id) {
            continue;
        }
        link_reverts(&mut hit, reader)?;
        hit.rank = hits.len() + 1;
        hits.push(hit);
    }
    Ok(hits)
}

/// The files that contain words of the query, if the request wants them.
pub(crate) fn holders_of(
    query: &ParsedQuery,
    admitted: &[DocumentSet],
    context: SearchContext<'_>,
) -> Result<Option<crate::Holders>, EngineError> {
    if !context.request.extras.holders || query.plan.query.words.is_empty() {
        return Ok(None);
    }
    Ok(Some(holders::holders(context.snapshot, query, admitted)?))
}

/// Suggested follow-up queries: from the cache, or made from the hits and the definitions that they
/// use.
fn related_queries(
    hits: &[Hit],
    ranked: &[Ranked<ScoredDocument>],
    context: SearchContext<'_>,
    cache: &FollowUpCache,
) -> Result<Vec<FollowUp>, EngineError> {
    let query = &context.request.query;
    let key = follow_ups::key(query, hits);
    if let Some(known) = cache.get(&key) {
        return Ok(known);
    }
    let hops = follow(&context.snapshot.graph(), &seeds(ranked), 1)?;
    let neighbours: Vec<String> =
        hops.iter().map(|hop| hop.definition.symbol().name.clone()).collect();
    let found = follow_ups::follow_ups(query, hits, &neighbours);
    cache.put(key, found.clone());
    Ok(found)
}
