//! A directory of tantivy that reads the files of a commit and writes to memory.

use std::{
    collections::HashMap,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use tantivy::{
    Directory, TantivyError,
    directory::{
        DirectoryLock, FileHandle, Lock, OwnedBytes, RamDirectory, WatchCallback, WatchHandle,
        WritePtr,
        error::{DeleteError, LockError, OpenReadError, OpenWriteError},
    },
};

use super::file_names::{MANAGED_FILE, META_FILE};

/// An empty list of managed files.
const NO_FILES: &[u8] = b"[]\n";

/// A commit whose files are read, and kept open, by overlays.
pub(super) trait CommittedFiles: Send + Sync {
    /// The directory of the files; `None` before the first write.
    fn directory(&self) -> Option<&dyn Directory>;

    /// The list of segments; `None` before the first write.
    fn meta(&self) -> Option<&[u8]>;

    /// The path that errors name.
    fn path(&self) -> &Path;
}

/// A directory whose files are read from a commit, and written to memory.
#[derive(Clone)]
pub(super) struct OverlayDirectory {
    below: Arc<dyn CommittedFiles>,
    memory: RamDirectory,
    /// Files that were handed over in one piece.
    given: Arc<RwLock<HashMap<PathBuf, OwnedBytes>>>,
}

impl OverlayDirectory {
    /// Returns an overlay without changes.
    pub(super) fn over(below: Arc<dyn CommittedFiles>) -> io::Result<OverlayDirectory> {
        let memory = RamDirectory::create();
        // tantivy must not delete the files below.
        memory.atomic_write(Path::new(MANAGED_FILE), NO_FILES)?;
        if let Some(meta) = below.meta() {
            memory.atomic_write(Path::new(META_FILE), meta)?;
        }
        Ok(OverlayDirectory { below, memory, given: Arc::default() })
    }

    /// Takes over a file in one piece. A copy of the state of a large tree would cost more than the
    /// change itself.
    pub(super) fn give(&self, name: &Path, bytes: Vec<u8>) {
        let mut given = self.given.write().unwrap_or_else(PoisonError::into_inner);
        given.insert(name.to_owned(), OwnedBytes::new(bytes));
    }

    /// A file that was handed over.
    fn given(&self, name: &Path) -> Option<OwnedBytes> {
        self.given.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns true if a file is in memory.
    pub(super) fn is_in_memory(&self, name: &Path) -> bool {
        self.given(name).is_some() || self.memory.exists(name).unwrap_or(false)
    }

    /// Content of a file in memory.
    pub(super) fn read(&self, name: &Path) -> tantivy::Result<Vec<u8>> {
        Ok(self.atomic_read(name)?)
    }
}

impl fmt::Debug for OverlayDirectory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OverlayDirectory({})", self.below.path().display())
    }
}

impl Directory for OverlayDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        if let Some(given) = self.given(path) {
            return Ok(Arc::new(given));
        }
        match (self.memory.get_file_handle(path), self.below.directory()) {
            // An open commit keeps its files open, even if they are deleted.
            (Err(OpenReadError::FileDoesNotExist(_)), Some(below)) => below.get_file_handle(path),
            (found, _) => found,
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let mut given = self.given.write().unwrap_or_else(PoisonError::into_inner);
        if given.remove(path).is_some() {
            return Ok(());
        }
        self.memory.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        match self.below.directory() {
            Some(below) if !self.is_in_memory(path) => below.exists(path),
            _ => Ok(self.is_in_memory(path)),
        }
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.memory.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        // Used for the small files that a commit replaces, and for all files that are published.
        match self.given(path) {
            Some(given) => Ok(given.to_vec()),
            None => self.memory.atomic_read(path),
        }
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.memory.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.memory.acquire_lock(lock)
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Err(TantivyError::InternalError("snapshots do not watch".to_owned()))
    }
}
