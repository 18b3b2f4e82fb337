//! Writes the outputs of several threads in the order of the files.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
    sync::{Condvar, Mutex, PoisonError},
};

use termcolor::{Buffer, BufferWriter};

/// Maximum number of bytes that wait for the output of an earlier file. A thread that is too far
/// ahead waits until they are written.
const MAX_WAITING_BYTES: usize = 64 << 20;

/// Writes outputs in order.
pub(crate) struct OrderedWriter {
    writer: BufferWriter,
    state: Mutex<State>,
    /// Notified when waiting outputs were written.
    written: Condvar,
}

#[derive(Default)]
struct State {
    /// Position of the next file to write.
    next: usize,
    /// Outputs of later files; `None` if a file has no output.
    waiting: BTreeMap<usize, Option<Buffer>>,
    waiting_bytes: usize,
    /// The output could not be written. Nothing is taken any more.
    is_closed: bool,
}

impl OrderedWriter {
    /// Starts with the file at position 0. `writer` writes the line between two files.
    pub(crate) fn new(writer: BufferWriter) -> OrderedWriter {
        OrderedWriter { writer, state: Mutex::default(), written: Condvar::new() }
    }

    /// An empty output.
    pub(crate) fn buffer(&self) -> Buffer {
        self.writer.buffer()
    }

    /// Takes the output of the file at a position, and writes all outputs that are complete up to
    /// there. Every position must be given once.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub(crate) fn put(&self, position: usize, output: Option<Buffer>) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.is_closed && position != state.next && state.waiting_bytes > MAX_WAITING_BYTES
        {
            state = self.written.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return Ok(());
        }
        if position != state.next {
            state.waiting_bytes += output.as_ref().map_or(0, Buffer::len);
            state.waiting.insert(position, output);
            return Ok(());
        }
        let mut current = Some(output);
        while let Some(output) = current {
            if let Some(Err(error)) = output.map(|output| self.writer.print(&output)) {
                state.is_closed = true;
                self.written.notify_all();
                return Err(error);
            }
            state.next += 1;
            let next = state.next;
            current = state.waiting.remove(&next);
            if let Some(Some(output)) = &current {
                state.waiting_bytes -= output.len();
            }
        }
        drop(state);
        self.written.notify_all();
        Ok(())
    }

    /// Writes a text after all files.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn finish(&self, text: &[u8]) -> io::Result<()> {
        let mut buffer = self.writer.buffer();
        buffer.write_all(text)?;
        self.writer.print(&buffer)
    }
}
