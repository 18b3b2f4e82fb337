//! The index of one source, as long as somebody works with it.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use super::{
    failure::guarded,
    home::Home,
    overlay::LocalOverlay,
    reader::LocalReader,
    snapshot::{Expected, Snapshot},
    verify::verify,
    writer::LocalWriter,
};
use crate::{IndexError, IndexVersion, Overlay, Reader, Store, Writer};

/// A store of the local backend.
pub(super) struct LocalStore {
    home: Home,
    expected: Expected,
    /// The last snapshot that was opened.
    latest: Mutex<Arc<Snapshot>>,
    /// Bytes that writers may keep in memory.
    memory: AtomicU64,
}

impl LocalStore {
    pub(super) fn open(home: Home, expected: Expected) -> Result<LocalStore, IndexError> {
        let latest = Mutex::new(Arc::new(Snapshot::open(&home, &expected)?));
        Ok(LocalStore { home, expected, latest, memory: AtomicU64::new(u64::MAX) })
    }

    /// The store whose last commit is open already.
    pub(super) fn of(latest: Snapshot) -> LocalStore {
        let (home, expected) = (latest.home.clone(), latest.expected.clone());
        let memory = AtomicU64::new(u64::MAX);
        LocalStore { home, expected, latest: Mutex::new(Arc::new(latest)), memory }
    }

    fn latest(&self) -> MutexGuard<'_, Arc<Snapshot>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moved(&self) -> IndexError {
        IndexError::Moved { path: self.home.path().to_owned() }
    }

    /// The snapshot of the last commit.
    pub(super) fn snapshot(&self) -> Result<Arc<Snapshot>, IndexError> {
        let mut latest = self.latest();
        if !latest.is_current() {
            let known = &latest.segments;
            *latest = Arc::new(Snapshot::open_after(&self.home, &self.expected, known)?);
        }
        Ok(Arc::clone(&latest))
    }
}

impl Store for LocalStore {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        Ok(Box::new(LocalReader::new(self.snapshot()?)))
    }

    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError> {
        let directory = self.home.create()?;
        let lock = self.home.lock(&*directory)?;
        let current = self.snapshot()?;
        if !current.has_rows_of(base) {
            return Err(self.moved());
        }
        let memory = self.memory.load(Ordering::Relaxed);
        let made = || LocalWriter::new(current, directory, lock, memory);
        Ok(Box::new(guarded(self.home.path(), made)?))
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
        verify(&self.home, &self.expected)
    }
}
