//! A listing that is kept up to date by events, so that its cost depends on what changed and not on
//! the number of files.
//!
//! Steps of [`LiveTree::current`]:
//!
//! 1. Walk the whole tree where events are no proof: at the first call, after a loss of events, a
//!    jump of the clock or a sleep, after a change of the rules outside of the tree
//!    (`live/inputs.rs`), and for trees with properties that events do not cover ([`State::is_covered`]).
//!    Each folder is watched before it is listed.
//! 2. Otherwise take the events since the last call. What happened before the call is among them.
//! 3. Look at the files that events name, and read folders again whose names changed
//!    (`live/update.rs`). Files that can change without an event of their folder are looked at each
//!    time: those with several names, those behind links, and those that changed a moment ago.
//!
//! **Invariant:** the result lists the same files with the same stamps as a walk that starts when
//! the call does, except for files that were written through a memory mapping, or under another
//! name (a hard link) that was made outside of the listed folders since the walk.
//! [`LiveTree::check`] finds those.

mod inputs;
mod update;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use self::inputs::Inputs;
use crate::{
    StopSignal, WakeReason,
    error::SourceError,
    fingerprint::UNSTABLE,
    options::WalkOptions,
    rules::RuleSet,
    tree::Tree,
    walk::{FolderRecord, Followed, Walk},
    watch::Watcher,
};

/// Difference between the two clocks of a computer from which on it slept or its time was set.
const MAX_CLOCK_DRIFT: Duration = Duration::from_secs(2);

/// Maximum number of files that are looked at for each question. A tree with more is walked.
const MAX_DOUBTFUL_FILES: usize = 20_000;

/// Maximum number of links whose targets are looked up for each question.
const MAX_DOUBTFUL_LINKS: usize = 500;

/// Basis of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum TreeCheck {
    /// Every folder was listed.
    #[default]
    Walked,
    /// The folders are watched, and only what changed was looked at.
    Watched,
}

/// A tree that is watched.
pub struct LiveTree {
    root: PathBuf,
    options: WalkOptions,
    watcher: Watcher,
    /// `None` before the first walk, and while events are no proof.
    state: Mutex<Option<State>>,
    /// True if the next listing has to be a walk.
    is_walk_due: AtomicBool,
}

/// The last listing, with what is needed to update it.
struct State {
    tree: Arc<Tree>,
    rule_set: RuleSet,
    /// Folders by root-relative path, without a final `/`.
    records: BTreeMap<String, FolderRecord>,
    followed: Followed,
    inputs: Inputs,
    /// Files that can change without an event.
    doubtful: BTreeSet<String>,
    clocks: (Instant, SystemTime),
}

impl LiveTree {
    /// Creates a watched tree. Nothing is walked before the first question. Events below `excluded`, a
    /// folder that the caller writes itself, do not end a wait.
    ///
    /// # Errors
    /// When the root does not exist.
    pub fn new(
        root: &Path,
        options: &WalkOptions,
        excluded: Option<&Path>,
        stop: &StopSignal,
    ) -> Result<LiveTree, SourceError> {
        let tree = Tree::unlisted(root, options)?;
        Ok(LiveTree {
            root: root.to_owned(),
            options: options.clone(),
            watcher: Watcher::new(tree.canonical_root(), excluded, stop),
            state: Mutex::new(None),
            is_walk_due: AtomicBool::new(true),
        })
    }

    fn state(&self) -> MutexGuard<'_, Option<State>> {
        // A thread that panicked may have left a state that is partly updated.
        self.state.lock().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            *state = None;
            state
        })
    }

    /// Returns the tree as it is now, and the basis of that. `None` if every listing has to be a walk
    /// of the caller: events are no proof on this system or for this tree.
    ///
    /// # Errors
    /// As [`Tree::walk`].
    pub fn current(&self) -> Result<Option<(Arc<Tree>, TreeCheck)>, SourceError> {
        let mut state = self.state();
        if self.is_walk_due.swap(false, Ordering::Relaxed) {
            *state = None;
        } else if !self.watcher.is_prompt() {
            return Ok(None);
        }
        if let Some(known) = &mut *state {
            if known.update(&self.watcher) {
                return Ok(Some((Arc::clone(&known.tree), TreeCheck::Watched)));
            }
            *state = None;
        }
        let walked = State::walk(&self.root, &self.options, &self.watcher)?;
        let tree = Arc::clone(&walked.tree);
        if self.watcher.is_prompt() && walked.is_covered() {
            *state = Some(walked);
        }
        Ok(Some((tree, TreeCheck::Walked)))
    }

    /// Returns whether this is the tree at a root, listed with these options.
    pub fn is_of(&self, root: &Path, options: &WalkOptions) -> bool {
        self.root == root && self.options == *options
    }

    /// Walks the tree at the next question, to find changes without events.
    pub fn check(&self) {
        self.is_walk_due.store(true, Ordering::Relaxed);
    }

    /// Returns whether changes are reported by events.
    pub fn has_events(&self) -> bool {
        self.watcher.is_complete()
    }

    /// Returns what cannot be watched and why, in one line without a final dot. Returns each
    /// problem once.
    pub fn take_problem(&self) -> Option<String> {
        self.watcher.take_problem()
    }

    /// Waits until `until`, ignoring events; only a stop ends the wait earlier.
    pub fn sleep_until(&self, until: Instant) -> WakeReason {
        self.watcher.sleep_until(until)
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
        self.watcher.wait(until, earliest, quiet, longest)
    }
}

impl std::fmt::Debug for LiveTree {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LiveTree").field("root", &self.root).finish_non_exhaustive()
    }
}

impl State {
    /// Walks a tree. Each folder is watched before it is listed.
    fn walk(root: &Path, options: &WalkOptions, watcher: &Watcher) -> Result<State, SourceError> {
        let clocks = (Instant::now(), SystemTime::now());
        let mut tree = Tree::unlisted(root, options)?;
        watcher.begin();
        let rule_set = RuleSet::new(tree.canonical_root());
        let (records, followed) = {
            let watch = |folder: &str| watcher.watch(folder);
            let walk = Walk::new(tree.canonical_root(), options, &rule_set, &|| true, &watch);
            let (walked, records, followed) = walk.all(options.threads)?;
            let linked = followed.files.iter().map(|file| file.entry.path.clone()).collect();
            tree.list(walked);
            tree.mark_linked(&linked);
            (records, followed)
        };
        watcher.end();
        watcher.set_skipped(tree.ignored());
        let inputs = Inputs::of(tree.canonical_root(), &rule_set, &records, clocks.1);
        let records =
            records.into_iter().map(|record| (record.path().to_owned(), record)).collect();
        let doubtful = tree.doubtful().map(str::to_owned).collect();
        let tree = Arc::new(tree);
        Ok(State { tree, rule_set, records, followed, inputs, doubtful, clocks })
    }

    /// Returns whether events cover all changes of the tree, apart from the files and links that
    /// are looked at each time.
    ///
    /// They do not if a store is listed under a link, so that its folders have two paths, or if the
    /// user named files outside of the tree.
    fn is_covered(&self) -> bool {
        !self.followed.has_stores
            && self.tree.options().exports.is_empty()
            && self.tree.options().at.is_none()
            && self.doubtful.len() <= MAX_DOUBTFUL_FILES
            && self.followed.doubtful.len() <= MAX_DOUBTFUL_LINKS
    }

    /// Returns whether the computer slept, or its clock was set, since the last question.
    fn has_clock_jumped(&mut self) -> bool {
        let now = (Instant::now(), SystemTime::now());
        let before = std::mem::replace(&mut self.clocks, now);
        let passed = now.0.duration_since(before.0);
        let shown = now.1.duration_since(before.1);
        shown.map_or(true, |shown| shown.abs_diff(passed) > MAX_CLOCK_DRIFT)
    }
}

impl Tree {
    /// Paths of the files that can change without an event of their folder, or whose stamp does not
    /// show the next change.
    fn doubtful(&self) -> impl Iterator<Item = &str> {
        let files = self.entries().iter().enumerate();
        files
            .filter(|(index, entry)| entry.metadata == UNSTABLE || self.has_other_places(*index))
            .map(|(_, entry)| entry.path.as_str())
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
