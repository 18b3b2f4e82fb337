//! The unit that is retrieved and shown.

use std::ops::Range;

use crate::{Outline, Span, Symbol};

/// What a chunk was cut along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChunkKind {
    /// One or more definitions of a language that was parsed.
    Definition,
    /// A section of prose under a heading.
    Section,
    /// Lines, where no better structure is known.
    Lines,
}

impl ChunkKind {
    /// The name that users read.
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
/// Laws, held by property tests: the chunks of a document are ordered by `span.start` and do not
/// overlap; they lie inside the text, on character boundaries; no byte of `Document::metadata` lies
/// in a chunk, and every other byte that is not white space lies in exactly one; `ordinal` counts
/// from 0 without gaps.
///
/// A definition that is too large for one chunk is the `symbol` of each of its parts; the one that
/// holds its declaration is the one whose lines hold `symbol.line`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Position among the chunks of the document, from 0.
    pub ordinal: u32,
    /// Where the chunk lies in the document's text.
    pub span: Span,
    /// What it was cut along.
    pub kind: ChunkKind,
    /// The definition that the chunk is about: the first outermost one, if there is any. A chunk
    /// that does not hold its declaration has it without documentation comment and conformances.
    pub symbol: Option<Symbol>,
    /// Every definition inside, in text order; includes `symbol`.
    pub symbols: Vec<Symbol>,
    /// Names of what encloses the chunk, outermost first: headings, modules, types.
    pub breadcrumb: Vec<String>,
    /// Byte ranges of comments and documentation strings in the document's text, inside `span`.
    pub comments: Vec<Range<usize>>,
}

/// What cutting a document gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunked {
    /// Name of the language, as in the registry of languages, if it was recognised.
    pub language: Option<&'static str>,
    /// The chunks, in text order.
    pub chunks: Vec<Chunk>,
    /// What the document defines and names. Without references where no grammar is known.
    pub outline: Outline,
    /// Whether a parser was there but had to give up, so that lines were cut instead.
    pub fell_back: bool,
}
