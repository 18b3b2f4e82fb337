//! The path of a document: source, chunks, terms, index.
//!
//! A search and an index run take the same path; only the place that they write to differs.

use std::{
    collections::HashSet,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc::sync_channel,
    },
};

use lore_index::{IndexError, IndexedDocument, Reader, Store, UnitUpdate, Writer};
use lore_schema::{Category, Change, Chunked, Document, Outline, SkipCounts, Stamp, TextOrigin};
use lore_sources::{IndexState, Scan, ScanReport, Source, SourceError, Tree};

use crate::{
    Embedding, EngineConfig, EngineError, Progress,
    state::{
        analyze::analyze,
        embedding::vectors_of,
        limits::{Concession, Demand, Guard, Limits, in_words},
    },
};

/// How an update of one source ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing differed: the reader that was compared is the state of the disk.
    Unchanged,
    /// Everything that differed is committed: a new reader sees it.
    Committed,
    /// The index could not be written, for this reason; these units differ from it.
    Blocked(IndexError, HashSet<String>),
}

/// What an update of one source did.
#[derive(Debug)]
pub(crate) struct Updated {
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// What the source said at the end of its scan.
    pub(crate) report: ScanReport,
    /// Units that were written.
    pub(crate) written: u64,
    /// Units that were deleted.
    pub(crate) deleted: u64,
    /// Units that were as they had been.
    pub(crate) unchanged: u64,
    /// Bytes of text that were analysed.
    pub(crate) bytes: u64,
    /// Documents that were written, units that were deleted and stamps that were noted.
    pub(crate) changes: u64,
    /// Units that were left for a later run, to stay within the limits.
    pub(crate) left: HashSet<String>,
    /// What gave way to the limits.
    pub(crate) concessions: Vec<Concession>,
}

/// What a reader knows, in the words of sources.
struct KnownUnits<'a>(&'a dyn Reader);

impl IndexState for KnownUnits<'_> {
    fn stamp(&self, unit: &str) -> Option<Stamp> {
        self.0.stamp(unit)
    }

    fn cursor(&self) -> Option<&str> {
        self.0.cursor()
    }
}

/// A unit on its way to the index.
struct Job {
    name: String,
    stamp: Stamp,
    documents: Vec<Document>,
    skipped: SkipCounts,
}

/// Units that wait for a worker, for each worker: enough to keep it busy, few enough to bound
/// memory.
const QUEUE_PER_WORKER: usize = 4;

/// How far an update may go.
pub(crate) struct Bounds<'a> {
    /// What it may use.
    pub(crate) limits: Limits,
    /// So many new stamps are not noted, where nothing else changed.
    pub(crate) few_stamps: u64,
    /// Folder of all indexes of the tree; `None` if they are kept in memory.
    pub(crate) folder: Option<&'a Path>,
    /// Returns the size of that folder, in bytes.
    pub(crate) size: &'a (dyn Fn() -> u64 + Sync),
}

/// Brings the index of one source up to date with the tree.
pub(crate) fn update(
    source: &dyn Source,
    tree: &Tree,
    store: &dyn Store,
    reader: &dyn Reader,
    config: &EngineConfig,
    bounds: &Bounds<'_>,
    progress: &dyn Progress,
) -> Result<Updated, EngineError> {
    let threads = config.threads;
    // Declared before the workers that borrow it; filled by the first difference.
    let writer: OnceLock<Box<dyn Writer>> = OnceLock::new();
    let mut gate = Gate { store, reader, writer: &writer, blocked: None, pending: HashSet::new() };
    let mut tally = Tally::default();
    let guard = Guard::new(bounds.limits, bounds.size);
    let mut left = HashSet::new();
    let (mut sent, mut sent_bytes) = (0, 0);
    let done = AtomicU64::new(0);
    let bytes = AtomicU64::new(0);
    let failure: Mutex<Option<IndexError>> = Mutex::new(None);
    let (sender, receiver) = sync_channel::<Job>(threads.max(1) * QUEUE_PER_WORKER);
    let receiver = Mutex::new(receiver);
    let work = || {
        loop {
            let next = receiver.lock().expect("no worker panics while it takes a job").recv();
            let (Ok(job), Some(writer)) = (next, writer.get()) else { break };
            bytes.fetch_add(text_bytes(&job.documents), Ordering::Relaxed);
            let embedding = if guard.embeds() { &config.embedding } else { &Embedding::Off };
            if let Err(error) = write(job, writer.as_ref(), embedding) {
                failure.lock().expect("no worker panics while it fails").get_or_insert(error);
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    let scan = std::thread::scope(|scope| -> Result<Scan, SourceError> {
        let mut is_working = false;
        let sender = sender;
        let scan = source.scan(tree, &KnownUnits(reader), &mut |change| {
            if let Some(job) = tally.take(change, &mut gate) {
                let text = text_bytes(&job.documents);
                let waiting = || sent - done.load(Ordering::Relaxed);
                // Who has stopped leaves all of the rest.
                let demand = if left.is_empty() {
                    guard.admit(text, sent, sent_bytes, &waiting)
                } else {
                    Demand::Stop
                };
                match demand {
                    Demand::Nothing => {}
                    Demand::Stop => {
                        tally.written -= 1;
                        left.insert(job.name);
                        return ControlFlow::Continue(());
                    }
                    Demand::Abandon => {
                        gate.blocked = Some(no_room(config, bounds.folder));
                        return ControlFlow::Break(());
                    }
                }
                sent += 1;
                sent_bytes += text;
                // Most searches find nothing to do: workers start with the first job.
                if !std::mem::replace(&mut is_working, true) {
                    // After an edit there is one file, which one worker parses: meanwhile another one
                    // compiles what it needs then.
                    let file = |one: &&Document| one.origin == TextOrigin::File;
                    let mut first = job.documents.first().filter(file).map(|one| one.path.clone());
                    scope.spawn(work);
                    for _ in 1..threads {
                        let path = first.take();
                        scope.spawn(move || {
                            if let Some(path) = path {
                                lore_syntax::prepare(&path);
                            }
                            work();
                        });
                    }
                }
                if sender.send(job).is_err() {
                    return ControlFlow::Break(());
                }
            }
            progress.advance(source.name(), done.load(Ordering::Relaxed), tally.written);
            ControlFlow::Continue(())
        });
        drop(sender);
        scan
    })?;
    let failure = failure.into_inner().expect("workers are done");
    gate.blocked = gate.blocked.or(failure);
    let report = match scan {
        Scan::Complete(report) => {
            // What was not reported is gone.
            if tally.known < reader.unit_count() {
                let seen = std::mem::take(&mut tally.seen).together();
                for unit in reader.units() {
                    if !seen.contains(unit) {
                        tally.delete(unit, &mut gate);
                    }
                }
            }
            report
        }
        Scan::Delta(report) => report,
    };
    tally.note_stamps(bounds.few_stamps, &mut gate);
    progress.advance(source.name(), done.into_inner(), tally.written);
    let (blocked, pending) = (gate.blocked, gate.pending);
    let outcome = match (blocked, writer.into_inner()) {
        (Some(error), _) => Outcome::Blocked(error, pending),
        // With the place that a source has come to, it would not tell again of what is left.
        (None, Some(writer)) => {
            match writer.commit(if left.is_empty() { &report.cursor } else { "" }) {
                Ok(()) => Outcome::Committed,
                Err(error) => Outcome::Blocked(error, pending),
            }
        }
        (None, None) => Outcome::Unchanged,
    };
    let concessions = guard.told();
    Ok(Updated { left, concessions, ..tally.finish(outcome, report, bytes.into_inner()) })
}

/// Opens the writer when the first difference comes, and remembers why it could not.
struct Gate<'a> {
    store: &'a dyn Store,
    reader: &'a dyn Reader,
    writer: &'a OnceLock<Box<dyn Writer>>,
    blocked: Option<IndexError>,
    pending: HashSet<String>,
}

impl Gate<'_> {
    /// The writer, or `None` when this unit has to wait.
    fn writer(&mut self, unit: &str) -> Option<&dyn Writer> {
        if self.writer.get().is_none() && self.blocked.is_none() {
            match self.store.writer(self.reader.version()) {
                Ok(writer) => drop(self.writer.set(writer)),
                Err(error) => self.blocked = Some(error),
            }
        }
        if self.writer.get().is_none() {
            self.pending.insert(unit.to_owned());
        }
        self.writer.get().map(AsRef::as_ref)
    }
}

/// Names of units that were reported: noted at every search, and looked up by those alone that miss
/// some.
#[derive(Default)]
struct Seen(Vec<String>);

impl Seen {
    fn insert(&mut self, unit: String) {
        self.0.push(unit);
    }

    fn together(self) -> HashSet<String> {
        self.0.into_iter().collect()
    }
}

/// Counts what passes.
#[derive(Default)]
struct Tally {
    seen: Seen,
    /// New stamps of units that are as they had been.
    stamps: Vec<(String, Stamp)>,
    /// Reported units that the index has already.
    known: u64,
    written: u64,
    deleted: u64,
    unchanged: u64,
    /// Documents that were written, units that were deleted and stamps that were noted.
    changes: u64,
}

impl Tally {
    /// Counts a change and does it, unless it is work for a worker.
    fn take(&mut self, change: Change, gate: &mut Gate<'_>) -> Option<Job> {
        match change {
            Change::Unchanged(unit) => {
                self.unchanged += 1;
                self.known += 1;
                self.seen.insert(unit.name);
                None
            }
            Change::Restamp { unit, stamp } => {
                self.unchanged += 1;
                self.known += 1;
                self.seen.insert(unit.name.clone());
                self.stamps.push((unit.name, stamp));
                None
            }
            Change::Replace { unit, stamp, documents, skipped } => {
                self.known += u64::from(gate.reader.stamp(&unit.name).is_some());
                self.written += 1;
                self.changes += documents.len().max(1) as u64;
                self.seen.insert(unit.name.clone());
                gate.writer(&unit.name)?;
                Some(Job { name: unit.name, stamp, documents, skipped })
            }
            Change::Delete(unit) => {
                self.known += u64::from(gate.reader.stamp(&unit.name).is_some());
                self.delete(&unit.name, gate);
                self.seen.insert(unit.name);
                None
            }
        }
    }

    fn delete(&mut self, unit: &str, gate: &mut Gate<'_>) {
        self.deleted += 1;
        self.changes += 1;
        if let Some(Err(error)) = gate.writer(unit).map(|writer| writer.delete(unit)) {
            gate.blocked.get_or_insert(error);
        }
    }

    /// Notes the stamps of what was compared by content, if something else is written or they are not
    /// few. The others are compared again.
    fn note_stamps(&mut self, few: u64, gate: &mut Gate<'_>) {
        let stamps = std::mem::take(&mut self.stamps);
        if gate.writer.get().is_none() && stamps.len() as u64 <= few {
            return;
        }
        for (unit, stamp) in stamps {
            self.changes += 1;
            let noted = gate.writer(&unit).map(|writer| writer.restamp(&unit, stamp));
            if let Some(Err(error)) = noted {
                gate.blocked.get_or_insert(error);
            }
            // What could not be noted is as it had been all the same.
            gate.pending.remove(&unit);
        }
    }

    fn finish(self, outcome: Outcome, report: ScanReport, bytes: u64) -> Updated {
        Updated {
            outcome,
            report,
            written: self.written,
            deleted: self.deleted,
            unchanged: self.unchanged,
            bytes,
            changes: self.changes,
            left: HashSet::new(),
            concessions: Vec::new(),
        }
    }
}

/// Why an index is not kept.
fn no_room(config: &EngineConfig, folder: Option<&Path>) -> IndexError {
    let limit = in_words(config.limits.disk.unwrap_or(0));
    let reason = format!(
        "it would take more than `limits.disk` allows ({limit}); `lore config limits.disk` says who set \
         that"
    );
    IndexError::Unwritable { path: folder.map(PathBuf::from).unwrap_or_default(), reason }
}

fn text_bytes(documents: &[Document]) -> u64 {
    documents.iter().map(|document| document.text.len() as u64).sum()
}

fn write(job: Job, writer: &dyn Writer, embedding: &Embedding) -> Result<(), IndexError> {
    let documents = job.documents.into_iter().map(|document| digest(document, embedding)).collect();
    writer.replace(UnitUpdate { name: job.name, stamp: job.stamp, skipped: job.skipped, documents })
}

/// Chunks, embeds and analyses one document.
fn digest(document: Document, embedding: &Embedding) -> IndexedDocument {
    let (chunked, category) = cut(&document);
    let vectors = vectors_of(&document, &chunked, category, embedding);
    analyze(document, chunked, category, vectors)
}

/// Chunks one document, and says what its file is. A parser that panics costs the document its
/// chunks, never the run.
pub(crate) fn cut(document: &Document) -> (Chunked, Category) {
    // A record of a store is the repository's own, whatever file holds it.
    let category = match document.origin {
        TextOrigin::File => lore_syntax::categorize(&document.path, &document.text),
        TextOrigin::Composed => Category::Own,
    };
    let chunked =
        catch_unwind(AssertUnwindSafe(|| lore_syntax::chunk(document))).unwrap_or(Chunked {
            language: None,
            chunks: Vec::new(),
            outline: Outline::default(),
            fell_back: true,
        });
    (chunked, category)
}
