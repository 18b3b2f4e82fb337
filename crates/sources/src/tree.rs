//! The files of a folder, listed once for every source.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use lore_schema::{SkipCounts, SkipReason};

use crate::{
    error::SourceError,
    exports::{self, Export, ExportFormat},
    fingerprint::{Facts, Version},
    git::{self, Blob},
    listing::{Entry, Walked},
    native::{self, PathConvention},
    options::WalkOptions,
    text,
    units::Claims,
    walk,
};

/// A listing of a folder at one moment, or of that folder as a commit has it.
///
/// Ignored files are not in it, apart from spec and ticket stores and instructions to agents,
/// which are read even so. Caches and version-control folders never are.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    canonical_root: PathBuf,
    options: WalkOptions,
    entries: Vec<Entry>,
    /// What else is known of the entries, parallel to them.
    details: Vec<Details>,
    /// The contents of files by path, where they come from a commit.
    blobs: HashMap<String, Blob>,
    skipped: SkipCounts,
    folders: Vec<String>,
    ignored: Vec<String>,
    claims: OnceLock<Claims>,
}

/// What the tree knows of an entry beside what it publishes.
#[derive(Debug, Clone, Copy)]
struct Details {
    version: Version,
    ignored: bool,
    /// The tracker that it comes from, if it was named as an export.
    export: Option<ExportFormat>,
}

impl Tree {
    /// Walks a folder.
    ///
    /// # Errors
    /// Only when the folder itself cannot be listed, or when a file that was named as an export is
    /// none.
    pub fn walk(root: &Path, options: &WalkOptions) -> Result<Tree, SourceError> {
        Ok(Tree::walk_while(root, options, &|| true)?.0)
    }

    /// Walks a folder as long as `goes_on` says so, asked before each folder from several threads.
    /// Returns whether every folder was listed; the files of the others are missing.
    ///
    /// # Errors
    /// As [`Tree::walk`].
    pub fn walk_while(
        root: &Path,
        options: &WalkOptions,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Tree, bool), SourceError> {
        let canonical_root = native::canonical(root).map_err(|error| SourceError::Root {
            path: root.to_owned(),
            reason: error.to_string(),
        })?;
        let (walked, blobs) = match &options.at {
            None => (walk::walk(&canonical_root, options, goes_on)?, HashMap::new()),
            Some(revision) => git::list(revision, options, goes_on)?,
        };
        let Walked { found, skipped, folders, ignored, is_complete } = walked;
        let mut entries = Vec::with_capacity(found.len());
        let mut details = Vec::with_capacity(found.len());
        for file in found {
            entries.push(file.entry);
            details.push(Details { version: file.version, ignored: file.ignored, export: None });
        }
        for Export { entry, version, format } in exports::find(&canonical_root, &options.exports)? {
            let place = entries.binary_search_by(|known| known.path.cmp(&entry.path));
            let place = place.unwrap_or_else(|place| {
                entries.insert(place, entry);
                details.insert(place, Details { version, ignored: true, export: None });
                place
            });
            details[place].export = Some(format);
        }
        let options = options.clone();
        let root = root.to_owned();
        let claims = OnceLock::new();
        let tree = Tree {
            root,
            canonical_root,
            options,
            entries,
            details,
            blobs,
            skipped,
            folders,
            ignored,
            claims,
        };
        Ok((tree, is_complete))
    }

    /// The folder, as it was given.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files, sorted by path (bytewise).
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The file of a path, if it is listed.
    pub fn entry(&self, path: &str) -> Option<&Entry> {
        self.index(path).map(|index| &self.entries[index])
    }

    /// What the walk left out, by reason. A folder counts once, whatever it holds.
    pub fn skipped(&self) -> &SkipCounts {
        &self.skipped
    }

    /// Root-relative folders that were read, without a slash at the end, sorted; the first is the
    /// root, which is empty. Folders that a link leads to are not among them.
    pub(crate) fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Files and folders that the rules leave out, the latter with a final `/`, sorted. Many at one
    /// place are not all named.
    pub(crate) fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// Reads a file of the tree as text, up to the size limit of the walk. See
    /// [`read_text`](crate::read_text).
    ///
    /// # Errors
    /// The reason why there is no text.
    pub fn read_text(&self, path: &str) -> Result<String, SkipReason> {
        self.read_text_up_to(path, self.options.max_file_size)
    }

    /// Reads a file of the tree as text, up to a size in bytes.
    pub(crate) fn read_text_up_to(&self, path: &str, max: u64) -> Result<String, SkipReason> {
        text::decode(self.read_bytes(path, max)?, self.options.secrets)
    }

    /// Reads a file of the tree, up to a size in bytes.
    pub(crate) fn read_bytes(&self, path: &str, max: u64) -> Result<Vec<u8>, SkipReason> {
        if let Some(revision) = &self.options.at {
            if let Some(blob) = self.blobs.get(path) {
                return revision.read(*blob, max);
            }
            return match self.index(path) {
                Some(index) if self.details[index].export.is_some() => {
                    text::read_file(&self.canonical_root.join(path), max)
                }
                _ => revision.read_bytes(path, max),
            };
        }
        match self.index(path) {
            // The user named it, wherever it lies; an absolute path stands for itself.
            Some(index) if self.details[index].export.is_some() => {
                text::read_file(&self.canonical_root.join(path), max)
            }
            // It is the very file that the walk came upon inside the root: no need to look for
            // links on the way to it.
            Some(index) if self.is_as_listed(index) => {
                text::read_file(&self.canonical_root.join(path), max)
            }
            _ => text::read_bytes(&self.canonical_root, path, max),
        }
    }

    /// The folder with every link resolved.
    pub(crate) fn canonical_root(&self) -> &Path {
        &self.canonical_root
    }

    /// How the folder was walked.
    pub(crate) fn options(&self) -> &WalkOptions {
        &self.options
    }

    /// The position of a path among the entries.
    pub(crate) fn index(&self, path: &str) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()
    }

    /// Whether a file is ignored by version control and listed only as part of a store.
    pub(crate) fn is_ignored(&self, index: usize) -> bool {
        self.details[index].ignored
    }

    /// The tracker that a file comes from, if it was named as an export.
    pub(crate) fn export(&self, index: usize) -> Option<ExportFormat> {
        self.details[index].export
    }

    /// Whether a file is still as the walk saw it.
    pub(crate) fn is_as_listed(&self, index: usize) -> bool {
        let path = &self.entries[index].path;
        if self.blobs.contains_key(path) {
            return true;
        }
        let listed = self.details[index].version.fingerprint;
        let now = self.canonical_root.join(path).metadata();
        now.is_ok_and(|now| Facts::of(&now).fingerprint == listed)
    }

    /// Whether the walk saw a file of this size, of which the lower 32 bits count, and of this time of
    /// its last change, in seconds and nanoseconds since the epoch.
    pub(crate) fn looks_like(&self, index: usize, size: u32, times: (u32, u32)) -> bool {
        self.entries[index].size & u64::from(u32::MAX) == u64::from(size)
            && self.details[index].version.is_of(times)
    }

    /// Assignment of the files to readers; `assign` runs at the first call only.
    pub(crate) fn claims_or_assign(&self, assign: impl FnOnce(&Tree) -> Claims) -> &Claims {
        self.claims.get_or_init(|| assign(self))
    }
}

/// The fingerprint of a file of a tree as it is now, the file's own also where a link leads to it;
/// `path` is root-relative, with `/`. Equal to [`Entry::metadata`] as long as nothing has changed
/// since a walk that could trust the times. `None` where there is no file inside the root.
pub fn fingerprint_of(root: &Path, path: &str) -> Option<u64> {
    let metadata = text::metadata_inside(root, path)?;
    metadata.is_file().then(|| Facts::of(&metadata).fingerprint)
}

/// Whether [`fingerprint_of`] a file is still this one.
pub fn is_unchanged(root: &Path, path: &str, fingerprint: u64) -> bool {
    if !cfg!(unix) {
        return fingerprint_of(root, path) == Some(fingerprint);
    }
    // On one file system no two files have a fingerprint in common, so that it does not matter where
    // links lead on the way to it: one question to the system is enough, and nothing is read.
    let now = native::check(path, PathConvention::CURRENT)
        .ok()
        .and_then(|()| root.join(path).metadata().ok());
    now.is_some_and(|now| now.is_file() && Facts::of(&now).fingerprint == fingerprint)
}

#[cfg(test)]
mod tests;
