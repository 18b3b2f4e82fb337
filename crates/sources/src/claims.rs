//! Assignment of every file of a tree to one reader of one source.
//!
//! Every file belongs to exactly one unit of one reader, for all sources together:
//!
//! 1. The sources take turns in the order of [`FILE_SOURCES`]: tickets, specs, patterns, docs,
//!    code. The more specific formats come first; code takes the rest.
//! 2. Within a source, its readers take turns in the order of the table.
//! 3. A reader sees the listing of the tree and returns claims: units, each a name and a list of
//!    files. It decides from paths and sizes alone (`store.rs` lists the exceptions).
//! 4. A claimed file is taken. If a later claim lists it, the file is dropped from that claim. A
//!    claim without files is dropped.
//! 5. Unit names are made unique within the source, then units are sorted by name.
//!
//! The result is computed at the first call and kept in the [`Tree`].

use std::collections::HashSet;

use crate::{
    formats::{FILE_SOURCES, FileSource},
    store::Listing,
    tree::Tree,
    units::{ClaimedUnit, Claims},
};

/// Returns the units of every file source of a tree. Computed once, at the first call.
pub(crate) fn of(tree: &Tree) -> &Claims {
    tree.claims_or_assign(|tree| assign(tree, FILE_SOURCES))
}

/// Returns whether the content of the file with this path decides which reader it belongs to.
pub(crate) fn depend_on_content(path: &str) -> bool {
    FILE_SOURCES.iter().any(|source| source.readers.iter().any(|reader| reader.peeks(path)))
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
                // Marked immediately: two units of one reader may claim the same file.
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

/// Makes unit names unique by appending `#` and the format: two formats may share a folder.
fn make_names_unique(units: &mut [ClaimedUnit], source: &FileSource) {
    // Single-file units of one reader are named after distinct paths: nothing to do.
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
