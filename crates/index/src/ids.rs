//! Identifiers of documents and chunks in one reader.

use lore_schema::SourceName;

/// The identifier of a document in one reader. Invalid for other readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId {
    /// The source.
    pub source: SourceName,
    /// Number in the reader.
    pub number: u64,
}

/// The identifier of a chunk in one reader. Invalid for other readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId {
    /// The source.
    pub source: SourceName,
    /// Number in the reader.
    pub number: u64,
}
