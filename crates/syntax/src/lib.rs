//! Cuts a document into chunks and extracts symbols, by language. Never fails, does no I/O.
//!
//! **Invariant:** a pure function of the document: no randomness, and no state between calls except
//! compiled queries. The clock is read only as a last limit on a parser that does not finish. Time
//! and stack are bounded for any input: a parser has a budget of operations, and every walk over a
//! tree is a loop.

#![cfg_attr(
    not(all(feature = "grammars", feature = "heavy-grammars")),
    allow(dead_code, unused_imports, reason = "a build with few languages needs not all helpers")
)]

mod assemble;
mod category;
mod comments;
mod detect;
mod finder;
mod grammar;
mod grammars;
mod imports;
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
mod scanners;
mod tree;
mod visibility;

pub use crate::{
    category::{categorize, is_template},
    detect::{detect, named},
    language::Language,
    languages::LANGUAGES,
};

use lore_schema::{ChunkKind, Chunked, Document, Outline, TextOrigin};

use crate::{
    assemble::Assembler,
    language::{Prose, Structure},
    line_table::LineTable,
};

/// Compiles the query that [`chunk`] needs for a file of this path, unless that is done already. A
/// large grammar takes about 30 ms, which a caller can spend on another thread.
pub fn prepare(path: &str) {
    if let Some(Structure::Grammar(grammar)) = detect(path, "").map(|language| language.structure) {
        // A query that does not compile is handled where it is used.
        let _ = grammar.compiled();
    }
}

/// Cuts a document into chunks, by the grammar of its language, by headings, or by lines.
///
/// No chunk contains metadata (`Document::metadata`). A text composed by a reader is cut as prose,
/// regardless of its file name.
pub fn chunk(document: &Document) -> Chunked {
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
            Chunked { language: name, chunks, outline: Outline::default(), fell_back: false }
        }
        Structure::Grammar(grammar) => {
            if let Some(outline) = tree::outline(text, &lines, grammar) {
                let pieces = pieces::cut(text, &lines, &outline);
                return code(name, &assembler, &pieces, outline, ChunkKind::Definition, false);
            }
            let (outline, pieces) = by_lines(text, &lines, language, grammar.shapes);
            code(name, &assembler, &pieces, outline, ChunkKind::Lines, true)
        }
        Structure::Lines(shapes) => {
            let (outline, pieces) = by_lines(text, &lines, language, shapes);
            code(name, &assembler, &pieces, outline, ChunkKind::Lines, false)
        }
    }
}

/// The nodes of the syntax tree of a text, one a line, as a help for writing queries. `None` if the
/// language of the path has no grammar.
pub fn syntax_tree(path: &str, text: &str) -> Option<String> {
    match detect(path, text)?.structure {
        Structure::Grammar(grammar) => tree::print(text, grammar),
        Structure::Lines(_) | Structure::Prose(_) => None,
    }
}

/// Builds the chunks and the outline of code.
fn code(
    language: Option<&'static str>,
    assembler: &Assembler<'_>,
    pieces: &[pieces::Piece],
    outline: outline::Outline,
    kind: ChunkKind,
    fell_back: bool,
) -> Chunked {
    let symbols = outline.symbols();
    let chunks = assembler.code(pieces, &outline, &symbols, kind);
    let outline = Outline {
        symbols,
        references: outline.references,
        imports: outline.imports,
        has_errors: outline.has_errors,
    };
    Chunked { language, chunks, outline, fell_back }
}

/// Finds definitions by keyword, and cuts the text into pieces of lines that start at definitions
/// where the size allows it.
fn by_lines(
    text: &str,
    lines: &LineTable,
    language: Option<&Language>,
    shapes: &[finder::shapes::Shape],
) -> (outline::Outline, Vec<pieces::Piece>) {
    let comments =
        language.map_or_else(Vec::new, |language| comments::scan(text, &language.comments));
    let outline = finder::outline(text, lines, shapes, comments);
    let pieces = lines::cut(text, lines, &outline);
    (outline, pieces)
}

/// Version of the chunking rules. Chunks with another fingerprint have to be made again.
///
/// History: `syntax-1` nine grammars, headings, lines with a finder of definitions; `syntax-2` more
/// grammars, references, imports, conformances; `syntax-3` dumps of public interfaces;
/// `syntax-4` generated pages, runs of benchmarks, translations.
pub fn fingerprint() -> &'static str {
    "syntax-4"
}

#[cfg(test)]
mod tests;
