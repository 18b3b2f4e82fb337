//! Replaces parts of a listing, for a tree that is watched.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
    sync::OnceLock,
};

use lore_schema::SkipCounts;

use super::{Details, Entry, Tree};
use crate::listing::ListedFile;

/// Parts of a tree that were read again.
#[derive(Debug, Default)]
pub(crate) struct TreePart {
    /// Root-relative folders, without a final `/`, all of whose files are replaced.
    pub(crate) parts: Vec<String>,
    /// Folders of which only the own files are replaced, not those of their subfolders.
    pub(crate) folders: Vec<String>,
    /// The files there now, sorted by path.
    pub(crate) files: Vec<ListedFile>,
}

impl Tree {
    /// Returns a file as it is listed.
    pub(crate) fn listed_at(&self, index: usize) -> ListedFile {
        let Details { version, inode_high, ignored, is_shared, .. } = self.details[index];
        ListedFile { entry: self.entries[index].clone(), version, inode_high, ignored, is_shared }
    }

    /// Returns the file with a path as it is listed at its own place.
    pub(crate) fn listed(&self, path: &str) -> Option<ListedFile> {
        let index = self.index(path).filter(|index| !self.is_linked(*index))?;
        Some(self.listed_at(index))
    }

    /// Returns whether a file is listed under a link.
    pub(crate) fn is_linked(&self, index: usize) -> bool {
        self.details[index].is_linked
    }

    /// Returns whether a file can change under another path: it has several names, or is listed
    /// under a link.
    pub(crate) fn has_other_places(&self, index: usize) -> bool {
        self.details[index].is_shared || self.details[index].is_linked
    }

    /// Returns whether a file is listed with exactly these details.
    pub(crate) fn is_same(&self, index: usize, file: &ListedFile) -> bool {
        let Details { version, inode_high, ignored, is_shared, .. } = self.details[index];
        self.entries[index] == file.entry
            && (version, inode_high) == (file.version, file.inode_high)
            && (ignored, is_shared) == (file.ignored, file.is_shared)
    }

    /// Marks files that are listed under a link.
    pub(crate) fn mark_linked(&mut self, paths: &BTreeSet<String>) {
        for path in paths {
            if let Some(index) = self.index(path) {
                self.details[index].is_linked = true;
            }
        }
    }

    /// Replaces files that stay listed. `decides` returns whether the content of a file decides
    /// which reader it belongs to.
    pub(crate) fn put(&mut self, files: Vec<ListedFile>, decides: impl Fn(&str) -> bool) {
        let mut changed = Vec::with_capacity(files.len());
        let mut is_decisive = false;
        for file in files {
            let Some(index) = self.index(&file.entry.path) else { continue };
            let is_linked = self.details[index].is_linked;
            self.details[index] = Details { is_linked, ..Details::of(&file) };
            is_decisive |= decides(&file.entry.path);
            changed.push(file.entry.path.clone());
            self.entries[index] = file.entry;
        }
        if is_decisive {
            self.note_other_paths();
        } else if !changed.is_empty() {
            self.changes.add_content(changed);
        }
    }

    /// Replaces parts of the tree, and all files that are listed under links: `follow` gets the
    /// other files and returns those.
    pub(crate) fn replace(
        &mut self,
        part: TreePart,
        decides: impl Fn(&str) -> bool,
        follow: impl FnOnce(&mut Vec<Entry>) -> Vec<ListedFile>,
    ) {
        let mut is_gone: Vec<bool> = self.details.iter().map(|details| details.is_linked).collect();
        for folder in &part.parts {
            is_gone[self.inside(folder)].fill(true);
        }
        for folder in &part.folders {
            let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
            for index in self.inside(folder) {
                is_gone[index] |= !self.entries[index].path[start..].contains('/');
            }
        }
        let mut old = HashMap::new();
        let entries = std::mem::take(&mut self.entries);
        let details = std::mem::take(&mut self.details);
        let mut added = part.files.into_iter().peekable();
        let mut new_paths = Vec::new();
        self.entries.reserve(entries.len() + 64);
        self.details.reserve(entries.len() + 64);
        for ((entry, details), is_gone) in entries.into_iter().zip(details).zip(is_gone) {
            while let Some(file) = added.next_if(|file| file.entry.path <= entry.path) {
                new_paths.push(file.entry.path.clone());
                self.push(file);
            }
            if is_gone {
                old.insert(entry.path, (entry.metadata, entry.size, details));
            } else if self.entries.last().is_none_or(|last| last.path != entry.path) {
                self.entries.push(entry);
                self.details.push(details);
            }
        }
        for file in added {
            new_paths.push(file.entry.path.clone());
            self.push(file);
        }
        for file in follow(&mut self.entries) {
            if let Err(place) =
                self.entries.binary_search_by(|known| known.path.cmp(&file.entry.path))
            {
                new_paths.push(file.entry.path.clone());
                self.details.insert(place, Details { is_linked: true, ..Details::of(&file) });
                self.entries.insert(place, file.entry);
            }
        }
        self.note_differences(old, new_paths, decides);
    }

    /// Notes which paths and files differ from those that were replaced.
    fn note_differences(
        &mut self,
        mut old: HashMap<String, (u64, u64, Details)>,
        new_paths: Vec<String>,
        decides: impl Fn(&str) -> bool,
    ) {
        let mut changed = Vec::new();
        let mut is_other = false;
        for path in new_paths {
            let Some(index) = self.index(&path) else { continue };
            let now = (&self.entries[index], &self.details[index]);
            match old.remove(&path) {
                Some((metadata, size, details)) => {
                    is_other |= details.ignored != now.1.ignored;
                    let is_same = metadata == now.0.metadata
                        && size == now.0.size
                        && details.version == now.1.version;
                    if !is_same {
                        is_other |= decides(&path);
                        changed.push(path);
                    }
                }
                None => is_other = true,
            }
        }
        if is_other || !old.is_empty() {
            self.note_other_paths();
        } else {
            // Also without a changed file: a name that is not listed may be new or gone.
            self.changes.add_content(changed);
        }
    }

    /// Sets what the walk skipped.
    pub(crate) fn set_totals(
        &mut self,
        skipped: SkipCounts,
        ignored: Vec<String>,
        oversized: Vec<String>,
    ) {
        if (&skipped, &oversized) != (&self.skipped, &self.oversized) {
            self.note_other_paths();
        }
        self.skipped = skipped;
        self.ignored = ignored;
        self.oversized = oversized;
    }

    fn note_other_paths(&mut self) {
        self.changes.add_paths();
        self.claims = OnceLock::new();
    }

    fn push(&mut self, file: ListedFile) {
        self.details.push(Details::of(&file));
        self.entries.push(file.entry);
    }

    /// Positions of the files inside a folder, at any depth. The empty string is the root.
    pub(crate) fn inside(&self, folder: &str) -> Range<usize> {
        if folder.is_empty() {
            return 0..self.entries.len();
        }
        // Files of a folder sort between "folder/" and "folder0": `0` follows `/` in ASCII.
        let precedes = |path: &str, end: u8| {
            let path = path.as_bytes();
            let head = &path[..path.len().min(folder.len())];
            match head.cmp(folder.as_bytes()) {
                std::cmp::Ordering::Equal => path.get(folder.len()).is_none_or(|&byte| byte < end),
                order => order.is_lt(),
            }
        };
        let start = self.entries.partition_point(|entry| precedes(&entry.path, b'/'));
        let length = self.entries[start..].partition_point(|entry| precedes(&entry.path, b'0'));
        start..start + length
    }
}
