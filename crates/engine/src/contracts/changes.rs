//! When the files of definitions were last changed: no definition says so itself.

use std::{collections::BTreeSet, path::Path};

use lore_schema::Filter;

use crate::{Engine, SymbolHit};

impl Engine {
    /// Leaves of definitions in the tree at `root` those whose file was last changed between the
    /// dates of a filter. Asks git; of what is not committed, the file.
    pub fn keep_changed(root: &Path, filter: &Filter, hits: &mut Vec<SymbolHit>) {
        let Filter { since, until, .. } = *filter;
        if since.is_none() && until.is_none() {
            return;
        }
        let paths: BTreeSet<String> = hits.iter().map(|hit| hit.path.clone()).collect();
        let oldest = since.into_iter().chain(until).min();
        let dates = lore_sources::last_changes(root, paths, oldest);
        hits.retain(|hit| filter.admits_date(dates.get(&hit.path).copied()));
    }
}
