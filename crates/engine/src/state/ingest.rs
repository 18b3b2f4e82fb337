//! Ingest: brings the index of one source up to date with the tree.
//!
//! [`update`] takes these steps. A search and `lore index` take the same ones. Only the store that
//! they write to differs: an overlay in memory, or the index on disk.
//!
//! 1. **Scan.** [`Source::scan`] compares every unit with the stamp in the index and emits a
//!    [`lore_schema::Change`] per unit. An unchanged unit is only counted.
//! 2. **Apply.** [`Tally::apply`] counts the change, deletes units and collects new stamps. A unit
//!    that has to be written becomes a [`Job`]; one with an earlier content is restored. The first
//!    difference opens the writer ([`LazyWriter`]): most searches find none.
//! 3. **Admit.** [`Dispatcher::send`] checks the limits and queues the job. Near a limit, jobs are
//!    postponed or the update is abandoned.
//! 4. **Index.** [`Workers`] chunk, embed and analyse the documents of a job and write the unit. A
//!    content that the index has under another name is not parsed again ([`known_chunks`]).
//! 5. **Delete.** After a complete scan, units that were not reported are deleted
//!    ([`Tally::delete_unreported`]).
//! 6. **Restamp.** New stamps of unchanged units are written ([`Tally::write_stamps`]).
//! 7. **Commit.** [`commit`] publishes data, stamps and the source's cursor at once. In a long update,
//!    [`Parts`] commits what is written so far every few seconds.

mod tally;

use std::{
    cell::Cell,
    collections::{BTreeSet, HashSet},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::Scope,
    time::Duration,
};

use lore_index::{IndexError, Reader, Store, UnitUpdate, Writer};
use lore_schema::{Document, TextOrigin};
use lore_sources::{Scan, Source, Tree, Workload};

use self::tally::{Job, LazyWriter, Tally};
pub(crate) use self::tally::{Outcome, UpdateResult};
use crate::{
    Embedding, EngineConfig, EngineError, Phase, Progress,
    state::{
        analyze::analyze,
        chunking::chunk_document,
        embedding::vectors_of,
        known_units::KnownUnits,
        limits::{Admission, Limits, ResourceMonitor, format_bytes},
        parts::{self, Parts},
        reuse::known_chunks,
        workload::{SourceProgress, Totals},
    },
};

/// Maximum number of queued jobs for each worker: enough to keep it busy, few enough to bound memory.
const QUEUE_PER_WORKER: usize = 4;

/// Options of an update.
pub(crate) struct UpdateOptions<'a> {
    pub(crate) limits: Limits,
    /// If nothing else changed, up to this many new stamps are not written.
    pub(crate) max_unwritten_stamps: u64,
    /// Time between commits of parts; `None` to commit everything at the end.
    pub(crate) interval: Option<Duration>,
    /// Units that the sources have to read, for the progress.
    pub(crate) totals: Option<&'a Totals<'a>>,
    /// Folder of all indexes of the tree; `None` if they are kept in memory.
    pub(crate) folder: Option<&'a Path>,
    /// Returns the size of that folder, in bytes.
    pub(crate) size: &'a (dyn Fn() -> u64 + Sync),
    /// The paths of the files that may differ from the index; `None` if any may.
    pub(crate) only: Option<&'a BTreeSet<&'a str>>,
    /// True for a run that exists to write the index: it ends at once if another process does that, instead
    /// of collecting what is pending, and removes what a killed writer left.
    pub(crate) writes_anyway: bool,
    /// True for an index that was made on another machine: only contents are compared, and nothing is
    /// left in its files of what the tree does not have.
    pub(crate) is_import: bool,
}

/// Brings the index of one source up to date with the tree. The module documentation lists the steps.
pub(crate) fn update(
    source: &dyn Source,
    tree: &Tree,
    store: &dyn Store,
    reader: &dyn Reader,
    config: &EngineConfig,
    options: &UpdateOptions<'_>,
    progress: &dyn Progress,
) -> Result<UpdateResult, EngineError> {
    // Declared before the workers that borrow it; opened by the first difference.
    let writer: OnceLock<Box<dyn Writer>> = OnceLock::new();
    let mut lazy_writer = LazyWriter::new(store, reader, &writer);
    if options.is_import {
        lazy_writer.open();
        if let Some(writer) = writer.get() {
            writer.purge();
        }
    }
    let unrestored = Cell::default();
    let mut tally = Tally::new(&unrestored);
    let monitor = ResourceMonitor::new(options.limits, options.size);
    let mut reported = SourceProgress::new(source.name(), tree, config, options.totals, progress);
    let (sender, receiver) = sync_channel(config.threads.max(1) * QUEUE_PER_WORKER);
    let workers = Workers::new(config, &monitor, &writer, reader, receiver);
    let mut parts = Parts::start(options.interval, reader);
    let mut is_stopped = false;
    let (scan, postponed) = std::thread::scope(|scope| {
        let mut dispatcher = Dispatcher::new(scope, &workers, sender);
        let mut apply = |change| {
            reported.count(&change);
            if let Some(mut job) = tally.apply(change, &mut lazy_writer) {
                job.size = reported.size_of(&job.name, text_bytes(&job.documents));
                match dispatcher.send(job) {
                    Admission::Admit => {}
                    Admission::Postpone => {
                        tally.written -= 1;
                        return ControlFlow::Continue(());
                    }
                    Admission::Abandon => {
                        lazy_writer.blocked = Some(disk_limit_error(config, options.folder));
                        return ControlFlow::Break(());
                    }
                }
            }
            if options.writes_anyway
                && lazy_writer.blocked.as_ref().is_some_and(IndexError::is_concurrent)
            {
                return ControlFlow::Break(());
            }
            if let Err(error) = parts.commit_if_due(&writer, tally.written) {
                lazy_writer.blocked = Some(error);
                return ControlFlow::Break(());
            }
            is_stopped = progress.is_stopped();
            if is_stopped {
                return ControlFlow::Break(());
            }
            progress.advance(source.name(), workers.done(), tally.written);
            reported.report(workers.finished());
            ControlFlow::Continue(())
        };
        let known =
            if options.is_import { KnownUnits::imported(reader) } else { KnownUnits::of(reader) };
        let mut scan = match options.only {
            Some(paths) => source.scan_at(tree, &known, paths, &mut apply),
            None => source.scan(tree, &known, &mut apply),
        };
        let unrestored = unrestored.take();
        if scan.is_ok() && !unrestored.is_empty() {
            let paths = unrestored.iter().map(String::as_str).collect();
            let known = KnownUnits::without_restoring(reader);
            let again = source.scan_at(tree, &known, &paths, &mut apply);
            scan = again.and(scan);
        }
        // Dropping the sender ends the workers; the scope waits for them.
        (scan, dispatcher.postponed)
    });
    if is_stopped || progress.is_stopped() {
        // What cannot be written is lost; the error states what is kept.
        let _ = parts.commit(&writer);
        drop(writer);
        return Err(parts::interrupted(config, options.folder, tree));
    }
    let scan = scan?;
    let finished = workers.finished();
    let bytes = workers.bytes.load(Ordering::Relaxed);
    let faults = workers.faults.load(Ordering::Relaxed);
    lazy_writer.blocked = lazy_writer.blocked.or(workers.finish());
    let report = match scan {
        Scan::Complete(report) => {
            tally.delete_unreported(&mut lazy_writer);
            report
        }
        Scan::Delta(report) => report,
    };
    tally.write_stamps(options.max_unwritten_stamps, &mut lazy_writer);
    if options.writes_anyway && lazy_writer.blocked.is_none() && reader.has_leftovers() {
        // A writer removes what a killed one left. They are the files of a running one if this fails.
        lazy_writer.open();
        lazy_writer.blocked = None;
    }
    if reader.is_partial() && lazy_writer.blocked.is_none() {
        // The commit completes the first index, even if nothing is left to read.
        lazy_writer.open();
    }
    progress.advance(source.name(), finished.units, tally.written);
    reported.finish(finished);
    if tally.written > 0 {
        progress.phase(Phase::Write(source.name()));
    }
    // With its cursor, the source would not report the postponed units again.
    let cursor = if postponed.is_empty() { report.cursor.as_str() } else { "" };
    let LazyWriter { blocked, pending, .. } = lazy_writer;
    let outcome = commit(writer.into_inner(), blocked, pending, cursor);
    let degradations = monitor.degradations();
    Ok(UpdateResult { faults, postponed, degradations, ..tally.finish(outcome, report, bytes) })
}

/// Commits the changes, unless they are blocked or there are none.
fn commit(
    writer: Option<Box<dyn Writer>>,
    blocked: Option<IndexError>,
    pending: HashSet<String>,
    cursor: &str,
) -> Outcome {
    match (blocked, writer) {
        (Some(error), _) => Outcome::Blocked(error, pending),
        (None, Some(writer)) => match writer.commit(cursor) {
            Ok(()) => Outcome::Committed,
            Err(error) => Outcome::Blocked(error, pending),
        },
        (None, None) => Outcome::Unchanged,
    }
}

/// The state that the worker threads share.
struct Workers<'a> {
    config: &'a EngineConfig,
    monitor: &'a ResourceMonitor<'a>,
    writer: &'a OnceLock<Box<dyn Writer>>,
    /// The index before the update.
    reader: &'a dyn Reader,
    receiver: Mutex<Receiver<Job>>,
    /// Number of jobs that are done, and the bytes of their files.
    done: AtomicU64,
    done_bytes: AtomicU64,
    /// Bytes of text of the jobs that were taken.
    bytes: AtomicU64,
    /// Number of documents that ended their parser.
    faults: AtomicU64,
    /// The first error of a worker.
    failure: Mutex<Option<IndexError>>,
}

impl<'a> Workers<'a> {
    fn new(
        config: &'a EngineConfig,
        monitor: &'a ResourceMonitor<'a>,
        writer: &'a OnceLock<Box<dyn Writer>>,
        reader: &'a dyn Reader,
        receiver: Receiver<Job>,
    ) -> Workers<'a> {
        Workers {
            config,
            monitor,
            writer,
            reader,
            receiver: Mutex::new(receiver),
            done: AtomicU64::new(0),
            done_bytes: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            faults: AtomicU64::new(0),
            failure: Mutex::new(None),
        }
    }

    /// Works on jobs until the sender is dropped.
    fn run(&self) {
        loop {
            let next = self.receiver.lock().expect("no worker panics while it takes a job").recv();
            let (Ok(job), Some(writer)) = (next, self.writer.get()) else { break };
            self.bytes.fetch_add(text_bytes(&job.documents), Ordering::Relaxed);
            let embedding =
                if self.monitor.may_embed() { &self.config.embedding } else { &Embedding::Off };
            let size = job.size;
            if let Err(error) = self.write_unit(job, writer.as_ref(), embedding) {
                let mut failure = self.failure.lock().expect("no worker panics while it fails");
                failure.get_or_insert(error);
            }
            self.done.fetch_add(1, Ordering::Relaxed);
            self.done_bytes.fetch_add(size, Ordering::Relaxed);
        }
    }

    /// Indexes the documents of a job and writes the unit.
    fn write_unit(
        &self,
        job: Job,
        writer: &dyn Writer,
        embedding: &Embedding,
    ) -> Result<(), IndexError> {
        let Job { name, stamp, documents, skipped, .. } = job;
        // The hash of a unit is that of its only document.
        let content = (documents.len() == 1).then_some(stamp.content);
        let index = |document: Document| {
            let known = content.and_then(|content| known_chunks(self.reader, &document, content));
            let cut = known.unwrap_or_else(|| chunk_document(&document, &self.config.parsers));
            self.faults.fetch_add(u64::from(cut.fault.is_some()), Ordering::Relaxed);
            let vectors = vectors_of(&document, &cut.chunked, cut.category, embedding);
            analyze(document, cut, vectors, self.config.backend.stores_texts())
        };
        let documents = documents.into_iter().map(index).collect();
        writer.replace(UnitUpdate { name, stamp, skipped, documents })
    }

    fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Returns the number of jobs that are done, and the bytes of their files.
    fn finished(&self) -> Workload {
        Workload { units: self.done(), bytes: self.done_bytes.load(Ordering::Relaxed) }
    }

    /// Returns the first error.
    fn finish(self) -> Option<IndexError> {
        self.failure.into_inner().expect("workers are done")
    }
}

/// Sends jobs to the workers within the limits, and starts the workers with the first job.
struct Dispatcher<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    workers: &'scope Workers<'scope>,
    sender: SyncSender<Job>,
    /// Number of jobs sent, and the bytes of their texts.
    sent: u64,
    sent_bytes: u64,
    /// Units that were not sent.
    postponed: HashSet<String>,
    is_started: bool,
}

impl<'scope, 'env> Dispatcher<'scope, 'env> {
    fn new(
        scope: &'scope Scope<'scope, 'env>,
        workers: &'scope Workers<'scope>,
        sender: SyncSender<Job>,
    ) -> Dispatcher<'scope, 'env> {
        Dispatcher {
            scope,
            workers,
            sender,
            sent: 0,
            sent_bytes: 0,
            postponed: HashSet::new(),
            is_started: false,
        }
    }

    /// Sends a job if the limits allow it.
    fn send(&mut self, job: Job) -> Admission {
        let text = text_bytes(&job.documents);
        let waiting = || self.sent - self.workers.done();
        // After the first postponed unit, all others are postponed.
        let admission = if self.postponed.is_empty() {
            self.workers.monitor.admit(text, self.sent, self.sent_bytes, &waiting)
        } else {
            Admission::Postpone
        };
        match admission {
            Admission::Admit => {
                self.sent += 1;
                self.sent_bytes += text;
                if !std::mem::replace(&mut self.is_started, true) {
                    self.start_workers(&job);
                }
                self.sender.send(job).expect("the receiver outlives the scan");
            }
            Admission::Postpone => drop(self.postponed.insert(job.name)),
            Admission::Abandon => {}
        }
        admission
    }

    /// Starts the worker threads. After an edit there is a single file, which one worker parses:
    /// meanwhile another compiles the queries of its language.
    fn start_workers(&self, first: &Job) {
        let is_file = |document: &&Document| document.origin == TextOrigin::File;
        let first = first.documents.first().filter(is_file);
        let mut path = first.map(|document| document.path.clone());
        let workers = self.workers;
        self.scope.spawn(move || workers.run());
        for _ in 1..workers.config.threads {
            let path = path.take();
            self.scope.spawn(move || {
                if let Some(path) = path {
                    workers.config.parsers.host().prepare(&path);
                }
                workers.run();
            });
        }
    }
}

/// The error for an index that has no room on the disk.
fn disk_limit_error(config: &EngineConfig, folder: Option<&Path>) -> IndexError {
    let limit = format_bytes(config.limits.disk.unwrap_or(0));
    let reason = format!(
        "it would exceed `limits.disk` ({limit}); `lore config limits.disk` shows who set \
         that"
    );
    IndexError::Unwritable { path: folder.map(PathBuf::from).unwrap_or_default(), reason }
}

fn text_bytes(documents: &[Document]) -> u64 {
    documents.iter().map(|document| document.text.len() as u64).sum()
}
