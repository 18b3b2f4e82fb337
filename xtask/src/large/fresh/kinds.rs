//! The kinds of changes, with their weights, and the work of a writer.

use std::sync::atomic::Ordering;

use anyhow::Result;

use super::{changes, repository, writer::Writer};

/// A kind of change, which returns the number of changes.
type Change = fn(&mut Writer<'_>) -> Result<usize>;

/// Kinds of changes with their names and weights.
const CHANGES: &[(&str, usize, Change)] = &[
    ("a new file", 12, changes::create),
    ("a write", 16, changes::overwrite),
    ("an append to an open file", 14, changes::append),
    ("a replacement by a rename", 10, changes::replace),
    ("a deletion", 7, changes::delete),
    ("a rename", 8, changes::rename),
    ("new folders with files", 6, changes::create_folders),
    ("a moved folder", 6, changes::move_folder),
    ("a symbolic link", 4, changes::symbolic_link),
    ("a hard link", 4, changes::hard_link),
    ("an edit of an ignore file", 5, changes::ignore),
    ("git checkout", 2, repository::checkout),
    ("git stash", 2, repository::stash),
];

/// Makes changes until no more are left.
pub(super) fn work(writer: &mut Writer<'_>) {
    let total = CHANGES.iter().map(|(_, weight, _)| weight).sum();
    while 0 < writer.shared.left.load(Ordering::Relaxed) {
        let mut at = writer.random.below(total);
        let chosen = CHANGES.iter().find(|(_, weight, _)| {
            let is_chosen = at < *weight;
            at = at.saturating_sub(*weight);
            is_chosen
        });
        let Some((name, _, change)) = chosen else { continue };
        writer.change = name;
        let made = match change(writer) {
            Ok(made) => made,
            Err(error) => {
                writer.checker.fail(name, &error);
                1
            }
        };
        let left = &writer.shared.left;
        let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            Some(left.saturating_sub(made))
        });
    }
}
