//! The storage of one index: a folder, memory, or memory over a folder.

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
    file_names::{LOCK_FILE, is_index_file},
    overlay_directory::OverlayDirectory,
};
use crate::{DiskUsage, IndexError, IndexLocation};

/// The storage of one index.
#[derive(Debug, Clone)]
pub(super) enum Storage {
    Folder(PathBuf),
    Memory(RamDirectory),
    /// Memory over the files of a commit in another storage.
    Overlay {
        directory: OverlayDirectory,
        below: Box<Storage>,
    },
}

/// Metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    pub(super) size: u64,
    /// Nanoseconds since the epoch, 0 if unknown.
    pub(super) modified: u64,
}

impl Storage {
    /// The storage at a place. Creates nothing.
    pub(super) fn at(place: &IndexLocation) -> Storage {
        match place {
            IndexLocation::Folder(path) => Storage::Folder(path.clone()),
            IndexLocation::Memory => Storage::Memory(RamDirectory::create()),
        }
    }

    /// The path that errors name.
    pub(super) fn path(&self) -> &Path {
        match self {
            Storage::Folder(path) => path,
            Storage::Memory(_) => Path::new("(memory)"),
            Storage::Overlay { below, .. } => below.path(),
        }
    }

    /// Returns true for a folder on the disk.
    pub(super) fn is_folder(&self) -> bool {
        matches!(self, Storage::Folder(_))
    }

    /// Opens the directory; `None` if it does not exist.
    pub(super) fn directory(&self) -> Result<Option<Box<dyn Directory>>, IndexError> {
        match self {
            Storage::Memory(directory) => Ok(Some(Box::new(directory.clone()))),
            Storage::Overlay { directory, .. } => Ok(Some(Box::new(directory.clone()))),
            Storage::Folder(path) => {
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

    /// Opens the directory, which is created if necessary.
    pub(super) fn create(&self) -> Result<Box<dyn Directory>, IndexError> {
        if let Storage::Folder(path) = self {
            disk::create_folder(path).map_err(|error| unwritable(path, &error))?;
        }
        self.directory()?.ok_or_else(|| unwritable(self.path(), &"the folder vanished"))
    }

    /// Reads a small file; `None` if it does not exist.
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

    /// Writes a file that never changes, in one piece.
    pub(super) fn write(
        &self,
        directory: &dyn Directory,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(), IndexError> {
        if let Storage::Overlay { directory, .. } = self {
            directory.give(Path::new(name), bytes);
            return Ok(());
        }
        let written = directory.atomic_write(Path::new(name), &bytes);
        written.map_err(|error| unwritable(self.path(), &error))
    }

    /// Maps a file that never changes; `None` if it does not exist.
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

    /// Returns true if a writer may merge a file with others. An overlay must not merge files below
    /// it.
    pub(super) fn owns(&self, name: &str) -> bool {
        match self {
            Storage::Folder(_) | Storage::Memory(_) => true,
            Storage::Overlay { directory, .. } => directory.is_in_memory(Path::new(name)),
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
        // If another process removed the index with its lock meanwhile, the locked file has no name
        // any more, and another process may have locked the new file of that name.
        if before.is_some() && self.lock_identity() != before {
            return Err(IndexError::Busy { path: self.path().to_owned() });
        }
        Ok(held)
    }

    /// Identity of the lock file, to tell it from a later one of the same name; `None` if there is
    /// none.
    fn lock_identity(&self) -> Option<u64> {
        let Storage::Folder(path) = self else { return None };
        identity(&fs::metadata(path.join(LOCK_FILE)).ok()?)
    }

    /// Stamp of a file; `None` if it does not exist or the index is in memory.
    pub(super) fn stamp(&self, name: &Path) -> io::Result<Option<FileStamp>> {
        let Storage::Folder(path) = self else { return Ok(None) };
        match fs::metadata(path.join(name)) {
            Ok(metadata) => Ok(Some(stamp(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces a file atomically, without making it durable.
    pub(super) fn replace_unsynced(&self, name: &str, data: &[u8]) -> io::Result<()> {
        match self {
            Storage::Folder(path) => disk::replace(path, Path::new(name), data, false),
            Storage::Memory(_) | Storage::Overlay { .. } => Ok(()),
        }
    }

    /// Names of the index files in the folder, without locks, unsorted. Empty in memory.
    pub(super) fn files(&self) -> io::Result<Vec<String>> {
        let Storage::Folder(path) = self else { return Ok(Vec::new()) };
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            if let Ok(name) = entry?.file_name().into_string()
                && is_index_file(&name)
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Size of the index files. Files with further hard links count as shared.
    pub(super) fn disk_usage(&self) -> DiskUsage {
        match self {
            Storage::Memory(directory) => {
                DiskUsage { bytes: directory.total_mem_usage() as u64, shared: 0 }
            }
            Storage::Overlay { below, .. } => below.disk_usage(),
            Storage::Folder(path) => self
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

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems may have no inode numbers")]
fn identity(metadata: &fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(metadata))
}

#[cfg(not(unix))]
fn identity(metadata: &fs::Metadata) -> Option<u64> {
    let made = metadata.created().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(made.as_nanos()).ok()
}

/// Returns true if a file has more than one hard link.
#[cfg(unix)]
fn is_shared(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// Returns false: hard links are not counted on this system.
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
