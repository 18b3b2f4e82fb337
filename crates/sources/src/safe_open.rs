//! Opens the files of a tree beneath its root. No link leads out, whatever another process changes
//! at the same time, and nothing blocks.
//!
//! Steps of [`OpenRoot::open_beneath`]:
//!
//! 1. On Linux, `openat2` opens the path and guarantees that it stays beneath the root.
//! 2. Where that is refused (an absolute link, an old kernel, another system), the links are
//!    resolved first. The real path is then opened name by name, and a name that is a link by now
//!    is refused.
//!
//! The checks of size and kind are those of the open file.

#[cfg(unix)]
use std::os::fd::{AsFd, OwnedFd};
use std::{
    fs::{File, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::{
    native::{self, PathConvention},
    regular,
};

/// The root of a tree, kept open.
#[derive(Debug)]
pub(crate) struct OpenRoot {
    path: PathBuf,
    #[cfg(unix)]
    folder: OwnedFd,
}

/// Purpose of opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Reading its bytes. Never blocks, whatever the kind of file.
    Read,
    /// Reading its metadata only.
    #[cfg(unix)]
    Stat,
}

impl OpenRoot {
    /// Opens the root of a tree.
    pub(crate) fn open(path: &Path) -> io::Result<OpenRoot> {
        if !path.is_absolute() {
            return OpenRoot::open(&native::canonical(path)?);
        }
        Ok(OpenRoot {
            #[cfg(unix)]
            folder: unix::open_root(path)?,
            path: path.to_owned(),
        })
    }

    /// Opens a regular file of at most `max` bytes for reading; `path` is root-relative, with `/`.
    /// Links are followed inside the root. Returns the metadata of the open file.
    pub(crate) fn file(&self, path: &str, max: u64) -> io::Result<(File, Metadata)> {
        // Opening a device may have side effects, so the kind is checked before as well.
        regular::checked(&self.metadata(path)?, max)?;
        self.listed_file(path, max)
    }

    /// Like [`OpenRoot::file`], for a path that the walk listed as a regular file: one call less.
    pub(crate) fn listed_file(&self, path: &str, max: u64) -> io::Result<(File, Metadata)> {
        let file = self.open_beneath(path, Access::Read)?;
        let metadata = file.metadata()?;
        regular::checked(&metadata, max)?;
        Ok((file, metadata))
    }

    /// Returns the real path of a root-relative path, if it is inside the root, and its path from
    /// there.
    fn resolve(&self, path: &str) -> io::Result<(PathBuf, PathBuf)> {
        let place = native::to_disk(&self.path, path).map_err(|_| outside())?;
        let real = native::canonical(&place)?;
        if let Ok(inner) = real.strip_prefix(&self.path) {
            return Ok((real.clone(), inner.to_owned()));
        }
        let root = native::canonical(&self.path)?;
        let inner = real.strip_prefix(&root).map_err(|_| outside())?;
        Ok((real.clone(), inner.to_owned()))
    }
}

#[cfg(unix)]
impl OpenRoot {
    /// Returns the metadata of a file or folder inside the root, following links.
    pub(crate) fn metadata(&self, path: &str) -> io::Result<Metadata> {
        self.open_beneath(path, Access::Stat)?.metadata()
    }

    fn open_beneath(&self, path: &str, access: Access) -> io::Result<File> {
        native::check(path, PathConvention::CURRENT).map_err(|_| outside())?;
        #[cfg(target_os = "linux")]
        match unix::open_in_one_step(self.folder.as_fd(), path, access) {
            Err(error) if unix::is_inconclusive(error) => {}
            opened => return Ok(File::from(opened?)),
        }
        let (_, inner) = self.resolve(path)?;
        unix::open_name_by_name(self.folder.as_fd(), &inner, access)
    }
}

#[cfg(not(unix))]
impl OpenRoot {
    /// Returns the metadata of a file or folder inside the root, following links. Folders cannot be
    /// opened here.
    pub(crate) fn metadata(&self, path: &str) -> io::Result<Metadata> {
        native::check(path, PathConvention::CURRENT).map_err(|_| outside())?;
        self.resolve(path)?.0.metadata()
    }

    /// Opens the resolved path, and checks afterwards that the same path is still inside.
    fn open_beneath(&self, path: &str, _: Access) -> io::Result<File> {
        native::check(path, PathConvention::CURRENT).map_err(|_| outside())?;
        let (real, _) = self.resolve(path)?;
        let file = File::open(&real)?;
        if self.resolve(path)?.0 == real { Ok(file) } else { Err(outside()) }
    }
}

/// The error for a path that leads out of the root.
fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "it is outside the tree")
}

#[cfg(unix)]
mod unix {
    //! The system calls.

    use std::{
        fs::File,
        io,
        os::fd::{AsFd, BorrowedFd, OwnedFd},
        path::{Component, Path},
    };

    use rustix::fs::{CWD, Mode, OFlags, openat};

    use super::{Access, outside};

    /// Number of attempts while another process renames folders on the way.
    #[cfg(target_os = "linux")]
    const ATTEMPTS: usize = 8;

    /// Flags for a folder on the way.
    #[cfg(target_os = "linux")]
    const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    #[cfg(not(target_os = "linux"))]
    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

    pub(super) fn open_root(path: &Path) -> io::Result<OwnedFd> {
        Ok(openat(CWD, path, FOLDER, Mode::empty())?)
    }

    fn flags(access: Access) -> OFlags {
        let flags = match access {
            #[cfg(target_os = "linux")]
            Access::Stat => OFlags::PATH,
            _ => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
        };
        flags | OFlags::CLOEXEC
    }

    /// Opens a path beneath a folder by one call.
    #[cfg(target_os = "linux")]
    pub(super) fn open_in_one_step(
        root: BorrowedFd<'_>,
        path: &str,
        access: Access,
    ) -> rustix::io::Result<OwnedFd> {
        use rustix::{
            fs::{ResolveFlags, openat2},
            io::Errno,
        };

        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let mut opened = Err(Errno::AGAIN);
        for _ in 0..ATTEMPTS {
            opened = openat2(root, path, flags(access), Mode::empty(), inside);
            if !matches!(opened, Err(Errno::AGAIN | Errno::INTR)) {
                break;
            }
        }
        opened
    }

    /// Returns true if an error of [`open_in_one_step`] is inconclusive: the call is not
    /// available, or the path has an absolute link, which may stay inside.
    #[cfg(target_os = "linux")]
    pub(super) fn is_inconclusive(error: rustix::io::Errno) -> bool {
        use rustix::io::Errno;

        matches!(error, Errno::XDEV | Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN)
    }

    /// Opens a path without links beneath a folder.
    pub(super) fn open_name_by_name(
        root: BorrowedFd<'_>,
        path: &Path,
        access: Access,
    ) -> io::Result<File> {
        let mut names = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => names.push(name),
                Component::CurDir => {}
                _ => return Err(outside()),
            }
        }
        let Some((last, folders)) = names.split_last() else {
            return Ok(File::from(root.try_clone_to_owned()?));
        };
        let mut folder: Option<OwnedFd> = None;
        for name in folders {
            let at = folder.as_ref().map_or(root, AsFd::as_fd);
            folder = Some(openat(at, *name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?);
        }
        let at = folder.as_ref().map_or(root, AsFd::as_fd);
        let file = File::from(openat(at, *last, flags(access) | OFlags::NOFOLLOW, Mode::empty())?);
        // With `O_PATH`, a link itself is opened.
        if file.metadata()?.is_symlink() { Err(outside()) } else { Ok(file) }
    }

    #[cfg(test)]
    mod tests {
        use std::{fs, os::unix::fs::symlink};

        use super::*;

        #[test]
        fn a_link_that_appears_after_resolving_is_refused() {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("inner")).unwrap();
            fs::write(folder.path().join("inner/a"), "a").unwrap();
            symlink("inner", folder.path().join("link")).unwrap();
            symlink("inner/a", folder.path().join("file")).unwrap();
            let root = open_root(folder.path()).unwrap();
            let open =
                |path: &str, access| open_name_by_name(root.as_fd(), Path::new(path), access);
            for access in [Access::Read, Access::Stat] {
                assert!(open("inner/a", access).is_ok());
                for path in ["link/a", "file", "../a", "/inner/a"] {
                    assert!(open(path, access).is_err(), "{path}");
                }
            }
        }
    }
}
