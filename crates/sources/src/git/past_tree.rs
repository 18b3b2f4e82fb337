//! The files of a commit in a folder of their own, and then those of another commit.
//!
//! Only what differs from one commit to the next is written, so that an index of the folder is
//! brought up to date as if somebody had worked there.

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

/// A folder that shows one commit after another.
///
/// Links and submodules are not written, nor are files whose names are not UTF-8 or lead out of the
/// folder, large ones, and those whose content is not there, as in a partial clone: they are counted.
pub struct PastTree {
    place: RepositoryFolder,
    folder: PathBuf,
    /// The largest file that is written, in bytes.
    largest: u64,
    /// The tree that is shown.
    shown: Option<ObjectId>,
    differences: Differences,
    /// What was not written, once for each path.
    skipped: BTreeMap<BString, SkipReason>,
}

impl PastTree {
    /// Opens the repository around `root`, of which the part below `root` is written into `folder`.
    ///
    /// # Errors
    /// Outside git, where the repository cannot be opened, and when the folder is not there or not
    /// empty: nothing of it is ever overwritten.
    pub fn open(root: &Path, folder: &Path, largest: u64) -> Result<PastTree, SourceError> {
        let failed = |reason: String| SourceError::PastTree { path: folder.to_owned(), reason };
        let mut listing = fs::read_dir(folder).map_err(|error| failed(error.to_string()))?;
        if listing.next().is_some() {
            return Err(failed("it is not empty".to_owned()));
        }
        Ok(PastTree {
            place: RepositoryFolder::find(root)?,
            folder: folder.to_owned(),
            largest,
            shown: None,
            differences: Differences::default(),
            skipped: BTreeMap::new(),
        })
    }

    /// Turns the folder into what a commit, named by its full hash, holds.
    ///
    /// # Errors
    /// When the commit cannot be read or a file cannot be written or removed.
    pub fn show(&mut self, commit: &str) -> Result<(), SourceError> {
        let tree = ObjectId::from_hex(commit.as_bytes()).ok().and_then(|id| self.place.tree(id));
        let tree =
            tree.ok_or_else(|| self.place.failed(&format!("there is no commit {commit}")))?;
        let mut removed: Vec<BString> = Vec::new();
        let mut written: Vec<(BString, EntryMode, ObjectId)> = Vec::new();
        let prefix = self.place.prefix.as_bytes();
        let read = self.differences.of(&self.place.repository, self.shown, tree, |path, change| {
            let Some(path) = path.strip_prefix(prefix).map(BString::from) else { return };
            match change {
                visit::Change::Addition { entry_mode, oid, .. } => {
                    written.push((path, entry_mode, oid));
                }
                visit::Change::Deletion { .. } => removed.push(path),
                visit::Change::Modification { entry_mode, oid, .. } => {
                    // A link takes the place of a file, and the other way round.
                    removed.push(path.clone());
                    written.push((path, entry_mode, oid));
                }
            }
        });
        read.map_err(|_| self.place.failed(&format!("not all of commit {commit} is there")))?;
        // A folder may take the place of a file, and the other way round.
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

    /// What was not written, by reason: each path once.
    pub fn skipped(&self) -> SkipCounts {
        let mut counts = SkipCounts::new();
        for reason in self.skipped.values() {
            *counts.entry(*reason).or_default() += 1;
        }
        counts
    }

    /// Removes a file, and the folders that are empty without it.
    fn remove(&self, path: &BString) -> Result<(), SourceError> {
        let Some(place) = self.inside(path) else { return Ok(()) };
        match fs::remove_file(&place) {
            Ok(()) => {}
            // It was not written.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(());
            }
            Err(error) => return Err(failed(&place, &error)),
        }
        let folders = place.ancestors().skip(1).take_while(|folder| *folder != self.folder);
        for folder in folders {
            // One that still holds something stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Writes a file, or says why it is left out.
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
        let repository = &self.place.repository;
        match repository.find_header(id) {
            Ok(header) if header.size() > self.largest => return Ok(Err(SkipReason::TooLarge)),
            Ok(_) => {}
            Err(_) => return Ok(Err(SkipReason::Unreadable)),
        }
        let Ok(blob) = repository.find_blob(id) else { return Ok(Err(SkipReason::Unreadable)) };
        let folder = place.parent().unwrap_or(&self.folder);
        let done = fs::create_dir_all(folder).and_then(|()| fs::write(&place, &blob.data));
        match done {
            Ok(()) => Ok(Ok(())),
            // A name that this system does not take.
            Err(error)
                if matches!(error.kind(), ErrorKind::InvalidFilename | ErrorKind::InvalidInput) =>
            {
                Ok(Err(SkipReason::Unreadable))
            }
            Err(error) => Err(failed(&place, &error)),
        }
    }

    /// Where a path of the repository lies below the folder; `None` for one that leads elsewhere, into
    /// the folder of another repository, or is not UTF-8.
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
