//! Stage 2 of a query: finds candidates with their evidence in every source, and counts what
//! matches.
//!
//! **Invariant:** nothing is scored here, and no later stage changes a total.

mod candidates;
mod gather;
mod list;
mod lookup;
mod retrieved;
mod shortlist;

use std::{panic::resume_unwind, thread};

pub(crate) use self::retrieved::{
    Retrieved, RetrievedDocument, RetrievedSource, Totals, WordStatistics,
};
pub(crate) use self::shortlist::{LookedTree, Shortlist, shortlists};
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
    Looked::up(query, context)?.retrieve(query, &Shortlist::new(), context)
}

/// The candidates that the indexes of a snapshot returned for a query. No document is read yet.
pub(crate) struct Looked<'a> {
    /// One lookup a source; none for a query without words, which has no candidates to look up.
    lookups: Vec<Lookup<'a>>,
    /// False if a name of the query exists nowhere: it is not answered with related names.
    is_answerable: bool,
}

impl<'a> Looked<'a> {
    /// Looks the query up in every source.
    pub(crate) fn up(
        query: &'a ParsedQuery,
        context: SearchContext<'a>,
    ) -> Result<Looked<'a>, EngineError> {
        if query.order() == Order::LastChange {
            return Ok(Looked { lookups: Vec::new(), is_answerable: true });
        }
        let sources = (0..context.snapshot.sources.len()).collect();
        let lookups = of_each(sources, |source| Lookup::new(source, query, context), context)?;
        let exists = |word| lookups.iter().any(|lookup: &Lookup<'_>| lookup.contains(word));
        let is_answerable =
            query.is_semantic_only() || query.plan.query.required_names().all(exists);
        Ok(Looked { lookups, is_answerable })
    }

    /// Reads the candidates: of a source with a shortlist, only those in it.
    pub(crate) fn retrieve(
        self,
        query: &ParsedQuery,
        shortlist: &Shortlist,
        context: SearchContext<'_>,
    ) -> Result<Retrieved, EngineError> {
        if query.order() == Order::LastChange {
            return list(query, context);
        }
        let Looked { lookups, is_answerable } = self;
        let mut retrieved =
            Retrieved { sources: Vec::with_capacity(lookups.len()), totals: Totals::default() };
        let gather_one = |lookup: Lookup<'_>| {
            let (best, admitted) = (lookup.best_similarity, lookup.admitted.clone());
            let gathered = if is_answerable {
                let kept = shortlist.get(lookup.source).and_then(Option::as_ref);
                gather(lookup, kept, query, context)?
            } else {
                (lookup.without_candidates(), 0, 0)
            };
            Ok((gathered, best, admitted))
        };
        let gathered = of_each(lookups, gather_one, context)?;
        for ((source, documents, matched_all), best, admitted) in gathered {
            retrieved.totals.add(documents, matched_all, best, admitted);
            retrieved.sources.push(source);
        }
        Ok(retrieved)
    }
}

/// Applies a function to a value of each source. Where a lookup waits for another machine, all sources are
/// looked up at the same time.
fn of_each<T: Send, R: Send>(
    values: Vec<T>,
    function: impl Fn(T) -> Result<R, EngineError> + Sync,
    context: SearchContext<'_>,
) -> Result<Vec<R>, EngineError> {
    let distant = context.snapshot.sources.iter().filter(|source| source.reader.is_distant());
    if distant.count() < 2 {
        return values.into_iter().map(function).collect();
    }
    thread::scope(|scope| {
        let function = &function;
        let of_value = |value| scope.spawn(move || function(value));
        let threads: Vec<_> = values.into_iter().map(of_value).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
