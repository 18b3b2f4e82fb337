//! What to do when an index that could be opened turns out to be damaged while it is read: opening
//! trusts the stamps of files, so damage that keeps them shows only in an answer. And when it is to be
//! written while somebody else does that.

use std::{
    thread,
    time::{Duration, Instant},
};

use lore_index::IndexError;

use crate::{
    CachePlace, Engine, EngineConfig, EngineError, IndexMode, Progress,
    state::{refresh, snapshot::Snapshot},
};

/// Longest that an index run waits for another process that writes, and how often it looks.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

impl Engine {
    /// Asks, and asks once more where what was read is damaged. The second time every byte of that
    /// index is verified, so that it is made anew if it is to blame, which its warnings tell. Where
    /// nothing may be written the second answer comes from memory.
    pub(crate) fn recover<T>(
        &self,
        ask: impl Fn(&EngineConfig) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let damage = match ask(&self.config) {
            Err(EngineError::Index(error @ IndexError::Damaged { .. })) => error,
            answered => return answered,
        };
        if self.config.write && self.config.backend.distrust(&damage) {
            return ask(&self.config);
        }
        let in_memory = EngineConfig { cache: CachePlace::Memory, ..self.config.clone() };
        ask(&in_memory)
    }

    /// Brings every source up to date. Whoever indexes wants it done: somebody else who writes is
    /// waited for, a while.
    pub(crate) fn take_to_write(
        &self,
        mode: IndexMode,
        progress: &dyn Progress,
    ) -> Result<Snapshot, EngineError> {
        let started = Instant::now();
        loop {
            let taken = refresh::commit(&self.config, mode, progress)?;
            let is_taken =
                matches!(taken.unwritten, Some(IndexError::Busy { .. } | IndexError::Moved { .. }));
            if !is_taken || PATIENCE < started.elapsed() {
                return Ok(taken);
            }
            thread::sleep(PAUSE);
        }
    }
}
