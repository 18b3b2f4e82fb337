//! One tree that may be read: its engine, opened by the first call, and the thread that builds and
//! then updates its index.
//!
//! A call takes these steps:
//!
//! 1. [`Tree::open`] reads the settings, and opens the engine unless they are as before.
//! 2. [`Tree::start_indexing`] starts the index thread of that engine, once.
//! 3. [`Tree::wait_until_ready`] waits for the first complete index.
//! 4. [`Tree::run`] runs the query in a thread of its own.
//!
//! **Invariant:** a call never waits longer than the limit of its [`CallControl`]. Work that takes
//! longer continues in its thread, and later calls wait for that instead of starting it again.

mod paths;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use lore_console::report;
use lore_engine::{
    Engine, Followed, Freshness, LastCheck, Progress, Receipt, StopSignal, StoredTree,
};
use lore_render::output;
use lore_schema::SourceName;
use lore_session::{
    embedding, engine_config, progress::Work as RunWork, stored::StoredRepositories,
};
use lore_settings::{Override, Settings, env_vars};

pub use self::paths::LocateError;
use super::{
    control::CallControl,
    failure::Failure,
    requests::{self, INDEX_WAIT, QUERY},
};

/// Interval at which a waiting call checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Minimum time limit of a query on an index that was up to date once. The short limit of a call is
/// for the first index; a later answer only takes long after thousands of files changed at once, and
/// is then worth waiting for.
const MAX_CALL_TIME: Duration = Duration::from_secs(10);

/// The same for a repository in a cluster, which other machines may keep busy.
const MAX_CLUSTER_TIME: Duration = Duration::from_secs(30);

/// Maximum number of queries that continue without a caller while new ones start: each may use as
/// much memory as the changes that it reads.
const MAX_ABANDONED: usize = 2;

/// Interval of the walks of a followed tree, which find changes that the system did not report.
const WALK_INTERVAL: Duration = Duration::from_mins(5);

/// Delay before a query is repeated because files changed during it.
const RETRY_DELAY: Duration = Duration::from_millis(15);

/// A tree.
#[derive(Debug)]
pub struct Tree {
    /// Root directory, canonical. Nothing outside of it is read.
    pub root: PathBuf,
    /// Name for users: that of the root directory.
    pub name: String,
    /// Settings from the flags of the server.
    flags: Vec<Override>,
    /// The cluster, for a repository that has no clone.
    cluster: Option<Arc<StoredRepositories>>,
    opened: Mutex<Option<Arc<Opened>>>,
    /// Time of the last use, while it is open.
    used: Mutex<Option<Instant>>,
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let Some(opened) = &*self.opened() {
            opened.stop.stop();
        }
    }
}

/// A tree with its engine, for as long as the settings stay the same.
#[derive(Debug)]
pub struct Opened {
    /// Root directory, canonical.
    pub root: PathBuf,
    /// The engine.
    pub engine: Engine,
    /// The settings of the tree, with the flags of the server.
    pub settings: Settings,
    work: Arc<Work>,
    /// Ends the thread that follows the tree.
    stop: StopSignal,
}

/// Outcome of a query within its time limit.
#[derive(Debug)]
pub enum Outcome<T> {
    /// The answer.
    Answered(T),
    /// The index was not ready, or the query took too long.
    NotReady(IndexProgress),
}

/// Progress of the index of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// Number of files that were read.
    pub done: u64,
    /// Number of files that have to be read; 0 before it is known.
    pub known: u64,
    /// Bytes that were read, and the bytes of all files that the index lacked.
    pub bytes: (u64, u64),
    /// Seconds until everything is read; `None` if there is no rate yet.
    pub seconds_left: Option<u64>,
    /// Seconds since indexing started.
    pub seconds: u64,
    /// True if the index was up to date once and only changes are read now.
    pub is_behind: bool,
}

impl IndexProgress {
    /// Returns the progress as a clause for messages, without a full stop.
    pub fn describe(self) -> String {
        if self.is_behind {
            return "much changed, and the index is catching up".to_owned();
        }
        if self.known == 0 {
            return format!("the files are being listed, for {} s", self.seconds);
        }
        format!(
            "{} of {} files are read ({} of {}), after {} s",
            output::count(self.done),
            output::count(self.known),
            output::bytes(self.bytes.0),
            output::bytes(self.bytes.1),
            self.seconds
        )
    }
}

/// State that the calls share with the index thread.
#[derive(Debug, Default)]
struct Work {
    state: Mutex<State>,
    changed: Condvar,
    run: Mutex<RunWork>,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    started: Option<Instant>,
    /// Number of running queries whose callers no longer wait.
    abandoned: usize,
}

#[derive(Debug, Default)]
enum Phase {
    /// Before the first query.
    #[default]
    Idle,
    /// The index is being brought up to date for the first time.
    Running,
    /// The index was up to date once: every query reads later changes itself.
    Ready,
    /// The index could not be built. The next query tries again.
    Failed(Failure),
}

impl Opened {
    /// Writes the changes that answers left in memory, if there are enough of them. Failures are
    /// reported as warnings, because the answer was already given.
    fn settle(&self) {
        let settled = catch_unwind(AssertUnwindSafe(|| self.engine.settle()));
        for warning in settled.unwrap_or_default() {
            report::warning(&warning);
        }
    }
}

impl Work {
    fn state(&self) -> MutexGuard<'_, State> {
        // The state is valid even after a panic: each field is assigned as a whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) -> MutexGuard<'_, RunWork> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self, state: &State) -> IndexProgress {
        let run = self.run();
        let (finished, total) = run.files();
        let is_behind = matches!(state.phase, Phase::Ready);
        IndexProgress {
            done: finished.units,
            known: total.units,
            bytes: (finished.bytes, total.bytes),
            seconds_left: run.seconds_left().filter(|_| !is_behind),
            seconds: state.started.map_or(0, |started| started.elapsed().as_secs()),
            is_behind,
        }
    }
}

impl Progress for Work {
    fn phase(&self, phase: lore_engine::Phase) {
        let started = self.state().started;
        self.run().note(phase, started.map_or(Duration::ZERO, |started| started.elapsed()));
    }

    fn wants_totals(&self) -> bool {
        true
    }

    fn note(&self, message: &str) {
        report::note(message);
    }
}

impl Tree {
    /// Returns a tree that is not opened yet. Reads nothing.
    pub fn new(root: PathBuf, flags: Vec<Override>) -> Tree {
        let name = root
            .file_name()
            .map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned());
        Tree { root, name, flags, cluster: None, opened: Mutex::default(), used: Mutex::default() }
    }

    /// Returns the tree of a repository in a cluster. `None` if its name is no relative path.
    pub(crate) fn stored(name: &str, cluster: &Arc<StoredRepositories>) -> Option<Tree> {
        Some(Tree {
            root: StoredTree::root(name)?,
            name: name.to_owned(),
            flags: Vec::new(),
            cluster: Some(Arc::clone(cluster)),
            opened: Mutex::default(),
            used: Mutex::default(),
        })
    }

    /// Time of the last use; `None` if the tree is not open.
    pub(crate) fn last_use(&self) -> Option<Instant> {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the tree. The next call opens it again.
    pub(crate) fn close(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(opened) = self.opened().take() {
            opened.stop.stop();
        }
    }

    /// Opens a repository of a cluster, unless it is open.
    fn open_stored(&self, cluster: &StoredRepositories) -> Result<Arc<Opened>, Failure> {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let mut opened = self.opened();
        if let Some(opened) = &*opened {
            return Ok(Arc::clone(opened));
        }
        let (engine, problem) = cluster.engine(&self.name)?;
        if let Some(problem) = problem {
            report::warning(&problem);
        }
        let fresh = Arc::new(Opened {
            root: self.root.clone(),
            engine,
            settings: cluster.settings().clone(),
            work: Arc::default(),
            stop: StopSignal::default(),
        });
        *opened = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    fn opened(&self) -> MutexGuard<'_, Option<Arc<Opened>>> {
        // The value is replaced as a whole, so that it is valid after a panic.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes for the log that the request of this thread reads the tree.
    pub fn note(&self) {
        requests::note_tree(&self.name);
    }

    /// Reads the settings and opens the engine, unless it is open with the same settings. With other
    /// settings, the next calls use a new engine; calls that are running keep theirs.
    pub fn open(&self) -> Result<Arc<Opened>, Failure> {
        self.note();
        if let Some(cluster) = &self.cluster {
            return self.open_stored(cluster);
        }
        let mut opened = self.opened();
        let settings = Settings::load(&self.root, &env_vars::from_process, self.flags.clone())?;
        if let Some(opened) = &*opened
            && opened.settings == settings
        {
            return Ok(Arc::clone(opened));
        }
        for warning in &settings.warnings {
            report::warning(warning);
        }
        let (embedding, error) = embedding::configured(&settings, &env_vars::from_process)
            .map_err(anyhow::Error::from)?;
        if let Some(error) = error {
            report::warning(&error.reason);
        }
        let engine = Engine::open(engine_config(&settings, &self.root, embedding)?)?;
        let fresh = Arc::new(Opened {
            root: self.root.clone(),
            engine,
            settings,
            work: Arc::default(),
            stop: StopSignal::default(),
        });
        if let Some(old) = opened.replace(Arc::clone(&fresh)) {
            old.stop.stop();
        }
        Ok(fresh)
    }

    /// Returns whether the index was up to date once, and its progress; `None` before the first query
    /// and after a failure.
    pub fn progress(&self) -> Option<(bool, IndexProgress)> {
        let opened = self.opened().clone()?;
        let state = opened.work.state();
        match state.phase {
            Phase::Idle | Phase::Failed(_) => None,
            Phase::Running => Some((false, opened.work.progress(&state))),
            Phase::Ready => Some((true, opened.work.progress(&state))),
        }
    }

    /// Returns the last comparison of the index with the files; `None` before the first one. Reads nothing.
    pub fn last_check(&self) -> Option<LastCheck> {
        let opened = self.opened().clone()?;
        opened.engine.last_check()
    }

    /// Starts the thread that builds the index and then follows the tree, unless it was started.
    pub fn start_indexing(opened: &Arc<Opened>) {
        let mut state = opened.work.state();
        if matches!(state.phase, Phase::Running | Phase::Ready) {
            return;
        }
        if opened.engine.is_stored() {
            state.phase = Phase::Ready;
            return;
        }
        state.phase = Phase::Running;
        state.started = Some(Instant::now());
        drop(state);
        let (work, at) = (Arc::clone(&opened.work), Arc::clone(opened));
        let spawned = thread::Builder::new().name("index".to_owned()).spawn(move || {
            // Listing the sources updates their indexes.
            let built = catch_unwind(AssertUnwindSafe(|| at.engine.sources(work.as_ref())));
            work.state().phase = match built {
                Ok(Ok(_)) => Phase::Ready,
                Ok(Err(error)) => Phase::Failed(error.into()),
                Err(_) => Phase::Failed(internal_error()),
            };
            let is_ready = matches!(work.state().phase, Phase::Ready);
            work.changed.notify_all();
            at.settle();
            if is_ready && at.settings.follows() {
                follow(&at, &at.stop);
            }
        });
        if let Err(error) = spawned {
            opened.work.state().phase =
                Phase::Failed(Failure::new(format!("could not start a thread: {error}")));
        }
    }

    /// Waits until the index was up to date once, within the limit of the call.
    pub fn wait_until_ready(
        opened: &Opened,
        control: &CallControl,
    ) -> Result<Outcome<()>, Failure> {
        let started = Instant::now();
        let waited = Tree::wait(opened, control);
        requests::stage(INDEX_WAIT, started);
        if matches!(waited, Ok(Outcome::NotReady(_))) {
            requests::note_unready();
        }
        waited
    }

    fn wait(opened: &Opened, control: &CallControl) -> Result<Outcome<()>, Failure> {
        let mut reported = None;
        let mut state = opened.work.state();
        loop {
            match &state.phase {
                Phase::Ready if state.abandoned <= MAX_ABANDONED => {
                    return Ok(Outcome::Answered(()));
                }
                Phase::Failed(failure) => return Err(failure.clone()),
                Phase::Idle | Phase::Running | Phase::Ready => {}
            }
            let progress = opened.work.progress(&state);
            if control.is_cancelled() || control.remaining().is_zero() {
                return Ok(Outcome::NotReady(progress));
            }
            let line = opened.work.run().line();
            let (read, total) = progress.bytes;
            control.report_progress(&mut reported, read, total, &line);
            let timeout = POLL_INTERVAL.min(control.remaining());
            let waited = opened.work.changed.wait_timeout(state, timeout);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Runs a query in a thread of its own, once the index was up to date. If the time limit passes,
    /// the thread continues, so that the changes it reads are not read again by the next call.
    pub fn run<T: Send + 'static>(
        &self,
        control: &CallControl,
        query: impl FnOnce(&Opened) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Outcome<T>, Failure> {
        let opened = self.open()?;
        Tree::start_indexing(&opened);
        if let Outcome::NotReady(progress) = Tree::wait_until_ready(&opened, control)? {
            return Ok(Outcome::NotReady(progress));
        }
        let started = Instant::now();
        let ran = Tree::run_ready(opened, control, query);
        requests::stage(QUERY, started);
        if matches!(ran, Ok(Outcome::NotReady(_))) {
            requests::note_unready();
        }
        ran
    }

    /// Runs a query on an index that was up to date once.
    fn run_ready<T: Send + 'static>(
        opened: Arc<Opened>,
        control: &CallControl,
        query: impl FnOnce(&Opened) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Outcome<T>, Failure> {
        let is_stored = opened.engine.is_stored();
        let (sender, receiver) = sync_channel(1);
        let call = Arc::new(CallState::default());
        let (work, thread_call) = (Arc::clone(&opened.work), Arc::clone(&call));
        let called = Arc::clone(&work);
        let spawned = thread::Builder::new().name("query".to_owned()).spawn(move || {
            let answer = catch_unwind(AssertUnwindSafe(|| query(opened.as_ref())))
                .unwrap_or_else(|_| Err(internal_error()));
            // Fails if the caller no longer waits.
            let _ = sender.send(answer);
            // Only now, so that the caller does not wait for the write.
            opened.settle();
            let mut state = work.state();
            thread_call.done.store(true, Ordering::Relaxed);
            if thread_call.abandoned.load(Ordering::Relaxed) {
                state.abandoned -= 1;
                work.changed.notify_all();
            }
        });
        if let Err(error) = spawned {
            return Err(Failure::new(format!("could not start a thread: {error}")));
        }
        let max_time = if is_stored { MAX_CLUSTER_TIME } else { MAX_CALL_TIME };
        let control = &control.with_limit(max_time.max(control.limit()));
        loop {
            match receiver.recv_timeout(POLL_INTERVAL.min(control.remaining())) {
                Ok(answer) => return answer.map(Outcome::Answered),
                Err(RecvTimeoutError::Disconnected) => return Err(internal_error()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if control.is_cancelled() || control.remaining().is_zero() {
                let mut state = called.state();
                if !call.done.load(Ordering::Relaxed) {
                    call.abandoned.store(true, Ordering::Relaxed);
                    state.abandoned += 1;
                }
                // Nothing is being indexed that would be ready later.
                if is_stored {
                    let failure = Failure::new("the cluster did not answer in time");
                    return Err(failure.remedy("ask again, or name one repository as `root`"));
                }
                return Ok(Outcome::NotReady(called.progress(&state)));
            }
        }
    }
}

/// Keeps the index up to date between queries, so that they have few changes to read. A failure is
/// only a warning, because every query looks for changes itself.
fn follow(opened: &Opened, stop: &StopSignal) {
    let mut report = |followed| {
        if let Followed::Noted(note) = followed {
            report::warning(&note);
        }
    };
    let followed = catch_unwind(AssertUnwindSafe(|| {
        opened.engine.keep_up(WALK_INTERVAL, stop, &NotesOnly, &mut report)
    }));
    if let Ok(Err(error)) = followed {
        report::warning(&format!(
            "`{}` is no longer followed: {}; every query looks for changes itself",
            opened.root.display(),
            report::message(&error)
        ));
    }
}

/// State of one running query. Changed only while [`Work::state`] is locked, so that each abandoned
/// query is counted once.
#[derive(Debug, Default)]
struct CallState {
    /// True if the query has ended.
    done: AtomicBool,
    /// True if the caller no longer waits.
    abandoned: AtomicBool,
}

/// The error for a panic, whose message is on standard error.
fn internal_error() -> Failure {
    Failure::new("internal error, which is a bug of lore")
        .remedy("ask in other words; the server's standard error has the details")
}

/// Repeats a query until no file changes during it, at most until `deadline`. Without this, an edit
/// that arrives during an answer would be missing from it.
pub fn until_fresh<T>(
    deadline: Instant,
    receipt: impl Fn(&T) -> &Receipt,
    mut query: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    loop {
        let answer = query()?;
        let is_partial = matches!(receipt(&answer).fresh, Freshness::Partial(_));
        if !is_partial || deadline <= Instant::now() + RETRY_DELAY {
            return Ok(answer);
        }
        thread::sleep(RETRY_DELAY);
    }
}

/// A progress receiver that reports notes and drops counts.
pub struct NotesOnly;

impl Progress for NotesOnly {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}

    fn note(&self, message: &str) {
        report::note(message);
    }
}
