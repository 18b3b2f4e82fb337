//! Which reader has which files of a tree: decided once, for all sources together.

use std::collections::HashSet;

use crate::{
    formats::{FILE_SOURCES, FileSource},
    store::Listing,
    tree::Tree,
    units::{ClaimedUnit, Claims},
};

/// Units of every source of files of a tree. Assigned once, at the first call.
pub(crate) fn of(tree: &Tree) -> &Claims {
    tree.claims_or_assign(|tree| assign(tree, FILE_SOURCES))
}

/// Lets every reader claim in turn. A file goes to the first reader that claims it.
fn assign(tree: &Tree, sources: &[&FileSource]) -> Claims {
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
        make_names_unique(&mut units, source);
        units.sort_unstable_by(|left, right| left.claim.unit.cmp(&right.claim.unit));
        shares.push((source.name, units));
    }
    Claims(shares)
}

/// Makes the names of units unique: two formats may share a folder.
fn make_names_unique(units: &mut [ClaimedUnit], source: &FileSource) {
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
