//! The units of an index, as sources compare them.

use lore_index::Reader;
use lore_schema::Stamp;
use lore_sources::IndexState;

/// The state in a reader, as sources need it.
pub(crate) struct KnownUnits<'a>(pub(crate) &'a dyn Reader);

impl IndexState for KnownUnits<'_> {
    fn stamp(&self, unit: &str) -> Option<Stamp> {
        self.0.stamp(unit)
    }

    fn cursor(&self) -> Option<&str> {
        // A first index in parts has no cursor before its end.
        self.0.cursor().filter(|_| !self.0.is_partial())
    }
}
