//! The interface of a source: which documents it has, and which of them changed.
//!
//! Steps of a scan, with files as the example (`file_source.rs`):
//!
//! 1. The caller passes the listed tree and an [`IndexState`]: the stamp of every unit that the
//!    index holds.
//! 2. The source goes through its units. For each one it computes the metadata part of the stamp
//!    from sizes and times, without opening a file.
//! 3. If that part is unchanged, it emits [`Change::Unchanged`]. Otherwise it hashes the content.
//! 4. If the content is unchanged, it emits [`Change::Restamp`]; if the index can restore it,
//!    [`Change::Restore`]. Otherwise it reads the unit and
//!    emits [`Change::Replace`] with the new documents.
//! 5. It returns [`Scan::Complete`] if it reported every unit. The index then deletes the units
//!    that were not reported. It returns [`Scan::Delta`] if it reported differences only.

use std::{collections::BTreeSet, ops::ControlFlow};

use lore_schema::{Change, SkipCounts, SourceName, Stamp};

use crate::{error::SourceError, tree::Tree, workload::Workload};

/// State of the index of one source after the last scan.
pub trait IndexState: Sync {
    /// The stamp of a unit at the last scan.
    fn stamp(&self, unit: &str) -> Option<Stamp>;

    /// Returns true if the index can restore a unit with the content of this hash, which it had
    /// before. Called from several threads.
    fn can_restore(&self, unit: &str, content: u64) -> bool {
        let _ = (unit, content);
        false
    }

    /// Cursor that the last scan returned in [`ScanReport::cursor`].
    fn cursor(&self) -> Option<&str>;
}

/// Result of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scan {
    /// Every unit was reported. Units that were not reported no longer exist.
    Complete(ScanReport),
    /// Only differences were reported. All other units are unchanged.
    Delta(ScanReport),
}

/// Summary of a scan, in addition to its changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScanReport {
    /// Opaque note for the next scan.
    pub cursor: String,
    /// Files skipped before they became part of a unit (ignored files, broken links).
    pub skipped: SkipCounts,
    /// Number of units of each detected format, in the order of the registry.
    pub formats: Vec<FormatCount>,
}

/// Number of units that the reader of one format claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatCount {
    /// Name of the reader.
    pub format: &'static str,
    /// Number of units.
    pub units: u64,
}

/// A source of documents.
pub trait Source: Send + Sync {
    /// Name of the source.
    fn name(&self) -> SourceName;

    /// Number of units that a scan reports, if it is known before the scan.
    fn units(&self, _tree: &Tree) -> Option<u64> {
        None
    }

    /// Units that a scan would read, from their metadata alone; `None` if that is not known before
    /// the scan.
    fn workload(&self, _tree: &Tree, _known: &dyn IndexState) -> Option<Workload> {
        None
    }

    /// Sets the mark of each file, by its index in the tree, whose unit is in the index as it is listed.
    fn mark_known_files(&self, _tree: &Tree, _known: &dyn IndexState, _marks: &mut [bool]) {}

    /// Emits one [`Change`] per unit, in the order of the unit names if the source has one. Stops
    /// early, without an error, when `emit` breaks.
    ///
    /// If the source as a whole cannot be read. An unreadable unit is only counted as skipped.
    fn scan(
        &self,
        tree: &Tree,
        known: &dyn IndexState,
        emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<Scan, SourceError>;

    /// As [`Source::scan`], for a tree in which only the files at these paths may differ from the
    /// index. The default compares every unit.
    ///
    /// # Errors
    /// As [`Source::scan`].
    fn scan_at(
        &self,
        tree: &Tree,
        known: &dyn IndexState,
        paths: &BTreeSet<&str>,
        emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<Scan, SourceError> {
        let _ = paths;
        self.scan(tree, known, emit)
    }
}
