//! Stage 6 of a query: chooses the lines that the best documents show, from all of their chunks that
//! contain words or are similar to the query.
//!
//! **Invariant:** no hit changes its place.

use std::{panic::resume_unwind, thread};

use lore_index::{ChunkCandidate, DenseQuery, Evidence, Reader, StoredDocument};
use lore_schema::SourceName;

use crate::{
    EngineError,
    query::{Query, Shape},
    rank::{ChunkEvidence, HighlightTerms, Ranked, Sequence, choose_window},
    search::{
        context::SearchContext,
        parse::{Order, ParsedQuery},
        present::{ReadTexts, read_ahead, read_unverified},
        score::ScoredDocument,
    },
    state::files::UnverifiedText,
};

/// Moves the chunk with the best lines of each document to the front, and notes where these lines
/// start. Adds the texts that it reads to those that were read already.
///
/// Not for a single name, whose definition is shown, and not where the answering line is known.
pub(crate) fn choose_lines(
    ranked: &mut [Ranked<ScoredDocument>],
    texts: &mut ReadTexts,
    terms: &[HighlightTerms],
    sequence: &Sequence,
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    let is_name = query.plan.query.shape == Shape::Symbol;
    if is_name || !context.request.extras.choose_lines || query.order() != Order::Signals {
        return Ok(());
    }
    announce_similar(ranked, query, context)?;
    read_ahead(ranked.iter(), context);
    let mut reads: Vec<Option<UnverifiedText>> = Vec::with_capacity(ranked.len());
    for document in ranked.iter() {
        reads.push(texts.remove(&document.payload.candidate.parts.document.path));
    }
    // Each document is read and searched by itself.
    let share = ranked.len().div_ceil(context.config.threads.max(1)).max(MIN_SHARE);
    let results: Vec<Result<(), EngineError>> = thread::scope(|scope| {
        let shares: Vec<_> = ranked
            .chunks_mut(share)
            .zip(reads.chunks_mut(share))
            .map(|(documents, reads)| {
                let terms: Vec<HighlightTerms> =
                    terms.iter().map(HighlightTerms::for_thread).collect();
                let work = move || {
                    let mut both = documents.iter_mut().zip(reads);
                    both.try_for_each(|(document, read)| {
                        choose_in(document, read, &terms, sequence, query, context)
                    })
                };
                scope.spawn(work)
            })
            .collect();
        let joined = shares.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    for (document, read) in ranked.iter().zip(reads) {
        if let Some(read) = read {
            texts.insert(document.payload.candidate.parts.document.path.clone(), read);
        }
    }
    results.into_iter().collect()
}

/// Minimum number of documents for which another thread pays off.
const MIN_SHARE: usize = 3;

/// Chooses the lines of one document. `read` is its text, if it was read already.
fn choose_in(
    document: &mut Ranked<ScoredDocument>,
    read: &mut Option<UnverifiedText>,
    terms: &[HighlightTerms],
    sequence: &Sequence,
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    let length = u32::try_from(context.request.snippet_lines.max(1)).unwrap_or(u32::MAX);
    let scored = &mut document.payload;
    if scored.around.is_some() || scored.subject.is_some() || scored.reached.is_some() {
        return Ok(());
    }
    if names_only(&query.plan.query, &scored.candidate.parts.document) {
        // The head of a record describes it.
        scored.candidate.parts.chunks.clear();
        scored.window = Some(1);
        return Ok(());
    }
    let reader = context.snapshot.sources[scored.source].reader.as_ref();
    add_similar_chunks(scored, query, reader)?;
    read_chunks(scored, reader)?;
    if read.is_none() {
        *read = read_unverified(scored, context);
    }
    let parts = &mut scored.candidate.parts;
    let text = parts.document.text.as_deref();
    let text = text.or(read.as_ref().map(UnverifiedText::to_compare)).unwrap_or_default();
    let chunks: Vec<ChunkEvidence<'_>> = parts
        .chunks
        .iter()
        .enumerate()
        .map(|(index, chunk)| ChunkEvidence {
            span: chunk.span,
            similarity: parts.similarities.get(index).copied().unwrap_or(0.0),
            symbols: &chunk.symbols,
        })
        .collect();
    let terms = &terms[scored.source];
    let is_code = document.source == SourceName::Code;
    if let Some(choice) = choose_window(text, is_code, &chunks, terms, sequence, length) {
        parts.move_to_front(choice.chunk);
        scored.window = Some(choice.line);
    }
    Ok(())
}

/// Returns whether a query is the number of a record, and nothing else.
fn names_only(query: &Query, document: &StoredDocument) -> bool {
    query.names_record(document) && query.required_words().count() <= MAX_RECORD_WORDS
}

/// Number of words of `RFC 42`.
const MAX_RECORD_WORDS: usize = 2;

/// Maximum number of chunks of a document that are compared by their similarity.
const MAX_SIMILAR: usize = 24;

/// The query for the most similar chunks of a document.
fn similar_chunks(query: &ParsedQuery) -> Option<DenseQuery> {
    let dense = query.vector.query.clone()?;
    Some(DenseQuery { chunks_per_document: MAX_SIMILAR, min_similarity: None, ..dense })
}

/// Announces the lookups of similar chunks, so that a distant index makes them together.
fn announce_similar(
    ranked: &[Ranked<ScoredDocument>],
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    let Some(dense) = similar_chunks(query) else { return Ok(()) };
    for (source, open) in context.snapshot.sources.iter().enumerate() {
        let of_source = ranked.iter().filter(|document| document.payload.source == source);
        let ids: Vec<_> = of_source.map(|document| document.payload.id()).collect();
        if !ids.is_empty() {
            open.reader.announce_similar(&dense, &query.filter, &ids)?;
        }
    }
    Ok(())
}

/// Adds the most similar chunks of a document to its chunks with words.
fn add_similar_chunks(
    scored: &mut ScoredDocument,
    query: &ParsedQuery,
    reader: &dyn Reader,
) -> Result<(), EngineError> {
    let Some(dense) = similar_chunks(query) else { return Ok(()) };
    let Some(similar) = reader.similar(&dense, &query.filter, &[scored.id()])?.pop() else {
        return Ok(());
    };
    let parts = &mut scored.candidate.parts;
    let least = similar.chunks.last().map_or(0.0, |chunk| chunk.similarity);
    parts.similarities.clear();
    for chunk in &mut parts.candidate.chunks {
        let known = similar.chunks.iter().find(|other| other.id == chunk.id);
        parts.similarities.push(known.map_or(least, |known| known.similarity));
    }
    for chunk in &similar.chunks {
        if parts.candidate.chunks.iter().all(|known| known.id != chunk.id) {
            parts
                .candidate
                .chunks
                .push(ChunkCandidate { id: chunk.id, evidence: Evidence::zeros(0) });
            parts.similarities.push(chunk.similarity);
        }
    }
    Ok(())
}

/// Reads the chunks of a candidate that were not needed for its score.
fn read_chunks(scored: &mut ScoredDocument, reader: &dyn Reader) -> Result<(), EngineError> {
    let parts = &mut scored.candidate.parts;
    let missing: Vec<_> =
        parts.candidate.chunks.iter().skip(parts.chunks.len()).map(|chunk| chunk.id).collect();
    parts.chunks.extend(reader.chunks(&missing)?);
    Ok(())
}
