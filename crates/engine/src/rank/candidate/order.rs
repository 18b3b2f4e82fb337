//! The order of the chunks of a document, best first.

use lore_index::{Candidate, ChunkCandidate, StoredChunk, StoredDocument};
use lore_schema::{Field, Level, SourceName, SymbolKind};

use super::{CHUNKS_PER_DOCUMENT, CandidateParts, Question, is_symbol};
use crate::{
    query::{SELECTION, Tests},
    state::analyze::MAX_NAMES,
};

/// Weight of a chunk in a test module inside a file that is no test: it uses the file's subject.
const TEST_PASSAGE: f32 = 0.5;

/// Bonus of a chunk that declares a type, which is more than any share of the words; of one that
/// declares something else, which is less, so that a class comes before its constructor; and of one
/// that declares a function which a longer query names.
const DECLARING_TYPE: f32 = 1.0;
const DECLARING_OTHER: f32 = 0.5;
const DECLARING_NAMED: f32 = 0.3;

/// Weight of similarity in the choice of the chunk that is shown, beside the evidence of its words,
/// which is 0.3 for a good one.
const SIMILARITY: f32 = 0.5;

/// Sorts the chunks of a candidate and their similarities, best first, if that needs no look at
/// their texts: if none can be in a test module or declare a name of the query. Returns the number
/// of first chunks to read: all of them where their order is not known yet.
pub(crate) fn sort_chunks(
    candidate: &mut Candidate,
    similarities: &mut Vec<f32>,
    document: &StoredDocument,
    question: &Question<'_>,
) -> usize {
    let chunks = candidate.chunks.len();
    if chunks <= CHUNKS_PER_DOCUMENT
        || question.names().next().is_some()
        || may_hold_tests(document, question)
    {
        return chunks;
    }
    let mut rows: Vec<(f32, Option<f32>, ChunkCandidate)> = Vec::with_capacity(chunks);
    for (index, chunk) in std::mem::take(&mut candidate.chunks).into_iter().enumerate() {
        let value = evidence(&chunk, question) + chunk_similarity(similarities, index);
        rows.push((value, similarities.get(index).copied(), chunk));
    }
    // The chunks of a document are stored in the order of their ordinals.
    rows.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then_with(|| left.2.id.number.cmp(&right.2.id.number))
    });
    similarities.clear();
    for (_, similarity, chunk) in rows {
        similarities.extend(similarity);
        candidate.chunks.push(chunk);
    }
    CHUNKS_PER_DOCUMENT
}

/// Returns whether a name is that of a test module.
fn is_test_module(name: &str) -> bool {
    matches!(name, "test" | "tests")
}

/// Returns whether chunks of a document may be in test modules. In code that is a document that
/// defines one, or more names than are stored; a method of a type called `tests` is no test.
fn may_hold_tests(document: &StoredDocument, question: &Question<'_>) -> bool {
    question.source != SourceName::Code
        || document.names.len() >= MAX_NAMES
        || document.names.iter().any(|name| is_test_module(name))
}

/// Weighted evidence of the words of a chunk.
fn evidence(chunk: &ChunkCandidate, question: &Question<'_>) -> f32 {
    Field::ALL
        .iter()
        .zip(SELECTION)
        .filter(|(field, weight)| field.level() == Level::Chunk && *weight > 0.0)
        .map(|(field, weight)| {
            weight * question.normalised(|word| chunk.evidence.get(word, *field))
        })
        .sum()
}

/// Weighted similarity of a chunk; 0 where it is unknown.
fn chunk_similarity(similarities: &[f32], chunk: usize) -> f32 {
    SIMILARITY * similarities.get(chunk).copied().unwrap_or(0.0).max(0.0)
}

/// Orders the chunks of a candidate by evidence, with chunks of test modules at half of it and, for
/// a query of one name, its declarations first. Returns the weight of each chunk.
pub(super) fn order_chunks(parts: &mut CandidateParts, question: &Question<'_>) -> Vec<f32> {
    if parts.chunks.len() < parts.candidate.chunks.len() {
        // They are sorted already, and none is a test.
        return vec![1.0; parts.candidate.chunks.len()];
    }
    let counts_less =
        question.query.tests != Tests::Requested && may_hold_tests(&parts.document, question);
    let is_test = |chunk: &StoredChunk| {
        let mut names =
            chunk.breadcrumb.iter().chain(chunk.symbol.as_ref().map(|symbol| &symbol.name));
        names.any(|name| is_test_module(name))
    };
    let asks_of_declaration = is_symbol(question) || question.intent.implementers;
    let mut rows: Vec<(f32, f32, f32, _, _)> = Vec::with_capacity(parts.chunks.len());
    let candidates = std::mem::take(&mut parts.candidate.chunks);
    for (index, (candidate, stored)) in
        candidates.into_iter().zip(std::mem::take(&mut parts.chunks)).enumerate()
    {
        let share = if counts_less && is_test(&stored) { TEST_PASSAGE } else { 1.0 };
        let declares = declaration_bonus(&stored, question);
        // A declaration that was only looked up has no evidence.
        let first = if asks_of_declaration { share * declares } else { 0.0 };
        let value = evidence(&candidate, question)
            + declares
            + chunk_similarity(&parts.similarities, index);
        rows.push((first, share * value, share, candidate, stored));
    }
    rows.sort_by(|left, right| {
        (right.0.total_cmp(&left.0))
            .then_with(|| right.1.total_cmp(&left.1))
            .then_with(|| left.4.ordinal.cmp(&right.4.ordinal))
    });
    let mut shares = Vec::with_capacity(rows.len());
    for (_, _, share, candidate, stored) in rows {
        shares.push(share);
        parts.candidate.chunks.push(candidate);
        parts.chunks.push(stored);
    }
    shares
}

/// Bonus of a chunk for declaring a name of the query. A query for a name, or for its
/// implementations, wants the declaration. A longer query is about a function that it names, but
/// happens inside a type that it names.
fn declaration_bonus(chunk: &StoredChunk, question: &Question<'_>) -> f32 {
    let mut best: f32 = 0.0;
    for symbol in chunk.symbols.iter().filter(|symbol| chunk.span.has_line(symbol.line)) {
        for (_, name) in question.names() {
            let asks = is_symbol(question) || question.intent.implementers;
            if question.intent.implementers && symbol.conformances.iter().any(|of| of.name == name)
            {
                best = best.max(DECLARING_TYPE);
            }
            if symbol.name != name || symbol.kind == SymbolKind::Impl {
                continue;
            }
            best = best.max(match (asks, symbol.kind.is_type()) {
                (true, true) => DECLARING_TYPE,
                (true, false) => DECLARING_OTHER,
                (false, true) => 0.0,
                (false, false) => DECLARING_NAMED,
            });
        }
    }
    best
}
