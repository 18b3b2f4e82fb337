//! A parser process: reads requests from standard input and writes responses to standard output.
//!
//! The main thread reads, and other threads parse, which share the compiled queries of the languages.
//! The process ends when its input ends, when nothing was requested for [`MAX_IDLE`], or when a text
//! ends it.

use std::{
    io::{self, BufReader},
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{self, Receiver},
    },
    thread,
    time::{Duration, Instant},
};

use lore_engine::{InProcess, ParserHost};

use super::{
    MEMORY_LIMIT, OUT_OF_MEMORY,
    buffers::Buffers,
    frames::{Request, ResponseKind, finish_response, read_request, response_head, write},
    limits, request_time, version,
};

/// Time without a request after which the process ends. It is started again when it is needed.
const MAX_IDLE: Duration = Duration::from_mins(5);

/// Bytes of stack of each thread: what the main thread of a process has on most systems.
const STACK: usize = 8 << 20;

/// Bytes of stack of a thread that only waits.
const SMALL_STACK: usize = 256 << 10;

/// Maximum size of a buffer for responses that is kept, in bytes.
const MAX_KEPT: usize = 256 << 10;

/// Maximum number of threads.
const MAX_THREADS: usize = 256;

/// State that the threads share.
struct Worker {
    requests: Mutex<Receiver<Request>>,
    /// Buffers for the texts of requests.
    buffers: Buffers,
    threads: u32,
    started: Instant,
    /// Milliseconds from the start to the last request.
    last_request: AtomicU64,
    /// Number of texts that wait or are being parsed.
    busy: AtomicUsize,
}

/// Runs the process with this many threads that parse.
pub(super) fn run(threads: usize) -> ExitCode {
    let threads = threads.clamp(1, MAX_THREADS);
    lore_engine::limit_parser_memory(MEMORY_LIMIT, || exit(OUT_OF_MEMORY));
    limits::limit_process((threads * STACK) as u64);
    let (sender, receiver) = mpsc::channel();
    let worker = Arc::new(Worker {
        requests: Mutex::new(receiver),
        buffers: Buffers::default(),
        threads: u32::try_from(threads).unwrap_or(u32::MAX),
        started: Instant::now(),
        last_request: AtomicU64::new(0),
        busy: AtomicUsize::new(0),
    });
    // A process that cannot have all of its threads is not ready.
    if start(&worker, threads).is_err() {
        return ExitCode::FAILURE;
    }
    let mut input = BufReader::with_capacity(1 << 16, io::stdin());
    while let Ok(Some(request)) = read_request(&mut input, worker.buffers.take()) {
        worker.prepare_for(&request);
        if sender.send(request).is_err() {
            break;
        }
    }
    // The process ends with this thread, though others may still parse.
    ExitCode::SUCCESS
}

/// Starts the threads, and then reports that the process is ready.
fn start(worker: &Arc<Worker>, threads: usize) -> io::Result<()> {
    let thread = |stack: usize| thread::Builder::new().stack_size(stack);
    for _ in 0..threads {
        let worker = Arc::clone(worker);
        thread(STACK).spawn(move || worker.work())?;
    }
    let idle = Arc::clone(worker);
    thread(SMALL_STACK).spawn(move || idle.end_when_idle())?;
    let mut ready = response_head(Vec::new(), 0, ResponseKind::Ready);
    ready.extend(version().bytes());
    finish_response(&mut ready);
    write(&mut io::stdout(), &ready)
}

impl Worker {
    /// Counts a request, and lets the process use the processor time that it may need.
    fn prepare_for(&self, request: &Request) {
        self.busy.fetch_add(1, Ordering::Relaxed);
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_request.store(now, Ordering::Relaxed);
        limits::extend_cpu_time(request_time(request.text.len()) * self.threads);
    }

    /// Answers requests.
    fn work(&self) {
        let mut response = Vec::new();
        loop {
            let request = {
                let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
                requests.recv()
            };
            // The main thread has ended, and the process ends.
            let Ok(request) = request else { return };
            response = respond(&request, response);
            if write(&mut io::stdout().lock(), &response).is_err() {
                exit(0);
            }
            response.clear();
            response.shrink_to(MAX_KEPT);
            self.buffers.put(request.text.into_bytes());
            self.busy.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Ends the process when there was no request for a long time.
    fn end_when_idle(&self) {
        loop {
            let last = Duration::from_millis(self.last_request.load(Ordering::Relaxed));
            let idle = self.started.elapsed().saturating_sub(last);
            match MAX_IDLE.checked_sub(idle) {
                Some(rest) if !rest.is_zero() => thread::sleep(rest),
                _ if 0 < self.busy.load(Ordering::Relaxed) => thread::sleep(MAX_IDLE),
                _ => exit(0),
            }
        }
    }
}

/// Parses the text of a request and returns the bytes of the response, in an empty buffer.
fn respond(request: &Request, buffer: Vec<u8>) -> Vec<u8> {
    let Request { id, language, text } = request;
    if lore_engine::needs_preparation(language) {
        // The query is compiled while the text is parsed.
        let language = language.clone();
        // Without this thread, it is compiled afterwards.
        let _ = thread::Builder::new().spawn(move || lore_engine::prepare_language(&language));
    }
    let mut response = match InProcess.parse(language, text) {
        Ok(Some(parsed)) => parsed.encode(response_head(buffer, *id, ResponseKind::Parsed)),
        Ok(None) => response_head(buffer, *id, ResponseKind::GaveUp),
        Err(_) => response_head(buffer, *id, ResponseKind::Panicked),
    };
    finish_response(&mut response);
    response
}

#[expect(clippy::exit, reason = "other threads may be inside a parser, which cannot be stopped")]
fn exit(code: i32) -> ! {
    std::process::exit(code)
}
