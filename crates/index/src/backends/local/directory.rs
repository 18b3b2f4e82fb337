//! A folder as tantivy sees it: its own memory maps and locks, our atomic writes.
//!
//! tantivy's atomic write leaves temporary files of unknown names behind a crash, synchronises the
//! list of managed files once for every file of a segment, and does not make a rename durable
//! before the files that it replaced are deleted.

use std::{
    fs::{self, File},
    io::{self, Write},
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

use super::home::{MANAGED_FILE, TEMPORARY_SUFFIX};

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

/// Writes a file so that a crash leaves the old or the new content.
pub(super) fn replace_file(folder: &Path, name: &Path, data: &[u8], sync: bool) -> io::Result<()> {
    let target = folder.join(name);
    let mut temporary = target.clone().into_os_string();
    temporary.push(TEMPORARY_SUFFIX);
    let temporary = PathBuf::from(temporary);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(data)?;
        if sync { file.sync_data() } else { Ok(()) }
    });
    if let Err(error) = written.and_then(|()| fs::rename(&temporary, &target)) {
        // The folder is full or forbidden already; what cannot be removed is removed by an erase.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    Ok(())
}

impl Directory for FolderDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        // Losing the newest list of managed files costs a rebuild after a power cut, and nothing
        // after a kill.
        let durable = path != Path::new(MANAGED_FILE);
        replace_file(&self.path, path, data, durable)?;
        if durable {
            // The new content is in place: a folder that cannot be synchronised is no failure.
            let _ = self.inner.sync_directory();
        }
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.inner.acquire_lock(lock)
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Err(TantivyError::InternalError("snapshots do not watch".to_owned()))
    }
}
