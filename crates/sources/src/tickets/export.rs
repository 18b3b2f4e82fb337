//! What the exports of trackers have in common: they are read when they are asked for, one file at a
//! time, and may be large.

use super::record::read_files;
use crate::{
    Tree,
    exports::{self, ExportFormat},
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

/// The reader of one tracker's exports.
pub(super) struct ExportReader {
    /// Its name in listings.
    pub(super) name: &'static str,
    /// The forms of exports that it takes.
    pub(super) formats: &'static [ExportFormat],
    /// Reads an export: path, text, what it holds.
    pub(super) parse: fn(&str, &str, &mut UnitContent),
}

impl Reader for ExportReader {
    fn name(&self) -> &'static str {
        self.name
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        listing.exports(self.formats)
    }

    fn read(&self, tree: &Tree, unit: &Claim) -> UnitContent {
        read_files(tree, unit, exports::MAX_EXPORT_BYTES, |path, text, content| {
            (self.parse)(path, &text, content);
        })
    }

    fn size_limit(&self, _: u64) -> u64 {
        exports::MAX_EXPORT_BYTES
    }
}
