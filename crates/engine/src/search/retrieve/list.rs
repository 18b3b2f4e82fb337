//! The documents that meet the conditions of a query without words.

use foldhash::HashSet;
use lore_index::{Candidate, DocumentId, DocumentSet, Evidence, Listed};

use super::retrieved::{Retrieved, RetrievedDocument, RetrievedSource, Totals};
use crate::{
    EngineError,
    search::{context::SearchContext, parse::ParsedQuery, restrict::Restriction},
};

/// Lists the documents that meet the conditions: of each source the last changed, up to the limit.
pub(super) fn list(
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<Retrieved, EngineError> {
    let sources = 0..context.snapshot.sources.len();
    let mut retrieved =
        Retrieved { sources: Vec::with_capacity(sources.len()), totals: Totals::default() };
    for source in sources {
        let admitted =
            Restriction::of_source(source, query, context).apply(query.condition.as_ref())?;
        let (documents, total) = list_source(source, query, context, &admitted)?;
        retrieved.totals.add(total, total, None, admitted);
        retrieved.sources.push(RetrievedSource {
            source,
            documents,
            words: None,
            supporting: HashSet::default(),
        });
    }
    Ok(retrieved)
}

/// The last changed documents of a source, and the number of all that meet the conditions.
fn list_source(
    source: usize,
    query: &ParsedQuery,
    context: SearchContext<'_>,
    admitted: &DocumentSet,
) -> Result<(Vec<RetrievedDocument>, u64), EngineError> {
    let source = &context.snapshot.sources[source];
    let reader = source.reader.as_ref();
    let mut listing = reader.listing(&query.filter)?;
    listing.retain(|listed| admitted.contains(listed.id) && !source.is_pending(listed.path));
    let date = |listed: &Listed<'_>| {
        listed.updated.or_else(|| query.filter.dates.get(listed.path).copied()).unwrap_or(i64::MIN)
    };
    // The sort is stable, and a listing is in the order of paths, which break ties.
    listing.sort_by_key(|listed| std::cmp::Reverse(date(listed)));
    let total = listing.len() as u64;
    listing.truncate(context.request.limit);
    let ids: Vec<DocumentId> = listing.iter().map(|listed| listed.id).collect();
    let documents =
        ids.iter().zip(reader.documents(&ids)?).map(|(id, document)| RetrievedDocument {
            candidate: Candidate { id: *id, evidence: Evidence::zeros(0), chunks: Vec::new() },
            document,
            similarities: Vec::new(),
            is_exact: false,
            is_below_minimum: false,
        });
    Ok((documents.collect(), total))
}
