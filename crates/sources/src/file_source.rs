//! Scan of the sources that read files: reports each unit as new, changed or unchanged.
//!
//! The metadata of a unit is compared in the calling thread. Units whose metadata differs are read
//! and hashed by several threads, a limited number of units and bytes ahead (`file_source/ahead.rs`).

mod ahead;

use std::{collections::BTreeSet, ops::ControlFlow, panic::resume_unwind, thread};

use lore_schema::{Change, Document, SkipCounts, SkipReason, SourceName, Stamp, Unit};

use crate::{
    UnitFiles, claims, custom_scan,
    error::SourceError,
    fingerprint::{Hasher, UNSTABLE},
    formats::FileSource,
    source::{FormatCount, IndexState, Scan, ScanReport, Source},
    store::{Reader, UnitContent},
    tree::Tree,
    units::{Claim, ClaimedUnit},
    workload::Workload,
};

/// Minimum number of units for which another thread pays off.
const UNITS_PER_THREAD: usize = 32;

impl Source for FileSource {
    fn name(&self) -> SourceName {
        self.name
    }

    fn units(&self, tree: &Tree) -> Option<u64> {
        let is_known = !tree.options().custom.has(self.name);
        is_known.then(|| claims::of(tree).of(self.name).len() as u64)
    }

    fn workload(&self, tree: &Tree, known: &dyn IndexState) -> Option<Workload> {
        let is_known = !tree.options().custom.has(self.name);
        is_known.then(|| self.unread(tree, known))
    }

    fn mark_known_files(&self, tree: &Tree, known: &dyn IndexState, marks: &mut [bool]) {
        for unit in claims::of(tree).of(self.name) {
            if self.suspect(tree, unit, known.stamp(&unit.claim.unit)).is_none() {
                unit.claim.files.iter().for_each(|&index| marks[index] = true);
            }
        }
    }

    fn scan(
        &self,
        tree: &Tree,
        known: &dyn IndexState,
        emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<Scan, SourceError> {
        let units = claims::of(tree).of(self.name);
        let report = self.report(tree, units);
        if self.scan_units(tree, units.iter(), known, emit).is_break() {
            // The remaining units were not checked, so they must not be taken for deleted.
            return Ok(Scan::Delta(report));
        }
        match custom_scan::scan(tree, self.name, known, emit)? {
            ControlFlow::Continue(()) => Ok(Scan::Complete(report)),
            ControlFlow::Break(()) => Ok(Scan::Delta(report)),
        }
    }

    fn scan_at(
        &self,
        tree: &Tree,
        known: &dyn IndexState,
        paths: &BTreeSet<&str>,
        emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<Scan, SourceError> {
        if tree.options().custom.has(self.name) {
            return self.scan(tree, known, emit);
        }
        let units = claims::of(tree).of(self.name);
        let mut is_wanted = vec![false; tree.entries().len()];
        for index in paths.iter().filter_map(|path| tree.index(path)) {
            is_wanted[index] = true;
        }
        let has_wanted = |unit: &&ClaimedUnit| unit.claim.files.iter().any(|file| is_wanted[*file]);
        // A scan that was stopped is not complete either.
        let _ = self.scan_units(tree, units.iter().filter(has_wanted), known, emit);
        Ok(Scan::Delta(self.report(tree, units)))
    }
}

/// A unit whose metadata differs from that of the index.
#[derive(Clone, Copy)]
struct Suspect<'a> {
    claimed: &'a ClaimedUnit,
    /// Its stamp in the index.
    known: Option<Stamp>,
    metadata: u64,
}

impl FileSource {
    fn unit(&self, claimed: &ClaimedUnit) -> Unit {
        Unit { source: self.name, name: claimed.claim.unit.clone() }
    }

    /// Compares the metadata of a unit with the index. Returns `None` if they are equal.
    fn suspect<'a>(
        &self,
        tree: &Tree,
        claimed: &'a ClaimedUnit,
        known: Option<Stamp>,
    ) -> Option<Suspect<'a>> {
        let reader = self.readers[claimed.reader];
        let limit = reader.size_limit(tree.options().max_file_size);
        let metadata = metadata_stamp(tree, reader, &claimed.claim, limit);
        let is_known = known.is_some_and(|it| metadata != UNSTABLE && it.metadata == metadata);
        (!is_known).then_some(Suspect { claimed, known, metadata })
    }

    /// Returns the units that a scan reads, because their metadata is not that of the index.
    fn unread(&self, tree: &Tree, known: &dyn IndexState) -> Workload {
        let mut unread = Workload::default();
        for unit in claims::of(tree).of(self.name) {
            let limit = self.readers[unit.reader].size_limit(tree.options().max_file_size);
            let stamp = known.stamp(&unit.claim.unit);
            // A unit whose metadata proves nothing is compared by its content, which is rarely new.
            let is_read = self
                .suspect(tree, unit, stamp)
                .is_some_and(|suspect| stamp.is_none() || suspect.metadata != UNSTABLE);
            if is_read {
                let sizes = unit.claim.files.iter().map(|&index| tree.entries()[index].size);
                let bytes = sizes.filter(|size| *size <= limit).sum();
                unread += Workload { units: 1, bytes };
            }
        }
        unread
    }

    /// Compares the content of a unit with the index, and reads its documents if it differs.
    fn change(&self, tree: &Tree, suspect: Suspect<'_>, index: &dyn IndexState) -> Change {
        let Suspect { claimed, known, metadata } = suspect;
        let ClaimedUnit { reader, claim } = claimed;
        let reader = self.readers[*reader];
        let unit = self.unit(claimed);
        let limit = reader.size_limit(tree.options().max_file_size);
        let files = UnitFiles::new(tree);
        let (content, readable) = content_stamp(&files, reader, claim, limit);
        // An unreadable file may become readable without any change of its metadata.
        let metadata = if readable { metadata } else { UNSTABLE };
        if known.is_some_and(|known| known.content == content) {
            // An unstable stamp is not worth storing: it will not match next time either.
            if metadata == UNSTABLE {
                return Change::Unchanged(unit);
            }
            return Change::Restamp { unit, stamp: Stamp { metadata, content } };
        }
        // The stamp is that of the walk. If anything changed since, or the documents are not those
        // of the hashed bytes, the unit is read again at the next scan.
        let is_as_listed = || claim.files.iter().all(|&index| tree.is_as_listed(index));
        let is_one_file =
            claim.files.len() == 1 && files.entries()[claim.files[0]].path == unit.name;
        if readable && is_one_file && index.can_restore(&unit.name, content) && is_as_listed() {
            return Change::Restore { unit, stamp: Stamp { metadata, content } };
        }
        let UnitContent { documents, skipped } = reader.read(&files, claim);
        let stable = files.is_consistent() && is_as_listed();
        let stamp = if stable { Stamp { metadata, content } } else { Stamp::default() };
        Change::Replace { unit, stamp, documents, skipped }
    }

    /// Reads the units whose names are wanted, in the order of the names, ignoring all stamps.
    pub(crate) fn read(&self, tree: &Tree, wanted: &dyn Fn(&str) -> bool) -> Vec<Document> {
        let units = claims::of(tree).of(self.name);
        let units: Vec<&ClaimedUnit> =
            units.iter().filter(|unit| wanted(&unit.claim.unit)).collect();
        let read = |units: &[&ClaimedUnit]| -> Vec<Document> {
            let documents = |unit: &&ClaimedUnit| {
                self.readers[unit.reader].read(&UnitFiles::new(tree), &unit.claim).documents
            };
            units.iter().flat_map(documents).collect()
        };
        // Starting a thread costs as much as reading a few files.
        let threads =
            tree.options().threads.clamp(1, units.len().div_ceil(UNITS_PER_THREAD).max(1));
        if threads == 1 {
            return read(&units);
        }
        thread::scope(|scope| {
            let shares: Vec<_> = units
                .chunks(units.len().div_ceil(threads))
                .map(|share| scope.spawn(move || read(share)))
                .collect();
            shares
                .into_iter()
                .flat_map(|share| share.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        })
    }

    /// Returns the unit that a listed file belongs to, and the hash of the current content of its
    /// files.
    pub(crate) fn current_content(&self, tree: &Tree, path: &str) -> Option<(String, u64)> {
        let index = tree.index(path)?;
        let units = claims::of(tree).of(self.name);
        let unit = units.iter().find(|unit| unit.claim.files.contains(&index))?;
        let reader = self.readers[unit.reader];
        let limit = reader.size_limit(tree.options().max_file_size);
        Some((
            unit.claim.unit.clone(),
            content_stamp(&UnitFiles::new(tree), reader, &unit.claim, limit).0,
        ))
    }

    fn report(&self, tree: &Tree, units: &[ClaimedUnit]) -> ScanReport {
        let mut counts = vec![0; self.readers.len()];
        for unit in units {
            counts[unit.reader] += 1;
        }
        let formats = self
            .readers
            .iter()
            .zip(counts)
            .filter(|(_, units)| *units != 0)
            .map(|(reader, units)| FormatCount { format: reader.name(), units })
            .collect();
        // Files that the walk skipped belong to no source. They are reported by code, the source
        // that takes all remaining files.
        let skipped = match self.name {
            SourceName::Code => tree.skipped().clone(),
            _ => SkipCounts::new(),
        };
        ScanReport { cursor: String::new(), skipped, formats }
    }
}

/// Combined fingerprint of the metadata of a unit's files; [`UNSTABLE`] if that of any file is.
fn metadata_stamp(tree: &Tree, reader: &dyn Reader, claim: &Claim, limit: u64) -> u64 {
    let mut hasher = Hasher::default();
    // Includes the reader, so that a unit is read again when another reader claims it.
    hasher.bytes(reader.name().as_bytes());
    for &index in &claim.files {
        let entry = &tree.entries()[index];
        if entry.metadata == UNSTABLE {
            return UNSTABLE;
        }
        hasher.bytes(entry.path.as_bytes());
        hasher.number(entry.metadata);
        hasher.number(u64::from(entry.size > limit));
    }
    hasher.finish()
}

/// Hash of the content of a unit's files, or of the reasons why it could not be read; and whether
/// the operating system allowed reading all of them.
fn content_stamp(
    files: &UnitFiles<'_>,
    reader: &dyn Reader,
    claim: &Claim,
    limit: u64,
) -> (u64, bool) {
    let mut hasher = Hasher::default();
    let mut readable = true;
    hasher.bytes(reader.name().as_bytes());
    for &index in &claim.files {
        let path = &files.entries()[index].path;
        // A file under another name has the same hash, so that the index finds its content again.
        if claim.files.len() > 1 || *path != claim.unit {
            hasher.bytes(path.as_bytes());
        }
        let read = files.hash(path, limit, |bytes| {
            hasher.number(0);
            hasher.bytes(bytes);
        });
        if let Err(reason) = read {
            readable &= reason != SkipReason::Unreadable;
            hasher.number(1);
            hasher.bytes(reason.as_str().as_bytes());
        }
    }
    (hasher.finish(), readable)
}

#[cfg(test)]
mod tests;
