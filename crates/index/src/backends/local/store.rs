//! The index of one source, as long as somebody works with it.

use std::{
    any::Any,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
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
use crate::{IndexError, Overlay, Reader, Store, Writer};

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

    /// The snapshot of the last commit.
    pub(super) fn snapshot(&self) -> Result<Arc<Snapshot>, IndexError> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn writer(&self, base: &dyn Reader) -> Result<Box<dyn Writer>, IndexError> {
        let before = Arc::clone(&self.latest.lock().unwrap_or_else(PoisonError::into_inner));
        let directory = self.home.create()?;
        let lock = self.home.lock(&*directory)?;
        let moved = || IndexError::Moved { path: self.home.path().to_owned() };
        let current = self.snapshot()?;
        if base.source() != self.expected.source || base.generation() != current.generation() {
            return Err(moved());
        }
        // Somebody may have erased the index and come as far as before.
        if before.generation() == current.generation() && before.payload != current.payload {
            return Err(moved());
        }
        // A merge gives other numbers to the rows, by which the writer is told of documents.
        let base: &dyn Any = base;
        let same = |base: &LocalReader| base.snapshot().has_rows_of(&current);
        if !base.downcast_ref::<LocalReader>().is_some_and(same) {
            return Err(moved());
        }
        let memory = self.memory.load(Ordering::Relaxed);
        let made = || LocalWriter::new(current, directory, lock, memory);
        Ok(Box::new(guarded(self.home.path(), made)?))
    }

    fn overlay(&self, base: &dyn Reader) -> Result<Box<dyn Overlay>, IndexError> {
        let base: &dyn Any = base;
        let reader = base.downcast_ref::<LocalReader>();
        let snapshot = reader.map(LocalReader::share).filter(|snapshot| {
            snapshot.expected.source == self.expected.source && snapshot.path() == self.home.path()
        });
        let Some(snapshot) = snapshot else {
            return Err(IndexError::Moved { path: self.home.path().to_owned() });
        };
        let overlay = LocalOverlay::over(snapshot)?;
        overlay.limit_memory(self.memory.load(Ordering::Relaxed));
        Ok(Box::new(overlay))
    }

    fn limit_memory(&self, bytes: u64) {
        self.memory.store(bytes, Ordering::Relaxed);
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        verify(&self.home, &self.expected)
    }
}
