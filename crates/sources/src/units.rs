//! Units: which files belong together, and which reader has them.

use lore_schema::SourceName;

/// One unit of a format: a file, or the files of a store that are read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Name of the unit, unique inside its source: the path of the file, or the store's folder.
    pub unit: String,
    /// Indexes into [`Tree::entries`].
    pub files: Vec<usize>,
}

/// A unit of a source of files.
#[derive(Debug)]
pub(crate) struct ClaimedUnit {
    /// Position of its reader among those of the source.
    pub(crate) reader: usize,
    /// Its name and its files, sorted by path.
    pub(crate) claim: Claim,
}

/// The units of every source of files.
#[derive(Debug, Default)]
pub(crate) struct Claims(pub(crate) Vec<(SourceName, Vec<ClaimedUnit>)>);

impl Claims {
    /// The units of a source, sorted by name.
    pub(crate) fn of(&self, source: SourceName) -> &[ClaimedUnit] {
        self.0.iter().find(|(name, _)| *name == source).map_or(&[], |(_, units)| units)
    }
}
