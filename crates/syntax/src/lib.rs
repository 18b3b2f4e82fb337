//! Cuts a document into chunks and extracts symbols, by language. Never fails, does no I/O.
//!
//! **Invariant:** a pure function of the document: no randomness, and no state between calls except
//! compiled queries. The clock is read only as a last limit on a parser that does not finish. Every
//! walk over a tree is a loop, and a parser has a budget of operations.
//!
//! The budget does not bound a single step of the parser library: some texts of a few kilobytes
//! make it take gigabytes of memory or overflow the stack, which ends the process. Code that must
//! survive such a text runs [`parse`] in another process, and cuts with [`chunk_with`].

#![cfg_attr(
    not(all(feature = "grammars", feature = "heavy-grammars")),
    allow(dead_code, unused_imports, reason = "a build with few languages needs not all helpers")
)]

mod assemble;
#[cfg(any(test, feature = "testing"))]
pub mod bombs;
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
mod lexical;
mod limits;
mod line_table;
mod lines;
mod markdown;
mod memory;
mod outline;
mod parsed;
mod pieces;
mod prose;
mod scanners;
mod tree;
mod visibility;

pub use crate::{
    category::{categorize, is_template},
    comments::CommentSigns,
    detect::{detect, named},
    language::Language,
    languages::LANGUAGES,
    limits::parse_time,
    memory::limit_memory,
    parsed::Parsed,
    tree::types::type_name,
};

use lore_schema::{ChunkKind, Chunked, Document, Outline, TextOrigin};

use crate::{
    assemble::Assembler,
    language::{Prose, Structure},
    line_table::LineTable,
};

/// Compiles the query that [`parse`] needs for a language, unless that is done already. A large
/// grammar takes about 30 ms, which a caller can spend on another thread.
pub fn prepare(language: &Language) {
    if let Structure::Grammar(grammar) = language.structure {
        // A query that does not compile is handled where it is used.
        let _ = grammar.compiled();
    }
}

/// Returns true if [`prepare`] has work to do for a language.
pub fn needs_preparation(language: &Language) -> bool {
    matches!(language.structure, Structure::Grammar(grammar) if !grammar.is_compiled())
}

/// Parses a text by the grammar of a language. `None` if the language has none, or if the parser
/// exceeded its budget.
pub fn parse(language: &Language, text: &str) -> Option<Parsed> {
    let Structure::Grammar(grammar) = language.structure else { return None };
    tree::outline(text, &LineTable::new(text), grammar).map(Parsed::new)
}

/// Cuts a document into chunks, by the grammar of its language, by headings, or by lines.
///
/// No chunk contains metadata (`Document::metadata`). A text composed by a reader is cut as prose,
/// regardless of its file name.
pub fn chunk(document: &Document) -> Chunked {
    chunk_with(document, parse)
}

/// Cuts a document as [`chunk`] does, with another function in place of [`parse`]. It is called at
/// most once, for a language with a grammar. If it returns `None`, the document is cut by lines.
pub fn chunk_with(
    document: &Document,
    parse: impl FnOnce(&'static Language, &str) -> Option<Parsed>,
) -> Chunked {
    let text = document.text.as_str();
    let composed = document.origin == TextOrigin::Composed;
    let language = detect(&document.path, text)
        .filter(|language| !composed || matches!(language.structure, Structure::Prose(_)));
    let name = language.map(|language| language.name);
    let lines = LineTable::new(text);
    let assembler = Assembler::new(text, &lines, &document.metadata);

    let as_prose = |prose: Prose| {
        let sections = prose::sections(text, &lines, prose, &document.metadata);
        let chunks = assembler.sections(&sections);
        Chunked { language: name, chunks, outline: Outline::default(), fell_back: false }
    };
    let as_lines = |shapes: &[finder::shapes::Shape], fell_back: bool| {
        let (outline, pieces) = by_lines(text, &lines, language, shapes);
        code(name, &assembler, &pieces, outline, ChunkKind::Lines, fell_back)
    };
    match language.map(|language| (language, language.structure)) {
        None if composed => as_prose(Prose::Markdown),
        None => as_lines(&[], false),
        Some((_, Structure::Prose(prose))) => as_prose(prose),
        Some((_, Structure::Lines(shapes))) => as_lines(shapes, false),
        Some((language, Structure::Grammar(grammar))) => match parse(language, text) {
            Some(parsed) => {
                let outline = parsed.into_outline();
                let pieces = pieces::cut(text, &lines, &outline);
                code(name, &assembler, &pieces, outline, ChunkKind::Definition, false)
            }
            None => as_lines(grammar.shapes, true),
        },
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
