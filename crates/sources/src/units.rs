//! Units: groups of files that are read together, and the reader of each.

use lore_schema::SourceName;

/// One unit of a format: a file, or the files of a store that are read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Name of the unit, unique within its source: the path of the file or of the store's folder.
    pub unit: String,
    /// Indexes into [`Tree::entries`](crate::Tree::entries).
    pub files: Vec<usize>,
}

/// A unit with its reader.
#[derive(Debug)]
pub(crate) struct ClaimedUnit {
    /// Index of the reader among those of the source.
    pub(crate) reader: usize,
    /// Name and files of the unit; files sorted by path.
    pub(crate) claim: Claim,
}

/// Units of every file source.
#[derive(Debug, Default)]
pub(crate) struct Claims(pub(crate) Vec<(SourceName, Vec<ClaimedUnit>)>);

impl Claims {
    /// Returns the units of a source, sorted by name.
    pub(crate) fn of(&self, source: SourceName) -> &[ClaimedUnit] {
        self.0.iter().find(|(name, _)| *name == source).map_or(&[], |(_, units)| units)
    }
}
