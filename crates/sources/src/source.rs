//! What a source is, and the list of them.

use std::ops::ControlFlow;

use lore_schema::{Change, Document, SkipCounts, SourceName, Stamp};

use crate::{SourceError, Tree, file_source, git::GitSource};

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

/// The sources of files.
const FILES: [&file_source::FileSource; 5] = [
    &file_source::CODE,
    &file_source::DOCS,
    &file_source::PATTERNS,
    &file_source::SPECS,
    &file_source::TICKETS,
];

/// The name of the unit of a source that a listed file belongs to, and the hash of what its files hold
/// now, to be compared with [`Stamp::content`](lore_schema::Stamp::content); `None` where the file is
/// not the source's.
pub fn current_content(tree: &Tree, source: SourceName, path: &str) -> Option<(String, u64)> {
    FILES.into_iter().find(|files| files.name == source)?.current_content(tree, path)
}

/// Reads the documents of a source without an index, for what reads everything at every question:
/// those of the units whose names (paths, for most) are wanted, in the order of these where the
/// source has one.
///
/// # Errors
/// Only when the source as a whole cannot be read.
pub fn read_documents(
    tree: &Tree,
    source: SourceName,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Document>, SourceError> {
    if let Some(files) = FILES.into_iter().find(|files| files.name == source) {
        return Ok(files.read(tree, wanted));
    }
    let mut documents = Vec::new();
    for source in SOURCES.iter().filter(|known| known.name() == source) {
        source.scan(tree, &Nothing, &mut |change| {
            if let Change::Replace { unit, documents: read, .. } = change
                && wanted(&unit.name)
            {
                documents.extend(read);
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(documents)
}

/// Knows nothing: everything is new.
struct Nothing;

impl IndexState for Nothing {
    fn stamp(&self, _: &str) -> Option<Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// Every source, in the order of their names.
pub static SOURCES: &[&dyn Source] = &[
    &file_source::CODE,
    &file_source::DOCS,
    &GitSource,
    &file_source::PATTERNS,
    &file_source::SPECS,
    &file_source::TICKETS,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_those_of_the_vocabulary_in_its_order() {
        let names: Vec<SourceName> = SOURCES.iter().map(|source| source.name()).collect();
        assert_eq!(names, SourceName::ALL);
    }
}
