//! Starts the index of one tree from that of another one of the same repository.
//!
//! Files of segments, vectors and states never change once a commit names them, so the new index
//! links them: the file system counts who refers to a file, and its bytes go with the last name.
//! What a commit replaces (the list of segments, the list of managed files, the seal) is copied.
//!
//! The new index is put together in a folder beside its place and renamed, so that nobody ever sees
//! half of one. A rename onto a folder that holds anything fails: whoever was there first wins.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tantivy::{Index, directory::DirectoryLock};

use super::{
    disk,
    failure::{unwritable, while_reading},
    file_names::{MANAGED_FILE, META_FILE, SEAL_FILE},
    seal::{seal, segment_files},
    snapshot::{Expected, Snapshot},
    state::VectorFile,
    storage::Storage,
};
use crate::IndexError;

/// Stands in the names of folders in which an index is put together, before what tells them apart.
const DRAFT_MARK: &str = ".seed-";

/// After so long, a draft is nobody's any more, unless it is locked.
const ABANDONED: Duration = Duration::from_mins(1);

/// Tells the drafts of one process apart.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Makes the index in the folder `to`, which has none yet, out of the last commit of the one in
/// `from`. Returns false where there is nothing to start from, or somebody else was first.
pub(super) fn seed(from: &Path, to: &Path, expected: &Expected) -> Result<bool, IndexError> {
    let target = Storage::Folder(to.to_owned());
    if target.files().map_err(|error| unwritable(to, &error))?.iter().any(|_| true) {
        return Ok(false);
    }
    // Opening verifies whatever is not as it was sealed: a damaged index is not passed on.
    let base = Snapshot::open(&Storage::Folder(from.to_owned()), expected)?;
    let Some(meta) = base.meta.as_deref().filter(|_| base.payload.is_some()) else {
        return Ok(false);
    };
    let (Some(parent), Some(name)) = (to.parent(), to.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(false);
    };
    let failed = |error: &io::Error| unwritable(to, error);
    fs::create_dir_all(parent).map_err(|error| failed(&error))?;
    sweep(parent, name);
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let draft = parent.join(format!("{name}{DRAFT_MARK}{}-{number}", std::process::id()));
    fs::create_dir(&draft).map_err(|error| failed(&error))?;
    let made = fill(&base, meta, from, &draft, expected);
    let is_placed = matches!(made, Ok(Some(_))) && fs::rename(&draft, to).is_ok();
    if !is_placed {
        // What cannot be removed now is removed by the next one that starts from another index.
        let _ = fs::remove_dir_all(&draft);
    }
    made.map(|_| is_placed)
}

/// Puts the commit together in an empty folder, and returns the lock of that. `None` where a file of
/// it is gone by now: the index that it comes from has moved on.
fn fill(
    base: &Snapshot,
    meta: &[u8],
    from: &Path,
    draft: &Path,
    expected: &Expected,
) -> Result<Option<DirectoryLock>, IndexError> {
    let storage = Storage::Folder(draft.to_owned());
    let failed = |error: &io::Error| unwritable(draft, error);
    let directory = storage.create()?;
    // Held until the index is in its place, so that nobody takes the folder for a leftover.
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
            // Too many links, or a file system without any.
            Err(_) => match fs::copy(&source, &target) {
                Ok(_) => is_copied = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed(&error)),
            },
        }
    }
    // It names at least the files of this commit: what is written is noted first, and what is
    // removed is forgotten last.
    for name in [MANAGED_FILE, SEAL_FILE] {
        match fs::read(from.join(name)) {
            // The stamps are those of the other files.
            Ok(_) if name == SEAL_FILE && is_copied => {}
            Ok(bytes) => {
                let written = disk::replace(draft, Path::new(name), &bytes, false);
                written.map_err(|error| failed(&error))?;
            }
            Err(_) if name == SEAL_FILE => {}
            Err(_) => return Ok(None),
        }
    }
    if is_copied {
        // Without a seal, every file is compared with its checksum.
        Snapshot::open(&storage, expected)?;
        seal(&storage);
    }
    Ok(Some(lock))
}

/// Removes drafts that somebody who was killed left behind: their lock is free.
fn sweep(parent: &Path, name: &str) {
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
    // One that is being made this instant may not be locked yet.
    let age = draft.metadata().and_then(|found| found.modified()).map(|time| time.elapsed());
    if !matches!(age, Ok(Ok(age)) if age >= ABANDONED) {
        return;
    }
    let storage = Storage::Folder(draft.clone());
    if let Ok(Some(directory)) = storage.directory()
        && let Ok(_lock) = storage.lock(&*directory)
    {
        let _ = fs::remove_dir_all(draft);
    }
}
