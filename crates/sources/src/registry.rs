//! List of the sources, and functions that read a source without an index.

use std::ops::ControlFlow;

use lore_schema::{Change, Document, SkipReason, SourceName, Stamp};

use crate::{
    custom_scan,
    error::SourceError,
    formats::{self, FileSource},
    git::GitSource,
    source::{IndexState, Source},
    tree::Tree,
};

/// The sources that read files.
const FILES: [&FileSource; 5] =
    [&formats::CODE, &formats::DOCS, &formats::PATTERNS, &formats::SPECS, &formats::TICKETS];

/// Returns the name of the unit of a source that a listed file belongs to, and the hash of the
/// current content of its files, to compare with [`Stamp::content`](lore_schema::Stamp::content).
/// `None` if the file does not belong to the source.
pub fn current_content(tree: &Tree, source: SourceName, path: &str) -> Option<(String, u64)> {
    FILES.into_iter().find(|files| files.name == source)?.current_content(tree, path)
}

/// Reads the documents of a source without an index, for callers that read everything on each
/// query. `wanted` selects units by name (a path for most units). Documents are in the order of the
/// unit names if the source has one.
///
/// If the source as a whole cannot be read.
pub fn read_documents(
    tree: &Tree,
    source: SourceName,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Document>, SourceError> {
    if let Some(files) = FILES.into_iter().find(|files| files.name == source) {
        let mut documents = files.read(tree, wanted);
        documents.append(&mut custom_scan::read(tree, source, wanted)?);
        return Ok(documents);
    }
    let mut documents = Vec::new();
    for source in SOURCES.iter().filter(|known| known.name() == source) {
        source.scan(tree, &EmptyIndex, &mut |change| {
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

/// Returns the units of a source with parts that are not in the format of the unit, such as text that
/// is not JSON, each with their number. Reads the whole source.
///
/// # Errors
/// If the source cannot be read.
pub fn malformed_units(tree: &Tree, source: SourceName) -> Result<Vec<(String, u64)>, SourceError> {
    let mut units = Vec::new();
    for source in SOURCES.iter().filter(|known| known.name() == source) {
        source.scan(tree, &EmptyIndex, &mut |change| {
            if let Change::Replace { unit, skipped, .. } = change
                && let Some(count) = skipped.get(&SkipReason::Malformed)
            {
                units.push((unit.name, *count));
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(units)
}

/// An empty index: every unit is new.
struct EmptyIndex;

impl IndexState for EmptyIndex {
    fn stamp(&self, _: &str) -> Option<Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// Every source, in the order of their names.
pub static SOURCES: &[&dyn Source] = &[
    &formats::CODE,
    &formats::DOCS,
    &GitSource,
    &formats::PATTERNS,
    &formats::SPECS,
    &formats::TICKETS,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_match_the_schema_in_order() {
        let names: Vec<SourceName> = SOURCES.iter().map(|source| source.name()).collect();
        assert_eq!(names, SourceName::ALL);
    }
}
