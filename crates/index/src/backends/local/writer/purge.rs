//! Commits after which nothing that is not live is left in the files of the index.
//!
//! tantivy only marks rows as deleted, and a commit keeps them until a merge drops them. A commit
//! that purges merges every segment and every file of vectors with a row that is not live, keeps no
//! unit that could be restored, and writes the names in the state again.

use std::sync::atomic::Ordering;

use tantivy::{IndexWriter, SegmentMeta};

use super::LocalWriter;
use crate::{
    IndexError,
    backends::local::{
        failure::{unwritable, while_reading},
        merge::Merges,
        row::Row,
        snapshot::Snapshot,
    },
};

impl LocalWriter {
    /// Returns true for a commit that purges.
    pub(super) fn is_purge(&self) -> bool {
        self.purges.load(Ordering::Relaxed)
    }

    /// The occasion of the merges of a commit.
    pub(super) fn merges(&self, base: &Snapshot) -> Merges {
        match base.is_first_build() {
            _ if self.is_purge() => Merges::Purge,
            true => Merges::Build,
            false => Merges::Usual,
        }
    }

    /// Fails if a deleted row is left after a commit that purges.
    pub(super) fn check_purged(&self, index: &IndexWriter<Row>) -> Result<(), IndexError> {
        let segments = index.index().searchable_segment_metas();
        let segments = segments.map_err(|error| while_reading(self.storage.path(), &error))?;
        if segments.iter().any(SegmentMeta::has_deletes) {
            return Err(unwritable(self.storage.path(), &"deleted rows could not be removed"));
        }
        Ok(())
    }
}
