//! The result of a scan: new, changed, unchanged and deleted units of a source.

use crate::{Document, SkipCounts, SourceName};

/// The smallest part of a source that is read again as a whole: one file, one ticket store, one
/// commit. A unit yields any number of documents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit {
    /// The source that it belongs to.
    pub source: SourceName,
    /// Unique inside the source: a root-relative path with `/`, or a commit's full hash.
    pub name: String,
}

/// A fingerprint of a unit when it was read. Equal stamps mean equal content.
///
/// The metadata of a file is its size, modification and change time, and inode. If only the
/// metadata differs, the content hash decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Stamp {
    /// Fingerprint of the file's metadata (size, times, inode); 0 forces a comparison of contents
    /// at the next scan.
    pub metadata: u64,
    /// Hash of the content.
    pub content: u64,
}

/// One step of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The unit is new or its content changed: these documents replace those it had.
    Replace {
        /// The unit.
        unit: Unit,
        /// Its stamp when it was read.
        stamp: Stamp,
        /// All its documents; empty if all of it was skipped.
        documents: Vec<Document>,
        /// Counts of what was skipped in it, by reason.
        skipped: SkipCounts,
    },
    /// The unit has a content again that the index had before, and can restore without its documents.
    Restore {
        /// The unit.
        unit: Unit,
        /// Its new stamp.
        stamp: Stamp,
    },
    /// The content is unchanged; only the metadata differs.
    Restamp {
        /// The unit.
        unit: Unit,
        /// Its new stamp.
        stamp: Stamp,
    },
    /// Nothing changed.
    Unchanged(Unit),
    /// The unit was deleted.
    Delete(Unit),
}
