//! Small private files of a user beside the indexes, such as the search history.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use super::private;

/// A folder with private files. Nothing in it is opened through a link or waited for, and a folder
/// that another user owns or may write to is refused with a hint.
#[derive(Debug, Clone)]
pub struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    /// The folder at this path, which may be missing.
    pub fn new(path: &Path) -> PrivateFolder {
        PrivateFolder { path: path.to_owned() }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of a file in bytes; 0 if there is none.
    pub fn size(&self, name: &str) -> u64 {
        fs::symlink_metadata(self.path.join(name)).map_or(0, |metadata| metadata.len())
    }

    /// Appends to a file in one write. Folder and file are created if necessary, for their owner
    /// alone; an existing file is closed to others.
    ///
    /// # Errors
    /// Of the file system; [`io::ErrorKind::InvalidData`] for anything else than a regular file.
    pub fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        self.open(name, options)?.write_all(bytes)
    }

    /// Replaces the content of a short file. Folder and file are created if necessary, as by
    /// [`PrivateFolder::append`].
    ///
    /// # Errors
    /// Like [`PrivateFolder::append`].
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = self.open(name, options)?;
        file.set_len(0)?;
        file.write_all(bytes)
    }

    /// Locks a file, which is created if necessary; `None` if another process has the lock.
    ///
    /// # Errors
    /// Like [`PrivateFolder::append`], and if the file system does not lock files.
    pub fn try_lock(&self, name: &str) -> io::Result<Option<File>> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = self.open(name, options)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Reads a file, at most its first `max` bytes; `None` if it does not exist.
    ///
    /// # Errors
    /// Like [`PrivateFolder::append`].
    pub fn read(&self, name: &str, max: u64) -> io::Result<Option<Vec<u8>>> {
        self.check()?;
        let file = match private::open(&self.path.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        private::checked(&file.metadata()?, u64::MAX)?;
        let mut bytes = Vec::new();
        file.take(max).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Opens a file of the folder, for its owner alone.
    fn open(&self, name: &str, mut options: OpenOptions) -> io::Result<File> {
        self.check()?;
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path)?;
        let path = self.path.join(name);
        match private::check(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            private::without_waiting(&mut options);
        }
        let file = options.open(path)?;
        private::checked(&file.metadata()?, u64::MAX)?;
        private::close_to_others(&file)?;
        Ok(file)
    }

    /// Refuses a folder that another user owns or may write to.
    fn check(&self) -> io::Result<()> {
        private::problem(&self.path).map_or(Ok(()), |problem| {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, problem.to_string()))
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn files_are_private_and_never_behind_links() {
        let outside = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::new(&outside.path().join("cache"));
        let mode =
            |name: &str| fs::symlink_metadata(folder.path().join(name)).unwrap().mode() & 0o777;
        assert_eq!((folder.read("a", 9).unwrap(), folder.size("a")), (None, 0));
        folder.append("a", b"one").unwrap();
        assert_eq!((mode(""), mode("a")), (0o700, 0o600));
        fs::set_permissions(folder.path().join("a"), fs::Permissions::from_mode(0o666)).unwrap();
        folder.append("a", b"two").unwrap();
        assert_eq!((mode("a"), folder.size("a")), (0o600, 6));
        assert_eq!(folder.read("a", 4).unwrap().as_deref(), Some(&b"onet"[..]));
        let lock = folder.try_lock("lock").unwrap();
        assert!(lock.is_some() && folder.try_lock("lock").unwrap().is_none());
        assert_eq!(mode("lock"), 0o600);

        symlink(outside.path().join("target"), folder.path().join("link")).unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        for name in ["link", "folder"] {
            assert!(folder.append(name, b"x").is_err(), "{name}");
            assert!(folder.try_lock(name).is_err() && folder.read(name, 9).is_err(), "{name}");
        }
        assert!(!outside.path().join("target").exists());

        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let refused = folder.append("a", b"x").unwrap_err().to_string();
        assert!(refused.contains("chmod -R go-w '"), "{refused}");
        assert!(folder.read("a", 9).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn named_pipes_do_not_block() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let place = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::new(place.path());
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, place.path().join("pipe"), FileType::Fifo, mode, 0).unwrap();
        let kind = |error: io::Error| error.kind();
        assert_eq!(kind(folder.append("pipe", b"x").unwrap_err()), io::ErrorKind::InvalidData);
        assert_eq!(kind(folder.read("pipe", 9).unwrap_err()), io::ErrorKind::InvalidData);
        assert_eq!(kind(folder.try_lock("pipe").unwrap_err()), io::ErrorKind::InvalidData);
    }
}
