//! Recovery from an index that turns out to be damaged while it is read, and waiting for another
//! process that is writing. Opening trusts the stamps of files, so damage that keeps them shows only in
//! an answer.

use std::{
    collections::BTreeSet,
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
    /// Computes an answer. If an index turns out to be damaged, it is repaired, with a warning, and the
    /// answer is computed again. If nothing may be written, or the storage fails, that answer comes
    /// from memory.
    pub(crate) fn recover<T>(
        &self,
        answer: impl Fn(&EngineConfig) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if self.config.stored.is_some() {
            return match answer(&self.config) {
                // The repository was ingested again meanwhile.
                Err(EngineError::Index(IndexError::Moved { .. })) => answer(&self.config),
                result => result,
            };
        }
        match self.repair(&answer) {
            Err(EngineError::Index(
                IndexError::Damaged { .. }
                | IndexError::Storage { .. }
                | IndexError::Refused { .. },
            )) => answer(&EngineConfig { cache: CachePlace::Memory, ..self.config.clone() }),
            result => result,
        }
    }

    /// Does some work, and does it again while an index turns out to be damaged. Before each further
    /// attempt, every byte of that index is verified, so that opening it rebuilds it.
    fn repair<T>(
        &self,
        work: impl Fn(&EngineConfig) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        // The sources have an index each, and several may be damaged.
        let mut verified = BTreeSet::new();
        loop {
            let damage = match work(&self.config) {
                Err(EngineError::Index(damage @ IndexError::Damaged { .. })) => damage,
                result => return result,
            };
            self.config.overlays.forget_kept();
            let is_new = matches!(&damage, IndexError::Damaged { path, .. } if verified.insert(path.clone()));
            if !is_new || !self.config.write || !self.config.backend.distrust(&damage) {
                return Err(damage.into());
            }
        }
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
            let tried = Instant::now();
            let snapshot = self.commit_once(mode, progress)?;
            let is_busy = snapshot.unwritten.as_ref().is_some_and(IndexError::is_concurrent);
            if !is_busy || MAX_WAIT < started.elapsed() {
                return Ok(snapshot);
            }
            // Each attempt lists the tree.
            thread::sleep(PAUSE.max(2 * tried.elapsed()));
        }
    }

    /// Brings every source up to date and commits, unless another process is writing.
    pub(crate) fn commit_once(
        &self,
        mode: IndexMode,
        progress: &dyn Progress,
    ) -> Result<Snapshot, EngineError> {
        self.repair(|config| refresh::commit(config, mode, progress))
    }
}
