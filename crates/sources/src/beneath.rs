//! Opens what lies inside a tree in one step, where the system itself sees to it that no link leads
//! out: no name on the way is looked up twice, and none can be swapped in between.

use std::{fs::File, path::Path};

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its bytes are read.
    Read,
    /// The system is only asked about it.
    Ask,
}

/// Opens a file of a tree; `path` is root-relative, with `/`. `None` where it could not be opened in
/// this way: that says nothing of the file, which has to be looked for in another one. Never waits for
/// a writer, whatever the file is.
#[cfg(target_os = "linux")]
pub(crate) fn open(root: &Path, path: &str, purpose: Purpose) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

    let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, root, folder, Mode::empty()).ok()?;
    let flags = OFlags::CLOEXEC
        | match purpose {
            Purpose::Read => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
            Purpose::Ask => OFlags::PATH,
        };
    // An absolute link that stays inside is refused here, too: the other way knows it.
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    openat2(root, path, flags, Mode::empty(), inside).ok().map(File::from)
}

/// Other systems cannot.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open(_root: &Path, _path: &str, _purpose: Purpose) -> Option<File> {
    None
}
