//! Shows the definition that a query names: if a name has one definition, its lines are the answer,
//! not another passage of its file. That of a qualified name, `Type.member`, comes first.

use lore_index::{DocumentId, DocumentSet, StoredChunk};
use lore_schema::Symbol;

use super::{
    context::SearchContext,
    parse::{Order, ParsedQuery},
    score::ScoredDocument,
    uses::{Admission, hit_of_definition},
};
use crate::{
    EngineError, Fusion,
    graph::{CodeGraph, Definition, exact_symbols},
    query::Shape,
    rank::Ranked,
};

/// Returns the only definition of the name that a query consists of; `None` for other queries, and for
/// those whose order is not that of the signals.
pub(crate) fn only_definition(
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<Option<Definition>, EngineError> {
    let mut found = definitions(query, context)?;
    Ok(found.pop().filter(|_| found.is_empty()))
}

/// Returns the definitions of the name that a query consists of; none for other queries, and for those
/// whose order is not that of the signals.
pub(crate) fn definitions(
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<Vec<Definition>, EngineError> {
    let words = &query.plan.query;
    if query.order() != Order::Signals
        || context.request.fusion != Fusion::default()
        || words.shape != Shape::Symbol
    {
        return Ok(Vec::new());
    }
    Ok(exact_symbols(&context.snapshot.graph(), words.text.trim())?)
}

/// Place of the only definition of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OnlyPlace {
    /// Its file.
    pub(crate) file: DocumentId,
    /// Line of the name.
    pub(crate) line: u32,
}

impl OnlyPlace {
    pub(crate) fn of(definition: &Definition) -> OnlyPlace {
        OnlyPlace { file: definition.file.id, line: definition.symbol().line }
    }
}

/// Makes the first hit show the only definition of the name that a query consists of.
///
/// A bare name may be a word of prose, so that its hits keep their order. A qualified name is one of
/// code, so that its definition is moved to the front, or added there.
pub(crate) fn show_definition(
    only: &Definition,
    ranked: &mut Vec<Ranked<ScoredDocument>>,
    admitted: &[DocumentSet],
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    // Kinds are a condition on each definition.
    if !query.filter.kinds.is_empty() {
        return Ok(());
    }
    let graph = context.snapshot.graph();
    let position = ranked.iter().position(|hit| hit.payload.id() == only.file.id);
    let is_qualified = query.plan.query.text.trim().contains(['.', ':', '#']);
    if position != Some(0) && !is_qualified
        || !Admission::new(&graph, admitted, query, context)?.admits_definition(only)
    {
        return Ok(());
    }
    let definition = match position {
        Some(at) => {
            let mut hit = ranked.remove(at);
            show(&mut hit.payload, only, &graph)?;
            Some(hit)
        }
        None => hit_of_definition(only, &graph, context)?,
    };
    if let Some(mut definition) = definition {
        if let Some(first) = ranked.first() {
            definition.score = definition.score.max(first.score);
            definition.coverage = definition.coverage.max(first.coverage);
        }
        ranked.insert(0, definition);
    }
    Ok(())
}

/// Makes a document show a definition: the chunk that declares it becomes its best one.
fn show(
    document: &mut ScoredDocument,
    definition: &Definition,
    graph: &CodeGraph<'_>,
) -> Result<(), EngineError> {
    let parts = &mut document.candidate.parts;
    let declares = |chunk: &StoredChunk| declared(chunk, definition).is_some();
    match parts.chunks.iter().position(declares) {
        Some(at) => parts.move_to_front(at),
        None => match graph.declaring_chunk(definition)? {
            Some((_, chunk)) => parts.chunks.insert(0, chunk),
            None => return Ok(()),
        },
    }
    document.subject = declared(&parts.chunks[0], definition).cloned();
    Ok(())
}

/// The symbol of a definition that a chunk declares. It has a doc comment, which that of the graph lacks.
fn declared<'c>(chunk: &'c StoredChunk, definition: &Definition) -> Option<&'c Symbol> {
    let symbol = definition.symbol();
    let is_same = |own: &&Symbol| own.name == symbol.name && own.line == symbol.line;
    chunk.symbol.iter().chain(&chunk.symbols).find(is_same)
}
