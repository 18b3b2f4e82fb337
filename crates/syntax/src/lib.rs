//! Cuts a document into chunks and symbols by language. Never fails, does no I/O.
//!
//! **Invariant:** a pure function of the document: no randomness, no state between calls but
//! compiled queries, no clock but the last net under a parser that does not come to an end. Time
//! and stack are bounded for any input: a parser works under a count of operations, and every walk
//! over a tree is a loop.

mod assemble;
mod category;
mod comments;
mod detect;
mod finder;
mod grammar;
mod grammars;
mod language;
mod languages;
mod leading;
mod limits;
mod line_table;
mod lines;
mod markdown;
mod outline;
mod pieces;
mod prose;
mod tree;
mod visibility;

pub use crate::{
    category::categorize,
    detect::detect,
    language::{Language, named},
    languages::LANGUAGES,
};

use std::collections::HashMap;

use lore_schema::{Chunk, ChunkKind, Chunked, Document, TextOrigin};

use crate::{
    assemble::Assembler,
    language::{Prose, Structure},
    line_table::LineTable,
    outline::Outline,
};

/// Cuts a document into chunks, by the grammar of its language, by headings, or by lines.
///
/// Metadata (`Document::metadata`) lies in no chunk. A text that a reader composed is prose,
/// whatever its file is called.
pub fn chunk(document: &Document) -> Chunked {
    let mut chunked = cut(document);
    number_repetitions(&mut chunked.chunks);
    chunked
}

/// Tells definitions of the same container and name apart, by the order of their lines. The parts
/// of a large definition carry the same one.
fn number_repetitions(chunks: &mut [Chunk]) {
    let mut lines: HashMap<(Option<String>, String), Vec<u32>> = HashMap::new();
    for symbol in
        chunks.iter_mut().flat_map(|chunk| chunk.symbols.iter_mut().chain(&mut chunk.symbol))
    {
        let same = lines.entry((symbol.container.clone(), symbol.name.clone())).or_default();
        let at = same.partition_point(|line| *line < symbol.line);
        if same.get(at) != Some(&symbol.line) {
            same.insert(at, symbol.line);
        }
        symbol.repetition = u32::try_from(at + 1).unwrap_or(u32::MAX);
    }
}

fn cut(document: &Document) -> Chunked {
    let text = document.text.as_str();
    let composed = document.origin == TextOrigin::Composed;
    let language = detect(&document.path, text)
        .filter(|language| !composed || matches!(language.structure, Structure::Prose(_)));
    let name = language.map(|language| language.name);
    let lines = LineTable::new(text);
    let assembler = Assembler::new(text, &lines, &document.metadata);

    let structure = match language {
        Some(language) => language.structure,
        None if composed => Structure::Prose(Prose::Markdown),
        None => Structure::Lines(&[]),
    };
    match structure {
        Structure::Prose(prose) => {
            let sections = prose::sections(text, &lines, prose, &document.metadata);
            let chunks = assembler.sections(&sections);
            Chunked { language: name, chunks, fell_back: false }
        }
        Structure::Grammar(grammar) => {
            if let Some(outline) = tree::outline(text, &lines, grammar) {
                let pieces = pieces::cut(text, &lines, &outline);
                let chunks = assembler.code(&pieces, &outline, ChunkKind::Definition);
                return Chunked { language: name, chunks, fell_back: false };
            }
            let (outline, pieces) = by_lines(text, &lines, language, finder::shapes::ANY_LANGUAGE);
            let chunks = assembler.code(&pieces, &outline, ChunkKind::Lines);
            Chunked { language: name, chunks, fell_back: true }
        }
        Structure::Lines(shapes) => {
            let (outline, pieces) = by_lines(text, &lines, language, shapes);
            let chunks = assembler.code(&pieces, &outline, ChunkKind::Lines);
            Chunked { language: name, chunks, fell_back: false }
        }
    }
}

/// Definitions by keyword, and pieces of lines that begin at them where that fits.
fn by_lines(
    text: &str,
    lines: &LineTable,
    language: Option<&Language>,
    shapes: &[finder::Shape],
) -> (Outline, Vec<pieces::Piece>) {
    let comments =
        language.map_or_else(Vec::new, |language| comments::scan(text, &language.comments));
    let outline = finder::outline(text, lines, shapes, comments);
    let pieces = lines::cut(text, lines, &outline);
    (outline, pieces)
}

/// Names the way documents are cut: chunks of another fingerprint are not today's.
///
/// History: `syntax-1` nine grammars, headings, lines with a finder of definitions.
pub fn fingerprint() -> &'static str {
    "syntax-1"
}

#[cfg(test)]
mod tests;
