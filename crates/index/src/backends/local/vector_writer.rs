//! The vector writer: writes the vector files of a commit. Rows go to disk as they come.
//!
//! A file never changes after its commit. Readers map it, and if commits appended to it, only its
//! length could show after a kill which rows are valid.

use std::{fmt, io, io::Write as _, path::PathBuf};

use tantivy::{
    Directory,
    directory::{TerminatingWrite as _, WritePtr, error::OpenWriteError},
};
use xxhash_rust::xxh3::Xxh3;

use super::{quantise::Rows, record::RowRange, state::VectorFile};

/// The vector files of a commit in progress.
pub(super) struct VectorWriter {
    directory: Box<dyn Directory>,
    generation: u64,
    /// Position of the first file among all files of the next state.
    first: u32,
    files: Vec<OpenFile>,
}

struct OpenFile {
    file: VectorFile,
    /// `None` once the file is complete.
    writer: Option<WritePtr>,
    hasher: Xxh3,
}

impl VectorWriter {
    /// Returns a writer for the files of a commit, which follow `first` others.
    pub(super) fn new(directory: Box<dyn Directory>, generation: u64, first: u32) -> VectorWriter {
        VectorWriter { directory, generation, first, files: Vec::new() }
    }

    /// Appends the rows of a document to the file of its model and dimension; `None` if there are
    /// none.
    pub(super) fn store(&mut self, model: u32, rows: &Rows) -> io::Result<Option<RowRange>> {
        if rows.bytes.is_empty() {
            return Ok(None);
        }
        let dimension = u32::try_from(rows.dimension).map_err(|_| too_many())?;
        let is_open = |open: &OpenFile| {
            (open.file.model, open.file.dimension) == (model, dimension) && open.writer.is_some()
        };
        let position = match self.files.iter().position(is_open) {
            Some(position) => position,
            None => self.create(model, dimension)?,
        };
        self.append(position, &rows.bytes).map(Some)
    }

    /// Appends rows to the file at a position and returns their range.
    pub(super) fn append(&mut self, position: usize, rows: &[u8]) -> io::Result<RowRange> {
        let open = self.files.get_mut(position).ok_or_else(too_many)?;
        let writer =
            open.writer.as_mut().ok_or_else(|| io::Error::other("the file is complete"))?;
        let first = open.file.rows;
        let count = u32::try_from(rows.len() / open.file.row_bytes()).map_err(|_| too_many())?;
        let after = first.checked_add(count).ok_or_else(too_many)?;
        writer.write_all(rows)?;
        open.hasher.update(rows);
        open.file.rows = after;
        let position = u32::try_from(position).map_err(|_| too_many())?;
        Ok(RowRange { file: self.first + position, first, count })
    }

    /// Starts a file and returns its position.
    pub(super) fn create(&mut self, model: u32, dimension: u32) -> io::Result<usize> {
        let number = u32::try_from(self.files.len()).map_err(|_| too_many())?;
        let generation = self.generation;
        let file = VectorFile { generation, number, model, dimension, rows: 0, checksum: 0 };
        let path = PathBuf::from(file.name());
        // A killed writer may have left a file of this name, which no commit names.
        let _ = self.directory.delete(&path);
        let writer = self.directory.open_write(&path).map_err(|error| match error {
            OpenWriteError::FileAlreadyExists(path) => {
                io::Error::new(io::ErrorKind::AlreadyExists, path.display().to_string())
            }
            OpenWriteError::IoError { io_error, .. } => {
                io::Error::new(io_error.kind(), io_error.to_string())
            }
        })?;
        self.files.push(OpenFile { file, writer: Some(writer), hasher: Xxh3::new() });
        Ok(self.files.len() - 1)
    }

    /// Completes every file and makes it durable.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        for open in &mut self.files {
            if let Some(writer) = open.writer.take() {
                writer.terminate()?;
                open.file.checksum = open.hasher.digest();
            }
        }
        Ok(())
    }

    /// The files in order.
    pub(super) fn files(&self) -> impl Iterator<Item = &VectorFile> {
        self.files.iter().map(|open| &open.file)
    }

    /// Closes the files, complete or not, and returns their names.
    pub(super) fn close(&mut self) -> Vec<String> {
        let files = self.files.drain(..);
        files.map(|open| open.file.name()).collect()
    }
}

impl fmt::Debug for VectorWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&VectorFile> = self.files().collect();
        formatter.debug_struct("VectorWriter").field("files", &files).finish_non_exhaustive()
    }
}

fn too_many() -> io::Error {
    io::Error::other("too many vectors for one index")
}
