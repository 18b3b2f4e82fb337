//! Hits that are reached from the best ones along calls and uses.

use std::collections::HashSet;

use lore_index::{ChunkId, DocumentId, DocumentSet};

use crate::{
    EngineError, Explanation,
    graph::{Hop, Seed, defines, follow},
    rank::{CandidateParts, DocumentCandidate, Ranked, by_rank},
    search::{
        context::SearchContext,
        parse::ParsedQuery,
        score::{Reached, ScoredDocument},
    },
    state::snapshot::OpenSource,
};

/// Number of best hits from which hops start.
const SEEDS: usize = 5;

/// The best hits in code, as starting points of hops.
pub(super) fn seeds(ranked: &[Ranked<ScoredDocument>]) -> Vec<Seed> {
    ranked
        .iter()
        .filter(|hit| defines(hit.source))
        .take(SEEDS)
        .filter_map(|hit| {
            let chunk = hit.payload.candidate.parts.chunks.first()?;
            Some(Seed { document: hit.payload.id(), span: chunk.span, score: hit.score })
        })
        .collect()
}

/// Adds the chunks that the best hits in code call and use, each once. Each scores below the hit
/// that leads there.
pub(super) fn add_hops(
    ranked: &mut Vec<Ranked<ScoredDocument>>,
    admitted: &[DocumentSet],
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    let SearchContext { request, snapshot, .. } = context;
    let places = snapshot.graph();
    let mut taken: HashSet<ChunkId> = ranked
        .iter()
        .filter_map(|hit| hit.payload.candidate.parts.candidate.chunks.first())
        .map(|chunk| chunk.id)
        .collect();
    let filtered: Option<HashSet<DocumentId>> = if query.filter.is_empty() {
        None
    } else {
        let listing = places.listing(&query.filter)?;
        Some(listing.into_iter().map(|listed| listed.id).collect())
    };
    for hop in follow(&places, &seeds(ranked), request.hops)? {
        let id = hop.definition.file.id;
        let of_hop = |source: &OpenSource| source.reader.source() == id.source;
        let Some(index) = snapshot.sources.iter().position(of_hop) else { continue };
        let source = &snapshot.sources[index];
        let is_excluded = filtered.as_ref().is_some_and(|filtered| !filtered.contains(&id))
            || !admitted[index].contains(id)
            || hop.score < request.min_score;
        if is_excluded || source.is_pending(&hop.definition.file.path) || !taken.insert(hop.chunk) {
            continue;
        }
        ranked.extend(reached(hop, index, source)?);
    }
    ranked.sort_by(by_rank);
    ranked.truncate(request.limit);
    Ok(())
}

/// The document that a hop leads to; `None` if the index does not have it.
fn reached(
    hop: Hop,
    index: usize,
    source: &OpenSource,
) -> Result<Option<Ranked<ScoredDocument>>, EngineError> {
    let (reader, id) = (source.reader.as_ref(), hop.definition.file.id);
    let Some(document) = reader.documents(&[id])?.pop() else { return Ok(None) };
    let parts = CandidateParts::reached(id, hop.chunk, document, reader.chunks(&[hop.chunk])?);
    Ok(Some(Ranked {
        source: id.source,
        exact: false,
        score: hop.score,
        coverage: 0.0,
        key: parts.document.key.to_string(),
        payload: ScoredDocument {
            reached: Some(Reached { hops: hop.depth, via: hop.from }),
            subject: Some(hop.definition.symbol().clone()),
            ..ScoredDocument::unlisted(
                index,
                DocumentCandidate::without_evidence(parts),
                Explanation::of_one("hop", hop.score),
            )
        },
    }))
}
