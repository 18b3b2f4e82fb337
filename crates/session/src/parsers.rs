//! Parses texts in other processes of this program.
//!
//! Some texts end the process that parses them: the parser library overflows the stack, or allocates
//! gigabytes in one step. [`host`] returns parsers that survive that. They run in one other process
//! with a thread for each core, so that compiled queries are shared and all threads together stay
//! within `MEMORY_LIMIT`. The process starts with the first text, and ends with this one.
//!
//! When it ends early, every text that it was parsing is suspected. Each is parsed again while no
//! other one is; a text that ends a new process on its own is the cause, and gets a [`ParserFault`].

mod buffers;
mod frames;
mod limits;
mod process;
mod worker;

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use lore_console::report;
use lore_engine::{InProcess, Parsed, ParserFault, ParserHost, Parsers};

use self::{
    buffers::Buffers,
    frames::{MAX_LEN, Response, ResponseKind},
    process::{End, Process},
};

/// First argument of a parser process.
const FLAG: &str = "--parser-process";

/// Maximum memory that the parser library may have allocated in a process, in bytes.
const MEMORY_LIMIT: usize = 512 << 20;

/// Exit code of a process that needs more.
const OUT_OF_MEMORY: i32 = 86;

/// Time for a text beyond the parser's own limit, after which its process is ended.
const MAX_OVERTIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 90 } else { 3 });

/// Maximum size of texts that are parsed beside others, in bytes together. Ordinary texts need up to
/// fifty times their size, so that they stay within [`MEMORY_LIMIT`] together.
const MAX_SHARED_BYTES: usize = 8 << 20;

/// Number of new processes that a text gets on its own. More than one, since a process may also be
/// ended from outside.
const MAX_ATTEMPTS: usize = 3;

/// Time after which a process is started again although the last attempt failed.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum number of texts that are remembered as the cause of a fault.
const MAX_FAULTS: usize = 4_096;

/// The parsers of this process, once [`enable`] was called.
static HOST: OnceLock<Arc<ParserPool>> = OnceLock::new();

/// Returns true for the arguments of a parser process.
pub fn is_requested(words: &[OsString]) -> bool {
    matches!(words, [_, flag, _] if flag == FLAG)
}

/// Runs a parser process. Returns when its input ends.
pub fn run(words: &[OsString]) -> ExitCode {
    let threads = words.get(2).map(OsString::as_os_str).and_then(OsStr::to_str);
    worker::run(threads.and_then(|threads| threads.parse().ok()).unwrap_or(1))
}

/// Lets engines parse in other processes. Only the main function of a program that calls [`run`] may
/// call this.
pub fn enable() {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // Without a path, no process starts, and a warning says so.
    let program = own_program().unwrap_or_default();
    let _ = HOST.set(Arc::new(ParserPool::new(program, threads)));
}

/// The parsers for engines: other processes if they are enabled, otherwise this process.
pub fn host() -> Parsers {
    match HOST.get() {
        Some(pool) => Parsers::new(Arc::clone(pool) as Arc<dyn ParserHost>),
        None => Parsers::in_process(),
    }
}

/// The file of this program. On Linux it stays the same when the file is replaced by an update.
pub fn own_program() -> Option<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return Some(link.to_owned());
    }
    std::env::current_exe().ok()
}

/// The version that both sides must have.
fn version() -> String {
    format!("{}/{}", env!("CARGO_PKG_VERSION"), lore_engine::parser_fingerprint())
}

/// Time that a process gets for a text of this many bytes.
fn request_time(bytes: usize) -> Duration {
    lore_engine::parse_time(bytes) + MAX_OVERTIME
}

/// Parses in another process, and replaces it when it ends.
struct ParserPool {
    program: PathBuf,
    threads: usize,
    turns: Mutex<Turns>,
    buffers: Arc<Buffers>,
    /// Notified when a turn ends.
    ended: Condvar,
    /// Texts that caused a fault, by hash.
    faults: Mutex<HashMap<u64, ParserFault>>,
    hasher: RandomState,
}

/// The running process and its use.
#[derive(Default)]
struct Turns {
    process: Option<Arc<Process>>,
    /// Number of texts that are being parsed.
    busy: usize,
    /// Their size in bytes.
    busy_bytes: usize,
    /// True while a text is parsed on its own.
    is_exclusive: bool,
    /// Number of texts that wait to be parsed on their own. They go first.
    waiting_exclusive: usize,
    /// The last time that no process could be started.
    unavailable: Option<Instant>,
    /// True if that was reported.
    is_reported: bool,
}

impl Turns {
    /// Returns true if the last attempt to start a process failed a short time ago.
    fn is_unavailable(&self) -> bool {
        self.unavailable.is_some_and(|last| last.elapsed() < RETRY_INTERVAL)
    }

    /// Returns true if a text of this many bytes may be parsed now.
    fn may_begin(&self, turn: Turn, bytes: usize, threads: usize) -> bool {
        let fits = || self.busy < threads && self.busy_bytes + bytes <= MAX_SHARED_BYTES;
        match turn {
            _ if self.busy == 0 => turn == Turn::Exclusive || self.waiting_exclusive == 0,
            Turn::Shared => !self.is_exclusive && self.waiting_exclusive == 0 && fits(),
            Turn::Exclusive => false,
        }
    }
}

/// Use of the process by one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Beside others.
    Shared,
    /// On its own.
    Exclusive,
}

/// The reason why a text has no result yet.
enum Failure {
    /// Processes cannot be started.
    Unavailable,
    /// The process ended.
    Ended(End),
}

impl ParserPool {
    fn new(program: PathBuf, threads: usize) -> ParserPool {
        ParserPool {
            program,
            threads,
            turns: Mutex::default(),
            buffers: Arc::default(),
            ended: Condvar::new(),
            faults: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// Starts a process, unless the last attempt failed a short time ago.
    fn start(&self, turns: &mut Turns) -> Option<Arc<Process>> {
        if turns.is_unavailable() {
            return None;
        }
        let buffers = Arc::clone(&self.buffers);
        let process = Process::start(&self.program, self.threads, buffers).ok();
        if process.is_none() {
            turns.unavailable = Some(Instant::now());
        }
        process.map(Arc::new)
    }

    /// Parses a text in the process, which is started if there is none.
    fn attempt(&self, turn: Turn, language: &str, text: &str) -> Result<Response, Failure> {
        let turn = ActiveTurn::begin(self, turn, text.len())?;
        let result = turn.process.request(language, text);
        if result.is_err() {
            let mut turns = lock(&self.turns);
            turns.process.take_if(|process| Arc::ptr_eq(process, &turn.process));
        }
        result.map_err(Failure::Ended)
    }

    /// Parses a text: beside others first, and on its own after the process ended.
    fn response(&self, language: &str, text: &str) -> Result<Response, Failure> {
        let mut ended = match self.attempt(Turn::Shared, language, text) {
            Err(Failure::Ended(end)) => end,
            result => return result,
        };
        for _ in 0..MAX_ATTEMPTS {
            if ended.is_certain && ended.fault.is_some() {
                break;
            }
            ended = match self.attempt(Turn::Exclusive, language, text) {
                Err(Failure::Ended(end)) if end.was_ready => end,
                // It ended before it could read the text.
                Err(Failure::Ended(_)) => {
                    lock(&self.turns).unavailable = Some(Instant::now());
                    return Err(Failure::Unavailable);
                }
                result => return result,
            };
        }
        Err(Failure::Ended(ended))
    }

    /// Parses a text in this process, since there can be no other one.
    fn in_process(&self, language: &str, text: &str) -> Result<Option<Parsed>, ParserFault> {
        let was_reported = std::mem::replace(&mut lock(&self.turns).is_reported, true);
        if !was_reported {
            report::warning(&format!(
                "could not start `{}` to parse files; they are parsed in this process, which a \
                 hostile file can end",
                self.program.display()
            ));
        }
        InProcess.parse(language, text)
    }

    /// The fault that a text caused before.
    fn known_fault(&self, language: &str, text: &str) -> Option<ParserFault> {
        let faults = lock(&self.faults);
        if faults.is_empty() {
            return None;
        }
        faults.get(&self.hasher.hash_one((language, text))).copied()
    }

    fn remember(&self, language: &str, text: &str, fault: ParserFault) {
        let mut faults = lock(&self.faults);
        if faults.len() < MAX_FAULTS {
            faults.insert(self.hasher.hash_one((language, text)), fault);
        }
    }
}

impl ParserHost for ParserPool {
    fn parse(&self, language: &str, text: &str) -> Result<Option<Parsed>, ParserFault> {
        if let Some(fault) = self.known_fault(language, text) {
            return Err(fault);
        }
        if MAX_LEN < text.len() {
            return Ok(None);
        }
        let fault = match self.response(language, text) {
            Ok(Response { kind: ResponseKind::GaveUp, .. }) => return Ok(None),
            Ok(Response { kind: ResponseKind::Parsed, result, .. }) => {
                let parsed = Parsed::decode(&result, text);
                self.buffers.put(result);
                if parsed.is_some() {
                    return Ok(parsed);
                }
                ParserFault::Crashed
            }
            Ok(_) => ParserFault::Crashed,
            Err(Failure::Unavailable) => return self.in_process(language, text),
            Err(Failure::Ended(end)) => end.fault.unwrap_or(ParserFault::Crashed),
        };
        self.remember(language, text, fault);
        Err(fault)
    }

    /// Does nothing: the other process prepares what it needs while it parses.
    fn prepare(&self, _: &str) {}
}

/// A turn that has begun. Dropping it ends it.
struct ActiveTurn<'a> {
    pool: &'a ParserPool,
    turn: Turn,
    /// Size of the text.
    bytes: usize,
    process: Arc<Process>,
}

impl<'a> ActiveTurn<'a> {
    /// Waits until the turn can begin, and starts a process if there is none.
    fn begin(pool: &'a ParserPool, turn: Turn, bytes: usize) -> Result<ActiveTurn<'a>, Failure> {
        let mut turns = lock(&pool.turns);
        turns.waiting_exclusive += usize::from(turn == Turn::Exclusive);
        let mut turns = pool
            .ended
            .wait_while(turns, |turns| !turns.may_begin(turn, bytes, pool.threads))
            .unwrap_or_else(PoisonError::into_inner);
        turns.waiting_exclusive -= usize::from(turn == Turn::Exclusive);
        let process = turns.process.take().filter(|process| !process.has_ended());
        let Some(process) = process.or_else(|| pool.start(&mut turns)) else {
            // Others may have waited for this turn.
            pool.ended.notify_all();
            return Err(Failure::Unavailable);
        };
        turns.process = Some(Arc::clone(&process));
        turns.busy += 1;
        turns.busy_bytes += bytes;
        turns.is_exclusive = turn == Turn::Exclusive;
        Ok(ActiveTurn { pool, turn, bytes, process })
    }
}

impl Drop for ActiveTurn<'_> {
    fn drop(&mut self) {
        let mut turns = lock(&self.pool.turns);
        turns.busy -= 1;
        turns.busy_bytes -= self.bytes;
        if self.turn == Turn::Exclusive {
            turns.is_exclusive = false;
        }
        drop(turns);
        self.pool.ended.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
