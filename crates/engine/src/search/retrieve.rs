//! Stage 2 of a query: finds candidates with their evidence in every source, and counts what
//! matches.
//!
//! **Invariant:** nothing is scored here, and no later stage changes a total.

mod candidates;
mod gather;
mod list;
mod lookup;
mod retrieved;

pub(crate) use self::retrieved::{
    Retrieved, RetrievedDocument, RetrievedSource, Totals, WordStatistics,
};
use self::{gather::gather, list::list, lookup::Lookup};
use crate::{
    EngineError,
    search::{
        context::SearchContext,
        parse::{Order, ParsedQuery},
    },
};

/// Retrieves the candidates of every source of the snapshot.
pub(crate) fn retrieve(
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<Retrieved, EngineError> {
    if query.order() == Order::LastChange {
        return list(query, context);
    }
    let mut lookups = Vec::with_capacity(context.snapshot.sources.len());
    for source in 0..context.snapshot.sources.len() {
        lookups.push(Lookup::new(source, query, context)?);
    }
    // A name that exists nowhere is not answered with related names.
    let exists = |word| lookups.iter().any(|lookup| lookup.contains(word));
    let is_answerable = query.is_semantic_only() || query.plan.query.required_names().all(exists);
    let mut retrieved =
        Retrieved { sources: Vec::with_capacity(lookups.len()), totals: Totals::default() };
    for lookup in lookups {
        let (best, admitted) = (lookup.best_similarity, lookup.admitted.clone());
        let (source, documents, matched_all) = if is_answerable {
            gather(lookup, query, context)?
        } else {
            (lookup.without_candidates(), 0, 0)
        };
        retrieved.totals.add(documents, matched_all, best, admitted);
        retrieved.sources.push(source);
    }
    Ok(retrieved)
}
