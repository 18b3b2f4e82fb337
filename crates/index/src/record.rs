//! Documents and chunks: what a writer indexes, and what a reader returns.

use std::ops::Range;

use lore_schema::{Attributes, Category, ChunkKind, DocKey, Field, Outline, Span, Symbol, Trust};

use crate::DocumentVectors;

/// The terms of one field, in a single buffer.
///
/// Terms contain no NUL. Empty terms and terms of more than 255 bytes are not indexed: long ones
/// are encoded data, which would swell the dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    buffer: String,
    count: u32,
}

impl Terms {
    /// Appends a term.
    pub fn push(&mut self, term: &str) {
        self.buffer.push_str(term);
        self.buffer.push('\0');
        self.count += u32::from(!term.is_empty());
    }

    /// The terms in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.buffer.split_terminator('\0')
    }

    /// Number of terms that are not empty.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Returns true if there is no term.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The encoded form: each term followed by a NUL.
    pub fn as_encoded(&self) -> &str {
        &self.buffer
    }
}

/// An analysed document, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedDocument {
    /// The stored part, which readers return.
    pub stored: StoredDocument,
    /// Terms of the fields of documents. A missing field is empty.
    pub terms: Vec<(Field, Terms)>,
    /// The chunks, in text order.
    pub chunks: Vec<IndexedChunk>,
    /// Vectors of the chunks by model. A missing model has not processed the document.
    pub vectors: Vec<DocumentVectors>,
    /// Definitions, references and imports, if there are any.
    pub outline: Option<Outline>,
    /// The text without its secrets, for an engine that stores texts ([`Backend::stores_texts`]). `None` for
    /// a composed document, whose text is in `stored`, and for other engines.
    ///
    /// [`Backend::stores_texts`]: crate::Backend::stores_texts
    pub text: Option<String>,
}

/// An analysed chunk, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedChunk {
    /// The stored part, which readers return.
    pub stored: StoredChunk,
    /// Terms of the fields of chunks. A missing field is empty.
    pub terms: Vec<(Field, Terms)>,
}

/// The stored part of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDocument {
    /// Its name.
    pub key: DocKey,
    /// Root-relative path of its file; empty for a commit.
    pub path: String,
    /// Name of the source's reader that read it.
    pub format: String,
    /// Kind.
    pub kind: String,
    /// Title for display.
    pub title: String,
    /// Language, if recognised.
    pub language: Option<String>,
    /// Category of its file.
    pub category: Category,
    /// Its attributes.
    pub attributes: Attributes,
    /// Trust in its authors.
    pub trust: Trust,
    /// The text, for composed documents, whose text is not on disk.
    pub text: Option<String>,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// True if a parser gave up, so that the document was cut by lines.
    pub fell_back: bool,
    /// Distinct names that the document defines, types and top-level names first, at most a few
    /// dozen.
    pub names: Vec<String>,
    /// Number of `names` that are types or top-level names.
    pub outer_names: u32,
}

/// The stored part of a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredChunk {
    /// Position among the chunks of its document.
    pub ordinal: u32,
    /// Position in the document's text.
    pub span: Span,
    /// The structure that it follows.
    pub kind: ChunkKind,
    /// Main definition.
    pub symbol: Option<Symbol>,
    /// All definitions in it, in text order.
    pub symbols: Vec<Symbol>,
    /// Names of the enclosing headings, modules and types, outermost first.
    pub breadcrumb: Vec<String>,
    /// Byte ranges of comments in the document's text, inside `span`, ascending.
    pub comments: Vec<Range<usize>>,
}

/// A document as it was chunked, found by the content of its unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkedContent {
    /// The stored part of the document.
    pub document: StoredDocument,
    /// All its chunks, in text order.
    pub chunks: Vec<StoredChunk>,
    /// Definitions, references and imports; without comments of definitions.
    pub outline: Outline,
}
