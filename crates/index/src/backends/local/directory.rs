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
    time::Duration,
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

/// How often a file is put in the place of another one. Where open files have share modes, a scanner
/// for viruses or a reader of the old file may forbid it for a moment.
const ATTEMPTS: u32 = if cfg!(windows) { 7 } else { 1 };

/// Tries again what is refused, after 5 ms and then after twice the time each: for 0.3 s in all with
/// seven attempts.
fn patiently(attempts: u32, mut attempt: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let mut wait = Duration::from_millis(5);
    for _ in 1..attempts {
        match attempt() {
            Err(error) if is_in_use(&error) => {
                std::thread::sleep(wait);
                wait *= 2;
            }
            done => return done,
        }
    }
    attempt()
}

/// Whether a file is refused because somebody has it open or mapped. Other reasons do not pass.
fn is_in_use(error: &io::Error) -> bool {
    /// `ERROR_SHARING_VIOLATION`, `ERROR_LOCK_VIOLATION` and `ERROR_USER_MAPPED_FILE` of Windows,
    /// which have no kind of their own.
    const CODES: [i32; 3] = [32, 33, 1224];

    error.kind() == io::ErrorKind::PermissionDenied
        || error.raw_os_error().is_some_and(|code| CODES.contains(&code))
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
    let renamed = || patiently(ATTEMPTS, || fs::rename(&temporary, &target));
    if let Err(error) = written.and_then(|()| renamed()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_for_a_moment_is_tried_again_and_nothing_else() {
        let tried = |attempts: u32, kind: io::ErrorKind, passes_at: u32| {
            let mut count = 0;
            let result = patiently(attempts, || {
                count += 1;
                if count == passes_at { Ok(()) } else { Err(kind.into()) }
            });
            (count, result.is_ok())
        };
        let refused = io::ErrorKind::PermissionDenied;
        assert_eq!(tried(7, refused, 3), (3, true));
        assert_eq!(tried(3, refused, 4), (3, false));
        assert_eq!(tried(1, refused, 2), (1, false));
        assert_eq!(tried(7, io::ErrorKind::StorageFull, 3), (1, false));
    }

    #[cfg(windows)]
    #[test]
    fn an_open_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        replace_file(folder.path(), Path::new("a"), b"one", true).unwrap();
        let reader = File::open(folder.path().join("a")).unwrap();
        replace_file(folder.path(), Path::new("a"), b"two", true).unwrap();
        drop(reader);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"two");
    }
}
