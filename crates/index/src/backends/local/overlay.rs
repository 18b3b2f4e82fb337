//! Changes of an index that stay in memory: the files of the last commit, read only, and over them
//! those that a writer makes, which nobody else sees.
//!
//! The writer, the reader and the files are those of an index in a folder, so that statistics over
//! both are those of one index. What stands below is never merged, as that would copy it, and never
//! deleted.

use std::{
    collections::HashMap,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use tantivy::{
    Directory, Index, TantivyError,
    directory::{
        DirectoryLock, FileHandle, Lock, ManagedDirectory, OwnedBytes, RamDirectory, WatchCallback,
        WatchHandle, WritePtr,
        error::{DeleteError, LockError, OpenReadError, OpenWriteError},
    },
};

use super::{
    compact::are_crowded,
    failure::{unwritable, while_reading},
    home::{Home, MANAGED_FILE, META_FILE},
    merge::{Size, plan},
    schema::settings,
    seal::{seal, segment_files},
    snapshot::Snapshot,
    state::VectorFile,
    store::LocalStore,
    writer::{LocalWriter, tidy},
};
use crate::{IndexError, IndexVersion, Overlay, Reader, Store, Writer};

/// A list of managed files without any.
const NO_FILES: &[u8] = b"[]\n";

/// A directory whose files are read from another one, and written to memory.
#[derive(Clone)]
pub(super) struct OverlayDirectory {
    below: Arc<Snapshot>,
    memory: RamDirectory,
    /// Files that were handed over whole.
    given: Arc<RwLock<HashMap<PathBuf, OwnedBytes>>>,
}

impl OverlayDirectory {
    /// Over the files of a commit, nothing yet.
    fn over(below: Arc<Snapshot>) -> io::Result<OverlayDirectory> {
        let memory = RamDirectory::create();
        // What lies below is not for tantivy to delete.
        memory.atomic_write(Path::new(MANAGED_FILE), NO_FILES)?;
        if let Some(meta) = below.meta() {
            memory.atomic_write(Path::new(META_FILE), meta)?;
        }
        Ok(OverlayDirectory { below, memory, given: Arc::default() })
    }

    /// Takes a file whole: a copy of the state of a large tree would cost more than what changed.
    pub(super) fn give(&self, name: &Path, bytes: Vec<u8>) {
        let mut given = self.given.write().unwrap_or_else(PoisonError::into_inner);
        given.insert(name.to_owned(), OwnedBytes::new(bytes));
    }

    /// A file that was handed over.
    fn given(&self, name: &Path) -> Option<OwnedBytes> {
        self.given.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// The home of what lies below.
    pub(super) fn home_below(&self) -> &Home {
        &self.below.home
    }

    /// Whether a file lies in memory.
    pub(super) fn holds(&self, name: &Path) -> bool {
        self.given(name).is_some() || self.memory.exists(name).unwrap_or(false)
    }

    /// Content of a file in memory.
    fn read(&self, name: &Path) -> tantivy::Result<Vec<u8>> {
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
        match (self.memory.get_file_handle(path), &self.below.directory) {
            // A commit that was opened holds its files open, whoever deletes them.
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
        match &self.below.directory {
            Some(below) if !self.holds(path) => below.exists(path),
            _ => Ok(self.holds(path)),
        }
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.memory.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        // Small files alone are read whole, those that a commit replaces; and all that are published.
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

/// An overlay of the local backend.
pub(super) struct LocalOverlay {
    store: LocalStore,
    base: Arc<Snapshot>,
    directory: OverlayDirectory,
}

impl LocalOverlay {
    /// An overlay over a commit, which it does not change.
    pub(super) fn over(base: Arc<Snapshot>) -> Result<LocalOverlay, IndexError> {
        let directory = OverlayDirectory::over(Arc::clone(&base))
            .map_err(|error| unwritable(base.path(), &error))?;
        let home = Home::Overlay(directory.clone());
        let store = LocalStore::of(base.at(home, Box::new(directory.clone())));
        Ok(LocalOverlay { store, base, directory })
    }

    /// Writes the files of a commit in memory to the folder below, the list of segments last.
    fn copy(&self, top: &Snapshot, directory: &dyn Directory) -> Result<(), IndexError> {
        let (path, home) = (self.base.path(), &self.base.home);
        let failed = |error: TantivyError| match error {
            TantivyError::IoError(error) => unwritable(path, &error),
            error => while_reading(path, &error),
        };
        let written = |error: io::Error| unwritable(path, &error);
        let (Some(payload), Some(meta)) = (&top.payload, top.meta()) else { return Ok(()) };
        let list = Index::open(self.directory.clone()).and_then(|index| index.load_metas());
        if !self.base.has_files() {
            // Without a list of segments, whatever lies beside it would look like damage.
            let schema = self.base.expected.columns.schema().clone();
            Index::create(directory.box_clone(), schema, settings()).map_err(failed)?;
        }
        let managed = ManagedDirectory::wrap(directory.box_clone()).map_err(failed)?;
        for name in segment_files(&list.map_err(failed)?) {
            let name = Path::new(&name);
            if self.directory.holds(name) {
                let bytes = self.directory.read(name).map_err(failed)?;
                managed.atomic_write(name, &bytes).map_err(written)?;
            }
        }
        let vectors = top.state.vector_files().iter().map(VectorFile::name);
        for name in vectors.chain([payload.state_file()]) {
            let name = Path::new(&name);
            if self.directory.holds(name) {
                let bytes = self.directory.read(name).map_err(failed)?;
                directory.atomic_write(name, &bytes).map_err(written)?;
            }
        }
        seal(home);
        managed.atomic_write(Path::new(META_FILE), meta).map_err(written)
    }
}

impl Store for LocalOverlay {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        self.store.reader()
    }

    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError> {
        self.store.writer(base)
    }

    fn overlay(&self, base: IndexVersion) -> Result<Option<Box<dyn Overlay>>, IndexError> {
        self.store.overlay(base)
    }

    fn limit_memory(&self, bytes: u64) {
        self.store.limit_memory(bytes);
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        self.store.verify()
    }
}

impl Overlay for LocalOverlay {
    fn is_over(&self, base: IndexVersion) -> bool {
        self.base.version() == base
    }

    fn publish(&self) -> Result<(), IndexError> {
        // A writer up here would remove files that are being copied.
        let own = Home::Overlay(self.directory.clone()).lock(&self.directory)?;
        let top = self.store.snapshot()?;
        if top.generation() == self.base.generation() {
            return Ok(());
        }
        let home = &self.base.home;
        let directory = home.create()?;
        let lock = home.lock(&*directory)?;
        let expected = &self.base.expected;
        if Snapshot::open(home, expected)?.version() != self.base.version() {
            return Err(IndexError::Moved { path: home.path().to_owned() });
        }
        self.copy(&top, &*directory)?;
        drop(own);
        let published = Snapshot::open(home, expected)?;
        let sizes: Vec<Size> = published.segments.iter().map(|segment| segment.size()).collect();
        if plan(&sizes, false).is_empty() && !are_crowded(published.state.vector_files()) {
            // What stays behind is not named by the commit and is removed after the next.
            let _ = tidy(&self.base, &*directory, Vec::new());
            return Ok(());
        }
        // What a commit leaves small or worn, the next one merges. What was copied stands without it.
        let cursor = published.state.cursor().to_owned();
        if let Ok(writer) = LocalWriter::new(Arc::new(published), directory, lock, u64::MAX) {
            let _ = Box::new(writer).commit(&cursor);
        }
        Ok(())
    }
}
