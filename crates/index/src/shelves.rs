//! The folder in which all indexes lie: what is in it, how large it is, when it was used, and how
//! something is taken out again.
//!
//! `<cache>/<name>-<repository>/<view>/<source>`: a folder for each repository, in it one for each
//! tree that is searched. **Invariant:** what has another name was put there by somebody else; it is
//! never read, counted or removed. No link is followed.

#![expect(clippy::disallowed_methods, reason = "it keeps the folder that indexes lie in")]

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use lore_schema::SourceName;

use crate::{BACKENDS, IndexError, Place, views};

/// File of a view that names the tree that it is of.
const ROOT_FILE: &str = "root";
/// Ends its name while it is written.
const TEMPORARY_SUFFIX: &str = ".new";
/// A longer file names no tree.
const MOST_BYTES: u64 = 1 << 16;

/// The indexes of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    /// Its folder.
    pub path: PathBuf,
    /// Its trees, in the order of their folders.
    pub views: Vec<View>,
    /// Bytes on disk; a file with several names counts once.
    pub bytes: u64,
}

impl Shelf {
    /// When one of its indexes was last used, as far as that is known. See [`View::used`].
    pub fn used(&self) -> Option<SystemTime> {
        self.views.iter().filter_map(|view| view.used).max()
    }
}

/// The indexes of one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Its folder.
    pub path: PathBuf,
    /// The tree; `None` where that was not noted.
    pub root: Option<PathBuf>,
    /// Bytes that go with it: those of files that no other view has.
    pub bytes: u64,
    /// When it was last written or, where the file system notes that, read: most note a reading at most
    /// once a day. Nothing is written for it.
    pub used: Option<SystemTime>,
    /// Folders of its indexes.
    places: Vec<PathBuf>,
}

impl View {
    /// Whether the tree is known to be gone.
    pub fn is_orphan(&self) -> bool {
        let is_gone = |root: &PathBuf| matches!(root.try_exists(), Ok(false));
        self.root.as_ref().is_some_and(is_gone)
    }

    /// Whether an index of it was made by another version, or is damaged.
    pub fn is_foreign(&self, fingerprint: &str) -> bool {
        self.places.iter().any(|place| {
            let Some(source) = source_of(place) else { return false };
            let opened = BACKENDS[0].open(source, &Place::Folder(place.clone()), fingerprint);
            matches!(
                opened.and_then(|store| store.reader()),
                Err(IndexError::Incompatible { .. } | IndexError::Damaged { .. })
            )
        })
    }

    /// Takes its indexes away. Whoever reads them goes on reading.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while somebody writes one of them, [`IndexError::Unwritable`] when a file
    /// cannot be removed. What was removed by then is gone.
    pub fn remove(&self) -> Result<(), IndexError> {
        for place in &self.places {
            BACKENDS[0].remove(&Place::Folder(place.clone()))?;
        }
        let own = [ROOT_FILE.to_owned(), format!("{ROOT_FILE}{TEMPORARY_SUFFIX}")];
        for name in own.into_iter().chain(views::note_files(&self.path)) {
            match fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let reason = error.to_string();
                    return Err(IndexError::Unwritable { path: self.path.clone(), reason });
                }
                _ => {}
            }
        }
        // Either stays where something else lies in it.
        let _ = fs::remove_dir(&self.path);
        let _ = self.path.parent().map(fs::remove_dir);
        Ok(())
    }
}

/// Everything below the folder of all indexes, in the order of the names. What cannot be read is left
/// out; a folder that does not exist is empty.
pub fn survey(cache: &Path) -> Vec<Shelf> {
    let mut shelves = Vec::new();
    for (name, path) in folders(cache) {
        if !is_shelf(&name) {
            continue;
        }
        let mut seen = HashSet::new();
        let mut shared = HashSet::new();
        let mut found = Vec::new();
        for (name, path) in folders(&path) {
            if is_hash(&name) {
                let (view, files) = view(path);
                for (identity, _) in &files {
                    if !seen.insert(*identity) {
                        shared.insert(*identity);
                    }
                }
                found.push((view, files));
            }
        }
        let mut counted = HashSet::new();
        let mut bytes = 0;
        let views = found.into_iter().map(|(mut view, files)| {
            for (identity, size) in files {
                view.bytes += if shared.contains(&identity) { 0 } else { size };
                bytes += if counted.insert(identity) { size } else { 0 };
            }
            view
        });
        let views: Vec<View> = views.collect();
        if !views.is_empty() {
            shelves.push(Shelf { path, views, bytes });
        }
    }
    shelves
}

/// Bytes below the folder of a view; a file with several names counts once.
pub fn bytes_of(view: &Path) -> u64 {
    let mut seen = HashSet::new();
    let (_, files) = self::view(view.to_owned());
    files.into_iter().filter(|(identity, _)| seen.insert(*identity)).map(|(_, size)| size).sum()
}

/// Notes which tree a view is of. Returns false, and writes nothing, where that stands there already.
///
/// # Errors
/// When the file cannot be written.
pub fn note_root(view: &Path, root: &Path) -> io::Result<bool> {
    let path = view.join(ROOT_FILE);
    let text = root.as_os_str().as_encoded_bytes();
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() == text.len() as u64)
        && fs::read(&path).is_ok_and(|known| known == text)
    {
        return Ok(false);
    }
    let temporary = view.join(format!("{ROOT_FILE}{TEMPORARY_SUFFIX}"));
    fs::write(&temporary, text)?;
    fs::rename(&temporary, &path)?;
    Ok(true)
}

/// Removes the indexes of other repositories, those first whose trees are all gone and then those that
/// were not used for longest, until all together have at most so many bytes. What is being written stays; whoever reads goes on reading.
/// Returns what was removed.
pub fn make_room(cache: &Path, most: u64, own: &Path) -> Vec<Shelf> {
    let shelves = survey(cache);
    let mut total: u64 = shelves.iter().map(|shelf| shelf.bytes).sum();
    let mut others: Vec<Shelf> = shelves.into_iter().filter(|shelf| shelf.path != own).collect();
    others.sort_by_key(|shelf| (!shelf.views.iter().all(View::is_orphan), shelf.used()));
    let mut removed = Vec::new();
    for shelf in others {
        if total <= most {
            break;
        }
        let gone = shelf.views.iter().filter(|view| view.remove().is_ok()).count();
        if gone == shelf.views.len() {
            total = total.saturating_sub(shelf.bytes);
            removed.push(shelf);
        }
    }
    removed
}

/// What tells one file from another although they may have the same bytes.
pub(crate) type Identity = (u64, u64);

pub(crate) fn view(path: PathBuf) -> (View, Vec<(Identity, u64)>) {
    let mut files = Vec::new();
    let mut used = None;
    let mut places = Vec::new();
    for (_, place) in folders(&path).into_iter().filter(|(_, path)| source_of(path).is_some()) {
        for metadata in files_in(&place) {
            let times = [metadata.modified(), metadata.accessed()];
            used = times.into_iter().flatten().chain(used).max();
            files.push((identity(&metadata), metadata.len()));
        }
        places.push(place);
    }
    let record = path.join(ROOT_FILE);
    let is_short = |metadata: fs::Metadata| metadata.is_file() && metadata.len() <= MOST_BYTES;
    let root = fs::symlink_metadata(&record).is_ok_and(is_short).then(|| fs::read(&record).ok());
    let root = root.flatten().and_then(path_from);
    (View { path, root, bytes: 0, used, places }, files)
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
fn identity(metadata: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

/// Without numbers of files, what was made in the same instant with the same size is one file.
#[cfg(not(unix))]
fn identity(metadata: &fs::Metadata) -> Identity {
    let made = metadata.created().ok();
    let made = made.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let nanoseconds = made.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(0));
    (nanoseconds, metadata.len())
}

/// The folders in a folder, by name; links are none.
fn folders(path: &Path) -> Vec<(String, PathBuf)> {
    let Ok(listing) = fs::read_dir(path) else { return Vec::new() };
    let mut folders: Vec<(String, PathBuf)> = listing
        .flatten()
        .filter(|item| item.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|item| Some((item.file_name().into_string().ok()?, item.path())))
        .collect();
    folders.sort();
    folders
}

fn files_in(path: &Path) -> Vec<fs::Metadata> {
    let Ok(listing) = fs::read_dir(path) else { return Vec::new() };
    let metadata = listing.flatten().filter_map(|item| item.metadata().ok());
    metadata.filter(fs::Metadata::is_file).collect()
}

/// Whether it is the name of the folder of a repository.
fn is_shelf(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, hash)| is_hash(hash))
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The source whose index lies in a folder of this name.
fn source_of(place: &Path) -> Option<SourceName> {
    let name = place.file_name()?.to_str()?;
    let name = match name.rsplit_once('-') {
        Some((name, hash)) if is_hash(hash) => name,
        _ => name,
    };
    SourceName::ALL.iter().copied().find(|source| source.as_str() == name)
}

#[cfg(test)]
mod tests;
