//! One tree that may be read: its engine, opened by the first call, and the thread that makes or
//! catches up its index.
//!
//! **Invariant:** a call never waits longer than its watch allows. Work that takes longer goes on in
//! its thread, and later calls wait for that instead of starting it again.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Component, Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use lore_console::report;
use lore_engine::{Engine, Followed, Freshness, Progress, Receipt, StopSignal};
use lore_render::output;
use lore_schema::SourceName;
use lore_session::embedding;
use lore_settings::{Override, Settings, env_vars};

use super::{failure::Failure, watch::Watch};

/// Interval at which a waiting call checks for cancellation.
const TICK: Duration = Duration::from_millis(25);

/// Time limit of a question to an index that was up to date once. Only the first answer is
/// promised soon; a later one is late where thousands of files changed at once, and worth the time.
const MAX_CALL_TIME: Duration = Duration::from_secs(10);

/// Maximum number of questions that continue without a caller while others run: each may hold as much
/// memory as the index that it catches up with.
const MAX_LATE: usize = 2;

/// Time between two walks of a tree that is followed: a net under what the system does not tell.
const BETWEEN_WALKS: Duration = Duration::from_mins(5);

/// Delay before a search checks files again that changed while it answered.
const MOMENT: Duration = Duration::from_millis(15);

/// A tree.
#[derive(Debug)]
pub struct Tree {
    /// The folder, canonical. Nothing outside of it is read.
    pub root: PathBuf,
    /// Its name for users.
    pub name: String,
    /// Settings that the flags of the server set.
    flags: Vec<Override>,
    opened: Mutex<Option<Arc<Opened>>>,
    work: Arc<Work>,
    /// Ends what follows the tree.
    stop: StopSignal,
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// A tree that can be asked.
#[derive(Debug)]
pub struct Opened {
    /// The folder.
    pub root: PathBuf,
    /// Answers.
    pub engine: Engine,
    /// The flags of the user.
    pub settings: Settings,
}

/// Outcome of a question to a tree.
#[derive(Debug)]
pub enum Outcome<T> {
    /// With this answer.
    Answered(T),
    /// The index is not ready yet.
    NotReady(Standing),
}

/// Progress of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Files and commits that are read.
    pub done: u64,
    /// Documents known so far; grows while the tree is walked.
    pub known: u64,
    /// Seconds since the work began.
    pub seconds: u64,
    /// It was up to date once, and catches up with what changed.
    pub is_behind: bool,
}

impl Standing {
    /// In words, without a dot.
    pub fn in_words(self) -> String {
        if self.is_behind {
            return "much changed, and the index is catching up".to_owned();
        }
        if self.known == 0 {
            return format!("the files are being listed, for {} s", self.seconds);
        }
        format!(
            "{} of {} files and commits found so far are read, after {} s",
            output::count(self.done),
            output::count(self.known),
            self.seconds
        )
    }
}

/// The state of the background work.
#[derive(Debug, Default)]
struct Work {
    state: Mutex<State>,
    changed: Condvar,
    /// Done and known units of each source, in the order of [`SourceName::ALL`].
    counts: [(AtomicU64, AtomicU64); SourceName::ALL.len()],
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    started: Option<Instant>,
    /// Questions whose callers no longer wait.
    late: usize,
}

#[derive(Debug, Default)]
enum Phase {
    /// Nothing was asked yet.
    #[default]
    Idle,
    /// The index is being brought up to date for the first time.
    Running,
    /// It was up to date once: every question catches up by itself.
    Ready,
    /// It could not be made. The next question tries again.
    Failed(Failure),
}

impl Opened {
    /// Writes changes that answers left in memory, if there are enough of them. A failure here fails no answer.
    fn settle(&self) {
        let settled = catch_unwind(AssertUnwindSafe(|| self.engine.settle()));
        for warning in settled.unwrap_or_default() {
            report::warning(&warning);
        }
    }
}

impl Work {
    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked left the state whole: it is only ever assigned to.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn standing(&self, state: &State) -> Standing {
        let sum = |pick: fn(&(AtomicU64, AtomicU64)) -> &AtomicU64| {
            self.counts.iter().map(|counts| pick(counts).load(Ordering::Relaxed)).sum()
        };
        Standing {
            done: sum(|counts| &counts.0),
            known: sum(|counts| &counts.1),
            seconds: state.started.map_or(0, |started| started.elapsed().as_secs()),
            is_behind: matches!(state.phase, Phase::Ready),
        }
    }
}

impl Progress for Work {
    fn advance(&self, source: SourceName, done: u64, known: u64) {
        let position = SourceName::ALL.iter().position(|name| *name == source);
        if let Some(counts) = position.and_then(|position| self.counts.get(position)) {
            // Threads report out of order, so that the largest numbers hold.
            counts.0.fetch_max(done, Ordering::Relaxed);
            counts.1.fetch_max(known, Ordering::Relaxed);
        }
    }

    fn note(&self, message: &str) {
        report::note(message);
    }
}

impl Tree {
    /// A tree. Reads nothing.
    pub fn new(root: PathBuf, flags: Vec<Override>) -> Tree {
        let name = root
            .file_name()
            .map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned());
        Tree {
            root,
            name,
            flags,
            opened: Mutex::default(),
            work: Arc::default(),
            stop: StopSignal::default(),
        }
    }

    /// Reads the settings and opens the engine, once.
    pub fn open(&self) -> Result<Arc<Opened>, Failure> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = &*opened {
            return Ok(Arc::clone(opened));
        }
        let settings = Settings::load(&self.root, &env_vars::from_process, self.flags.clone())?;
        for warning in &settings.warnings {
            report::warning(warning);
        }
        let (embedding, error) = embedding::configured(&settings, &env_vars::from_process)
            .map_err(anyhow::Error::from)?;
        if let Some(error) = error {
            report::warning(&error.reason);
        }
        let engine = Engine::open(settings.engine(&self.root, embedding))?;
        let fresh = Arc::new(Opened { root: self.root.clone(), engine, settings });
        *opened = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// True if the index was up to date once, otherwise its progress; `None` before the first
    /// question.
    pub fn standing(&self) -> Option<(bool, Standing)> {
        let state = self.work.state();
        match state.phase {
            Phase::Idle | Phase::Failed(_) => None,
            Phase::Running => Some((false, self.work.standing(&state))),
            Phase::Ready => Some((true, self.work.standing(&state))),
        }
    }

    /// Starts to bring the index up to date, unless that was done or is being done.
    pub fn begin(&self, opened: &Arc<Opened>) {
        let mut state = self.work.state();
        if matches!(state.phase, Phase::Running | Phase::Ready) {
            return;
        }
        state.phase = Phase::Running;
        state.started = Some(Instant::now());
        drop(state);
        let (work, opened) = (Arc::clone(&self.work), Arc::clone(opened));
        let stop = self.stop.clone();
        let spawned = thread::Builder::new().name("index".to_owned()).spawn(move || {
            let made = catch_unwind(AssertUnwindSafe(|| opened.engine.sources(work.as_ref())));
            work.state().phase = match made {
                Ok(Ok(_)) => Phase::Ready,
                Ok(Err(error)) => Phase::Failed(error.into()),
                Err(_) => Phase::Failed(internal()),
            };
            let is_ready = matches!(work.state().phase, Phase::Ready);
            work.changed.notify_all();
            opened.settle();
            if is_ready && opened.settings.follows() {
                follow(&opened, &stop);
            }
        });
        if let Err(error) = spawned {
            self.work.state().phase =
                Phase::Failed(Failure::new(format!("could not start a thread: {error}")));
        }
    }

    /// Waits until the index was up to date once, as long as the watch allows; how far it is then.
    pub fn wait(&self, watch: &Watch) -> Result<Outcome<()>, Failure> {
        let mut reported = None;
        let mut state = self.work.state();
        loop {
            match &state.phase {
                Phase::Ready if state.late <= MAX_LATE => return Ok(Outcome::Answered(())),
                Phase::Failed(failure) => return Err(failure.clone()),
                Phase::Idle | Phase::Running | Phase::Ready => {}
            }
            let standing = self.work.standing(&state);
            if watch.is_cancelled() || watch.left().is_zero() {
                return Ok(Outcome::NotReady(standing));
            }
            watch.tell(&mut reported, standing.done, standing.known, "indexing");
            let pause = TICK.min(watch.left());
            let waited = self.work.changed.wait_timeout(state, pause);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Asks a question once the index was up to date, in a thread of its own.
    pub fn ask<T: Send + 'static>(
        &self,
        watch: &Watch,
        question: impl FnOnce(&Opened) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Outcome<T>, Failure> {
        let opened = self.open()?;
        self.begin(&opened);
        if let Outcome::NotReady(standing) = self.wait(watch)? {
            return Ok(Outcome::NotReady(standing));
        }
        let (sender, receiver) = sync_channel(1);
        let errand = Arc::new(Errand::default());
        let (work, ran) = (Arc::clone(&self.work), Arc::clone(&errand));
        let running = thread::Builder::new().name("question".to_owned()).spawn(move || {
            let answer = catch_unwind(AssertUnwindSafe(|| question(opened.as_ref())))
                .unwrap_or_else(|_| Err(internal()));
            // The caller of a late answer is gone.
            let _ = sender.send(answer);
            // The caller has the answer; changes in memory are written now, if there are enough of them.
            opened.settle();
            let mut state = work.state();
            ran.done.store(true, Ordering::Relaxed);
            if ran.abandoned.load(Ordering::Relaxed) {
                state.late -= 1;
                work.changed.notify_all();
            }
        });
        if let Err(error) = running {
            return Err(Failure::new(format!("could not start a thread: {error}")));
        }
        let watch = &watch.for_as_long_as(MAX_CALL_TIME.max(watch.patience()));
        loop {
            match receiver.recv_timeout(TICK.min(watch.left())) {
                Ok(answer) => return answer.map(Outcome::Answered),
                Err(RecvTimeoutError::Disconnected) => return Err(internal()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if watch.is_cancelled() || watch.left().is_zero() {
                let mut state = self.work.state();
                if !errand.done.load(Ordering::Relaxed) {
                    errand.abandoned.store(true, Ordering::Relaxed);
                    state.late += 1;
                }
                return Ok(Outcome::NotReady(self.work.standing(&state)));
            }
        }
    }

    /// Finds a file or folder by its path, which may be absolute; nothing outside of the tree.
    /// Returns the canonical path and the one from the root, with `/`.
    pub fn locate(&self, path: &str) -> Result<(PathBuf, String), Misplaced> {
        let outside = || {
            Misplaced::Outside(
                Failure::new(format!("`{path}` is outside the tree"))
                    .remedy(format!("only files below `{}` can be read", self.root.display())),
            )
        };
        let typed = Path::new(path);
        let inner = if typed.is_absolute() {
            typed.strip_prefix(&self.root).map_err(|_| outside())?
        } else {
            typed
        };
        for part in inner.components() {
            match part {
                Component::Normal(name) if name == ".git" => {
                    return Err(git(path));
                }
                Component::Normal(_) | Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside());
                }
            }
        }
        let real = lore_engine::native::canonical(&self.root.join(inner)).map_err(|error| {
            Misplaced::Missing(
                Failure::new(format!("could not open `{path}`: {error}")).remedy(
                    "paths start at the root of the tree; `search` finds them by their words",
                ),
            )
        })?;
        // A link may lead anywhere.
        let from_root = real.strip_prefix(&self.root).map_err(|_| outside())?;
        if from_root.components().any(|part| part.as_os_str() == ".git") {
            return Err(git(path));
        }
        let parts: Vec<_> =
            from_root.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let shown = parts.join("/");
        Ok((real, shown))
    }
}

/// Keeps the index up to date ahead of the next question. Whatever goes wrong, every question looks
/// for changes by itself.
fn follow(opened: &Opened, stop: &StopSignal) {
    let mut hear = |followed| {
        if let Followed::Noted(note) = followed {
            report::warning(&note);
        }
    };
    let followed = catch_unwind(AssertUnwindSafe(|| {
        opened.engine.keep_up(BETWEEN_WALKS, stop, &Silent, &mut hear)
    }));
    if let Ok(Err(error)) = followed {
        report::warning(&format!(
            "`{}` is no longer followed: {}; every question looks for changes by itself",
            opened.root.display(),
            report::message(&error)
        ));
    }
}

/// That a path leads to what git keeps for itself.
fn git(path: &str) -> Misplaced {
    Misplaced::Outside(
        Failure::new(format!("`{path}` belongs to git itself"))
            .remedy("commits are found by `search` with {\"in\": [\"git\"]}"),
    )
}

/// The reason why a path cannot be read.
#[derive(Debug)]
pub enum Misplaced {
    /// The path is outside the tree, or reading it is forbidden.
    Outside(Failure),
    /// There is nothing.
    Missing(Failure),
}

impl From<Misplaced> for Failure {
    fn from(misplaced: Misplaced) -> Failure {
        let (Misplaced::Outside(failure) | Misplaced::Missing(failure)) = misplaced;
        failure
    }
}

/// A question that runs. Both are changed under the lock of the state alone.
#[derive(Debug, Default)]
struct Errand {
    /// It has an answer.
    done: AtomicBool,
    /// Its caller no longer waits.
    abandoned: AtomicBool,
}

/// A bug, of which standard error has the message.
fn internal() -> Failure {
    Failure::new("internal error, which is a bug of lore")
        .remedy("ask in other words; the server's standard error has the details")
}

/// Asks again while files change under the answer, as long as there is time: an edit is seen by the
/// very next answer.
pub fn settled<T>(
    until: Instant,
    receipt: impl Fn(&T) -> &Receipt,
    mut ask: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    loop {
        let answer = ask()?;
        let is_partial = matches!(receipt(&answer).fresh, Freshness::Partial(_));
        if !is_partial || until <= Instant::now() + MOMENT {
            return Ok(answer);
        }
        thread::sleep(MOMENT);
    }
}

/// Hears nothing but notes.
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}

    fn note(&self, message: &str) {
        report::note(message);
    }
}
