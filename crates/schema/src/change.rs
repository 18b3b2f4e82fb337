//! What a scan reports: which units of a source are new, changed, unchanged or gone.

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

/// What a unit looked like when it was read. Equal stamps mean equal content.
///
/// For a file: size, modification and change time, inode. Two different stamps leave doubt, which
/// the content hash settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Stamp {
    /// Fingerprint of what the file system says without reading (size, times, inode); 0 forces a
    /// comparison of contents at the next scan.
    pub metadata: u64,
    /// Hash of the content.
    pub content: u64,
}

/// One step of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The unit is new or has other content: these documents replace whatever it had.
    Replace {
        /// Which unit.
        unit: Unit,
        /// What it looked like when it was read.
        stamp: Stamp,
        /// Everything that it yields now; empty when all of it was skipped.
        documents: Vec<Document>,
        /// What of it was left out, by reason.
        skipped: SkipCounts,
    },
    /// The content is what it was, only the metadata differs.
    Restamp {
        /// Which unit.
        unit: Unit,
        /// What it looks like now.
        stamp: Stamp,
    },
    /// Nothing differs.
    Unchanged(Unit),
    /// The unit is gone.
    Delete(Unit),
}
