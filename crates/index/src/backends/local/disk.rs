//! Disk access of an index. Every write of bytes and every creation, rename or removal of a file
//! goes through here, so that tests can make each of these steps fail.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tantivy::directory::{AntiCallToken, TerminatingWrite};

use super::private;

/// A step of disk access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Creates a folder.
    Folder,
    /// Creates a file.
    Create,
    /// Appends bytes to a file.
    Write,
    /// Makes a file or a folder durable.
    Sync,
    /// Replaces a file by another one.
    Rename,
    /// Removes a file.
    Remove,
    /// Takes a lock. Changes nothing.
    Lock,
}

/// Permission to do a step.
#[derive(Debug)]
pub(super) enum Permission {
    /// The step is done.
    Granted,
    /// Half of the bytes are written, and then this error is returned.
    #[cfg_attr(not(feature = "failpoints"), expect(dead_code, reason = "tests tear writes"))]
    Half(io::Error),
}

/// Requests permission to do a step.
#[cfg(not(feature = "failpoints"))]
#[expect(clippy::unnecessary_wraps, reason = "with fail points there is an error")]
fn request(_: Step, _: &Path) -> io::Result<Permission> {
    Ok(Permission::Granted)
}

#[cfg(feature = "failpoints")]
use super::failpoints::request;

/// A file that is being written.
pub(super) struct Output {
    file: File,
    path: PathBuf,
}

impl Output {
    /// Creates a file that must not exist.
    pub(super) fn create_new(path: &Path) -> io::Result<Output> {
        request(Step::Create, path)?;
        Ok(Output { file: private::create_new(path)?, path: path.to_owned() })
    }

    /// Waits until the bytes are on disk.
    fn sync(&self) -> io::Result<()> {
        request(Step::Sync, &self.path)?;
        self.file.sync_data()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match request(Step::Write, &self.path)? {
            Permission::Granted => self.file.write(bytes),
            Permission::Half(error) => {
                self.file.write_all(&bytes[..bytes.len() / 2])?;
                Err(error)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Output {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.sync()
    }
}

/// Number of attempts to replace a file. On Windows a virus scanner or a reader of the old file may
/// prevent it for a moment.
const ATTEMPTS: u32 = if cfg!(windows) { 7 } else { 1 };

/// Retries while a file is in use, after 5 ms and then after twice the time each: 0.3 s in all with
/// seven attempts.
fn retry_while_in_use(
    attempts: u32,
    mut attempt: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
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

/// Returns true if access is refused because another process has the file open or mapped. Other
/// errors are permanent.
fn is_in_use(error: &io::Error) -> bool {
    /// `ERROR_SHARING_VIOLATION`, `ERROR_LOCK_VIOLATION` and `ERROR_USER_MAPPED_FILE` of Windows,
    /// which have no `ErrorKind`.
    const CODES: [i32; 3] = [32, 33, 1224];

    error.kind() == io::ErrorKind::PermissionDenied
        || error.raw_os_error().is_some_and(|code| CODES.contains(&code))
}

/// Held while a file is replaced. A thread of tantivy may outlive a failed writer, and both would
/// replace the same file.
static REPLACING: Mutex<()> = Mutex::new(());

/// Replaces a file so that after a crash it has either the old or the new content.
pub(super) fn replace(folder: &Path, name: &Path, data: &[u8], sync: bool) -> io::Result<()> {
    let _guard = REPLACING.lock().unwrap_or_else(PoisonError::into_inner);
    let target = folder.join(name);
    let temporary = folder.join(private::temporary_name(&name.to_string_lossy()));
    let written = Output::create_new(&temporary).and_then(|mut output| {
        output.write_all(data)?;
        if sync { output.sync() } else { Ok(()) }
    });
    let renamed = written.and_then(|()| {
        request(Step::Rename, &target)?;
        retry_while_in_use(ATTEMPTS, || fs::rename(&temporary, &target))
    });
    if renamed.is_err() {
        // If this fails as well, the folder is full or read-only, and erasing the index removes it.
        let _ = remove(&temporary);
    }
    renamed
}

/// Removes a file.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    request(Step::Remove, path)?;
    fs::remove_file(path)
}

/// Creates a folder and its parents, for their owner alone.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    // The parents belong to all indexes: the step counts for the folder itself.
    request(Step::Folder, &path.join("."))?;
    private::create_folders(path)
}

/// Makes the list of files of a folder durable.
#[cfg_attr(windows, expect(clippy::unnecessary_wraps, reason = "Windows has no folder handles"))]
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    request(Step::Sync, &path.join("."))?;
    #[cfg(not(windows))]
    File::open(path)?.sync_data()?;
    Ok(())
}

/// Locks a file, which is created if necessary and never removed; `None` if another process has the
/// lock. Dropping the returned file releases it.
pub(super) fn lock(path: &Path, is_blocking: bool) -> io::Result<Option<File>> {
    let file = private::open_lock(path)?;
    let refused = |error: io::Error| {
        let reason = format!("its file system does not lock files: {error}");
        io::Error::new(error.kind(), reason)
    };
    request(Step::Lock, path).map_err(refused)?;
    if is_blocking {
        file.lock().map_err(refused)?;
        return Ok(Some(file));
    }
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(refused(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_in_use_are_reattempts_made() {
        let attempts_made = |attempts: u32, kind: io::ErrorKind, passes_at: u32| {
            let mut count = 0;
            let result = retry_while_in_use(attempts, || {
                count += 1;
                if count == passes_at { Ok(()) } else { Err(kind.into()) }
            });
            (count, result.is_ok())
        };
        let refused = io::ErrorKind::PermissionDenied;
        assert_eq!(attempts_made(7, refused, 3), (3, true));
        assert_eq!(attempts_made(3, refused, 4), (3, false));
        assert_eq!(attempts_made(1, refused, 2), (1, false));
        assert_eq!(attempts_made(7, io::ErrorKind::StorageFull, 3), (1, false));
    }

    #[cfg(windows)]
    #[test]
    fn an_open_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        replace(folder.path(), Path::new("a"), b"one", true).unwrap();
        let reader = File::open(folder.path().join("a")).unwrap();
        replace(folder.path(), Path::new("a"), b"two", true).unwrap();
        drop(reader);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"two");
    }
}
