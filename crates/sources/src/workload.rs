//! Amount of work of a scan of files, from their metadata alone: no file is opened.

use std::ops::AddAssign;

use lore_schema::SourceName;

use crate::tree::Tree;

/// Number of units, and bytes of their files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Workload {
    /// Number of units.
    pub units: u64,
    /// Bytes of their files. Files that are too large to be read do not count.
    pub bytes: u64,
}

impl AddAssign for Workload {
    fn add_assign(&mut self, other: Workload) {
        self.units += other.units;
        self.bytes += other.bytes;
    }
}

/// Returns the bytes of a unit that is a single file; `None` for other units.
pub fn file_bytes(tree: &Tree, source: SourceName, unit: &str) -> Option<u64> {
    (source != SourceName::Git).then(|| tree.entry(unit).map(|entry| entry.size)).flatten()
}
