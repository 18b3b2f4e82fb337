//! What a source is, and the list of them.

use std::ops::ControlFlow;

use lore_schema::{Change, SkipCounts, SourceName, Stamp};

use crate::{error::SourceError, tree::Tree};

/// What the index knows of a source already.
pub trait IndexState {
    /// The stamp of a unit at the last scan.
    fn stamp(&self, unit: &str) -> Option<Stamp>;

    /// What the last scan ended with.
    fn cursor(&self) -> Option<&str>;
}

/// How a scan ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scan {
    /// Every unit was reported: what was not is gone.
    Complete(ScanReport),
    /// Only differences were reported: what was not is as it was.
    Delta(ScanReport),
}

/// What a scan has to say beside its changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScanReport {
    /// Opaque note for the next scan.
    pub cursor: String,
    /// What was left out before a unit was made of it (ignored files, broken links).
    pub skipped: SkipCounts,
    /// Units of each reader of a format that was detected, in the order of the registry.
    pub formats: Vec<FormatCount>,
}

/// How many units a reader of a format has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatCount {
    /// Name of the reader.
    pub format: &'static str,
    /// Number of units.
    pub units: u64,
}

/// A source of knowledge.
pub trait Source: Send + Sync {
    /// Which one.
    fn name(&self) -> SourceName;

    /// Pushes one [`Change`] a unit, in the order of their names where the source has one. Stops
    /// early, without an error, when `emit` breaks.
    ///
    /// # Errors
    /// Only when the source as a whole cannot be read. A bad unit is a skip.
    fn scan(
        &self,
        tree: &Tree,
        known: &dyn IndexState,
        emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<Scan, SourceError>;
}
