//! Commits of a ticket's relatives, and the files that they change: of the ticket itself, of linked tickets,
//! and of those of its component. The commit of a new endpoint changes the table of endpoints like those before it.

use std::collections::{BTreeMap, BTreeSet};

use lore_index::{IndexError, Reader, StoredDocument};
use lore_schema::{Document, Field};

use super::{
    changes::{is_sweep, item},
    section::ContextItem,
    tickets::{Tickets, identifiers, prefix},
};
use crate::{
    commits::{changed, short},
    query::facets::words_of,
};

/// Maximum number of commits with a prefix that are considered.
const MAX_COMMITS: usize = 2_000;

/// Maximum number of files. Before 20 commits of a repository with tickets, eight of them raise the share
/// of the changed files that a package names from .41 to .74, twelve to .78.
const MAX_FILES: usize = 8;

/// Weight of a commit of the ticket itself or of a linked one; that of another of the component is 1.
const LINKED: f64 = 2.0;

/// Maximum number of commits of linked tickets.
const MAX_LINKED: usize = 5;

/// Commits of a ticket's relatives, and the files that they change.
pub(super) struct Relatives {
    /// The files that they usually change, best first.
    pub(super) files: Vec<ContextItem>,
    /// Commits of linked tickets, newest first.
    pub(super) commits: Vec<ContextItem>,
}

/// A file with the commits that change it.
#[derive(Default)]
struct Usual {
    /// Sum over the commits: the weight divided by the square root of the number of files.
    score: f64,
    commits: usize,
    /// The newest of them, with its date.
    last: Option<(Option<i64>, String)>,
}

/// Relation of a commit to the ticket.
enum Named {
    Own,
    Linked(String),
    Component,
}

/// Finds the files and commits. `is_shown` selects files.
pub(super) fn relatives(
    reader: &dyn Reader,
    tickets: &Tickets,
    ticket: &Document,
    is_shown: impl Fn(&str) -> bool,
) -> Result<Relatives, IndexError> {
    let own = ticket.attributes.id.as_deref().unwrap_or_default();
    let linked: Vec<String> = tickets.linked(ticket).into_iter().map(|linked| linked.id).collect();
    let component = tickets.component(ticket);
    let named = |commit: &StoredDocument| {
        identifiers(&commit.title).find_map(|id| {
            if id.eq_ignore_ascii_case(own) {
                return Some(Named::Own);
            }
            if linked.iter().any(|linked| linked.eq_ignore_ascii_case(id)) {
                return Some(Named::Linked(id.to_owned()));
            }
            let of_id = match tickets.find(id) {
                Some(other) => tickets.component(other),
                None => prefix(id).map(str::to_owned),
            };
            (of_id.is_some() && of_id == component).then_some(Named::Component)
        })
    };
    let mut usual: BTreeMap<String, Usual> = BTreeMap::new();
    let mut of_linked: Vec<(Option<i64>, ContextItem)> = Vec::new();
    let mut count = 0;
    let ids = linked.iter().map(String::as_str).chain([own]);
    for commit in named_by_title(reader, ids)? {
        let Some(named) = named(&commit).filter(|_| !is_sweep(&commit)) else { continue };
        count += 1;
        let date = commit.attributes.updated;
        let weight = if matches!(named, Named::Component) { 1.0 } else { LINKED };
        let number = u32::try_from(changed(&commit).count()).unwrap_or(u32::MAX).max(1);
        for path in changed(&commit).filter(|path| is_shown(path)) {
            let file = usual.entry(path.to_owned()).or_default();
            file.score += weight / f64::from(number).sqrt();
            file.commits += 1;
            if file.last.as_ref().is_none_or(|(last, _)| *last < date) {
                file.last = Some((date, short(&commit)));
            }
        }
        if let Named::Linked(id) = named {
            of_linked.push((date, item(&commit, format!("names the linked ticket {id}"))));
        }
    }
    let mut usual: Vec<(String, Usual)> = usual.into_iter().collect();
    usual.sort_by(|left, right| right.1.score.total_cmp(&left.1.score).then(left.0.cmp(&right.0)));
    let of = component.as_deref().unwrap_or(own);
    let files = usual.into_iter().take(MAX_FILES).map(|(path, file)| ContextItem {
        id: path.clone(),
        kind: "file".to_owned(),
        name: path.clone(),
        path: Some(path),
        relation: format!("changed by {} of {count} commits of {of}", file.commits),
        about: file.last.map(|(_, last)| ("last commit", last)).into_iter().collect(),
        ..ContextItem::default()
    });
    of_linked.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.id.cmp(&right.1.id)));
    Ok(Relatives {
        files: files.collect(),
        commits: of_linked.into_iter().take(MAX_LINKED).map(|(_, item)| item).collect(),
    })
}

/// Returns the commits whose titles contain the prefix of one of these ids, each once.
fn named_by_title<'a>(
    reader: &dyn Reader,
    ids: impl Iterator<Item = &'a str>,
) -> Result<Vec<StoredDocument>, IndexError> {
    let prefixes: BTreeSet<String> = ids.filter_map(prefix).map(str::to_lowercase).collect();
    let mut documents = Vec::new();
    for prefix in prefixes {
        if let Some(term) = words_of(&prefix).first() {
            let holders = reader.holders(Field::Title, term, MAX_COMMITS)?;
            documents.extend(holders.into_iter().map(|holder| holder.document));
        }
    }
    documents.sort_unstable();
    documents.dedup();
    reader.documents(&documents)
}
