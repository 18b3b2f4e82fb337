//! Recent states of a tree, which the requests of an editor share: one action sends several.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use lore_schema::SourceName;

use crate::{
    EngineConfig, EngineError, IndexMode, Progress,
    state::{refresh, snapshot::Snapshot},
};

/// Recent states of a tree.
#[derive(Default)]
pub(crate) struct NavigationStates {
    recent: Mutex<Vec<RecentState>>,
}

struct RecentState {
    /// The start of the walk that it comes from.
    taken: Instant,
    sources: &'static [SourceName],
    snapshot: Arc<Snapshot>,
}

impl NavigationStates {
    fn recent(&self) -> MutexGuard<'_, Vec<RecentState>> {
        // Each change is one call, so the list is valid after a panic.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a state of these sources that is not older than `not_before`, and takes one if there is
    /// none. Requests that need the same state wait for it.
    pub(super) fn take(
        &self,
        config: &EngineConfig,
        sources: &'static [SourceName],
        not_before: Instant,
        progress: &dyn Progress,
    ) -> Result<Arc<Snapshot>, EngineError> {
        let mut recent = self.recent();
        recent.retain(|state| not_before <= state.taken);
        let has_all =
            |state: &&RecentState| sources.iter().all(|name| state.sources.contains(name));
        if let Some(state) = recent.iter().find(has_all) {
            return Ok(Arc::clone(&state.snapshot));
        }
        let taken = Instant::now();
        let snapshot = Arc::new(refresh::take(config, sources, IndexMode::Update, progress)?);
        recent.push(RecentState { taken, sources, snapshot: Arc::clone(&snapshot) });
        Ok(snapshot)
    }

    /// Forgets all states.
    pub(super) fn clear(&self) {
        self.recent().clear();
    }
}

impl fmt::Debug for NavigationStates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("NavigationStates")
    }
}
