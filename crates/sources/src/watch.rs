//! Watches a tree for changes with the file system's events, as a hint that something may have
//! changed.
//!
//! Events are never trusted: the caller walks the tree after each wake, so a lost or duplicate
//! event only costs time. No events are queued: only the times of the first and the last one are
//! kept.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use notify::{
    ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, MetadataKind, ModifyKind},
};

use self::scope::{EACH_FOLDER, Scope};
use crate::tree::Tree;

mod network;
mod scope;

/// Maximum number of moved folders that are remembered until the next walk. Beyond that, all
/// folders are watched again.
const MAX_GONE: usize = 10_000;

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
    /// Folders that were moved or removed since they were watched.
    gone: Vec<PathBuf>,
    /// True if there were more of them than [`MAX_GONE`].
    all_gone: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked only assigned single values: the state is valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an event.
    fn record(&self, event: notify::Result<Event>, scope: &Scope) {
        let Ok(event) = event else {
            self.overflow();
            return;
        };
        if event.need_rescan() {
            self.overflow();
            return;
        }
        if !may_change(event.kind) || !event.paths.iter().any(|path| scope.concerns(path)) {
            return;
        }
        let now = Instant::now();
        let mut state = self.state();
        // A folder may still be watched under its old name.
        if matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))) {
            if state.gone.len() + event.paths.len() > MAX_GONE {
                state.all_gone = true;
                state.gone.clear();
            } else if !state.all_gone {
                state.gone.extend(event.paths);
            }
        }
        let first = state.events.map_or(now, |(first, _)| first);
        state.events = Some((first, now));
        drop(state);
        self.changed.notify_all();
    }

    fn overflow(&self) {
        self.state().overflowed = true;
        self.changed.notify_all();
    }
}

/// Returns whether an event of this kind can change the result of a search.
fn may_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        EventKind::Modify(ModifyKind::Metadata(kind)) => kind != MetadataKind::AccessTime,
        _ => true,
    }
}

/// Watcher of a tree.
pub struct Watcher {
    shared: Arc<Shared>,
    scope: Arc<Scope>,
    /// `None` if the system provides no watcher.
    inner: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
    problem: Option<String>,
    is_problem_reported: bool,
}

impl Watcher {
    /// Creates a watcher of the tree at a canonical root. It watches nothing before
    /// [`Watcher::update`] is called. Events below `excluded`, a folder that the caller writes
    /// itself, are ignored.
    pub fn new(root: &Path, excluded: Option<&Path>, stop: &StopSignal) -> Watcher {
        let scope = Arc::new(Scope::new(root, excluded));
        let shared = Arc::clone(&stop.shared);
        let mut watcher = Watcher {
            shared: Arc::clone(&shared),
            scope: Arc::clone(&scope),
            inner: None,
            watched: BTreeSet::new(),
            problem: None,
            is_problem_reported: false,
        };
        if let Some(kind) = network::file_system_of(root) {
            watcher.problem = Some(format!(
                "`{}` is on a network file system ({kind}), which does not report changes by other machines",
                root.display()
            ));
            return watcher;
        }
        match notify::recommended_watcher(move |event| shared.record(event, &scope)) {
            Ok(inner) => watcher.inner = Some(inner),
            Err(error) => {
                watcher.problem =
                    Some(format!("could not watch `{}`: {}", root.display(), reason(&error)));
            }
        }
        watcher
    }

    /// Returns whether all requested folders are watched.
    pub fn is_complete(&self) -> bool {
        self.problem.is_none()
    }

    /// Returns what cannot be watched and why, in one line without a final dot. Returns each
    /// problem once.
    pub fn take_problem(&mut self) -> Option<&str> {
        if std::mem::replace(&mut self.is_problem_reported, self.problem.is_some()) {
            return None;
        }
        self.problem.as_deref()
    }

    /// Watches exactly the folders of a tree that was just walked. Returns whether some of them
    /// were not watched before: their events since the walk were missed.
    pub fn update(&mut self, tree: &Tree) -> bool {
        self.scope.set_skipped(tree.ignored());
        let Some(inner) = &mut self.inner else { return false };
        let wanted = self.scope.wanted(tree);
        let (gone, all_gone) = {
            let mut state = self.shared.state();
            (std::mem::take(&mut state.gone), std::mem::take(&mut state.all_gone))
        };
        let gone: HashSet<PathBuf> = gone.into_iter().collect();
        let is_gone = |path: &PathBuf| {
            all_gone
                || !wanted.contains(path)
                || (!gone.is_empty() && path.ancestors().any(|folder| gone.contains(folder)))
        };
        // Old names first: the system identifies a moved folder by its inode.
        let left: Vec<PathBuf> =
            self.watched.iter().filter(|path| is_gone(path)).cloned().collect();
        for path in left {
            // A removed folder is no longer watched anyway.
            let _ = inner.unwatch(&path);
            self.watched.remove(&path);
        }
        let mode = if EACH_FOLDER { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
        let mut is_new = false;
        let mut problem = None;
        for path in wanted {
            if self.watched.contains(&path) {
                continue;
            }
            match inner.watch(&path, mode) {
                Ok(()) => {
                    is_new = true;
                    self.watched.insert(path);
                }
                // It was removed since the walk: its parent reports that.
                Err(error) if is_absence(&error) => {}
                Err(error) => {
                    problem = Some(format!(
                        "could not watch `{}` and the rest of the tree: {}",
                        path.display(),
                        reason(&error)
                    ));
                    break;
                }
            }
        }
        self.is_problem_reported &= problem.is_some();
        self.problem = problem;
        is_new
    }

    /// Waits until `until`, ignoring events; only a stop ends the wait earlier.
    pub fn sleep_until(&self, until: Instant) -> WakeReason {
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
    pub fn wait(
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

impl std::fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Watcher")
            .field("watched", &self.watched.len())
            .field("problem", &self.problem)
            .finish_non_exhaustive()
    }
}

fn is_absence(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Describes why something is not watched, and a remedy.
fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "the system's limit of watched folders is reached (`sysctl \
             fs.inotify.max_user_watches` shows it)"
            .to_owned(),
        // EMFILE: the limit of watchers per user.
        ErrorKind::Io(error) if error.raw_os_error() == Some(24) => {
            "the system's limit of watchers is reached (`sysctl \
             fs.inotify.max_user_instances` shows it)"
                .to_owned()
        }
        ErrorKind::Io(error) => error.to_string(),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests;
