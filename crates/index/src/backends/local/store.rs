//! The store: an open index of one source, which creates readers, writers and overlays.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use tantivy::{Directory, directory::DirectoryLock};

use super::{
    failure::guarded,
    overlay::LocalOverlay,
    reader::LocalReader,
    snapshot::{Expected, Snapshot},
    storage::Storage,
    verify::verify,
    writer::LocalWriter,
};
use crate::{IndexError, IndexVersion, Overlay, Reader, Store, Writer};

/// A store of the local backend.
pub(super) struct LocalStore {
    storage: Storage,
    expected: Expected,
    /// The last snapshot that was opened.
    latest: Mutex<Arc<Snapshot>>,
    /// Maximum bytes that a writer keeps in memory.
    memory: AtomicU64,
}

impl LocalStore {
    pub(super) fn open(storage: Storage, expected: Expected) -> Result<LocalStore, IndexError> {
        let latest = Mutex::new(Arc::new(Snapshot::open(&storage, &expected)?));
        Ok(LocalStore { storage, expected, latest, memory: AtomicU64::new(u64::MAX) })
    }

    /// Returns the store of an open snapshot.
    pub(super) fn of(latest: Snapshot) -> LocalStore {
        let (storage, expected) = (latest.storage.clone(), latest.expected.clone());
        let memory = AtomicU64::new(u64::MAX);
        LocalStore { storage, expected, latest: Mutex::new(Arc::new(latest)), memory }
    }

    /// Takes the lock of writers, without waiting.
    pub(super) fn lock(&self, directory: &dyn Directory) -> Result<DirectoryLock, IndexError> {
        self.storage.lock(directory)
    }

    fn latest(&self) -> MutexGuard<'_, Arc<Snapshot>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moved(&self) -> IndexError {
        IndexError::Moved { path: self.storage.path().to_owned() }
    }

    /// Returns the snapshot of the last commit, which is opened if it is new.
    pub(super) fn snapshot(&self) -> Result<Arc<Snapshot>, IndexError> {
        let mut latest = self.latest();
        if !latest.is_current() {
            let known = &latest.segments;
            *latest = Arc::new(Snapshot::open_after(&self.storage, &self.expected, known)?);
        }
        Ok(Arc::clone(&latest))
    }
}

impl Store for LocalStore {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        Ok(Box::new(LocalReader::new(self.snapshot()?)))
    }

    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError> {
        let directory = self.storage.create()?;
        let lock = self.storage.lock(&*directory)?;
        let current = self.snapshot()?;
        if !current.has_rows_of(base) {
            return Err(self.moved());
        }
        let memory = self.memory.load(Ordering::Relaxed);
        let made = || LocalWriter::new(current, directory, lock, memory);
        Ok(Box::new(guarded(self.storage.path(), made)?))
    }

    fn overlay(&self, base: IndexVersion) -> Result<Option<Box<dyn Overlay>>, IndexError> {
        let mut snapshot = Arc::clone(&self.latest());
        if snapshot.version() != base {
            snapshot = self.snapshot()?;
        }
        if snapshot.version() != base {
            return Err(self.moved());
        }
        let overlay = LocalOverlay::over(snapshot)?;
        overlay.limit_memory(self.memory.load(Ordering::Relaxed));
        Ok(Some(Box::new(overlay)))
    }

    fn limit_memory(&self, bytes: u64) {
        self.memory.store(bytes, Ordering::Relaxed);
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        verify(&self.storage, &self.expected)
    }
}
