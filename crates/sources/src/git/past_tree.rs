//! Checkout of the files of a commit into a separate folder, one commit after another.
//!
//! Only files that differ between two commits are written, so that an index of the folder is
//! updated as after real work.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    diff::tree::visit,
    objs::tree::EntryMode,
};
use lore_schema::{SkipCounts, SkipReason};

use super::{files::Differences, repository::RepositoryFolder};
use crate::{error::SourceError, native};

/// A folder with the files of one commit after another.
///
/// Links and submodules are not written. Neither are files whose names are not UTF-8 or lead out of
/// the folder, large files, and files whose content is missing, as in a partial clone. All of them
/// are counted as skipped.
pub struct PastTree {
    source: RepositoryFolder,
    folder: PathBuf,
    /// Maximum size of a written file in bytes.
    max_file_size: u64,
    /// Tree whose files are in the folder.
    shown: Option<ObjectId>,
    differences: Differences,
    /// Skipped paths and their reasons.
    skipped: BTreeMap<BString, SkipReason>,
}

impl PastTree {
    /// Opens the repository that contains `root`. The part below `root` will be written to
    /// `folder`.
    ///
    /// Outside git, if the repository cannot be opened, and if the folder does not exist or is not
    /// empty: existing files are never overwritten.
    pub fn open(root: &Path, folder: &Path, max_file_size: u64) -> Result<PastTree, SourceError> {
        let failed = |reason: String| SourceError::PastTree { path: folder.to_owned(), reason };
        let mut listing = fs::read_dir(folder).map_err(|error| failed(error.to_string()))?;
        if listing.next().is_some() {
            return Err(failed("it is not empty".to_owned()));
        }
        Ok(PastTree {
            source: RepositoryFolder::find(root)?,
            folder: folder.to_owned(),
            max_file_size,
            shown: None,
            differences: Differences::default(),
            skipped: BTreeMap::new(),
        })
    }

    /// Updates the folder to the files of a commit, given by its full hash.
    ///
    /// If the commit cannot be read or a file cannot be written or removed.
    pub fn show(&mut self, commit: &str) -> Result<(), SourceError> {
        let tree = ObjectId::from_hex(commit.as_bytes()).ok().and_then(|id| self.source.tree(id));
        let tree =
            tree.ok_or_else(|| self.source.failed(&format!("there is no commit {commit}")))?;
        let mut removed: Vec<BString> = Vec::new();
        let mut written: Vec<(BString, EntryMode, ObjectId)> = Vec::new();
        let prefix = self.source.prefix.as_bytes();
        let read =
            self.differences.of(&self.source.repository, self.shown, tree, |path, change| {
                let Some(path) = path.strip_prefix(prefix).map(BString::from) else { return };
                match change {
                    visit::Change::Addition { entry_mode, oid, .. } => {
                        written.push((path, entry_mode, oid));
                    }
                    visit::Change::Deletion { .. } => removed.push(path),
                    visit::Change::Modification { entry_mode, oid, .. } => {
                        // A link may replace a file, and a file a link.
                        removed.push(path.clone());
                        written.push((path, entry_mode, oid));
                    }
                }
            });
        read.map_err(|_| self.source.failed(&format!("objects of commit {commit} are missing")))?;
        // A folder may replace a file, and a file a folder: remove first.
        for path in &removed {
            self.remove(path)?;
        }
        for (path, mode, id) in written {
            if let Err(reason) = self.write(&path, mode, id)? {
                self.skipped.insert(path, reason);
            }
        }
        self.shown = Some(tree);
        Ok(())
    }

    /// Returns the number of skipped paths by reason.
    pub fn skipped(&self) -> SkipCounts {
        let mut counts = SkipCounts::new();
        for reason in self.skipped.values() {
            *counts.entry(*reason).or_default() += 1;
        }
        counts
    }

    /// Removes a file, and its parent folders if they are empty.
    fn remove(&self, path: &BString) -> Result<(), SourceError> {
        let Some(place) = self.inside(path) else { return Ok(()) };
        match fs::remove_file(&place) {
            Ok(()) => {}
            // It was skipped, not written.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(());
            }
            Err(error) => return Err(failed(&place, &error)),
        }
        let folders = place.ancestors().skip(1).take_while(|folder| *folder != self.folder);
        for folder in folders {
            // A folder that is not empty stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Writes a file, or returns the reason why it is skipped.
    fn write(
        &self,
        path: &BString,
        mode: EntryMode,
        id: ObjectId,
    ) -> Result<Result<(), SkipReason>, SourceError> {
        if mode.is_link() {
            return Ok(Err(SkipReason::Symlink));
        }
        if !mode.is_blob() {
            return Ok(Err(SkipReason::NotAFile));
        }
        let Some(place) = self.inside(path) else { return Ok(Err(SkipReason::Unreadable)) };
        let repository = &self.source.repository;
        match repository.find_header(id) {
            Ok(header) if header.size() > self.max_file_size => {
                return Ok(Err(SkipReason::TooLarge));
            }
            Ok(_) => {}
            Err(_) => return Ok(Err(SkipReason::Unreadable)),
        }
        let Ok(blob) = repository.find_blob(id) else { return Ok(Err(SkipReason::Unreadable)) };
        let folder = place.parent().unwrap_or(&self.folder);
        let done = fs::create_dir_all(folder).and_then(|()| fs::write(&place, &blob.data));
        match done {
            Ok(()) => Ok(Ok(())),
            // This system does not allow the name.
            Err(error)
                if matches!(error.kind(), ErrorKind::InvalidFilename | ErrorKind::InvalidInput) =>
            {
                Ok(Err(SkipReason::Unreadable))
            }
            Err(error) => Err(failed(&place, &error)),
        }
    }

    /// Returns the path on disk of a path in the repository. `None` if it leads out of the folder
    /// or into a `.git` folder, or is not UTF-8.
    fn inside(&self, path: &BString) -> Option<PathBuf> {
        let path = path.to_str().ok()?;
        if path.split('/').any(native::is_git_folder) {
            return None;
        }
        native::to_disk(&self.folder, path).ok()
    }
}

fn failed(path: &Path, error: &std::io::Error) -> SourceError {
    SourceError::PastTree { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests;
