//! Commits of a long change in parts, so that a kill loses only the work since the last part.
//!
//! A part contains the units that were replaced and deleted so far. It keeps the cursor of the base,
//! so that the next scan compares every unit. Segments are not merged until there are many of them:
//! the end of the change merges them once, as without parts.

use std::{path::Path, sync::Arc};

use super::{Changes, Current, Extent, LocalWriter, Published, vector_writer_on};
use crate::{
    IndexError,
    backends::local::{file_names::state_file, snapshot::Snapshot},
};

/// Number of segments from which on a part merges them. Each row of a long build is then merged
/// twice. Fewer parts, as in trees of a gigabyte of text, are merged once, at the end.
const MAX_SEGMENTS_OF_PARTS: usize = 96;

impl LocalWriter {
    /// Commits the changes so far and continues on top of them.
    pub(super) fn publish_part(&self) -> Result<(), IndexError> {
        let mut current = self.current();
        let base = Arc::clone(&current.base);
        // If this fails, the writer stays without an index, so that every later change fails too.
        let mut index = current.index.take().ok_or_else(|| self.failed_before())?;
        let published = self.publish(&base, &mut index, Extent::Part)?;
        let segments = index.index().searchable_segment_ids().map_or(0, |ids| ids.len());
        let index = if segments > MAX_SEGMENTS_OF_PARTS {
            self.merge_and_seal(&base, index, published)?
        } else {
            self.continued(&base, index, published.overrides)?
        };
        let next = Snapshot::open_after(&self.storage, &self.expected, &base.segments)?;
        // No commit names it any more, and tantivy does not manage it.
        let _ = self.directory.delete(Path::new(&state_file(base.generation())));
        *self.changes() = Changes::on(&next);
        *self.vector_writer() = vector_writer_on(&next, &*self.directory);
        *current = Current { base: Arc::new(next), index: Some(index), has_parts: true };
        Ok(())
    }

    /// Commits the rest of the change.
    pub(super) fn publish_whole(self: Box<Self>, cursor: &str) -> Result<(), IndexError> {
        if self.current().base.is_partial() && self.storage.is_folder() {
            // The parts of a first build are merged before the commit that completes it: after a
            // kill in between, the next run merges them.
            self.publish_part()?;
            let mut current = self.current();
            let base = Arc::clone(&current.base);
            let index = current.index.take().ok_or_else(|| self.failed_before())?;
            // A first build has nothing that can be restored.
            let mut index = self.merge_and_seal(&base, index, Published::default())?;
            self.publish(&base, &mut index, Extent::Whole(cursor))?;
            return if self.is_purge() { self.check_purged(&index) } else { Ok(()) };
        }
        let mut current = self.current();
        let base = Arc::clone(&current.base);
        let mut index = current.index.take().ok_or_else(|| self.failed_before())?;
        let published = self.publish(&base, &mut index, Extent::Whole(cursor))?;
        let merged = self.merge_and_seal(&base, index, published);
        // The commit remains if this fails.
        if self.is_purge() { self.check_purged(&merged?) } else { Ok(()) }
    }
}
