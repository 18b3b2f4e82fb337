//! Watches the folders of a tree with the file system's events.
//!
//! On Linux (`watch/inotify.rs`), an event is queued inside the system call that changes a file,
//! before that call returns: [`Watcher::take`] empties the queue and therefore returns every change
//! that was finished before it was called. Exceptions are writes through a memory mapping, network
//! file systems, folders that are not watched and a queue that overflowed; the last three are
//! reported. On other systems (`watch/elsewhere.rs`), events arrive later and only wake
//! [`Watcher::wait`].

mod events;
#[cfg(target_os = "linux")]
mod inotify;
#[cfg(target_os = "linux")]
use self::inotify as system;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
use self::elsewhere as system;
mod mounts;
mod repository;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

pub(crate) use self::events::{FolderEvents, NameEvent, Reported};
use self::repository::GitFolders;

/// Reason why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// Events for the tree arrived, followed by a quiet period.
    Changed,
    /// The system dropped events: something may have changed.
    Overflowed,
    /// No event arrived in time.
    TimedOut,
    /// The [`StopSignal`] was set.
    Stopped,
}

/// Signal that ends all waits, from any thread.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    shared: Arc<Shared>,
}

impl StopSignal {
    /// Ends all current and future waits.
    pub fn stop(&self) {
        self.shared.state().stopped = true;
        self.shared.changed.notify_all();
    }

    /// Returns whether the signal was set.
    pub fn is_stopped(&self) -> bool {
        self.shared.state().stopped
    }
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Times of the first and the last event since the last wake.
    events: Option<(Instant, Instant)>,
    overflowed: bool,
    stopped: bool,
    /// Events that were not taken yet.
    reported: Reported,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked only assigned single values: the state is valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Notes that an event arrived.
    fn note_event(&mut self) {
        let now = Instant::now();
        let first = self.events.map_or(now, |(first, _)| first);
        self.events = Some((first, now));
    }

    /// Notes that events were lost.
    fn note_loss(&mut self) {
        self.reported = Reported::lost();
        self.overflowed = true;
    }
}

/// Watcher of a tree.
pub(crate) struct Watcher {
    shared: Arc<Shared>,
    /// `None` if the system provides no watcher.
    system: Option<system::Watches>,
    problem: Mutex<Problem>,
}

#[derive(Debug, Default)]
struct Problem {
    text: Option<String>,
    is_reported: bool,
}

impl Watcher {
    /// Creates a watcher of the tree at a canonical root. Events below `excluded`, a folder that the
    /// caller writes itself, do not end a wait.
    pub(crate) fn new(root: &Path, excluded: Option<&Path>, stop: &StopSignal) -> Watcher {
        let shared = Arc::clone(&stop.shared);
        let mut watcher =
            Watcher { shared: Arc::clone(&shared), system: None, problem: Mutex::default() };
        let started = match mounts::unwatchable(root) {
            Some((path, kind)) => Err(format!(
                "`{}` is on a file system ({kind}) that does not report all changes",
                path.display()
            )),
            None => system::Watches::start(root, excluded, GitFolders::of(root), shared)
                .map_err(|error| format!("could not watch `{}`: {error}", root.display())),
        };
        match started {
            Ok(system) => watcher.system = Some(system),
            Err(problem) => watcher.problem().text = Some(problem),
        }
        watcher
    }

    fn problem(&self) -> MutexGuard<'_, Problem> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether every folder that was to be watched is watched.
    pub(crate) fn is_complete(&self) -> bool {
        self.problem().text.is_none()
    }

    /// Returns whether [`Watcher::take`] returns every change that was finished before.
    pub(crate) fn is_prompt(&self) -> bool {
        system::IS_PROMPT && self.is_complete()
    }

    /// Returns what cannot be watched and why, in one line without a final dot. Returns each
    /// problem once.
    pub(crate) fn take_problem(&self) -> Option<String> {
        let mut problem = self.problem();
        if problem.is_reported {
            return None;
        }
        problem.is_reported = problem.text.is_some();
        problem.text.clone()
    }

    /// Starts to watch all folders of a tree that is about to be walked. Earlier events are dropped.
    pub(crate) fn begin(&self) {
        if let Some(system) = &self.system {
            system.begin();
            let mut problem = self.problem();
            problem.text = None;
        }
        let _ = self.take();
    }

    /// Ends what [`Watcher::begin`] started: folders that were not watched since are forgotten.
    pub(crate) fn end(&self) {
        if let Some(system) = &self.system {
            system.end();
        }
        let mut problem = self.problem();
        problem.is_reported &= problem.text.is_some();
    }

    /// Watches a folder of the tree; `folder` is root-relative, without a final `/`. Has to be
    /// called before the folder is listed.
    pub(crate) fn watch(&self, folder: &str) {
        let Some(system) = &self.system else { return };
        // After a failure there is no need to try all the others.
        if !self.is_complete() {
            return;
        }
        if let Err(reason) = system.watch(folder) {
            let folder = if folder.is_empty() { "." } else { folder };
            let text = format!("could not watch `{folder}` and the rest of the tree: {reason}");
            self.problem().text.get_or_insert(text);
        }
    }

    /// Forgets a folder that was moved or removed, and everything below it.
    pub(crate) fn forget(&self, folder: &str) {
        if let Some(system) = &self.system {
            system.forget(folder);
        }
    }

    /// Sets the root-relative paths that the last listing skipped; folders end with `/`. Their
    /// events do not end a wait.
    pub(crate) fn set_skipped(&self, paths: &[String]) {
        if let Some(system) = &self.system {
            system.set_skipped(paths);
        }
    }

    /// Returns the events since the last call.
    pub(crate) fn take(&self) -> Reported {
        let mut state = self.shared.state();
        if let Some(system) = &self.system {
            system.drain(&mut state);
        }
        std::mem::take(&mut state.reported)
    }

    /// Waits until `until`, ignoring events; only a stop ends the wait earlier.
    pub(crate) fn sleep_until(&self, until: Instant) -> WakeReason {
        let mut state = self.shared.state();
        loop {
            if state.stopped {
                return WakeReason::Stopped;
            }
            let pause = until.saturating_duration_since(Instant::now());
            if pause.is_zero() {
                return WakeReason::TimedOut;
            }
            let waited = self.shared.changed.wait_timeout(state, pause);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until an event for the tree arrives and no further one follows within `quiet`, at most
    /// `longest` after the first event, and not before `earliest`; or until `until`.
    pub(crate) fn wait(
        &self,
        until: Instant,
        earliest: Instant,
        quiet: Duration,
        longest: Duration,
    ) -> WakeReason {
        let mut state = self.shared.state();
        loop {
            let now = Instant::now();
            if state.stopped {
                return WakeReason::Stopped;
            }
            let due = state.events.map(|(first, last)| {
                let settled = (last + quiet).min(first + longest);
                settled.max(earliest)
            });
            if due.is_some_and(|due| due <= now) {
                state.events = None;
                state.overflowed = false;
                return WakeReason::Changed;
            }
            if state.overflowed {
                state.overflowed = false;
                return WakeReason::Overflowed;
            }
            if until <= now && due.is_none() {
                return WakeReason::TimedOut;
            }
            let pause = due.unwrap_or(until).saturating_duration_since(now);
            let waited = self.shared.changed.wait_timeout(state, pause);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
impl Watcher {
    /// Loses events, as a full queue does.
    pub(crate) fn shared_loss(&self) {
        self.shared.state().note_loss();
    }
}

impl std::fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Watcher").field("problem", &self.problem()).finish_non_exhaustive()
    }
}

/// Returns a folder that the caller writes itself, without links if possible.
fn canonical_or_same(path: &Path) -> PathBuf {
    crate::native::canonical(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests;
