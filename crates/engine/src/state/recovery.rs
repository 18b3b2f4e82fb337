//! Recovery from an index that turns out to be damaged while it is read, and waiting for another
//! process that is writing. Opening trusts the stamps of files, so damage that keeps them shows only in
//! an answer.

use std::{
    thread,
    time::{Duration, Instant},
};

use lore_index::IndexError;

use crate::{
    CachePlace, Engine, EngineConfig, EngineError, IndexMode, Progress,
    state::{refresh, snapshot::Snapshot},
};

/// Maximum time that an index run waits for another process that is writing, and the time between attempts.
const MAX_WAIT: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

impl Engine {
    /// Computes an answer, and computes it again if the index turns out to be damaged. Before the second
    /// attempt, every byte of that index is verified, so that a damaged one is rebuilt, with a warning. If
    /// nothing may be written, the second answer comes from memory.
    pub(crate) fn recover<T>(
        &self,
        answer: impl Fn(&EngineConfig) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let damage = match answer(&self.config) {
            Err(EngineError::Index(error @ IndexError::Damaged { .. })) => error,
            result => return result,
        };
        if self.config.write && self.config.backend.distrust(&damage) {
            return answer(&self.config);
        }
        let in_memory = EngineConfig { cache: CachePlace::Memory, ..self.config.clone() };
        answer(&in_memory)
    }

    /// Brings every source up to date and commits. Waits up to a minute for another process that is
    /// writing.
    pub(crate) fn update_all(
        &self,
        mode: IndexMode,
        progress: &dyn Progress,
    ) -> Result<Snapshot, EngineError> {
        let started = Instant::now();
        loop {
            let snapshot = refresh::commit(&self.config, mode, progress)?;
            let is_busy = matches!(
                snapshot.unwritten,
                Some(IndexError::Busy { .. } | IndexError::Moved { .. })
            );
            if !is_busy || MAX_WAIT < started.elapsed() {
                return Ok(snapshot);
            }
            thread::sleep(PAUSE);
        }
    }
}
