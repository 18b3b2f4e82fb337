//! The units of an index, as sources compare them.

use lore_index::Reader;
use lore_schema::Stamp;
use lore_sources::IndexState;

/// The state in a reader, as sources need it.
pub(crate) struct KnownUnits<'a> {
    reader: &'a dyn Reader,
    /// False if the documents of every changed unit are needed.
    restores: bool,
}

impl<'a> KnownUnits<'a> {
    /// Returns the units of a reader.
    pub(crate) fn of(reader: &'a dyn Reader) -> KnownUnits<'a> {
        KnownUnits { reader, restores: true }
    }

    /// Returns the units of a reader, none of which is restored.
    pub(crate) fn without_restoring(reader: &'a dyn Reader) -> KnownUnits<'a> {
        KnownUnits { reader, restores: false }
    }
}

impl IndexState for KnownUnits<'_> {
    fn stamp(&self, unit: &str) -> Option<Stamp> {
        self.reader.stamp(unit)
    }

    fn can_restore(&self, unit: &str, content: u64) -> bool {
        self.restores && self.reader.can_restore(unit, content)
    }

    fn cursor(&self) -> Option<&str> {
        // A first index in parts has no cursor before its end.
        self.reader.cursor().filter(|_| !self.reader.is_partial())
    }
}
