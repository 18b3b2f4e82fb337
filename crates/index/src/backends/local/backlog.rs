//! The backlog: bounds the bytes that wait for the indexing threads. tantivy's own queue is bounded
//! by the number of units, not by their size.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Maximum bytes that wait. Analysis fills the backlog up to here, then waits for indexing.
pub(super) const MAX_PENDING_BYTES: usize = 16 << 20;

/// Maximum time that a unit waits, so that no mistake can block a run.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The bytes that wait.
#[derive(Debug)]
pub(super) struct Backlog {
    pending: Mutex<usize>,
    max_bytes: usize,
    shrunk: Condvar,
}

impl Backlog {
    /// Returns an empty backlog.
    pub(super) fn of(max_bytes: usize) -> Backlog {
        Backlog { pending: Mutex::default(), max_bytes, shrunk: Condvar::new() }
    }

    /// Waits until the backlog has room.
    pub(super) fn wait(&self) {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        // After a timeout, or with a poisoned lock, the caller continues.
        drop(
            self.shrunk.wait_timeout_while(pending, MAX_WAIT, |pending| *pending > self.max_bytes),
        );
    }

    /// Adds bytes, which count until the ticket is dropped.
    pub(super) fn enter(self: &Arc<Backlog>, bytes: usize) -> Ticket {
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) += bytes;
        Ticket { backlog: Arc::clone(self), bytes }
    }
}

/// The bytes of one unit in the backlog.
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
