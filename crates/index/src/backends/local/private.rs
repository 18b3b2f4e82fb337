//! Private files: readable by their owner alone whatever the umask, made new, and opened without
//! waiting and without following links.
//!
//! Temporary files have random names: another program cannot put a link there first. Creating them
//! fails if the name exists in any form.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use super::file_names::TEMPORARY_SUFFIX;
use crate::CacheProblem;

/// Number of the next random name of this process.
static NAMES: AtomicU64 = AtomicU64::new(0);

/// Creates a folder and its parents, for their owner alone. An existing folder is closed to others
/// if it has this owner.
pub(super) fn create_folders(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    // Fails if the folder belongs to another user.
    let _ = restrict(path);
    Ok(())
}

/// Creates a folder that must not exist, for its owner alone.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Removes the permissions of other users from a folder.
#[cfg(unix)]
fn restrict(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let of_others = fs::metadata(path)?.mode() & 0o077;
    if of_others == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

/// Does nothing: folders of a user are private on this system.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "fails on other systems")]
fn restrict(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes the permissions of other users from an open file or folder.
#[cfg(unix)]
pub(super) fn close_to_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let metadata = file.metadata()?;
    let of_others = metadata.mode() & 0o077;
    if of_others == 0 {
        return Ok(());
    }
    let mode = if metadata.is_dir() { 0o700 } else { 0o600 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Does nothing: files of a user are private on this system.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "fails on other systems")]
pub(super) fn close_to_others(_: &File) -> io::Result<()> {
    Ok(())
}

/// Closes a folder to other users, and everything in it, if they may read the folder. A closed folder
/// costs one call. Links are not followed, and what belongs to another user stays as it is.
#[cfg(unix)]
pub(super) fn close_tree_to_others(folder: &Path) {
    use std::os::unix::fs::MetadataExt;

    let is_open = fs::symlink_metadata(folder)
        .is_ok_and(|metadata| metadata.is_dir() && metadata.mode() & 0o077 != 0);
    if !is_open {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            close_tree_to_others(&entry.path());
        } else if let Ok(file) = open(&entry.path()) {
            let _ = close_to_others(&file);
        }
    }
    // Last, so that an interrupted run is repeated.
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    let _ = options.open(folder).and_then(|folder| close_to_others(&folder));
}

/// Does nothing: folders of a user are private on this system.
#[cfg(not(unix))]
pub(super) fn close_tree_to_others(_: &Path) {}

/// Creates a file that must not exist, for its owner alone.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Opens a lock file, which is created if necessary.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        without_waiting(&mut options);
    }
    let file = options.open(path)?;
    checked(&file.metadata()?, u64::MAX)?;
    Ok(file)
}

/// Reads a regular file of at most `max` bytes.
pub(super) fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let size = checked(&file.metadata()?, max)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the last bytes of a regular file: `length`, or all if there are fewer.
pub(super) fn read_end(path: &Path, length: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let size = checked(&file.metadata()?, u64::MAX)?;
    file.seek(SeekFrom::Start(size.saturating_sub(length)))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file for reading.
pub(super) fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    without_waiting(&mut options);
    options.open(path)
}

/// Opens a file without waiting for another program and without following a link.
#[cfg(unix)]
pub(super) fn without_waiting(options: &mut OpenOptions) {
    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
}

/// Checks that a path is a regular file, not a link to one.
///
/// # Errors
/// Of the file system; [`io::ErrorKind::InvalidData`] for anything else than a regular file, which
/// counts as damage.
pub(super) fn check(path: &Path) -> io::Result<()> {
    checked(&fs::symlink_metadata(path)?, u64::MAX).map(drop)
}

/// Returns the size of a regular file of at most `max` bytes.
pub(super) fn checked(metadata: &fs::Metadata, max: u64) -> io::Result<u64> {
    let size = metadata.len();
    let reason = if !metadata.is_file() {
        "a file of it is not a regular file".to_owned()
    } else if size > max {
        format!("a file of it has {size} bytes, and at most {max} are read")
    } else {
        return Ok(size);
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// Replaces a file in one step, without making it durable.
pub(super) fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = folder.join(temporary_name(name));
    let written = create_new(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, folder.join(name)));
    if written.is_err() {
        // If this fails as well, the folder is full or read-only.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Returns a name for a file that is being written: random digits and a suffix after its name.
pub(super) fn temporary_name(name: &str) -> String {
    format!("{name}.{}{TEMPORARY_SUFFIX}", random_digits())
}

/// Returns 16 random hexadecimal digits.
pub(super) fn random_digits() -> String {
    // The keys are random in each process; the number makes each call differ.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(NAMES.fetch_add(1, Ordering::Relaxed));
    hasher.write_u32(std::process::id());
    format!("{:016x}", hasher.finish())
}

/// Returns the name of the file that a temporary file is for.
pub(super) fn without_temporary_suffix(name: &str) -> &str {
    let Some(rest) = name.strip_suffix(TEMPORARY_SUFFIX) else { return name };
    match rest.rsplit_once('.') {
        Some((stem, digits))
            if digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            stem
        }
        _ => rest,
    }
}

/// Returns the reason why a folder of a cache cannot be trusted: another user owns it, or may write
/// to it. A missing folder can be trusted.
#[cfg(unix)]
pub(super) fn problem(folder: &Path) -> Option<CacheProblem> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::metadata(folder).ok()?;
    let folder = folder.to_owned();
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Some(CacheProblem::OtherOwner { folder });
    }
    (metadata.mode() & 0o022 != 0).then_some(CacheProblem::Writable { folder })
}

/// Returns `None`: permissions are not checked on this system.
#[cfg(not(unix))]
pub(super) fn problem(_: &Path) -> Option<CacheProblem> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_random_and_recognised() {
        let (one, two) = (temporary_name("meta.json"), temporary_name("meta.json"));
        assert_ne!(one, two);
        for name in [&one[..], "meta.json.new", "meta.json"] {
            assert_eq!(without_temporary_suffix(name), "meta.json");
        }
        assert_eq!(without_temporary_suffix("state-1.bin.new"), "state-1.bin");
    }

    #[cfg(unix)]
    #[test]
    fn files_and_folders_are_private_and_never_behind_links() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().mode() & 0o777;
        let inner = folder.path().join("a/b");
        create_folders(&inner).unwrap();
        assert_eq!((mode(&inner), mode(&folder.path().join("a"))), (0o700, 0o700));
        replace(&inner, "file", b"text").unwrap();
        assert_eq!(mode(&inner.join("file")), 0o600);
        assert_eq!(read(&inner.join("file"), 4).unwrap(), b"text");
        assert!(read(&inner.join("file"), 3).is_err());
        assert_eq!(read_end(&inner.join("file"), 2).unwrap(), b"xt");
        assert_eq!(read_end(&inner.join("file"), 9).unwrap(), b"text");
        drop(open_lock(&inner.join("lock")).unwrap());
        assert_eq!(mode(&inner.join("lock")), 0o600);

        symlink("file", inner.join("link")).unwrap();
        symlink("missing", inner.join("dangling")).unwrap();
        for name in ["link", "dangling"] {
            assert!(read(&inner.join(name), 99).is_err());
            assert!(create_new(&inner.join(name)).is_err());
            assert!(open_lock(&inner.join(name)).is_err());
        }
        replace(&inner, "link", b"other").unwrap();
        assert_eq!(read(&inner.join("file"), 99).unwrap(), b"text");

        assert_eq!(problem(&inner), None);
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o720)).unwrap();
        assert_eq!(problem(&inner), Some(CacheProblem::Writable { folder: inner.clone() }));
        create_folders(&inner).unwrap();
        assert_eq!(mode(&inner), 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn an_open_folder_is_closed_with_everything_in_it() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (tree, outside) = (folder.path().join("tree"), folder.path().join("outside"));
        fs::create_dir_all(tree.join("inner")).unwrap();
        for path in [&outside, &tree.join("inner/file")] {
            fs::write(path, "text").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
        }
        for path in [&tree, &tree.join("inner")] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        symlink(&outside, tree.join("link")).unwrap();
        close_tree_to_others(&tree);
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&tree), mode(&tree.join("inner"))), (0o700, 0o700));
        assert_eq!((mode(&tree.join("inner/file")), mode(&outside)), (0o600, 0o666));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn named_pipes_are_damage_and_do_not_block() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert_eq!(read(&pipe, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(check(&pipe).is_err() && open_lock(&pipe).is_err());
    }
}
