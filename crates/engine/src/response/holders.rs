//! Part of a response that lists all files containing the words of a query.

use lore_schema::SourceName;

/// All files that contain words of a query literally, not only the best ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holders {
    /// The words, folded, in the order of the query.
    pub words: Vec<HeldWord>,
    /// The files, by source and path.
    pub files: Vec<HoldingFile>,
    /// Unit that [`HoldingFile::places`] counts: `passage` or `line`.
    pub unit: &'static str,
    /// Number of files or units that were not checked and may contain the words as well.
    pub unseen: u64,
}

/// A word that was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldWord {
    /// The word, folded.
    pub word: String,
    /// Number of documents that contain it.
    pub documents: u64,
}

/// A file that contains a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldingFile {
    /// Source of the file.
    pub source: SourceName,
    /// Root-relative path; empty for all commits together.
    pub path: String,
    /// Number of distinct words that it contains, at least 1.
    pub words: u32,
    /// Number of its passages or lines that contain a word.
    pub places: u64,
}

/// Extent of a search without a complete index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scanned {
    /// Files that meet the conditions on paths, as far as folders were listed.
    pub files: u64,
    /// Files of these that were searched.
    pub looked: u64,
    /// Files of these that the index already had; the others were read.
    pub indexed: u64,
    /// True if every folder was listed within the time limit.
    pub listed_all: bool,
}
