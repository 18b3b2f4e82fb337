//! Runs a search over all files, on several threads, with the output in the order of the files.

use std::{
    io::{self, Write as _},
    mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use grep_printer::Stats;
use termcolor::BufferWriter;

use crate::{
    builders,
    files::{self, SearchedFile},
    flags::SearchMode,
    messages::Messages,
    options::Options,
    output::OrderedWriter,
    parse::UsageError,
    ranked::{self, Ranker},
    totals,
    worker::Worker,
};

/// Runs the search. Returns true if a file matched.
///
/// # Errors
/// If the pattern is not valid.
pub(crate) fn run(
    options: &Options,
    mode: SearchMode,
    messages: &Messages,
    ranker: &mut Ranker<'_>,
) -> Result<bool, UsageError> {
    let started = Instant::now();
    let matcher = builders::matcher(options)?;
    let files = files::list(options, messages);
    if options.flags.ranked {
        let head = ranked::head(options, &matcher, &files, ranker);
        if io::stdout().lock().write_all(&head).is_err() {
            return Ok(false);
        }
    }
    let run = Run {
        options,
        files: &files,
        messages,
        next: AtomicUsize::new(0),
        matched: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
        stats: Mutex::new(Stats::new()),
    };
    let mut finish = None;
    if options.threads == 1 {
        let choice = options.color;
        let output = if options.line_buffered {
            grep_cli::stdout_buffered_line(choice)
        } else {
            grep_cli::stdout_buffered_block(choice)
        };
        run.stream(&mut Worker::new(options, matcher, mode, true, output));
    } else {
        let mut writer = BufferWriter::stdout(options.color);
        writer.separator(options.file_separator.clone());
        let output = OrderedWriter::new(writer);
        let worker = Worker::new(options, matcher, mode, false, output.buffer());
        let count = options.threads.min(files.len()).max(1);
        thread::scope(|scope| {
            for _ in 1..count {
                let mut worker = worker.clone();
                let (run, output) = (&run, &output);
                scope.spawn(move || run.work(&mut worker, output));
            }
            run.work(&mut worker.clone(), &output);
        });
        finish = Some(output);
    }
    if options.paths.is_implicit && files.is_empty() {
        messages.error(
            "no files were searched; the ignore rules or a filter probably excluded them, and \
             `lore rg --files` lists what is searched",
        );
    }
    if options.has_stats {
        let stats = run.stats.into_inner().unwrap_or_else(PoisonError::into_inner);
        let text = totals::text(mode, &stats, started.elapsed());
        // The reader of the output may be gone.
        let _ = match finish {
            Some(output) => output.finish(text.as_bytes()),
            None => io::stdout().lock().write_all(text.as_bytes()),
        };
    }
    Ok(run.matched.into_inner())
}

/// The state that the threads of a search share.
struct Run<'a> {
    options: &'a Options,
    files: &'a [SearchedFile],
    messages: &'a Messages,
    /// Position of the next file to search.
    next: AtomicUsize,
    matched: AtomicBool,
    /// No further file is searched: a match was enough, or the output is closed.
    is_over: AtomicBool,
    stats: Mutex<Stats>,
}

impl Run<'_> {
    /// Searches files until none is left, each with an output of its own.
    fn work(&self, worker: &mut Worker<termcolor::Buffer>, output: &OrderedWriter) {
        loop {
            let position = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = self.files.get(position) else { return };
            // A position that is not put would keep the other threads waiting.
            if !self.is_over.load(Ordering::Relaxed) {
                self.search(worker, file);
            }
            let written = if worker.output().is_empty() {
                output.put(position, None)
            } else {
                let text = mem::replace(worker.output(), output.buffer());
                output.put(position, Some(text))
            };
            if let Err(error) = written {
                self.stop(file, &error);
            }
        }
    }

    /// Searches all files in order, and writes the output as it is found.
    fn stream(&self, worker: &mut Worker<grep_cli::StandardStream>) {
        for file in self.files {
            if self.is_over.load(Ordering::Relaxed) {
                break;
            }
            self.search(worker, file);
        }
        if let Some(file) = self.files.last()
            && let Err(error) = worker.output().flush()
        {
            self.stop(file, &error);
        }
    }

    fn search<W: termcolor::WriteColor>(&self, worker: &mut Worker<W>, file: &SearchedFile) {
        let outcome = match worker.search(file) {
            Ok(outcome) => outcome,
            Err(error) => return self.stop_if_closed(file, &error),
        };
        if outcome.has_match {
            self.matched.store(true, Ordering::Relaxed);
            if self.options.quits_after_match {
                self.is_over.store(true, Ordering::Relaxed);
            }
        }
        if let Some(stats) = outcome.stats {
            *self.stats.lock().unwrap_or_else(PoisonError::into_inner) += stats;
        }
    }

    /// Reports an error of one file; ends the search if the reader of the output is gone.
    fn stop_if_closed(&self, file: &SearchedFile, error: &io::Error) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            self.is_over.store(true, Ordering::Relaxed);
        } else {
            self.messages.error(format_args!("{}: {error}", file.path.display()));
        }
    }

    /// Ends the search after an error of the output.
    fn stop(&self, file: &SearchedFile, error: &io::Error) {
        self.is_over.store(true, Ordering::Relaxed);
        self.stop_if_closed(file, error);
    }
}
