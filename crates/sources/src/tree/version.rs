//! Versions of a listing that is kept up to date, and the paths that changed between two of them.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::Tree;

/// Maximum number of changed paths that a listing keeps. A comparison with an older version has to
/// look at every file.
const MAX_KEPT: usize = 4_096;

/// Number of the next walk of this process.
static NEXT_WALK: AtomicU64 = AtomicU64::new(1);

/// Version of a listing. Equal versions list the same files with the same stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeVersion {
    /// The walk that the listing comes from.
    walk: u64,
    /// Number of changes since.
    number: u64,
}

/// Difference between two versions of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference<'a> {
    /// Both list the same files.
    Nothing,
    /// The same paths are listed; the files at these may differ. Sorted.
    Content(BTreeSet<&'a str>),
    /// Unknown: every file has to be compared.
    Unknown,
}

/// The changes of a listing since its walk.
#[derive(Debug, Clone)]
pub(crate) struct ChangeLog {
    version: TreeVersion,
    /// The last version with other paths than the one before it, or whose changes are not kept.
    unknown_until: u64,
    /// Changed paths with the version that has the change, oldest first.
    changed: Vec<(u64, Arc<str>)>,
}

impl ChangeLog {
    /// The log of a new walk.
    pub(crate) fn new() -> ChangeLog {
        let walk = NEXT_WALK.fetch_add(1, Ordering::Relaxed);
        ChangeLog {
            version: TreeVersion { walk, number: 0 },
            unknown_until: 0,
            changed: Vec::new(),
        }
    }

    /// Notes that files changed whose paths stay listed.
    pub(crate) fn add_content(&mut self, paths: impl IntoIterator<Item = String>) {
        self.version.number += 1;
        let number = self.version.number;
        let changed = &mut self.changed;
        changed.extend(paths.into_iter().map(|path| (number, path.into())));
        if changed.len() > MAX_KEPT {
            let dropped = changed.len() - MAX_KEPT / 2;
            self.unknown_until = changed[dropped - 1].0;
            changed.drain(..dropped);
        }
    }

    /// Notes that other paths are listed.
    pub(crate) fn add_paths(&mut self) {
        self.version.number += 1;
        self.unknown_until = self.version.number;
        self.changed.clear();
    }
}

impl Tree {
    /// The version of the listing.
    pub fn version(&self) -> TreeVersion {
        self.changes.version
    }

    /// Returns the difference to an older version of this listing.
    pub fn difference_to(&self, older: TreeVersion) -> Difference<'_> {
        let ChangeLog { version, unknown_until, changed } = &self.changes;
        if older == *version {
            return Difference::Nothing;
        }
        if older.walk != version.walk || older.number < *unknown_until {
            return Difference::Unknown;
        }
        let start = changed.partition_point(|(number, _)| *number <= older.number);
        Difference::Content(changed[start..].iter().map(|(_, path)| &**path).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Folder, options};

    #[test]
    fn only_the_paths_that_changed_since_are_named() {
        let folder = Folder::of("//- /a.rs\nfn a() {}\n//- /b.rs\nfn b() {}\n");
        let mut tree = Tree::walk(folder.path(), &options()).unwrap();
        let first = tree.version();
        assert_eq!(tree.difference_to(first), Difference::Nothing);
        tree.changes.add_content(["a.rs".to_owned()]);
        let second = tree.version();
        tree.changes.add_content(["b.rs".to_owned(), "a.rs".to_owned()]);
        assert_eq!(tree.difference_to(second), Difference::Content(["a.rs", "b.rs"].into()));
        assert_eq!(tree.difference_to(first), Difference::Content(["a.rs", "b.rs"].into()));
        tree.changes.add_paths();
        assert_eq!(tree.difference_to(second), Difference::Unknown);
        let third = tree.version();
        for _ in 0..MAX_KEPT {
            tree.changes.add_content(["a.rs".to_owned()]);
        }
        assert_eq!(tree.difference_to(third), Difference::Content(["a.rs"].into()));
        tree.changes.add_content(["a.rs".to_owned()]);
        assert_eq!(tree.difference_to(third), Difference::Unknown);
        let other = Tree::walk(folder.path(), &options()).unwrap();
        assert_eq!(other.difference_to(first), Difference::Unknown);
    }
}
