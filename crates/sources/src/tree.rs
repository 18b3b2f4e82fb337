//! Listing of a folder, made once and shared by every source.
//!
//! Steps of [`Tree::walk`]:
//!
//! 1. Resolve the root to its canonical path.
//! 2. List the files: of the folder on disk (`walk.rs`), or of a commit (`git/past_walk.rs`). Both
//!    apply the rules of `rules.rs` and count what they skip.
//! 3. Add the exports of issue trackers that the user named (`exports.rs`), even if they are
//!    ignored or outside the root.
//! 4. Keep entries sorted by path, so that a path is found by binary search.
//!
//! The tree is immutable afterwards. It reads files on request, and remembers which reader each
//! file was assigned to (`claims.rs`).

mod update;
mod version;

use std::{
    collections::HashMap,
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use lore_schema::{SkipCounts, SkipReason};

use crate::{
    error::SourceError,
    exports::{self, Export, ExportFormat},
    fingerprint::{FileStat, FileVersion},
    git::{self, Blob},
    listing::{Entry, ListedFile, WalkOutput},
    native::{self, PathConvention},
    options::WalkOptions,
    regular::open_regular,
    safe_open::OpenRoot,
    text::{self, reason_of},
    units::Claims,
    walk,
};

pub use self::version::{Difference, TreeVersion};
pub(crate) use self::{update::TreePart, version::ChangeLog};

/// Listing of a folder at one moment, or of that folder in a commit.
///
/// Ignored files are not listed, except spec and ticket stores and instructions to agents. Caches
/// and version-control folders are never listed.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
    canonical_root: PathBuf,
    /// The root, through which every file is opened; `None` for a tree that is stored elsewhere.
    open_root: Option<Arc<OpenRoot>>,
    options: WalkOptions,
    entries: Vec<Entry>,
    /// Internal details of the entries, in the same order.
    details: Vec<Details>,
    /// Git objects of the files by path, if the tree is that of a commit.
    blobs: Arc<HashMap<String, Blob>>,
    skipped: SkipCounts,
    ignored: Vec<String>,
    oversized: Vec<String>,
    claims: OnceLock<Arc<Claims>>,
    changes: ChangeLog,
}

/// Details of an entry that are not public.
#[derive(Debug, Clone, Copy)]
struct Details {
    version: FileVersion,
    /// Upper 32 bits of the inode.
    inode_high: u32,
    ignored: bool,
    /// True if the file has other names (hard links).
    is_shared: bool,
    /// True if the file is listed under a link.
    is_linked: bool,
    /// Export format, if the user named the file as an export.
    export: Option<ExportFormat>,
}

impl Details {
    fn of(file: &ListedFile) -> Details {
        Details {
            version: file.version,
            inode_high: file.inode_high,
            ignored: file.ignored,
            is_shared: file.is_shared,
            is_linked: false,
            export: None,
        }
    }
}

impl Tree {
    /// Walks a folder.
    ///
    /// If the folder itself cannot be listed, or a file named as an export is not an export.
    pub fn walk(root: &Path, options: &WalkOptions) -> Result<Tree, SourceError> {
        Ok(Tree::walk_while(root, options, &|| true)?.0)
    }

    /// Walks a folder while `keep_going` returns true. It is called before each folder, from
    /// several threads. Returns the tree and whether every folder was listed; files of other
    /// folders are missing.
    ///
    /// # Errors
    /// Same as [`Tree::walk`].
    pub fn walk_while(
        root: &Path,
        options: &WalkOptions,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Tree, bool), SourceError> {
        let mut tree = Tree::unlisted(root, options)?;
        if let Some(stored) = &options.stored {
            tree.list(stored.list());
            return Ok((tree, true));
        }
        let (walked, blobs) = match &options.at {
            None => (walk::walk(&tree.canonical_root, options, keep_going)?, HashMap::new()),
            Some(revision) => git::list(revision, options, keep_going)?,
        };
        tree.blobs = Arc::new(blobs);
        let is_complete = walked.is_complete;
        tree.list(walked);
        for Export { entry, version, format } in
            exports::find(&tree.canonical_root, &options.exports)?
        {
            let place = tree.entries.binary_search_by(|known| known.path.cmp(&entry.path));
            let place = place.unwrap_or_else(|place| {
                let file =
                    ListedFile { entry, version, inode_high: 0, ignored: true, is_shared: false };
                tree.details.insert(place, Details::of(&file));
                tree.entries.insert(place, file.entry);
                place
            });
            tree.details[place].export = Some(format);
        }
        Ok((tree, is_complete))
    }

    /// Lists the files of a walk.
    pub(crate) fn list(&mut self, walked: WalkOutput) {
        let WalkOutput { files, skipped, ignored, oversized, is_complete: _ } = walked;
        self.details = files.iter().map(Details::of).collect();
        self.entries = files.into_iter().map(|file| file.entry).collect();
        self.skipped = skipped;
        self.ignored = ignored;
        self.oversized = oversized;
    }

    /// Returns the tree of a folder without listing it, for sources that read no files.
    ///
    /// # Errors
    /// When the folder does not exist.
    pub fn unlisted(root: &Path, options: &WalkOptions) -> Result<Tree, SourceError> {
        let (canonical_root, open_root) = if options.stored.is_some() {
            (root.to_owned(), None)
        } else {
            let canonical_root = native::canonical(root).map_err(|error| SourceError::Root {
                path: root.to_owned(),
                reason: error.to_string(),
            })?;
            let open_root = Some(Arc::new(open(&canonical_root)?));
            (canonical_root, open_root)
        };
        Ok(Tree {
            root: root.to_owned(),
            open_root,
            canonical_root,
            options: options.clone(),
            entries: Vec::new(),
            details: Vec::new(),
            blobs: Arc::default(),
            skipped: SkipCounts::new(),
            ignored: Vec::new(),
            oversized: Vec::new(),
            claims: OnceLock::new(),
            changes: ChangeLog::new(),
        })
    }

    /// Root folder as given by the caller.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Files, sorted by path (bytewise).
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the listed file with a path.
    pub fn entry(&self, path: &str) -> Option<&Entry> {
        self.index(path).map(|index| &self.entries[index])
    }

    /// Number of skipped files and folders by reason. A folder counts once, whatever it contains.
    pub fn skipped(&self) -> &SkipCounts {
        &self.skipped
    }

    /// Files and folders that the rules exclude, sorted; folders end with `/`. The list is capped
    /// at [`MAX_NAMED_IGNORED`](crate::listing::MAX_NAMED_IGNORED).
    pub(crate) fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// Ignore files that are too large to apply, sorted. They have no effect.
    pub fn oversized_ignore_files(&self) -> &[String] {
        &self.oversized
    }

    /// Reads a file of the tree as text, up to the size limit of the walk. See
    /// [`read_text`](crate::read_text).
    ///
    /// The reason why the file has no text.
    pub fn read_text(&self, path: &str) -> Result<String, SkipReason> {
        self.read_text_up_to(path, self.options.max_file_size)
    }

    /// Reads a file of the tree as text, up to a size in bytes.
    pub(crate) fn read_text_up_to(&self, path: &str, max: u64) -> Result<String, SkipReason> {
        text::decode(self.read_bytes(path, max)?, self.options.secrets)
    }

    /// Reads a file of the tree, up to a size in bytes.
    pub(crate) fn read_bytes(&self, path: &str, max: u64) -> Result<Vec<u8>, SkipReason> {
        if let Some(stored) = &self.options.stored {
            return stored.read_bytes(path, max);
        }
        if let Some(revision) = &self.options.at {
            if let Some(blob) = self.blobs.get(path) {
                return revision.read(*blob, max);
            }
            return match self.exported(path) {
                Some(file) => text::read_file(&file, max),
                None => revision.read_bytes(path, max),
            };
        }
        match self.exported(path) {
            Some(file) => text::read_file(&file, max),
            None => Ok(text::read_beneath(self.on_disk()?, path, max)?.0),
        }
    }

    /// Announces that these files are read next.
    pub(crate) fn read_ahead<'a>(&self, paths: impl Iterator<Item = &'a str>) {
        if let Some(stored) = &self.options.stored {
            stored.read_ahead(&paths.collect::<Vec<_>>());
        }
    }

    /// Returns true if files are read from the disk.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.options.at.is_none() && self.options.stored.is_none()
    }

    /// The root on disk.
    fn on_disk(&self) -> Result<&OpenRoot, SkipReason> {
        self.open_root.as_deref().ok_or(SkipReason::Unreadable)
    }

    /// Opens a file on disk for reading, up to a size in bytes.
    pub(crate) fn open_file(&self, path: &str, max: u64) -> Result<File, SkipReason> {
        let opened = match self.exported(path) {
            Some(file) => open_regular(&file, max).map(|(file, _)| file),
            None if self.index(path).is_some() => {
                self.on_disk()?.listed_file(path, max).map(|(file, _)| file)
            }
            None => self.on_disk()?.file(path, max).map(|(file, _)| file),
        };
        opened.map_err(|error| reason_of(&error))
    }

    /// Returns the place of a file that the user named as an export. It may be outside the root.
    fn exported(&self, path: &str) -> Option<PathBuf> {
        let index = self.index(path)?;
        // Joining an absolute path returns that path.
        self.details[index].export.map(|_| self.canonical_root.join(path))
    }

    /// Root folder with every link resolved.
    pub(crate) fn canonical_root(&self) -> &Path {
        &self.canonical_root
    }

    /// Options of the walk.
    pub(crate) fn options(&self) -> &WalkOptions {
        &self.options
    }

    /// Returns the position of a path among the entries.
    pub(crate) fn index(&self, path: &str) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()
    }

    /// Returns whether version control ignores a file that is listed because it is part of a store.
    pub(crate) fn is_ignored(&self, index: usize) -> bool {
        self.details[index].ignored
    }

    /// Returns the export format of a file that the user named as an export.
    pub(crate) fn export(&self, index: usize) -> Option<ExportFormat> {
        self.details[index].export
    }

    /// Returns whether a file is unchanged since the walk.
    pub(crate) fn is_as_listed(&self, index: usize) -> bool {
        let path = &self.entries[index].path;
        if self.blobs.contains_key(path) {
            return true;
        }
        if let Some(stored) = &self.options.stored {
            return stored.fingerprint_of(path) == Some(self.entries[index].metadata);
        }
        let listed = self.details[index].version.fingerprint;
        let now = self.canonical_root.join(path).metadata();
        now.is_ok_and(|now| FileStat::of(&now).fingerprint == listed)
    }

    /// Returns whether the walk saw this size (lower 32 bits) and this modification time (seconds
    /// and nanoseconds since the epoch), in the form git's index stores them.
    pub(crate) fn has_size_and_time(&self, index: usize, size: u32, times: (u32, u32)) -> bool {
        self.entries[index].size & u64::from(u32::MAX) == u64::from(size)
            && self.details[index].version.has_modified_time(times)
    }

    /// Returns whether the time of the last change (seconds and nanoseconds since the epoch) and the
    /// inode (lower 32 bits) of a listed file are those that git's index stores. Parts that the
    /// index does not have, because they are 0, count as equal.
    pub(crate) fn has_change_time_and_inode(
        &self,
        index: usize,
        times: (u32, u32),
        inode: u32,
    ) -> bool {
        let Details { version: listed, inode_high, .. } = self.details[index];
        let full = u64::from(inode_high) << 32 | u64::from(inode);
        if listed.has_identity(self.entries[index].size, times, full) {
            return true;
        }
        // The index may have only a part of them: the fingerprints differ then.
        let Ok(root) = self.on_disk() else { return false };
        let now = root.metadata(&self.entries[index].path);
        now.is_ok_and(|now| {
            let now = FileStat::of(&now);
            now.fingerprint == listed.fingerprint && now.has_change_time_and_inode(times, inode)
        })
    }

    /// Returns the assignment of files to readers. `assign` runs at the first call only.
    pub(crate) fn claims_or_assign(&self, assign: impl FnOnce(&Tree) -> Claims) -> &Claims {
        self.claims.get_or_init(|| Arc::new(assign(self)))
    }
}

/// Opens the root of a tree.
fn open(canonical_root: &Path) -> Result<OpenRoot, SourceError> {
    OpenRoot::open(canonical_root).map_err(|error| SourceError::Root {
        path: canonical_root.to_owned(),
        reason: error.to_string(),
    })
}

/// Returns the current fingerprint of a file; `path` is root-relative, with `/`. Links are
/// followed. Equal to [`Entry::metadata`] if nothing changed since a walk that could trust the
/// times. `None` if there is no such file inside the root.
pub fn fingerprint_of(root: &Path, path: &str) -> Option<u64> {
    let metadata = text::metadata_inside(root, path)?;
    metadata.is_file().then(|| FileStat::of(&metadata).fingerprint)
}

/// Returns whether the [`fingerprint_of`] a file still equals `fingerprint`.
pub fn is_unchanged(root: &Path, path: &str, fingerprint: u64) -> bool {
    if !cfg!(unix) {
        return fingerprint_of(root, path) == Some(fingerprint);
    }
    // Two files on one file system never share a fingerprint, so the links on the way do not
    // matter: one `stat` call is enough, and nothing is read.
    let now = native::check(path, PathConvention::CURRENT)
        .ok()
        .and_then(|()| root.join(path).metadata().ok());
    now.is_some_and(|now| now.is_file() && FileStat::of(&now).fingerprint == fingerprint)
}

#[cfg(test)]
mod tests;
