//! Seeding: starts the index of one view from that of another view of the same repository.
//!
//! Files of segments, vectors and states never change once a commit names them, so the new index
//! has hard links to them: the file system counts the links and frees the bytes with the last one.
//! Files that a commit replaces (list of segments, list of managed files, seal) are copied.
//!
//! The new index is built in a draft folder beside its location and then renamed, so that no
//! process sees an incomplete one. Renaming onto a folder with content fails: the first process
//! wins.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tantivy::{Index, directory::DirectoryLock};

use super::{
    disk,
    failure::{unwritable, while_reading},
    file_names::{MANAGED_FILE, META_FILE, SEAL_FILE},
    private,
    seal::{seal, segment_files},
    snapshot::{Expected, Snapshot},
    state::VectorFile,
    storage::Storage,
};
use crate::IndexError;

/// Part of the names of draft folders, before random digits.
const DRAFT_MARK: &str = ".seed-";

/// Maximum size of a file that is copied, in bytes.
const MAX_COPIED_BYTES: u64 = 256 << 20;

/// Age from which an unlocked draft is considered abandoned.
const MIN_ABANDONED_AGE: Duration = Duration::from_mins(1);

/// Creates the index in the folder `to` from the last commit of the one in `from`. Returns false if
/// there is no such commit, or `to` has an index already.
pub(super) fn seed(from: &Path, to: &Path, expected: &Expected) -> Result<bool, IndexError> {
    let target = Storage::Folder(to.to_owned());
    if target.files().map_err(|error| unwritable(to, &error))?.iter().any(|_| true) {
        return Ok(false);
    }
    // Opening verifies files without a valid seal, so that damage is not copied.
    let base = Snapshot::open(&Storage::Folder(from.to_owned()), expected)?;
    let Some(meta) = base.meta.as_deref().filter(|_| base.payload.is_some()) else {
        return Ok(false);
    };
    let (Some(parent), Some(name)) = (to.parent(), to.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(false);
    };
    let failed = |error: &io::Error| unwritable(to, error);
    private::create_folders(parent).map_err(|error| failed(&error))?;
    remove_abandoned_drafts(parent, name);
    let draft = parent.join(format!("{name}{DRAFT_MARK}{}", private::random_digits()));
    private::create_folder(&draft).map_err(|error| failed(&error))?;
    let made = fill(&base, meta, from, &draft, expected);
    let is_placed = matches!(made, Ok(Some(_))) && fs::rename(&draft, to).is_ok();
    if !is_placed {
        // If this fails, the next seeding removes the draft.
        let _ = fs::remove_dir_all(&draft);
    }
    made.map(|_| is_placed)
}

/// Copies the commit of the index in `from` into an empty folder and returns the lock of the folder.
/// `None` if a file is gone, because the source index has a newer commit.
pub(super) fn fill(
    base: &Snapshot,
    meta: &[u8],
    from: &Path,
    draft: &Path,
    expected: &Expected,
) -> Result<Option<DirectoryLock>, IndexError> {
    let storage = Storage::Folder(draft.to_owned());
    let failed = |error: &io::Error| unwritable(draft, error);
    let directory = storage.create()?;
    // Held until the index is at its location, so that the draft does not look abandoned.
    let lock = storage.lock(&*directory)?;
    directory.atomic_write(Path::new(META_FILE), meta).map_err(|error| failed(&error))?;
    let list = Index::open(directory.box_clone())
        .and_then(|index| index.load_metas())
        .map_err(|error| while_reading(draft, &error))?;
    let mut names = segment_files(&list);
    names.extend(base.state.vector_files().iter().map(VectorFile::name));
    names.extend(base.payload.as_ref().map(super::payload::Payload::state_file));
    let mut is_copied = false;
    for name in &names {
        let (source, target) = (from.join(name), draft.join(name));
        match fs::hard_link(&source, &target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            // Too many links, or a file system without links.
            Err(_) => match fs::copy(&source, &target) {
                Ok(_) => is_copied = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed(&error)),
            },
        }
    }
    // The list of managed files has at least the files of this commit: files are added to it before
    // they are written, and dropped after they are removed.
    for name in [MANAGED_FILE, SEAL_FILE] {
        match private::read(&from.join(name), MAX_COPIED_BYTES) {
            Ok(bytes) => {
                let written = disk::replace(draft, Path::new(name), &bytes, false);
                written.map_err(|error| failed(&error))?;
            }
            Err(_) => return Ok(None),
        }
    }
    if is_copied {
        // The stamps of the seal do not fit copied files, so that opening verifies them.
        Snapshot::open(&storage, expected)?;
        seal(&storage, &*directory).map_err(|error| failed(&error))?;
    }
    Ok(Some(lock))
}

/// Removes the drafts of killed processes, whose locks are free.
fn remove_abandoned_drafts(parent: &Path, name: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.filter_map(Result::ok) {
        let is_draft = entry.file_name().to_str().is_some_and(|other| {
            other.strip_prefix(name).is_some_and(|rest| rest.starts_with(DRAFT_MARK))
        });
        if is_draft {
            remove_draft(&entry.path());
        }
    }
}

fn remove_draft(draft: &PathBuf) {
    // A draft that was just created may not be locked yet.
    let age = draft.metadata().and_then(|found| found.modified()).map(|time| time.elapsed());
    if !matches!(age, Ok(Ok(age)) if age >= MIN_ABANDONED_AGE) {
        return;
    }
    let storage = Storage::Folder(draft.clone());
    if let Ok(Some(directory)) = storage.directory()
        && let Ok(_lock) = storage.lock(&*directory)
    {
        let _ = fs::remove_dir_all(draft);
    }
}
