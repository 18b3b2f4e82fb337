//! Filters definitions by the date of the last change of their file.

use std::{collections::BTreeSet, path::Path};

use lore_engine::{SymbolHit, documents::last_changes};
use lore_schema::Filter;

/// Keeps the definitions in the tree at `root` whose file was last changed between the dates of a
/// filter. The dates come from git; for uncommitted files, from the disk.
pub(super) fn keep_changed(root: &Path, filter: &Filter, hits: &mut Vec<SymbolHit>) {
    let Filter { since, until, .. } = *filter;
    if since.is_none() && until.is_none() {
        return;
    }
    let paths: BTreeSet<String> = hits.iter().map(|hit| hit.path.clone()).collect();
    let oldest = since.into_iter().chain(until).min();
    let dates = last_changes(root, paths, oldest);
    hits.retain(|hit| filter.admits_date(dates.get(&hit.path).copied()));
}
