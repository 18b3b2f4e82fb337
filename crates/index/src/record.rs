//! What goes into an index and what comes out of it again.

use lore_schema::{
    Attributes, Category, ChunkKind, DocKey, Field, Outline, SourceName, Span, Symbol, Trust,
};

use crate::DocumentVectors;

/// A stream of terms of one field in a single buffer.
///
/// Terms hold no NUL. An empty term counts for nothing, nor is one above 255 bytes indexed: encoded
/// data would swell the dictionary.
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

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The encoded form: every term is followed by a NUL.
    pub fn as_encoded(&self) -> &str {
        &self.buffer
    }
}

/// A document, analysed and ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedDocument {
    /// What is given back with a candidate.
    pub stored: StoredDocument,
    /// Terms of the document-level fields. A field that is missing is empty.
    pub terms: Vec<(Field, Terms)>,
    /// The chunks, in text order.
    pub chunks: Vec<IndexedChunk>,
    /// Vectors of the chunks, by model; a model that is not here has not looked at the document.
    pub vectors: Vec<DocumentVectors>,
    /// What it defines and names, if that is anything.
    pub outline: Option<Outline>,
}

/// A chunk, analysed and ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedChunk {
    /// What is given back with a candidate.
    pub stored: StoredChunk,
    /// Terms of the chunk-level fields. A field that is missing is empty.
    pub terms: Vec<(Field, Terms)>,
}

/// What the index keeps of a document beside its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDocument {
    /// Its name.
    pub key: DocKey,
    /// Root-relative path of the file that holds it; empty for a commit.
    pub path: String,
    /// Name of the reader that made it.
    pub format: String,
    /// What it is.
    pub kind: String,
    /// Title for people.
    pub title: String,
    /// Language, if it was recognised.
    pub language: Option<String>,
    /// What its file is to the repository.
    pub category: Category,
    /// What it says about itself.
    pub attributes: Attributes,
    /// Who wrote it.
    pub trust: Trust,
    /// The text, where the disk does not have it: composed documents.
    pub text: Option<String>,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// Whether a parser gave up and lines were cut instead.
    pub fell_back: bool,
    /// Distinct names that the document defines, types and what lies in nothing first, at most a few
    /// dozen.
    pub names: Vec<String>,
    /// How many of `names` are types or lie in nothing.
    pub outer_names: u32,
}

/// What the index keeps of a chunk beside its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredChunk {
    /// Position among the chunks of its document.
    pub ordinal: u32,
    /// Where it lies in the document's text.
    pub span: Span,
    /// What it was cut along.
    pub kind: ChunkKind,
    /// The definition that it is about.
    pub symbol: Option<Symbol>,
    /// Every definition inside, in text order.
    pub symbols: Vec<Symbol>,
    /// Names of what encloses it, outermost first.
    pub breadcrumb: Vec<String>,
}

/// A document inside one reader: stable as long as that reader lives, and no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId {
    /// The source whose index holds it.
    pub source: SourceName,
    /// Number inside the reader.
    pub number: u64,
}

/// A chunk inside one reader: stable as long as that reader lives, and no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId {
    /// The source whose index holds it.
    pub source: SourceName,
    /// Number inside the reader.
    pub number: u64,
}
