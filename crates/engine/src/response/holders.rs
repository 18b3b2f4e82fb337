//! Everything that holds the words of a question, beside the best hits.

use lore_schema::SourceName;

/// The files that hold words of a question literally: all of them, not the best ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holders {
    /// The words that were looked for, folded, in the order of the question.
    pub words: Vec<HeldWord>,
    /// The files, by source and path.
    pub files: Vec<HoldingFile>,
    /// What [`HoldingFile::places`] counts: `passage` or `line`.
    pub unit: &'static str,
    /// Files or units that were not looked at, so that they may hold the words, too.
    pub unseen: u64,
}

/// A word that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldWord {
    /// The word, folded.
    pub word: String,
    /// Number of documents that hold it.
    pub documents: u64,
}

/// A file that holds a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldingFile {
    /// The source whose file it is.
    pub source: SourceName,
    /// Root-relative path; empty for all commits together.
    pub path: String,
    /// Number of different words that it holds, at least 1.
    pub words: u32,
    /// Number of its passages or lines that hold a word.
    pub places: u64,
}

/// How much was looked through without an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scanned {
    /// Files that are there and meet the conditions on paths, as far as folders were listed.
    pub files: u64,
    /// Files of these that were looked at.
    pub looked: u64,
    /// Whether every folder was listed before the time was up.
    pub listed_all: bool,
}
