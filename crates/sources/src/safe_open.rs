//! Opens files inside a tree in one step, where the system itself guarantees that no link leads
//! out. No name on the path is looked up twice, so none can be swapped in between.

use std::{fs::File, path::Path};

/// Purpose of opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading its bytes. Never blocks, whatever the kind of file.
    Read,
    /// Reading its metadata only.
    Stat,
}

/// The root of a tree, kept open.
#[cfg(target_os = "linux")]
pub(crate) struct OpenRoot(std::os::fd::OwnedFd);

/// Not available on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) enum OpenRoot {}

impl OpenRoot {
    /// Opens the root. `None` if this method is not available: that means nothing about the tree.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(path: &Path) -> Option<OpenRoot> {
        use rustix::fs::{CWD, Mode, OFlags, openat};

        let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, path, folder, Mode::empty()).ok().map(OpenRoot)
    }

    /// Opens a file of the tree; `path` is root-relative, with `/`. `None` if this method fails:
    /// that means nothing about the file, and the caller tries another way.
    #[cfg(target_os = "linux")]
    pub(crate) fn file(&self, path: &str, access: Access) -> Option<File> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

        let flags = match access {
            Access::Read => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
            Access::Stat => OFlags::PATH,
        };
        // An absolute link that stays inside is also rejected here; the caller's other way accepts it.
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let file = openat2(&self.0, path, flags | OFlags::CLOEXEC, Mode::empty(), inside);
        file.ok().map(File::from)
    }

    /// Always returns `None`.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(_: &Path) -> Option<OpenRoot> {
        None
    }

    /// Never called: there is no root.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn file(&self, _: &str, _: Access) -> Option<File> {
        match *self {}
    }
}
