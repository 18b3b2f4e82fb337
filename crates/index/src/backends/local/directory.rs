//! A folder as a tantivy directory: tantivy's memory maps, but our own writes and locks.
//!
//! tantivy's own implementation is replaced for six reasons:
//!
//! - After a crash its atomic write leaves temporary files of unknown names.
//! - It synchronises the list of managed files once for every file of a segment.
//! - It does not make a rename durable before it deletes the replaced files.
//! - On a file system without locks it reports that all locks are taken.
//! - It would wait for ever for a named pipe in place of a file, and follow a link.
//! - Other users may read the files that it creates.

use std::{
    io::{self, BufWriter},
    path::{Path, PathBuf},
    sync::Arc,
};

use tantivy::{
    Directory, TantivyError,
    directory::{
        DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
        error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError},
    },
};

use super::{
    disk::{self, Output},
    file_names::MANAGED_FILE,
    private,
};

/// Maximum size in bytes of a file that is read in one piece: the lists of files and segments.
const MAX_READ_BYTES: u64 = 256 << 20;

/// A folder with an index.
#[derive(Debug, Clone)]
pub(super) struct FolderDirectory {
    path: PathBuf,
    inner: MmapDirectory,
}

impl FolderDirectory {
    /// Opens an existing folder.
    pub(super) fn open(path: &Path) -> Result<FolderDirectory, OpenDirectoryError> {
        Ok(FolderDirectory { path: path.to_owned(), inner: MmapDirectory::open(path)? })
    }
}

/// Converts an error of opening a file.
fn unreadable(path: &Path, error: io::Error) -> OpenReadError {
    match error.kind() {
        io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
        _ => OpenReadError::IoError { io_error: Arc::new(error), filepath: path.to_owned() },
    }
}

impl Directory for FolderDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        match private::check(&self.path.join(path)) {
            // A file that is mapped stays readable after it was removed.
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unreadable(path, error)),
            _ => self.inner.get_file_handle(path),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        disk::remove(&self.path.join(path)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DeleteError::FileDoesNotExist(path.to_owned()),
            _ => DeleteError::IoError { io_error: Arc::new(error), filepath: path.to_owned() },
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let output =
            Output::create_new(&self.path.join(path)).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
                _ => {
                    OpenWriteError::IoError { io_error: Arc::new(error), filepath: path.to_owned() }
                }
            })?;
        Ok(BufWriter::new(Box::new(output)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        private::read(&self.path.join(path), MAX_READ_BYTES)
            .map_err(|error| unreadable(path, error))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        // Losing the newest list of managed files costs a rebuild after a power failure, and
        // nothing after a kill.
        let durable = path != Path::new(MANAGED_FILE);
        disk::replace(&self.path, path, data, durable)?;
        if durable {
            // The new content is in place, so that a failure to synchronise the folder is ignored.
            let _ = disk::sync_folder(&self.path);
        }
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        disk::sync_folder(&self.path)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match disk::lock(&self.path.join(&lock.filepath), lock.is_blocking) {
            Ok(Some(file)) => Ok(DirectoryLock::from(Box::new(file))),
            Ok(None) => Err(LockError::LockBusy),
            Err(error) => Err(LockError::IoError(Arc::new(error))),
        }
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Err(TantivyError::InternalError("snapshots do not watch".to_owned()))
    }
}
