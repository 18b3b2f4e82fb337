//! The interface of a reader of one format, and the listing that it claims files from.
//!
//! `claims.rs` describes how files are assigned to readers.

use std::ops::Range;

use lore_schema::{Document, SkipCounts};

use crate::{UnitFiles, exports::ExportFormat, listing::Entry, tree::Tree, units::Claim};

/// A reader of one format inside a source of files.
pub(crate) trait Reader: Sync {
    /// Name of the format: `spex`, `sage`, `files` …
    fn name(&self) -> &'static str;

    /// Groups the files of a tree into units of this format, in any order. Decides from paths and
    /// sizes alone, except where several programs use one path ([`Listing::peek`]). Files that an
    /// earlier reader claimed are dropped from the result, so a reader checks
    /// [`Listing::is_claimed`] only to save work.
    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim>;

    /// Returns whether [`Reader::claim`] looks at the content of the file with this path.
    fn peeks(&self, _path: &str) -> bool {
        false
    }

    /// Reads one unit. Never fails: unreadable parts are counted as skipped. May be called from
    /// several threads at once. Files are read through `tree`, so that each is read once.
    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent;

    /// Maximum file size in bytes, given the general limit. Stores that keep many records in one
    /// file raise it.
    fn size_limit(&self, general: u64) -> u64 {
        general
    }
}

impl Claim {
    /// Claims a single file as a unit named after it.
    pub(crate) fn file(listing: &Listing<'_>, index: usize) -> Claim {
        Claim { unit: listing.path(index).to_owned(), files: vec![index] }
    }
}

/// Content of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct UnitContent {
    /// Documents of the unit.
    pub documents: Vec<Document>,
    /// Number of skipped parts by reason.
    pub skipped: SkipCounts,
}

/// Files of a tree, sorted by path, with the lookups that readers need for their claims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listing<'a> {
    tree: &'a Tree,
    claimed: &'a [bool],
}

impl<'a> Listing<'a> {
    /// Creates the listing of a tree; `claimed` has one element per entry.
    pub(crate) fn new(tree: &'a Tree, claimed: &'a [bool]) -> Listing<'a> {
        debug_assert_eq!(tree.entries().len(), claimed.len());
        Listing { tree, claimed }
    }

    /// Every file, sorted by path (bytewise).
    pub(crate) fn entries(&self) -> &'a [Entry] {
        self.tree.entries()
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, index: usize) -> &'a str {
        &self.entries()[index].path
    }

    /// Returns the index of a file.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        self.tree.index(path)
    }

    /// Returns whether a file with this path exists.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Returns the files inside a folder, at any depth, claimed or not. The folder has no final
    /// `/`; the empty string is the root.
    pub(crate) fn under(&self, folder: &str) -> Range<usize> {
        self.tree.inside(folder)
    }

    /// Claims the files that the user named as exports and that have one of these formats, each as
    /// a unit.
    pub(crate) fn exports(&self, formats: &[ExportFormat]) -> Vec<Claim> {
        if self.tree.options().exports.is_empty() {
            return Vec::new();
        }
        (0..self.entries().len())
            .filter(|&index| {
                self.tree.export(index).is_some_and(|format| formats.contains(&format))
            })
            .map(|index| Claim::file(self, index))
            .collect()
    }

    /// Returns the text of a file up to a size in bytes, for the few paths that different programs
    /// use for different formats.
    pub(crate) fn peek(&self, index: usize, max: u64) -> Option<String> {
        self.tree.read_text_up_to(self.path(index), max).ok()
    }

    /// Returns whether an earlier reader claimed the file.
    pub(crate) fn is_claimed(&self, index: usize) -> bool {
        self.claimed[index]
    }

    /// Returns whether version control ignores the file: it is listed only as part of a store or as
    /// instructions to agents.
    pub(crate) fn is_ignored(&self, index: usize) -> bool {
        self.tree.is_ignored(index)
    }
}
