//! Commits of a long update in parts, and its end on request.
//!
//! A first index is committed every few seconds ([`EngineConfig::commit_interval`]), so that a kill
//! loses only the work since then. The next run compares the tree with what is there, and reads the
//! rest as new units. The cursor of the source is stored only at the end.

use std::{
    path::Path,
    sync::OnceLock,
    time::{Duration, Instant},
};

use lore_index::{IndexError, IndexLocation, Reader, Writer};
use lore_schema::SourceName;
use lore_sources::{SOURCES, Tree};

use crate::{
    EngineConfig, EngineError,
    state::{housekeeping::index_bytes, workload::unread},
};

/// The parts of one update.
pub(crate) struct Parts {
    /// Time between commits; `None` if everything is committed at the end.
    interval: Option<Duration>,
    /// Time of the last commit, or of the start.
    last: Instant,
    /// Number of units that were written before it.
    written: u64,
}

impl Parts {
    /// Starts an update. A source with a cursor is not committed in parts: its next scan starts at the
    /// cursor, and could take new units for the end of what it has to read.
    pub(crate) fn start(interval: Option<Duration>, reader: &dyn Reader) -> Parts {
        let has_cursor = reader.cursor().is_some_and(|cursor| !cursor.is_empty());
        let interval = interval.filter(|_| !has_cursor);
        Parts { interval, last: Instant::now(), written: 0 }
    }

    /// Commits what is written so far, if it is time for that. `written` is the number of units sent to
    /// the workers.
    pub(crate) fn commit_if_due(
        &mut self,
        writer: &OnceLock<Box<dyn Writer>>,
        written: u64,
    ) -> Result<(), IndexError> {
        let is_due = self.interval.is_some_and(|interval| interval <= self.last.elapsed());
        if !is_due || written == self.written {
            return Ok(());
        }
        self.commit(writer)?;
        (self.last, self.written) = (Instant::now(), written);
        Ok(())
    }

    /// Commits what is written so far.
    pub(crate) fn commit(&self, writer: &OnceLock<Box<dyn Writer>>) -> Result<(), IndexError> {
        match writer.get() {
            Some(writer) if self.interval.is_some() => writer.commit_part(),
            _ => Ok(()),
        }
    }
}

/// Returns the time between the commits of an update of a source; `None` if it is committed as a whole:
/// in memory, and where it may come near the disk limit, so that an index without room leaves nothing.
pub(crate) fn interval(
    config: &EngineConfig,
    location: &IndexLocation,
    folder: Option<&Path>,
    tree: &Tree,
) -> Option<Duration> {
    let text = || tree.entries().iter().map(|entry| entry.size).sum();
    let has_room = config.limits.disk.is_none()
        || !config.limits.lacks_room_for_words(|| index_bytes(config, folder), text());
    (*location != IndexLocation::Memory && has_room).then_some(config.commit_interval)
}

/// Returns the error of an update that was stopped: the number of files whose current content is in the
/// indexes on disk, and of all files.
pub(crate) fn interrupted(
    config: &EngineConfig,
    folder: Option<&Path>,
    tree: &Tree,
) -> EngineError {
    let (mut indexed, mut total) = (0, 0);
    for source in SOURCES.iter().filter(|source| source.name() != SourceName::Git) {
        let units = source.units(tree).unwrap_or(0);
        let unread = unread(config, folder, tree, source.name(), false);
        total += units;
        indexed += unread.map_or(0, |unread| units.saturating_sub(unread.units));
    }
    EngineError::Interrupted { indexed, total }
}
