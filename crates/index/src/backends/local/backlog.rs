//! Bounds the bytes that wait for the indexing threads. tantivy's own queue is bounded by the
//! number of units, not by their size.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Bytes that may wait. Analysis fills up to here, then waits for indexing.
pub(super) const MAX_PENDING_BYTES: usize = 16 << 20;

/// After this time a unit is let through in any case, so that no mistake can stop a run.
const PATIENCE: Duration = Duration::from_secs(2);

/// What waits.
#[derive(Debug)]
pub(super) struct Backlog {
    pending: Mutex<usize>,
    /// Bytes that may wait.
    max_bytes: usize,
    shrunk: Condvar,
}

impl Backlog {
    /// One in which so many bytes may wait.
    pub(super) fn of(max_bytes: usize) -> Backlog {
        Backlog { pending: Mutex::default(), max_bytes, shrunk: Condvar::new() }
    }

    /// Waits until there is room.
    pub(super) fn wait(&self) {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        // A poisoned lock or a timeout lets the caller pass.
        drop(
            self.shrunk.wait_timeout_while(pending, PATIENCE, |pending| *pending > self.max_bytes),
        );
    }

    /// Counts bytes until the ticket is dropped.
    pub(super) fn enter(self: &Arc<Backlog>, bytes: usize) -> Ticket {
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) += bytes;
        Ticket { backlog: Arc::clone(self), bytes }
    }
}

/// A share of the backlog.
#[derive(Debug)]
pub(super) struct Ticket {
    backlog: Arc<Backlog>,
    bytes: usize,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut pending = self.backlog.pending.lock().unwrap_or_else(PoisonError::into_inner);
        *pending = pending.saturating_sub(self.bytes);
        drop(pending);
        self.backlog.shrunk.notify_all();
    }
}
