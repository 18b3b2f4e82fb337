//! The units of an index, as sources compare them.

use lore_index::Reader;
use lore_schema::{SourceName, Stamp};
use lore_sources::IndexState;

/// The state in a reader, as sources need it.
pub(crate) struct KnownUnits<'a> {
    reader: &'a dyn Reader,
    /// False if the documents of every changed unit are needed.
    restores: bool,
    /// True if nothing but contents counts: the index was made on another machine.
    is_imported: bool,
}

impl<'a> KnownUnits<'a> {
    /// Returns the units of a reader.
    pub(crate) fn of(reader: &'a dyn Reader) -> KnownUnits<'a> {
        KnownUnits { reader, restores: true, is_imported: false }
    }

    /// Returns the units of a reader, none of which is restored.
    pub(crate) fn without_restoring(reader: &'a dyn Reader) -> KnownUnits<'a> {
        KnownUnits { reader, restores: false, is_imported: false }
    }

    /// Returns the units of a reader that is imported: each counts as known only after its content
    /// was read, and no cursor shortens the scan.
    pub(crate) fn imported(reader: &'a dyn Reader) -> KnownUnits<'a> {
        KnownUnits { reader, restores: false, is_imported: true }
    }
}

impl IndexState for KnownUnits<'_> {
    fn stamp(&self, unit: &str) -> Option<Stamp> {
        let stamp = self.reader.stamp(unit)?;
        // The name of a commit is the hash of its content. The metadata of a file could be made up.
        let is_proven = !self.is_imported || self.reader.source() == SourceName::Git;
        Some(if is_proven { stamp } else { Stamp { metadata: 0, ..stamp } })
    }

    fn can_restore(&self, unit: &str, content: u64) -> bool {
        self.restores && self.reader.can_restore(unit, content)
    }

    fn cursor(&self) -> Option<&str> {
        if self.is_imported {
            // A cursor that nothing continues from: all commits that are known are reported.
            return Some("");
        }
        // A first index in parts has no cursor before its end.
        self.reader.cursor().filter(|_| !self.reader.is_partial())
    }
}
