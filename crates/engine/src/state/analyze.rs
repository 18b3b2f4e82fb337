//! Turns a chunked document into the terms of its fields. This is the one place that decides what can be
//! found in which field.

use std::{
    collections::{BTreeSet, HashSet},
    ops::Range,
};

use lore_index::{
    DocumentVectors, IndexedChunk, IndexedDocument, StoredChunk, StoredDocument, Terms,
};
use lore_schema::{Chunk, Document, Field, Outline, Symbol, TextOrigin};
use lore_text::{Form, analyzer};

use crate::{
    query::{definition_term, facets, import_term, parts_of_id, reference_term},
    state::{chunking::ChunkedDocument, faults},
};

/// Version of the rules of this file: an index made with other rules is rebuilt.
pub(crate) const FINGERPRINT: &str = "fields-9";

/// Maximum number of names of a document that are stored beside its terms.
pub(crate) const MAX_NAMES: usize = 48;

/// Turns a document and its chunks into what the index stores, with the text if the index stores texts.
pub(crate) fn analyze(
    mut document: Document,
    cut: ChunkedDocument,
    vectors: Vec<DocumentVectors>,
    stores_text: bool,
) -> IndexedDocument {
    let ChunkedDocument { mut chunked, category, fault } = cut;
    // A document that was never changed was last changed when it was created.
    let dates = &mut document.attributes;
    dates.updated = dates.updated.or(dates.created);
    let chunks: Vec<IndexedChunk> =
        chunked.chunks.iter().map(|chunk| analyze_chunk(&document, chunk)).collect();
    let mut facets = facets::facet_terms(&document, &chunked);
    if let Some(fault) = fault {
        facets.push(&faults::term(fault));
    }
    let mut name_terms = Terms::default();
    let mut comments = Terms::default();
    for chunk in chunked.chunks {
        for range in &chunk.comments {
            push_words(&document.text[range.clone()], &mut comments);
        }
    }
    let (names, outer_names) = names_of(&chunked.outline.symbols, &mut name_terms);
    let mut path = Terms::default();
    analyzer("path").analyze(&document.path, &mut |token| path.push(token.term));
    let terms = vec![
        (Field::Title, title_terms(&document)),
        (Field::Path, path),
        (Field::Names, name_terms),
        (Field::Comments, comments),
        (Field::Attributes, attribute_terms(&document)),
        (Field::References, reference_terms(&chunked.outline)),
        (Field::Facets, facets),
    ];
    // Comments are stored with the chunks.
    for symbol in &mut chunked.outline.symbols {
        symbol.doc_comment = None;
    }
    let bytes = document.text.len() as u64;
    let outline = &chunked.outline;
    let (composed, text) = match document.origin {
        TextOrigin::Composed => (Some(document.text), None),
        TextOrigin::File => (None, stores_text.then_some(document.text)),
    };
    let has_outline = !outline.is_empty() || outline.has_errors;
    IndexedDocument {
        stored: StoredDocument {
            key: document.key,
            path: document.path,
            format: document.format.to_owned(),
            kind: document.kind.to_owned(),
            title: document.title,
            language: chunked.language.map(str::to_owned),
            category,
            attributes: document.attributes,
            trust: document.trust,
            text: composed,
            bytes,
            fell_back: chunked.fell_back,
            names,
            outer_names,
        },
        terms,
        chunks,
        vectors,
        outline: has_outline.then_some(chunked.outline),
        text,
    }
}

/// Returns the distinct names of definitions, those of types and of top-level definitions first, and the
/// number of these. Every name becomes terms; only the first names are stored.
fn names_of(symbols: &[Symbol], terms: &mut Terms) -> (Vec<String>, u32) {
    let is_outer = |symbol: &&Symbol| symbol.kind.is_type() || symbol.container.is_none();
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    let mut outer = 0;
    for symbol in symbols.iter().filter(is_outer) {
        if seen.insert(symbol.name.as_str()) {
            outer += u32::from(names.len() < MAX_NAMES);
            names.push(symbol.name.clone());
            names.truncate(MAX_NAMES);
        }
    }
    for symbol in symbols {
        if seen.insert(symbol.name.as_str()) && names.len() < MAX_NAMES {
            names.push(symbol.name.clone());
        }
    }
    // Once each, in the order of the text. No evidence depends on that order.
    let mut pushed = HashSet::new();
    for symbol in symbols {
        if pushed.insert(symbol.name.as_str()) {
            push_words(&symbol.name, terms);
        }
    }
    (names, outer)
}

fn analyze_chunk(document: &Document, chunk: &Chunk) -> IndexedChunk {
    let mut body = Terms::default();
    let mut whole = Terms::default();
    for range in searchable(chunk.span.start..chunk.span.end, &document.metadata) {
        analyzer("code").analyze(&document.text[range], &mut |token| match token.form {
            Form::Part => body.push(token.term),
            Form::Whole => whole.push(token.term),
        });
    }
    let mut context = Terms::default();
    let mut symbols = Terms::default();
    let mut conformances = Terms::default();
    for name in &chunk.breadcrumb {
        push_all(name, &mut context);
    }
    for symbol in &chunk.symbols {
        // As a whole, the name is a term of another field.
        push_words(&symbol.name, &mut context);
        symbols.push(&definition_term(&symbol.name));
        // A part of a large definition without its first line does not declare what it conforms to.
        if chunk.span.has_line(symbol.line) {
            for of in &symbol.conformances {
                conformances.push(&of.name);
            }
        }
    }
    let stem = document.path.rsplit('/').next().unwrap_or(&document.path);
    push_all(stem.split('.').next().unwrap_or(stem), &mut context);
    IndexedChunk {
        stored: stored_chunk(chunk),
        terms: vec![
            (Field::Body, body),
            (Field::Whole, whole),
            (Field::Context, context),
            (Field::Symbol, symbols),
            (Field::Conformance, conformances),
        ],
    }
}

/// Converts a chunk to what the index stores beside its terms.
pub(crate) fn stored_chunk(chunk: &Chunk) -> StoredChunk {
    StoredChunk {
        ordinal: chunk.ordinal,
        span: chunk.span,
        kind: chunk.kind,
        symbol: chunk.symbol.clone(),
        symbols: chunk.symbols.clone(),
        breadcrumb: chunk.breadcrumb.clone(),
        comments: chunk.comments.clone(),
    }
}

/// The names that a document uses and imports, once each.
fn reference_terms(outline: &Outline) -> Terms {
    let references = outline
        .references
        .iter()
        .map(|reference| reference_term(reference.kind, &reference.name))
        .chain(
            outline.imports.iter().map(|import| import_term(import.name.as_deref().unwrap_or("*"))),
        );
    let mut terms = Terms::default();
    for term in references.collect::<BTreeSet<String>>() {
        terms.push(&term);
    }
    terms
}

/// The parts of a range outside of the metadata.
pub(crate) fn searchable(range: Range<usize>, metadata: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut rest = Vec::new();
    let mut start = range.start;
    for hole in metadata {
        if hole.start > start && hole.start < range.end {
            rest.push(start..hole.start);
        }
        start = start.max(hole.end.min(range.end));
    }
    if start < range.end {
        rest.push(start..range.end);
    }
    rest
}

fn title_terms(document: &Document) -> Terms {
    let mut terms = Terms::default();
    let attributes = &document.attributes;
    let texts = [Some(&document.title), attributes.id.as_ref(), attributes.description.as_ref()];
    for text in texts.into_iter().flatten() {
        push_all(text, &mut terms);
    }
    // `0042-some-name` is also found by `42`.
    if let Some(id) = attributes.id.as_deref()
        && document.kind != "commit"
        && let Some((_, number)) = parts_of_id(id)
        && !id.split(['-', '_']).any(|part| part == number)
    {
        push_words(&number, &mut terms);
    }
    terms
}

fn attribute_terms(document: &Document) -> Terms {
    let mut terms = Terms::default();
    let attributes = &document.attributes;
    let values =
        [&attributes.status, &attributes.priority, &attributes.assignee, &attributes.author];
    for value in values.into_iter().flatten() {
        push_words(value, &mut terms);
    }
    for tag in &attributes.tags {
        push_all(tag, &mut terms);
    }
    for (_, value) in &attributes.extra {
        push_words(value, &mut terms);
    }
    terms
}

/// Pushes the words of a text.
fn push_words(text: &str, terms: &mut Terms) {
    analyzer("code").analyze(text, &mut |token| {
        if token.form == Form::Part {
            terms.push(token.term);
        }
    });
}

/// Pushes the words and the whole identifiers of a text.
fn push_all(text: &str, terms: &mut Terms) {
    analyzer("code").analyze(text, &mut |token| terms.push(token.term));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(range: Range<usize>, metadata: &[(usize, usize)], expected: &[(usize, usize)]) {
        let metadata: Vec<_> = metadata.iter().map(|hole| hole.0..hole.1).collect();
        let rest: Vec<_> =
            searchable(range, &metadata).iter().map(|rest| (rest.start, rest.end)).collect();
        assert_eq!(rest, expected);
    }

    #[test]
    fn metadata_is_cut_out() {
        check(0..10, &[], &[(0, 10)]);
        check(0..10, &[(0, 4)], &[(4, 10)]);
        check(2..10, &[(0, 4), (6, 7)], &[(4, 6), (7, 10)]);
        check(0..5, &[(2, 9)], &[(0, 2)]);
        check(3..5, &[(2, 9)], &[]);
    }
}
