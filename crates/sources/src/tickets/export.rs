//! Reader shared by the exports of trackers: one file per unit, possibly large, only if the user
//! named it.

use super::record::read_files;
use crate::{
    UnitFiles,
    exports::{self, ExportFormat},
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

/// Reader of one tracker's exports.
pub(super) struct ExportReader {
    /// Name of the format.
    pub(super) name: &'static str,
    /// Export formats that it reads.
    pub(super) formats: &'static [ExportFormat],
    /// Reads an export: path, text, resulting content.
    pub(super) parse: fn(&str, &str, &mut UnitContent),
}

impl Reader for ExportReader {
    fn name(&self) -> &'static str {
        self.name
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        listing.exports(self.formats)
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_files(tree, unit, exports::MAX_EXPORT_BYTES, |path, text, content| {
            (self.parse)(path, &text, content);
        })
    }

    fn size_limit(&self, _: u64) -> u64 {
        exports::MAX_EXPORT_BYTES
    }
}
