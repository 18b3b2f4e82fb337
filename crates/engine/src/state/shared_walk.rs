//! The listing of the tree for requests: from events, if a server watches it, or else one walk for all
//! requests that wait for one at the same time.
//!
//! **Invariant:** a request gets a walk that started after the request did, so that no answer is older than its
//! question.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use lore_index::IndexVersion;
use lore_sources::{LiveTree, SourceError, Tree, TreeCheck};

use crate::{EngineConfig, state::storage::walk_options};

/// The listing of a request, for another answer to the same question.
#[derive(Clone)]
pub struct Listing(pub(crate) Arc<Tree>);

impl std::fmt::Debug for Listing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Listing({} files)", self.0.entries().len())
    }
}

/// The walks of one tree.
#[derive(Default)]
pub(crate) struct SharedWalk {
    /// The watched tree, while there is one.
    live: Mutex<Option<Arc<LiveTree>>>,
    /// Locked during a walk.
    running: Mutex<()>,
    state: Mutex<State>,
    /// The listing of a repository in a cluster, with the versions of its sources.
    stored: Mutex<Option<(Vec<IndexVersion>, Arc<Tree>)>>,
}

#[derive(Default)]
struct State {
    /// Number of walks that were started.
    started: u64,
    /// The last walk that ended, with its number. It ends with the requests that use it.
    last: Option<(u64, Weak<Tree>)>,
    /// Start of the last listing that succeeded.
    listed: Option<Instant>,
}

impl SharedWalk {
    /// Sets the watched tree.
    pub(crate) fn set_live(&self, live: Option<Arc<LiveTree>>) {
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = live;
    }

    /// Returns true if the tree is watched.
    pub(crate) fn has_live(&self) -> bool {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns true if the tree is watched and the system reports every change.
    pub(crate) fn has_events(&self) -> bool {
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner).clone();
        live.is_some_and(|live| live.has_events())
    }

    /// Start of the last listing that succeeded; `None` before the first one.
    pub(crate) fn last_listing(&self) -> Option<Instant> {
        self.state().listed
    }

    /// Returns the listing of a repository in a cluster, which is made once for these versions.
    pub(crate) fn stored(
        &self,
        versions: &[IndexVersion],
        walk: impl FnOnce() -> Result<Tree, SourceError>,
    ) -> Result<Arc<Tree>, SourceError> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, tree)) = &*stored
            && known == versions
        {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(walk()?);
        *stored = Some((versions.to_vec(), Arc::clone(&tree)));
        Ok(tree)
    }

    /// Returns the tree as it is from now on, and the basis of that.
    pub(crate) fn take(
        &self,
        config: &EngineConfig,
    ) -> Result<(Arc<Tree>, TreeCheck), SourceError> {
        let started = Instant::now();
        let taken = self.list(config);
        if taken.is_ok() {
            self.state().listed = Some(started);
        }
        taken
    }

    fn list(&self, config: &EngineConfig) -> Result<(Arc<Tree>, TreeCheck), SourceError> {
        let options = walk_options(config);
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(live) = live.filter(|live| live.is_of(&config.root, &options))
            && let Some(current) = live.current()?
        {
            return Ok(current);
        }
        let tree = self.walk(|| Tree::walk(&config.root, &options))?;
        Ok((tree, TreeCheck::Walked))
    }

    /// Returns a walk that starts from now on: one that another request started meanwhile, or a new one.
    fn walk(
        &self,
        walk: impl FnOnce() -> Result<Tree, SourceError>,
    ) -> Result<Arc<Tree>, SourceError> {
        let arrival = self.state().started;
        let _running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let number = {
            let mut state = self.state();
            if let Some((number, tree)) = &state.last
                && arrival < *number
                && let Some(tree) = tree.upgrade()
            {
                return Ok(tree);
            }
            state.started += 1;
            state.started
        };
        let tree = Arc::new(walk()?);
        self.state().last = Some((number, Arc::downgrade(&tree)));
        Ok(tree)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is valid after a panic: each field is assigned as a whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Barrier,
            atomic::{AtomicUsize, Ordering},
        },
        thread,
        time::Duration,
    };

    use super::*;
    use crate::testing::in_memory;

    #[test]
    fn waiting_requests_share_a_walk_that_started_after_them() {
        let folder = tempfile::tempdir().expect("a new folder");
        let (walks, shared, start) = (AtomicUsize::new(0), SharedWalk::default(), Barrier::new(8));
        let walk = || {
            walks.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(150));
            Tree::walk(folder.path(), &walk_options(&in_memory(folder.path(), 1)))
        };
        thread::scope(|scope| {
            let requests: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        shared.walk(walk).expect("a walk")
                    })
                })
                .collect();
            // Kept until all have theirs.
            let trees: Vec<_> = requests.into_iter().map(thread::ScopedJoinHandle::join).collect();
            assert!(trees.iter().all(Result::is_ok));
        });
        // The first one walks; those that came during that walk share the second one.
        let count = walks.load(Ordering::Relaxed);
        assert!((1..=3).contains(&count), "{count}");
        let before = count;
        shared.walk(walk).expect("a walk");
        assert_eq!(walks.load(Ordering::Relaxed), before + 1, "a later request walks again");
    }
}
