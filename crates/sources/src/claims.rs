//! Which reader has which files of a tree: decided once, for all sources together.

use std::collections::HashSet;

use lore_schema::SourceName;

use crate::{
    Tree,
    file_source::{FILE_SOURCES, FileSource},
    store::{Claim, Listing},
};

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
pub(crate) struct Claims(Vec<(SourceName, Vec<ClaimedUnit>)>);

impl Claims {
    /// Asks every reader in turn. A file goes to the first one that claims it.
    pub(crate) fn decide(tree: &Tree) -> Claims {
        Claims::share_out(tree, FILE_SOURCES)
    }

    fn share_out(tree: &Tree, sources: &[&FileSource]) -> Claims {
        let mut claimed = vec![false; tree.entries().len()];
        let mut shares = Vec::new();
        for source in sources {
            let mut units = Vec::new();
            for (position, reader) in source.readers.iter().enumerate() {
                let claims = reader.claim(&Listing::new(tree, &claimed));
                units.reserve(claims.len());
                for mut claim in claims {
                    claim.files.sort_unstable();
                    claim.files.dedup();
                    // Marked at once: two units of one reader may ask for the same file.
                    claim.files.retain(|&index| !std::mem::replace(&mut claimed[index], true));
                    if !claim.files.is_empty() {
                        units.push(ClaimedUnit { reader: position, claim });
                    }
                }
            }
            name_apart(&mut units, source);
            units.sort_unstable_by(|left, right| left.claim.unit.cmp(&right.claim.unit));
            shares.push((source.name, units));
        }
        Claims(shares)
    }

    /// The units of a source, sorted by name.
    pub(crate) fn of(&self, source: SourceName) -> &[ClaimedUnit] {
        self.0.iter().find(|(name, _)| *name == source).map_or(&[], |(_, units)| units)
    }
}

/// Makes the names of units unique: two formats may share a folder.
fn name_apart(units: &mut [ClaimedUnit], source: &FileSource) {
    // A source of single files needs no look: no two files have one path.
    if source.readers.len() < 2 && units.iter().all(|unit| unit.claim.files.len() == 1) {
        return;
    }
    let mut taken = HashSet::new();
    for unit in units {
        while !taken.insert(unit.claim.unit.clone()) {
            unit.claim.unit.push('#');
            unit.claim.unit.push_str(source.readers[unit.reader].name());
        }
    }
}
