//! The cache folder: lists and removes the indexes of all repositories.
//!
//! The layout is `<cache>/<name>-<repository>/<view>/<source>`: a folder for each repository, in it
//! one for each view, in it one for each source. **Invariant:** files and folders with other names
//! belong to the user; they are never read, counted or removed. Links are never followed.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use lore_schema::SourceName;

use super::{backend::LocalBackend, exchange, private, views};
use crate::{Backend as _, CachedRepository, CachedView, IndexError, IndexLocation};

/// File of a view with the path of the searched folder.
const ROOT_FILE: &str = "root";
/// Maximum size of that file in bytes; a larger one is ignored.
const MAX_ROOT_BYTES: u64 = 1 << 16;

/// Device and inode of a file: equal for all hard links of one file.
type FileIdentity = (u64, u64);

/// A view with the identity and the size of each of its files.
type ViewWithFiles = (CachedView, Vec<(FileIdentity, u64)>);

/// Lists all repositories below the cache folder, sorted by name. Unreadable ones are skipped; a
/// missing folder is empty.
pub(super) fn list(cache: &Path) -> Vec<CachedRepository> {
    let mut repositories = Vec::new();
    for (name, path) in folders(cache) {
        if !is_repository(&name) {
            continue;
        }
        let mut seen = HashSet::new();
        let mut shared = HashSet::new();
        let mut scanned = Vec::new();
        for (name, path) in folders(&path) {
            if is_hash(&name) {
                let (view, files) = scan_view(path);
                for (identity, _) in &files {
                    if !seen.insert(*identity) {
                        shared.insert(*identity);
                    }
                }
                scanned.push((view, files));
            }
        }
        let mut counted = HashSet::new();
        let mut bytes = 0;
        let views = scanned.into_iter().map(|(mut view, files)| {
            for (identity, size) in files {
                view.bytes += if shared.contains(&identity) { 0 } else { size };
                bytes += if counted.insert(identity) { size } else { 0 };
            }
            view
        });
        let views: Vec<CachedView> = views.collect();
        if !views.is_empty() {
            repositories.push(CachedRepository { path, views, bytes });
        }
    }
    repositories
}

/// Size of a view on disk in bytes. A file with several hard links counts once.
pub(super) fn view_size(view: &Path) -> u64 {
    let mut seen = HashSet::new();
    let (_, files) = scan_view(view.to_owned());
    files.into_iter().filter(|(identity, _)| seen.insert(*identity)).map(|(_, size)| size).sum()
}

/// Records the searched folder of a view. Returns false, and writes nothing, if it was recorded
/// before.
///
/// # Errors
/// An error of the file system, if the file cannot be written.
pub(super) fn record_root(view: &Path, root: &Path) -> io::Result<bool> {
    let path = view.join(ROOT_FILE);
    let text = root.as_os_str().as_encoded_bytes();
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() == text.len() as u64)
        && private::read(&path, MAX_ROOT_BYTES).is_ok_and(|known| known == text)
    {
        return Ok(false);
    }
    private::replace(view, ROOT_FILE, text)?;
    Ok(true)
}

/// Removes indexes of repositories other than `own` until the cache has at most `max_bytes`:
/// repositories whose searched folders are all gone first, then the least recently used. Indexes
/// that are being written are kept; existing readers continue to work. Returns what was removed.
pub(super) fn evict(cache: &Path, max_bytes: u64, own: &Path) -> Vec<CachedRepository> {
    let repositories = list(cache);
    let mut total: u64 = repositories.iter().map(|repository| repository.bytes).sum();
    let mut others: Vec<CachedRepository> =
        repositories.into_iter().filter(|repository| repository.path != own).collect();
    others.sort_by_key(|repository| {
        (!repository.views.iter().all(CachedView::is_orphan), repository.used())
    });
    let mut removed = Vec::new();
    for repository in others {
        if total <= max_bytes {
            break;
        }
        let views = repository.views.iter();
        let removed_views = views.filter(|view| remove_view(&view.path).is_ok()).count();
        if removed_views == repository.views.len() {
            total = total.saturating_sub(repository.bytes);
            removed.push(repository);
        }
    }
    removed
}

/// Returns true if an index of the view was written by another version or is damaged.
pub(super) fn is_unusable(view: &Path, fingerprint: &str) -> bool {
    source_folders(view).into_iter().any(|(source, folder)| {
        let opened = LocalBackend.open(source, &IndexLocation::Folder(folder), fingerprint);
        matches!(
            opened.and_then(|store| store.reader()),
            Err(IndexError::Incompatible { .. } | IndexError::Damaged { .. })
        )
    })
}

/// Removes the indexes of a view and its records; existing readers continue to work. Other files in
/// its folder are kept.
///
/// # Errors
/// [`IndexError::Busy`] while one of them is being written, [`IndexError::Unwritable`] when a file
/// cannot be removed. What was removed by then is gone.
pub(super) fn remove_view(view: &Path) -> Result<(), IndexError> {
    for (_, folder) in source_folders(view) {
        LocalBackend::remove(&IndexLocation::Folder(folder))?;
    }
    for name in record_files(view).into_iter().chain(views::description_files(view)) {
        match fs::remove_file(view.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let reason = error.to_string();
                return Err(IndexError::Unwritable { path: view.to_owned(), reason });
            }
            _ => {}
        }
    }
    exchange::remove_abandoned(view);
    // A folder with other files in it is kept.
    let _ = fs::remove_dir(view);
    let _ = view.parent().map(fs::remove_dir);
    Ok(())
}

/// Names of the records of the searched folder in a view, with those of writers that were killed.
fn record_files(view: &Path) -> Vec<String> {
    let Ok(listing) = fs::read_dir(view) else { return Vec::new() };
    let names = listing.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| private::without_temporary_suffix(name) == ROOT_FILE).collect()
}

fn scan_view(path: PathBuf) -> ViewWithFiles {
    let mut files = Vec::new();
    let mut used = None;
    for (_, folder) in source_folders(&path) {
        for metadata in files_in(&folder) {
            let times = [metadata.modified(), metadata.accessed()];
            used = times.into_iter().flatten().chain(used).max();
            files.push((identity(&metadata), metadata.len()));
        }
    }
    let record = path.join(ROOT_FILE);
    let root = private::read(&record, MAX_ROOT_BYTES).ok().and_then(path_from);
    (CachedView { path, root, bytes: 0, used }, files)
}

#[cfg(unix)]
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let path = PathBuf::from(std::ffi::OsString::from_vec(bytes));
    path.is_absolute().then_some(path)
}

#[cfg(not(unix))]
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    path.is_absolute().then_some(path)
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

/// Without inode numbers, files of the same creation time and size count as one file.
#[cfg(not(unix))]
fn identity(metadata: &fs::Metadata) -> FileIdentity {
    let created = metadata.created().ok();
    let created = created.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let nanoseconds = created.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(0));
    (nanoseconds, metadata.len())
}

/// The folders in a view that hold the index of a source.
fn source_folders(view: &Path) -> Vec<(SourceName, PathBuf)> {
    let folders = folders(view).into_iter();
    folders.filter_map(|(_, path)| Some((source_of(&path)?, path))).collect()
}

/// The subfolders of a folder, sorted by name, without links.
fn folders(path: &Path) -> Vec<(String, PathBuf)> {
    let Ok(listing) = fs::read_dir(path) else { return Vec::new() };
    let mut folders: Vec<(String, PathBuf)> = listing
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .collect();
    folders.sort();
    folders
}

fn files_in(path: &Path) -> Vec<fs::Metadata> {
    let Ok(listing) = fs::read_dir(path) else { return Vec::new() };
    let metadata = listing.flatten().filter_map(|entry| entry.metadata().ok());
    metadata.filter(fs::Metadata::is_file).collect()
}

/// Returns true for the folder name of a repository.
fn is_repository(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, hash)| is_hash(hash))
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The source whose index is in a folder of this name.
fn source_of(folder: &Path) -> Option<SourceName> {
    let name = folder.file_name()?.to_str()?;
    let name = match name.rsplit_once('-') {
        Some((name, hash)) if is_hash(hash) => name,
        _ => name,
    };
    SourceName::ALL.iter().copied().find(|source| source.as_str() == name)
}

#[cfg(test)]
mod tests;
