//! Follows what the file system tells of a tree, as a hint that something may have changed.
//!
//! Events are never believed: whoever is woken walks the tree, so that a lost or doubled event costs
//! time and nothing else. Nothing is queued here: however many events come, what is kept is when the
//! first and the last of them came.

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

/// Most folders that are remembered as moved away until the tree is walked; beyond, all are watched
/// anew.
const MOST_GONE: usize = 10_000;

/// Why somebody who waits goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// Something that concerns the tree was told of, and then nothing for a while.
    Changed,
    /// More happened than the system tells of: something may have changed.
    Overflowed,
    /// Nothing was told of in all the time.
    TimedOut,
    /// Nobody is to wait any more.
    Stopped,
}

/// Ends waiting, from any thread.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    shared: Arc<Shared>,
}

impl StopSignal {
    /// Ends what waits now and whatever waits later.
    pub fn stop(&self) {
        self.shared.state().stopped = true;
        self.shared.changed.notify_all();
    }

    /// Whether it was ended.
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
    /// When the first and the last event came that nobody was woken for yet.
    events: Option<(Instant, Instant)>,
    overflowed: bool,
    stopped: bool,
    /// Folders that are no longer where they were watched.
    gone: Vec<PathBuf>,
    /// More of them than are remembered.
    all_gone: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked has assigned single values: the state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of an event.
    fn hear(&self, heard: notify::Result<Event>, scope: &Scope) {
        let Ok(event) = heard else {
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
        // What was a folder may be watched under a name that it no longer has.
        if matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))) {
            if state.gone.len() + event.paths.len() > MOST_GONE {
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

/// Whether an event of this kind can mean that a search would answer otherwise.
fn may_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        EventKind::Modify(ModifyKind::Metadata(kind)) => kind != MetadataKind::AccessTime,
        _ => true,
    }
}

/// Watches a tree.
pub struct Watcher {
    shared: Arc<Shared>,
    scope: Arc<Scope>,
    /// `None` where the system gives none.
    inner: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
    problem: Option<String>,
    is_told: bool,
}

impl Watcher {
    /// A watcher of the tree at a canonical root. It watches nothing before [`Watcher::update`] is
    /// called. What happens below `apart`, a folder that the caller writes itself, wakes nobody.
    pub fn new(root: &Path, apart: Option<&Path>, stop: &StopSignal) -> Watcher {
        let scope = Arc::new(Scope::new(root, apart));
        let shared = Arc::clone(&stop.shared);
        let mut watcher = Watcher {
            shared: Arc::clone(&shared),
            scope: Arc::clone(&scope),
            inner: None,
            watched: BTreeSet::new(),
            problem: None,
            is_told: false,
        };
        if let Some(kind) = network::file_system_of(root) {
            watcher.problem = Some(format!(
                "`{}` lies on a network ({kind}), where changes of others are not told of",
                root.display()
            ));
            return watcher;
        }
        match notify::recommended_watcher(move |heard| shared.hear(heard, &scope)) {
            Ok(inner) => watcher.inner = Some(inner),
            Err(error) => {
                watcher.problem =
                    Some(format!("could not watch `{}`: {}", root.display(), reason(&error)));
            }
        }
        watcher
    }

    /// Whether everything that was asked for is watched.
    pub fn is_complete(&self) -> bool {
        self.problem.is_none()
    }

    /// What cannot be watched and why, one line without a dot; each reason once.
    pub fn take_problem(&mut self) -> Option<&str> {
        if std::mem::replace(&mut self.is_told, self.problem.is_some()) {
            return None;
        }
        self.problem.as_deref()
    }

    /// Watches the folders of a tree as it was walked just now, and no others. Returns whether some of
    /// them were not watched before: what happened in those since the walk was not heard.
    pub fn update(&mut self, tree: &Tree) -> bool {
        self.scope.leave_out(tree.ignored());
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
        // Old names first: a folder that moved is known to the system by what it is.
        let left: Vec<PathBuf> =
            self.watched.iter().filter(|path| is_gone(path)).cloned().collect();
        for path in left {
            // Whatever vanished is no longer watched anyway.
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
                // It vanished since the walk, which its parent tells of.
                Err(error) if is_absence(&error) => {}
                Err(error) => {
                    problem = Some(format!(
                        "could not watch `{}` and what is left of the tree: {}",
                        path.display(),
                        reason(&error)
                    ));
                    break;
                }
            }
        }
        self.is_told &= problem.is_some();
        self.problem = problem;
        is_new
    }

    /// Waits until `until`, whatever happens; only a stop ends that.
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

    /// Waits until something happens that concerns the tree and `quiet` has passed without more of
    /// it, at most `longest` after its first sign, and not before `earliest`; or until `until`.
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

/// Why something is not watched, and what helps.
fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system watches no more folders for you (`sysctl fs.inotify.max_user_watches` says \
             how many it does)"
                .to_owned()
        }
        // EMFILE: as many watchers as a user may have.
        ErrorKind::Io(error) if error.raw_os_error() == Some(24) => {
            "the system gives you no more watchers (`sysctl fs.inotify.max_user_instances` says how \
             many it does)"
                .to_owned()
        }
        ErrorKind::Io(error) => error.to_string(),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests;
