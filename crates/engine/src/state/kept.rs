//! State of a source that is up to date, kept for the next answer: the open index, and the
//! listing that it was compared with. The next answer compares only the differences to that listing.

use std::{collections::BTreeSet, sync::Arc};

use lore_index::{IndexVersion, Reader, Store};
use lore_sources::{Difference, ScanReport, Tree, TreeVersion};

/// An index that was compared with a listing and contains all of it.
#[derive(Clone)]
pub(crate) struct KeptSource {
    /// The index on disk.
    pub(crate) store: Arc<dyn Store>,
    /// The commit that was compared, without an overlay.
    pub(crate) base: IndexVersion,
    /// The listing that the commit and its overlay were compared with.
    pub(crate) compared: TreeVersion,
    /// The listing that the commit alone was compared with, if there is no overlay.
    pub(crate) compared_base: Option<TreeVersion>,
    /// Report of the scan.
    pub(crate) report: ScanReport,
}

/// The units that have to be compared.
pub(crate) enum Compared<'a> {
    /// All of them.
    All,
    /// Those with files at these paths.
    At(BTreeSet<&'a str>),
    /// None: the index contains the listing.
    None,
}

impl KeptSource {
    /// Returns the last commit if it is still the one that was compared.
    pub(crate) fn reader(&self) -> Option<Box<dyn Reader>> {
        let reader = self.store.reader().ok()?;
        (reader.version() == self.base).then_some(reader)
    }

    /// Returns what has to be compared with a listing; `compared` is the last one that was.
    pub(crate) fn difference(tree: &Tree, compared: TreeVersion) -> Compared<'_> {
        match tree.difference_to(compared) {
            Difference::Nothing => Compared::None,
            Difference::Content(paths) => Compared::At(paths),
            Difference::Unknown => Compared::All,
        }
    }
}
