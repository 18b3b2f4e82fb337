//! Opens what lies inside a tree in one step, where the system itself sees to it that no link leads
//! out: no name on the way is looked up twice, and none can be swapped in between.

use std::{fs::File, path::Path};

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its bytes are read. Waits for nobody, whatever the file is.
    Read,
    /// The system is only asked about it.
    Ask,
}

/// The root of a tree, held open.
#[cfg(target_os = "linux")]
pub(crate) struct Root(std::os::fd::OwnedFd);

/// Other systems cannot: there is no such root.
#[cfg(not(target_os = "linux"))]
pub(crate) enum Root {}

impl Root {
    /// Opens the root. `None` where that cannot be done in this way, which says nothing of the tree.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(path: &Path) -> Option<Root> {
        use rustix::fs::{CWD, Mode, OFlags, openat};

        let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, path, folder, Mode::empty()).ok().map(Root)
    }

    /// Opens a file of the tree; `path` is root-relative, with `/`. `None` where that cannot be done in
    /// this way, which says nothing of the file: it has to be looked for in another one.
    #[cfg(target_os = "linux")]
    pub(crate) fn file(&self, path: &str, purpose: Purpose) -> Option<File> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

        let flags = match purpose {
            Purpose::Read => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
            Purpose::Ask => OFlags::PATH,
        };
        // An absolute link that stays inside is refused here, too: the other way knows it.
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let file = openat2(&self.0, path, flags | OFlags::CLOEXEC, Mode::empty(), inside);
        file.ok().map(File::from)
    }

    /// No root is ever opened.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(_: &Path) -> Option<Root> {
        None
    }

    /// There is no root to ask.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn file(&self, _: &str, _: Purpose) -> Option<File> {
        match *self {}
    }
}
