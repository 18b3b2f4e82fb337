//! Changes of a scan: counts them, and applies what needs no worker to a writer that the first difference
//! opens. The counts become the result of the update.

use std::{cell::Cell, collections::HashSet, sync::OnceLock};

use lore_index::{IndexError, Reader, Store, Writer};
use lore_schema::{Change, Document, SkipCounts, Stamp};
use lore_sources::ScanReport;

use crate::state::limits::Degradation;

/// Outcome of an update of one source.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing differed: the reader that was compared is the state of the disk.
    Unchanged,
    /// Every difference is committed: a new reader contains it.
    Committed,
    /// The index could not be written, for this reason; these units differ from it.
    Blocked(IndexError, HashSet<String>),
}

/// Result of an update of one source.
#[derive(Debug)]
pub(crate) struct UpdateResult {
    pub(crate) outcome: Outcome,
    /// Report of the source at the end of its scan.
    pub(crate) report: ScanReport,
    /// Number of units that were written or restored.
    pub(crate) written: u64,
    /// Number of units that were deleted.
    pub(crate) deleted: u64,
    /// Number of units that did not change.
    pub(crate) unchanged: u64,
    /// Bytes of text that were analysed.
    pub(crate) bytes: u64,
    /// Number of documents that ended their parser.
    pub(crate) faults: u64,
    /// Number of documents written, units deleted and stamps written.
    pub(crate) changes: u64,
    /// Units that were postponed to a later run to stay within the limits.
    pub(crate) postponed: HashSet<String>,
    /// Parts of the work that were reduced to stay within the limits.
    pub(crate) degradations: Vec<Degradation>,
}

/// A unit that has to be indexed and written.
pub(super) struct Job {
    pub(super) name: String,
    pub(super) stamp: Stamp,
    pub(super) documents: Vec<Document>,
    pub(super) skipped: SkipCounts,
    /// Bytes of its files.
    pub(super) size: u64,
}

/// A writer that is opened by the first difference.
pub(super) struct LazyWriter<'a> {
    store: &'a dyn Store,
    reader: &'a dyn Reader,
    writer: &'a OnceLock<Box<dyn Writer>>,
    /// The reason why the index cannot be written.
    pub(super) blocked: Option<IndexError>,
    /// Units that could not be written for that reason.
    pub(super) pending: HashSet<String>,
}

impl<'a> LazyWriter<'a> {
    pub(super) fn new(
        store: &'a dyn Store,
        reader: &'a dyn Reader,
        writer: &'a OnceLock<Box<dyn Writer>>,
    ) -> LazyWriter<'a> {
        LazyWriter { store, reader, writer, blocked: None, pending: HashSet::new() }
    }

    /// Returns the writer, opened on the first call; if it cannot be opened, notes the unit as pending.
    fn open_for(&mut self, unit: &str) -> Option<&dyn Writer> {
        self.open();
        if self.writer.get().is_none() {
            self.pending.insert(unit.to_owned());
        }
        self.writer.get().map(AsRef::as_ref)
    }

    /// Opens the writer, unless it is open or the index cannot be written.
    pub(super) fn open(&mut self) {
        if self.writer.get().is_none() && self.blocked.is_none() {
            match self.store.writer(self.reader.version()) {
                Ok(writer) => drop(self.writer.set(writer)),
                Err(error) => self.blocked = Some(error),
            }
        }
    }
}

/// Counts of the changes of a scan.
pub(super) struct Tally<'a> {
    /// Units that could not be restored after all, and have to be read.
    unrestored: &'a Cell<Vec<String>>,
    /// Names of the units that were reported: collected in every scan, and only compared if some are
    /// missing.
    reported: Vec<String>,
    /// New stamps of units that did not change.
    stamps: Vec<(String, Stamp)>,
    /// Number of reported units that are in the index.
    known: u64,
    pub(super) written: u64,
    /// Number of units that got an earlier content again.
    restored: u64,
    deleted: u64,
    unchanged: u64,
    /// Number of documents written, units restored or deleted, and stamps written.
    changes: u64,
}

impl<'a> Tally<'a> {
    pub(super) fn new(unrestored: &'a Cell<Vec<String>>) -> Tally<'a> {
        Tally {
            unrestored,
            reported: Vec::new(),
            stamps: Vec::new(),
            known: 0,
            written: 0,
            restored: 0,
            deleted: 0,
            unchanged: 0,
            changes: 0,
        }
    }

    /// Counts a change and applies it. Returns a job if the unit has to be indexed.
    pub(super) fn apply(&mut self, change: Change, writer: &mut LazyWriter<'_>) -> Option<Job> {
        match change {
            Change::Unchanged(unit) => {
                self.unchanged += 1;
                self.known += 1;
                self.reported.push(unit.name);
                None
            }
            Change::Restamp { unit, stamp } => {
                self.unchanged += 1;
                self.known += 1;
                self.reported.push(unit.name.clone());
                self.stamps.push((unit.name, stamp));
                None
            }
            Change::Replace { unit, stamp, documents, skipped } => {
                self.known += u64::from(writer.reader.stamp(&unit.name).is_some());
                self.written += 1;
                self.changes += documents.len().max(1) as u64;
                self.reported.push(unit.name.clone());
                writer.open_for(&unit.name)?;
                Some(Job { name: unit.name, stamp, documents, skipped, size: 0 })
            }
            Change::Restore { unit, stamp } => {
                self.restore(unit.name, stamp, writer);
                None
            }
            Change::Delete(unit) => {
                self.known += u64::from(writer.reader.stamp(&unit.name).is_some());
                self.delete(&unit.name, writer);
                self.reported.push(unit.name);
                None
            }
        }
    }

    fn restore(&mut self, unit: String, stamp: Stamp, writer: &mut LazyWriter<'_>) {
        match writer.open_for(&unit).map(|writer| writer.restore(&unit, stamp)) {
            Some(Ok(true)) => {
                self.restored += 1;
                self.changes += 1;
            }
            Some(Ok(false)) => {
                let mut units = self.unrestored.take();
                units.push(unit);
                return self.unrestored.set(units);
            }
            Some(Err(error)) => drop(writer.blocked.get_or_insert(error)),
            None => {}
        }
        self.known += u64::from(writer.reader.stamp(&unit).is_some());
        self.reported.push(unit);
    }

    fn delete(&mut self, unit: &str, writer: &mut LazyWriter<'_>) {
        self.deleted += 1;
        self.changes += 1;
        if let Some(Err(error)) = writer.open_for(unit).map(|writer| writer.delete(unit)) {
            writer.blocked.get_or_insert(error);
        }
    }

    /// Deletes the units of the index that a complete scan did not report.
    pub(super) fn delete_unreported(&mut self, writer: &mut LazyWriter<'_>) {
        let reader = writer.reader;
        if self.known < reader.unit_count() {
            let reported: HashSet<String> =
                std::mem::take(&mut self.reported).into_iter().collect();
            for unit in reader.units() {
                if !reported.contains(unit) {
                    self.delete(unit, writer);
                }
            }
        }
    }

    /// Writes the stamps of units that were compared by content, if something else is written or there
    /// are more than `max_unwritten` of them. Units whose stamps are not written are compared again.
    pub(super) fn write_stamps(&mut self, max_unwritten: u64, writer: &mut LazyWriter<'_>) {
        let stamps = std::mem::take(&mut self.stamps);
        if writer.writer.get().is_none() && stamps.len() as u64 <= max_unwritten {
            return;
        }
        for (unit, stamp) in stamps {
            self.changes += 1;
            let restamped = writer.open_for(&unit).map(|writer| writer.restamp(&unit, stamp));
            if let Some(Err(error)) = restamped {
                writer.blocked.get_or_insert(error);
            }
            // The content did not change, even if the stamp could not be written.
            writer.pending.remove(&unit);
        }
    }

    pub(super) fn finish(self, outcome: Outcome, report: ScanReport, bytes: u64) -> UpdateResult {
        UpdateResult {
            outcome,
            report,
            written: self.written + self.restored,
            deleted: self.deleted,
            unchanged: self.unchanged,
            bytes,
            faults: 0,
            changes: self.changes,
            postponed: HashSet::new(),
            degradations: Vec::new(),
        }
    }
}
