//! Buffers for messages, used again: a new one for each text costs an allocator that keeps memory for
//! each thread and each size tens of megabytes.

use std::sync::{Mutex, PoisonError};

/// Maximum number of buffers that wait to be used.
const MAX_COUNT: usize = 8;

/// Maximum size of a buffer that is kept, in bytes.
const MAX_SIZE: usize = 256 << 10;

/// Buffers that wait to be used.
#[derive(Default)]
pub(super) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// An empty buffer.
    pub(super) fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes a buffer back.
    pub(super) fn put(&self, mut buffer: Vec<u8>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MAX_COUNT && buffer.capacity() <= MAX_SIZE {
            buffer.clear();
            waiting.push(buffer);
        }
    }
}
