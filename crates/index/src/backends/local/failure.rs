//! Conversion of errors and panics of the storage to [`IndexError`].

use std::{
    cell::Cell,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use tantivy::{
    TantivyError,
    directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError},
};

use crate::IndexError;

thread_local! {
    /// Number of [`guarded`] functions that this thread runs.
    static GUARDED: Cell<usize> = const { Cell::new(0) };
}

/// Returns true while the thread reads index files: a panic becomes an error, which its caller
/// reports.
pub fn is_reading_index() -> bool {
    GUARDED.get() > 0
}

/// Runs a function that reads index files. A panic means that the files are damaged.
pub(super) fn guarded<T>(
    path: &Path,
    read: impl FnOnce() -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    GUARDED.set(GUARDED.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(GUARDED.get() - 1);
    result.unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<&str>()
            .map(|message| (*message).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "reading it panicked".to_owned());
        Err(damaged(path, message))
    })
}

/// Returns the error for damaged files.
pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> IndexError {
    IndexError::Damaged { path: path.to_owned(), reason: reason.into() }
}

/// Returns the error for files of another format or analysis.
pub(super) fn incompatible(path: &Path, reason: impl Into<String>) -> IndexError {
    IndexError::Incompatible { path: path.to_owned(), reason: reason.into() }
}

/// Returns the error for a failed write.
pub(super) fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> IndexError {
    IndexError::Unwritable { path: path.to_owned(), reason: error.to_string() }
}

/// Converts an I/O error of a read.
pub(super) fn while_reading_io(path: &Path, error: &io::Error) -> IndexError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            damaged(path, error.to_string())
        }
        // The storage library reports content that it cannot read by errors without a code of the
        // operating system.
        _ if error.raw_os_error().is_none() => damaged(path, error.to_string()),
        _ => IndexError::Storage { path: path.to_owned(), reason: error.to_string() },
    }
}

/// Converts a tantivy error of a read.
pub(super) fn while_reading(path: &Path, error: &TantivyError) -> IndexError {
    let storage = |reason: String| IndexError::Storage { path: path.to_owned(), reason };
    match error {
        TantivyError::IncompatibleIndex(_)
        | TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(_)) => {
            incompatible(path, error.to_string())
        }
        TantivyError::IoError(error)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: error, .. }) => {
            while_reading_io(path, error)
        }
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file)) => {
            damaged(path, format!("`{}` is missing", file.display()))
        }
        TantivyError::DataCorruption(_)
        | TantivyError::DeserializeError(_)
        | TantivyError::SchemaError(_)
        | TantivyError::FieldNotFound(_)
        | TantivyError::InternalError(_) => damaged(path, error.to_string()),
        _ => storage(error.to_string()),
    }
}

/// Converts a tantivy error of a write. The indexing threads report errors of the operating system
/// only as text.
pub(super) fn while_writing(path: &Path, error: &TantivyError) -> IndexError {
    match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => {
            IndexError::Busy { path: path.to_owned() }
        }
        TantivyError::LockFailure(LockError::IoError(error), _)
        | TantivyError::IoError(error)
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: error, .. })
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError {
            io_error: error, ..
        }) => unwritable(path, error),
        // An internal error may hide that the disk is full, so that it is no sign of damage.
        TantivyError::OpenWriteError(_)
        | TantivyError::OpenDirectoryError(_)
        | TantivyError::ErrorInThread(_)
        | TantivyError::InternalError(_)
        | TantivyError::SystemError(_) => unwritable(path, error),
        _ => while_reading(path, error),
    }
}
