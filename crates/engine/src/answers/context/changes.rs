//! The commits of a package: the last ones on its files, and those that name its ticket.

use std::collections::BTreeMap;

use lore_index::{IndexError, Reader, StoredDocument};
use lore_schema::Field;

use super::section::{ContextItem, Detail};
use crate::{
    commits::{changed, day, message},
    query::facets,
};

/// Maximum number of commits per file that are considered.
const MAX_OF_FILE: usize = 2_000;

/// Number of changed files from which a commit carries little information about each of them.
const SWEEP: usize = 60;

/// A commit with the given files that it changes.
pub(super) struct Change {
    pub(super) commit: StoredDocument,
    pub(super) files: Vec<String>,
}

/// Returns the commits that change some of the files, newest first.
pub(super) fn on_files(reader: &dyn Reader, files: &[String]) -> Result<Vec<Change>, IndexError> {
    let mut changes: BTreeMap<String, Change> = BTreeMap::new();
    for file in files {
        let term = facets::value_term("file", file);
        let holders = reader.holders(Field::Facets, &term, MAX_OF_FILE)?;
        let ids: Vec<_> = holders.into_iter().map(|holder| holder.document).collect();
        for commit in reader.documents(&ids)? {
            // Terms are case-insensitive, files are not.
            if !changed(&commit).any(|path| path == file) {
                continue;
            }
            let key = commit.key.locator.clone();
            let entry = changes.entry(key).or_insert_with(|| Change { commit, files: Vec::new() });
            entry.files.push(file.clone());
        }
    }
    let mut changes: Vec<Change> = changes.into_values().collect();
    changes.sort_by(|left, right| {
        let date = |change: &Change| change.commit.attributes.updated;
        date(right).cmp(&date(left)).then(left.commit.key.locator.cmp(&right.commit.key.locator))
    });
    Ok(changes)
}

/// Returns true if a commit changes too many files to carry information about each.
pub(super) fn is_sweep(commit: &StoredDocument) -> bool {
    let count = commit.attributes.extra.iter().find(|(name, _)| name == "files");
    count.and_then(|(_, count)| count.parse().ok()).unwrap_or(0) > SWEEP
}

/// Returns a commit as an item: its message without the first line, which is the name.
pub(super) fn item(commit: &StoredDocument, relation: String) -> ContextItem {
    let attributes = &commit.attributes;
    let hash = attributes.id.clone().unwrap_or_default();
    let mut about = Vec::new();
    about.extend(attributes.updated.and_then(day).map(|day| ("date", day)));
    about.extend(attributes.author.clone().map(|author| ("author", author)));
    let body = message(commit).split_once("\n\n").map_or("", |(_, body)| body).trim();
    let details = [body].into_iter().filter(|body| !body.is_empty()).map(Detail::prose).collect();
    ContextItem {
        id: format!("git:{hash}"),
        kind: "commit".to_owned(),
        name: commit.title.clone(),
        relation,
        about,
        details,
        ..ContextItem::default()
    }
}
