//! Where the files of one index lie, and which names are ours.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use tantivy::{
    Directory,
    directory::{
        DirectoryLock, Lock, OwnedBytes, RamDirectory,
        error::{LockError, OpenReadError},
    },
};

use super::{
    directory::FolderDirectory,
    disk,
    failure::{unwritable, while_reading, while_reading_io},
    overlay::OverlayDirectory,
};
use crate::{DiskUsage, IndexError, IndexLocation};

/// tantivy's list of segments, and the only file that a commit replaces.
pub(super) const META_FILE: &str = "meta.json";
/// tantivy's list of the files that it may delete.
pub(super) const MANAGED_FILE: &str = ".managed.json";
/// Stamps of the files that were whole when they were last looked at.
pub(super) const SEAL_FILE: &str = "seal.bin";
/// Our lock: held from before the first look at the index until a writer is gone. Like those of
/// tantivy it is removed with the whole index alone, because whoever tries to take it holds the file
/// open.
const LOCK_FILE: &str = ".lorehound-writer.lock";
/// All locks, in the order in which they are removed: ours last.
pub(super) const LOCK_FILES: [&str; 3] = [".tantivy-meta.lock", ".tantivy-writer.lock", LOCK_FILE];
/// Ends the names of files that are being written.
pub(super) const TEMPORARY_SUFFIX: &str = ".new";

const STATE_PREFIX: &str = "state-";
const STATE_SUFFIX: &str = ".bin";

const VECTORS_PREFIX: &str = "vectors-";
const VECTORS_SUFFIX: &str = ".bin";

/// Endings of the files of a segment, after its 32 hexadecimal digits.
const SEGMENT_ENDINGS: [&str; 8] =
    ["fast", "fieldnorm", "idx", "pos", "store", "store.temp", "term", "del"];

/// The home of one index.
#[derive(Debug, Clone)]
pub(super) enum Home {
    Folder(PathBuf),
    Memory(RamDirectory),
    Overlay(OverlayDirectory),
}

/// What the file system says about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    pub(super) size: u64,
    /// Nanoseconds since the epoch, 0 if unknown.
    pub(super) modified: u64,
}

impl Home {
    /// The home at a place. Nothing is created.
    pub(super) fn at(place: &IndexLocation) -> Home {
        match place {
            IndexLocation::Folder(path) => Home::Folder(path.clone()),
            IndexLocation::Memory => Home::Memory(RamDirectory::create()),
        }
    }

    /// The path that errors name.
    pub(super) fn path(&self) -> &Path {
        match self {
            Home::Folder(path) => path,
            Home::Memory(_) => Path::new("(memory)"),
            Home::Overlay(directory) => directory.home_below().path(),
        }
    }

    /// The directory, unless it does not exist.
    pub(super) fn directory(&self) -> Result<Option<Box<dyn Directory>>, IndexError> {
        match self {
            Home::Memory(directory) => Ok(Some(Box::new(directory.clone()))),
            Home::Overlay(directory) => Ok(Some(Box::new(directory.clone()))),
            Home::Folder(path) => {
                if !path.try_exists().map_err(|error| while_reading_io(path, &error))? {
                    return Ok(None);
                }
                match FolderDirectory::open(path) {
                    Ok(directory) => Ok(Some(Box::new(directory))),
                    Err(error) => {
                        Err(IndexError::Storage { path: path.clone(), reason: error.to_string() })
                    }
                }
            }
        }
    }

    /// The directory, which is created if need be.
    pub(super) fn create(&self) -> Result<Box<dyn Directory>, IndexError> {
        if let Home::Folder(path) = self {
            disk::create_folder(path).map_err(|error| unwritable(path, &error))?;
        }
        self.directory()?.ok_or_else(|| unwritable(self.path(), &"the folder vanished"))
    }

    /// Content of a small file; `None` if it does not exist.
    pub(super) fn read(
        &self,
        directory: &dyn Directory,
        name: &str,
    ) -> Result<Option<Vec<u8>>, IndexError> {
        match directory.atomic_read(Path::new(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(OpenReadError::FileDoesNotExist(_)) => Ok(None),
            Err(OpenReadError::IoError { io_error, .. }) => {
                Err(while_reading_io(self.path(), &io_error))
            }
            Err(error) => {
                Err(IndexError::Storage { path: self.path().to_owned(), reason: error.to_string() })
            }
        }
    }

    /// Writes a file that never changes, at once and whole.
    pub(super) fn write(
        &self,
        directory: &dyn Directory,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(), IndexError> {
        if let Home::Overlay(overlay) = self {
            overlay.give(Path::new(name), bytes);
            return Ok(());
        }
        let written = directory.atomic_write(Path::new(name), &bytes);
        written.map_err(|error| unwritable(self.path(), &error))
    }

    /// A file that never changes, in place; `None` if it does not exist.
    pub(super) fn map(
        &self,
        directory: &dyn Directory,
        name: &str,
    ) -> Result<Option<OwnedBytes>, IndexError> {
        let file = match directory.open_read(Path::new(name)) {
            Ok(file) => file,
            Err(OpenReadError::FileDoesNotExist(_)) => return Ok(None),
            Err(error) => return Err(while_reading(self.path(), &error.into())),
        };
        let bytes = file.read_bytes().map_err(|error| while_reading_io(self.path(), &error))?;
        Ok(Some(bytes))
    }

    /// Whether a file is a writer's to merge with others: what an overlay stands on is not.
    pub(super) fn owns(&self, name: &str) -> bool {
        match self {
            Home::Folder(_) | Home::Memory(_) => true,
            Home::Overlay(directory) => directory.holds(Path::new(name)),
        }
    }

    /// Takes the lock of writers, without waiting.
    pub(super) fn lock(&self, directory: &dyn Directory) -> Result<DirectoryLock, IndexError> {
        let lock = Lock { filepath: PathBuf::from(LOCK_FILE), is_blocking: false };
        let before = self.lock_identity();
        let held = directory.acquire_lock(&lock).map_err(|error| match error {
            LockError::LockBusy => IndexError::Busy { path: self.path().to_owned() },
            LockError::IoError(error) => unwritable(self.path(), &error),
        })?;
        // Whoever removed the index removed the lock as well: then this one is of a file without a
        // name, and somebody else may hold the one that has it now.
        if before.is_some() && self.lock_identity() != before {
            return Err(IndexError::Busy { path: self.path().to_owned() });
        }
        Ok(held)
    }

    /// What tells the file of the lock from another one of its name; `None` if there is none.
    fn lock_identity(&self) -> Option<u64> {
        let Home::Folder(path) = self else { return None };
        identity(&fs::metadata(path.join(LOCK_FILE)).ok()?)
    }

    /// Stamp of a file; `None` if it does not exist or the index is in memory.
    pub(super) fn stamp(&self, name: &Path) -> io::Result<Option<FileStamp>> {
        let Home::Folder(path) = self else { return Ok(None) };
        match fs::metadata(path.join(name)) {
            Ok(metadata) => Ok(Some(stamp(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces a file that may be lost, but never torn.
    pub(super) fn replace_unsynced(&self, name: &str, data: &[u8]) -> io::Result<()> {
        match self {
            Home::Folder(path) => disk::replace(path, Path::new(name), data, false),
            Home::Memory(_) | Home::Overlay(_) => Ok(()),
        }
    }

    /// Names of our files in the folder, locks apart, in no order. Empty for memory.
    pub(super) fn files(&self) -> io::Result<Vec<String>> {
        let Home::Folder(path) = self else { return Ok(Vec::new()) };
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            if let Ok(name) = entry?.file_name().into_string()
                && is_ours(&name)
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// What our files take; those with further names elsewhere are shared.
    pub(super) fn disk_usage(&self) -> DiskUsage {
        match self {
            Home::Memory(directory) => {
                DiskUsage { bytes: directory.total_mem_usage() as u64, shared: 0 }
            }
            Home::Overlay(directory) => directory.home_below().disk_usage(),
            Home::Folder(path) => self
                .files()
                .unwrap_or_default()
                .iter()
                .filter_map(|name| fs::metadata(path.join(name)).ok())
                .fold(DiskUsage::default(), |DiskUsage { bytes, shared }, metadata| {
                    let size = metadata.len();
                    let here = if is_shared(&metadata) { size } else { 0 };
                    DiskUsage { bytes: bytes + size, shared: shared + here }
                }),
        }
    }
}

/// Name of the state of a generation.
pub(super) fn state_file(generation: u64) -> String {
    format!("{STATE_PREFIX}{generation}{STATE_SUFFIX}")
}

/// Whether a file is the state of some generation, whole or half written.
pub(super) fn is_state(name: &str) -> bool {
    name.strip_suffix(TEMPORARY_SUFFIX)
        .unwrap_or(name)
        .strip_prefix(STATE_PREFIX)
        .and_then(|rest| rest.strip_suffix(STATE_SUFFIX))
        .is_some_and(is_number)
}

/// Name of a file of vectors: the commit that wrote it, and which of its files it is.
pub(super) fn vector_file(generation: u64, number: u32) -> String {
    format!("{VECTORS_PREFIX}{generation}-{number}{VECTORS_SUFFIX}")
}

/// Whether a file holds vectors.
pub(super) fn is_vectors(name: &str) -> bool {
    name.strip_prefix(VECTORS_PREFIX)
        .and_then(|rest| rest.strip_suffix(VECTORS_SUFFIX))
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(generation, number)| is_number(generation) && is_number(number))
}

/// Whether an index wrote a file of this name. Locks are not among them.
fn is_ours(name: &str) -> bool {
    let name = name.strip_suffix(TEMPORARY_SUFFIX).unwrap_or(name);
    [META_FILE, MANAGED_FILE, SEAL_FILE].contains(&name)
        || is_state(name)
        || is_segment(name)
        || is_vectors(name)
}

/// Whether a file belongs to a segment.
pub(super) fn is_segment(name: &str) -> bool {
    let Some((id, ending)) = name.split_once('.') else { return false };
    // The rows that are gone have the number of the commit in their name.
    let ending = match ending.split_once('.') {
        Some((number, "del")) if is_number(number) => "del",
        _ => ending,
    };
    id.len() == 32
        && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        && SEGMENT_ENDINGS.contains(&ending)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems may have none")]
fn identity(metadata: &fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(metadata))
}

#[cfg(not(unix))]
fn identity(metadata: &fs::Metadata) -> Option<u64> {
    let made = metadata.created().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(made.as_nanos()).ok()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a file has more than one name.
#[cfg(unix)]
fn is_shared(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// Whether a file has more than one name, which is not asked here.
#[cfg(not(unix))]
fn is_shared(_: &fs::Metadata) -> bool {
    false
}

fn stamp(metadata: &fs::Metadata) -> FileStamp {
    let since_epoch =
        metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    FileStamp {
        size: metadata.len(),
        modified: since_epoch
            .and_then(|duration| u64::try_from(duration.as_nanos()).ok())
            .unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn only_our_names_are_ours() {
        let id = "0123456789abcdef0123456789abcdef";
        for name in ["meta.json", ".managed.json", "seal.bin", "state-0.bin", "state-12.bin.new"] {
            assert!(is_ours(name), "{name}");
        }
        for ending in ["term", "idx", "pos", "fast", "store", "store.temp", "fieldnorm", "17.del"] {
            assert!(is_ours(&format!("{id}.{ending}")), "{ending}");
        }
        assert!(is_ours("vectors-12-0.bin"));
        for name in [
            "notes.md",
            "vectors.bin",
            "vectors-12.bin",
            "vectors-12-.bin",
            "vectors-12-0.bin.bak",
            "state-x.bin",
            "state-.bin",
            "state-.txt",
            "meta.json.bak",
            ".lorehound-writer.lock",
            "0123.term",
            "0123456789abcdef0123456789abcdef.md",
            "0123456789abcdef0123456789abcdef.x.del",
            "0123456789abcdef0123456789abcdef",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }
}
