//! What a reader of a format is, and how the files of a tree are shared out among the readers.
//!
//! Every file belongs to exactly one reader. The readers are asked in a fixed order (tickets,
//! specs, patterns, docs, code); the first claim wins, and what has been claimed is gone for those
//! that follow.

use std::ops::Range;

use lore_schema::{Document, SkipCounts};

use crate::{exports::ExportFormat, listing::Entry, tree::Tree, units::Claim};

/// A reader of one format inside a source of files.
pub(crate) trait Reader: Sync {
    /// Its name in listings: `spex`, `sage`, `files` …
    fn name(&self) -> &'static str;

    /// Groups the files of a tree into units of this format, in any order. Decided from the paths
    /// and sizes alone, except where one path is used by several programs ([`Listing::peek`]). Files that an earlier reader has claimed are dropped from the result, so a
    /// reader only looks at [`Listing::is_claimed`] where it saves work.
    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim>;

    /// Reads one unit. Never fails: what cannot be read is counted. May be called from several
    /// threads at once.
    fn read(&self, tree: &Tree, unit: &Claim) -> UnitContent;

    /// The largest file, in bytes, that this reader takes, given the general limit. Stores that
    /// keep many records in one file raise it.
    fn size_limit(&self, general: u64) -> u64 {
        general
    }
}

impl Claim {
    /// The claim on a single file, named after it.
    pub(crate) fn file(listing: &Listing<'_>, index: usize) -> Claim {
        Claim { unit: listing.path(index).to_owned(), files: vec![index] }
    }
}

/// What a unit holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct UnitContent {
    /// Its documents.
    pub documents: Vec<Document>,
    /// What was left out of it.
    pub skipped: SkipCounts,
}

/// The files of a tree, sorted by path, with the lookups that claims are decided by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listing<'a> {
    tree: &'a Tree,
    claimed: &'a [bool],
}

impl<'a> Listing<'a> {
    /// The listing of a tree; `claimed` runs parallel to its entries.
    pub(crate) fn new(tree: &'a Tree, claimed: &'a [bool]) -> Listing<'a> {
        debug_assert_eq!(tree.entries().len(), claimed.len());
        Listing { tree, claimed }
    }

    /// Every file, sorted by path (bytewise).
    pub(crate) fn entries(&self) -> &'a [Entry] {
        self.tree.entries()
    }

    /// The path of a file.
    pub(crate) fn path(&self, index: usize) -> &'a str {
        &self.entries()[index].path
    }

    /// The index of a file.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        self.tree.index(path)
    }

    /// Whether there is a file of this path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// The files inside a folder, at any depth, claimed or not. The folder is given without a
    /// final `/`; the empty string is the root.
    pub(crate) fn under(&self, folder: &str) -> Range<usize> {
        if folder.is_empty() {
            return 0..self.entries().len();
        }
        // The files of a folder are those between "folder/" and "folder0", `0` being what follows
        // `/` in ASCII.
        let precedes = |path: &str, end: u8| {
            let path = path.as_bytes();
            let head = &path[..path.len().min(folder.len())];
            match head.cmp(folder.as_bytes()) {
                std::cmp::Ordering::Equal => path.get(folder.len()).is_none_or(|&byte| byte < end),
                order => order.is_lt(),
            }
        };
        let entries = self.entries();
        let start = entries.partition_point(|entry| precedes(&entry.path, b'/'));
        let length = entries[start..].partition_point(|entry| precedes(&entry.path, b'0'));
        start..start + length
    }

    /// The files that were named as exports and come from one of these trackers, each as a unit.
    pub(crate) fn exports(&self, formats: &[ExportFormat]) -> Vec<Claim> {
        if self.tree.options().exports.is_empty() {
            return Vec::new();
        }
        (0..self.entries().len())
            .filter(|&index| self.tree.export(index).is_some_and(|it| formats.contains(&it)))
            .map(|index| Claim::file(self, index))
            .collect()
    }

    /// The text of a file up to a size in bytes, for the few paths that different programs use for
    /// different things.
    pub(crate) fn peek(&self, index: usize, max: u64) -> Option<String> {
        self.tree.read_text_up_to(self.path(index), max).ok()
    }

    /// Whether a reader that was asked earlier has the file.
    pub(crate) fn is_claimed(&self, index: usize) -> bool {
        self.claimed[index]
    }

    /// Whether version control ignores the file, so that it is listed only as part of a store or
    /// as instructions to agents.
    pub(crate) fn is_ignored(&self, index: usize) -> bool {
        self.tree.is_ignored(index)
    }
}
