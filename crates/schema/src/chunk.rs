//! Chunks: the passages that are retrieved and shown.

use std::ops::Range;

use crate::{Outline, Span, Symbol};

/// The structure that a chunk follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChunkKind {
    /// One or more definitions, found by a parser.
    Definition,
    /// A section of prose under a heading.
    Section,
    /// Lines, if no better structure is known.
    Lines,
}

impl ChunkKind {
    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            ChunkKind::Definition => "definition",
            ChunkKind::Section => "section",
            ChunkKind::Lines => "lines",
        }
    }
}

/// A piece of one document.
///
/// Property tests check that, for each document:
///
/// - chunks are sorted by `span.start` and do not overlap;
/// - spans are inside the text, on character boundaries;
/// - no chunk contains a byte of `Document::metadata`;
/// - every other byte that is not whitespace is in exactly one chunk;
/// - `ordinal` counts from 0 without gaps.
///
/// A definition that is too large for one chunk is the `symbol` of each of its parts. The part with
/// its declaration is the one whose lines include `symbol.line`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Position among the chunks of the document, from 0.
    pub ordinal: u32,
    /// Position in the document's text.
    pub span: Span,
    /// The structure that it follows.
    pub kind: ChunkKind,
    /// Main definition: the first outermost one, if there is any. A chunk without its declaration
    /// has it without documentation comment and conformances.
    pub symbol: Option<Symbol>,
    /// All definitions in the chunk, in text order, including `symbol`.
    pub symbols: Vec<Symbol>,
    /// Names of the enclosing headings, modules and types, outermost first.
    pub breadcrumb: Vec<String>,
    /// Byte ranges of comments and documentation strings in the document's text, inside `span`.
    pub comments: Vec<Range<usize>>,
}

/// A document cut into chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunked {
    /// Name of the language, as in the registry of languages, if it was recognised.
    pub language: Option<&'static str>,
    /// The chunks, in text order.
    pub chunks: Vec<Chunk>,
    /// Definitions, references and imports. Without references if there is no grammar.
    pub outline: Outline,
    /// True if a parser gave up, so that the document was cut by lines.
    pub fell_back: bool,
}
