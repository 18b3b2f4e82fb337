//! Makes a hit show a line that is known to answer.

use lore_index::{ChunkId, DocumentId, StoredChunk};
use lore_schema::{Field, Symbol};

use super::{
    context::SearchContext, parse::ParsedQuery, present::ReadTexts, score::ScoredDocument,
};
use crate::{
    EngineError,
    query::facets,
    rank::{Message, Ranked},
    state::{files::UnverifiedText, snapshot::OpenSource},
};

/// Minimum number of words of a quotation whose line is shown.
const MIN_QUOTED_WORDS: usize = 3;

/// Makes the hits that contain a query word by word show where they do.
pub(super) fn show_quotations(
    ranked: &mut [Ranked<ScoredDocument>],
    query: &ParsedQuery,
    texts: &ReadTexts,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    if !query.plan.plain || !ranked.iter().any(|document| document.exact) {
        return Ok(());
    }
    let Some(message) = Message::new(&query.plan.query.text, |_| 1.0) else { return Ok(()) };
    for document in ranked.iter_mut().filter(|document| document.exact) {
        let stored = &document.payload.candidate.parts.document;
        let read = texts.get(&stored.path).map(UnverifiedText::to_compare);
        let Some(text) = stored.text.as_deref().or(read) else { continue };
        let Some(found) = message.find(text) else { continue };
        if found.words < message.len().max(MIN_QUOTED_WORDS) {
            continue;
        }
        let line = text.lines().nth(found.line as usize - 1).unwrap_or_default().to_owned();
        show_line(&mut document.payload, found.line, &line, context)?;
    }
    Ok(())
}

/// The open source of a document, and its index in the snapshot.
pub(super) fn source_of(
    document: DocumentId,
    context: SearchContext<'_>,
) -> Option<(usize, &OpenSource)> {
    let mut sources = context.snapshot.sources.iter().enumerate();
    sources.find(|(_, open)| open.reader.source() == document.source)
}

/// The chunk of a document that contains a line with this text.
pub(super) fn chunk_at(
    id: DocumentId,
    number: Option<u32>,
    line: &str,
    source: &OpenSource,
) -> Result<Option<(ChunkId, StoredChunk)>, EngineError> {
    let reader = source.reader.as_ref();
    let terms = facets::words_of(line);
    let rows = reader.holders_of_all(Field::Body, &terms)?;
    let ids: Vec<ChunkId> =
        rows.iter().filter(|row| row.document == id).filter_map(|row| row.chunk).collect();
    let chunks = reader.chunks(&ids)?;
    let mut found = ids.into_iter().zip(chunks);
    Ok(found.find(|(_, chunk)| number.is_none_or(|number| chunk.span.has_line(number))))
}

/// Makes a document show a line: the chunk that contains it becomes its best one.
pub(super) fn show_line(
    document: &mut ScoredDocument,
    number: u32,
    line: &str,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    let id = document.id();
    let Some((_, source)) = source_of(id, context) else { return Ok(()) };
    let chunks = &mut document.candidate.parts.chunks;
    match chunks.iter().position(|chunk| chunk.span.has_line(number)) {
        Some(at) => chunks[..=at].rotate_right(1),
        None => match chunk_at(id, Some(number), line, source)? {
            Some((_, chunk)) => chunks.insert(0, chunk),
            None => return Ok(()),
        },
    }
    let around = |symbol: &&Symbol| (symbol.start_line..=symbol.end_line).contains(&number);
    document.subject = chunks[0].symbols.iter().rfind(around).cloned();
    document.around = Some(number);
    Ok(())
}
