//! One parser process, seen from its parent: starts it, sends texts and waits for results.

use std::{
    collections::BTreeMap,
    io::BufReader,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use lore_engine::ParserFault;

use super::{
    FLAG, OUT_OF_MEMORY,
    buffers::Buffers,
    frames::{Response, ResponseKind, read_response, request_bytes, write},
    request_time, version,
};

/// Maximum time until a started process is ready: far more than a busy machine needs.
const MAX_START: Duration = Duration::from_secs(30);

/// Interval of the checks of a limit on time. A longer pause than twice of it does not count: this
/// process was stopped, or the machine slept.
const TICK: Duration = Duration::from_millis(50);

/// Maximum time from the end of a process's output to its own end.
const MAX_EXIT: Duration = Duration::from_secs(2);

/// A running process. Dropping it ends it.
pub(super) struct Process {
    /// Messages for the thread at the process's input. A process that was stopped reads nothing, and
    /// must not block those that wait for results.
    input: Sender<Vec<u8>>,
    shared: Arc<Shared>,
    next_id: AtomicU32,
}

/// State that the threads at the process's pipes share with those that wait for results.
struct Shared {
    buffers: Arc<Buffers>,
    child: Mutex<Child>,
    waiting: Mutex<Waiting>,
    /// True once the process has reported that it runs the same program.
    is_ready: AtomicBool,
}

/// The requests that wait for a response.
struct Waiting {
    senders: BTreeMap<u32, SyncSender<Result<Response, End>>>,
    /// Number of responses so far.
    answered: u64,
    /// The end of the process, if it has ended.
    end: Option<End>,
}

/// The end of a process before it answered a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    /// The fault that it shows; `None` if it was ended from outside.
    pub(super) fault: Option<ParserFault>,
    /// True if this request caused it, not another one before or beside it.
    pub(super) is_certain: bool,
    /// False if it never became ready.
    pub(super) was_ready: bool,
}

impl Process {
    /// Starts a process of this program with a number of threads. Results are in buffers of `buffers`.
    ///
    /// # Errors
    /// When the system refuses the process or a thread.
    pub(super) fn start(
        program: &Path,
        threads: usize,
        buffers: Arc<Buffers>,
    ) -> std::io::Result<Process> {
        let mut command = Command::new(program);
        command
            .arg(FLAG)
            .arg(threads.to_string())
            // Its allocator returns memory at once, instead of keeping it for each thread.
            .env("MIMALLOC_PURGE_DELAY", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        detach(&mut command);
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        let shared = Arc::new(Shared {
            buffers,
            child: Mutex::new(child),
            waiting: Mutex::new(Waiting { senders: BTreeMap::new(), answered: 0, end: None }),
            is_ready: AtomicBool::new(false),
        });
        let (sender, receiver) = mpsc::channel();
        if let Err(error) = start_threads(&shared, receiver, input, output) {
            shared.kill();
            let _ = lock(&shared.child).wait();
            return Err(error);
        }
        Ok(Process { input: sender, shared, next_id: AtomicU32::new(1) })
    }

    /// Returns true if it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.waiting().end.is_some()
    }

    /// Sends a text and waits for its result.
    ///
    /// # Errors
    /// When the process ends before that; it is ended when the text takes too long.
    pub(super) fn request(&self, language: &str, text: &str) -> Result<Response, End> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = mpsc::sync_channel(1);
        {
            let mut waiting = self.shared.waiting();
            if let Some(end) = waiting.end {
                return Err(End { fault: None, is_certain: false, ..end });
            }
            waiting.senders.insert(id, sender);
        }
        // If it fails, the process has ended, which the thread at its output notices.
        let buffer = self.shared.buffers.take();
        let _ = self.input.send(request_bytes(buffer, id, language, text));
        let limit = request_time(text.len());
        let (mut starting, mut waited) = (Duration::ZERO, Duration::ZERO);
        let mut before = Instant::now();
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(self.shared.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_ready = self.shared.is_ready.load(Ordering::Acquire);
            let time = if is_ready { &mut waited } else { &mut starting };
            *time += before.elapsed().min(TICK * 2);
            before = Instant::now();
            if limit < waited {
                self.shared.kill();
                let end = self.shared.ended();
                return Err(End { fault: Some(ParserFault::Time), is_certain: true, ..end });
            }
            if MAX_START < starting {
                self.shared.kill();
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The thread at its output notices that, and collects it.
        self.shared.kill();
    }
}

/// Starts the threads at the input and the output of a process. Both end with it.
fn start_threads(
    shared: &Arc<Shared>,
    messages: Receiver<Vec<u8>>,
    mut input: ChildStdin,
    output: ChildStdout,
) -> std::io::Result<()> {
    let thread = |name: &str| thread::Builder::new().name(name.to_owned());
    let buffers = Arc::clone(&shared.buffers);
    thread("parser input").spawn(move || {
        for message in messages {
            if write(&mut input, &message).is_err() {
                break;
            }
            buffers.put(message);
        }
    })?;
    let shared = Arc::clone(shared);
    thread("parser output")
        .spawn(move || shared.receive(BufReader::with_capacity(1 << 16, output)))?;
    Ok(())
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.waiting)
    }

    /// Passes responses on until the process ends.
    fn receive(&self, mut output: BufReader<ChildStdout>) {
        loop {
            match read_response(&mut output, self.buffers.take()) {
                Ok(Some(response)) if response.kind == ResponseKind::Ready => {
                    if response.result != version().as_bytes() {
                        self.kill();
                        break;
                    }
                    self.is_ready.store(true, Ordering::Release);
                }
                Ok(Some(response)) => {
                    let mut waiting = self.waiting();
                    waiting.answered += 1;
                    if let Some(sender) = waiting.senders.remove(&response.id) {
                        // The receiver may have given up.
                        let _ = sender.send(Ok(response));
                    }
                }
                Ok(None) | Err(_) => break,
            }
        }
        let status = self.wait();
        let mut waiting = self.waiting();
        let end = End {
            fault: status.ok().and_then(fault_of),
            is_certain: waiting.answered == 0 && waiting.senders.len() == 1,
            was_ready: self.is_ready.load(Ordering::Acquire),
        };
        waiting.end = Some(end);
        for sender in std::mem::take(&mut waiting.senders).into_values() {
            let _ = sender.send(Err(end));
        }
    }

    /// Waits for the end of a process that closed its output. One that does not end is ended.
    fn wait(&self) -> std::io::Result<ExitStatus> {
        let closed = Instant::now();
        while closed.elapsed() < MAX_EXIT {
            if let Some(status) = lock(&self.child).try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        lock(&self.child).wait()
    }

    /// The end of a process that is about to end.
    fn ended(&self) -> End {
        let was_ready = self.is_ready.load(Ordering::Acquire);
        End { fault: None, is_certain: false, was_ready }
    }

    /// Ends the process, if it has not ended by itself.
    fn kill(&self) {
        let mut child = lock(&self.child);
        if matches!(child.try_wait(), Ok(None)) {
            let _ = child.kill();
        }
    }
}

/// Separates a process from the terminal of this one, whose signals it would get.
fn detach(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(CREATE_NO_WINDOW);
    }
}

/// The fault that an exit status shows; `None` for a process that was ended from outside or ended by
/// itself.
fn fault_of(status: ExitStatus) -> Option<ParserFault> {
    if status.code() == Some(OUT_OF_MEMORY) {
        return Some(ParserFault::Memory);
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;

        use rustix::process::Signal;
        let crashes = [Signal::ABORT, Signal::BUS, Signal::FPE, Signal::ILL, Signal::SEGV];
        let signal = status.signal().and_then(Signal::from_named_raw)?;
        match signal {
            Signal::XCPU => Some(ParserFault::Time),
            _ if crashes.contains(&signal) => Some(ParserFault::Crashed),
            _ => None,
        }
    }
    #[cfg(not(unix))]
    {
        // The codes of exceptions have the highest bits; `abort` returns 3 in some runtimes.
        let code = status.code()?;
        (code < 0 || code == 3).then_some(ParserFault::Crashed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
