//! The index of one source, as long as somebody works with it.

use std::{
    any::Any,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    home::Home,
    reader::LocalReader,
    snapshot::{Expected, Snapshot},
    verify::verify,
    writer::LocalWriter,
};
use crate::{IndexError, Reader, Store, Writer};

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

    /// The snapshot of the last commit.
    fn snapshot(&self) -> Result<Arc<Snapshot>, IndexError> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if !latest.is_current() {
            *latest = Arc::new(Snapshot::open(&self.home, &self.expected)?);
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
        Ok(Box::new(LocalWriter::new(current, directory, lock, memory)?))
    }

    fn limit_memory(&self, bytes: u64) {
        self.memory.store(bytes, Ordering::Relaxed);
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        verify(&self.home, &self.expected)
    }
}
