//! Appending to and reading from the events table.

use std::time::Duration;

#[derive(Debug)]
pub enum StoreError {
    /// Another planner wrote the same sequence number first.
    Conflict { sequence: u64 },
    Unavailable { retry_after: Duration },
}

/// The one place that talks to the database.
pub struct LedgerStore<C> {
    connection: C,
    attempts: u32,
}

pub trait Connection {
    fn insert(&mut self, sequence: u64, payload: &[u8]) -> Result<(), StoreError>;
}

impl<C: Connection> LedgerStore<C> {
    pub fn new(connection: C) -> LedgerStore<C> {
        LedgerStore { connection, attempts: 5 }
    }

    /// Appends with optimistic concurrency: the sequence number is the primary key. Waits twice as
    /// long after each failure, and gives up after a few attempts.
    pub fn append_with_backoff(
        &mut self,
        sequence: u64,
        payload: &[u8],
        mut sleep: impl FnMut(Duration),
    ) -> Result<(), StoreError> {
        let mut pause = Duration::from_millis(50);
        for _ in 1..self.attempts {
            match self.connection.insert(sequence, payload) {
                Err(StoreError::Unavailable { .. }) => sleep(pause),
                other => return other,
            }
            pause *= 2;
        }
        self.connection.insert(sequence, payload)
    }
}
