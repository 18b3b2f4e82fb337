//! Cuts a document into chunks and symbols by language. Never fails, does no I/O.
//!
//! **Invariant:** a pure function of the document: no randomness, no state between calls but
//! compiled queries, no clock but the last net under a parser that does not come to an end. Time
//! and stack are bounded for any input: a parser works under a count of operations, and every walk
//! over a tree is a loop.

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
    detect::detect,
    language::{Language, named},
    languages::LANGUAGES,
};

use lore_schema::{ChunkKind, Chunked, Document, Outline, TextOrigin};

use crate::{
    assemble::Assembler,
    language::{Prose, Structure},
    line_table::LineTable,
};

/// Compiles what [`chunk`] needs for files of the kind of this one, by its path alone, unless that has
/// been done: it takes some 30 ms for a large grammar, which another thread may have to spare.
pub fn prepare(path: &str) {
    if let Some(Structure::Grammar(grammar)) = detect(path, "").map(|one| one.structure) {
        // Whether it compiles is found out by whoever needs it.
        let _ = grammar.compiled();
    }
}

/// Cuts a document into chunks, by the grammar of its language, by headings, or by lines.
///
/// Metadata (`Document::metadata`) lies in no chunk. A text that a reader composed is prose,
/// whatever its file is called.
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

/// The nodes that a grammar sees in a text, one a line, for those who write queries; `None` where the
/// path is of no language with a grammar.
pub fn syntax_tree(path: &str, text: &str) -> Option<String> {
    match detect(path, text)?.structure {
        Structure::Grammar(grammar) => tree::print(text, grammar),
        Structure::Lines(_) | Structure::Prose(_) => None,
    }
}

/// Chunks of code, and the outline for others.
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

/// Definitions by keyword, and pieces of lines that begin at them where that fits.
fn by_lines(
    text: &str,
    lines: &LineTable,
    language: Option<&Language>,
    shapes: &[finder::Shape],
) -> (outline::Outline, Vec<pieces::Piece>) {
    let comments =
        language.map_or_else(Vec::new, |language| comments::scan(text, &language.comments));
    let outline = finder::outline(text, lines, shapes, comments);
    let pieces = lines::cut(text, lines, &outline);
    (outline, pieces)
}

/// Names the way documents are cut: chunks of another fingerprint are not today's.
///
/// History: `syntax-1` nine grammars, headings, lines with a finder of definitions; `syntax-2` more
/// grammars, references, imports, conformances; `syntax-3` dumps of public interfaces.
pub fn fingerprint() -> &'static str {
    "syntax-3"
}

#[cfg(test)]
mod tests;
