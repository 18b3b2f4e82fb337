//! Files that are written whole or not at all, whatever happens meanwhile.
#![expect(clippy::disallowed_methods, reason = "the files are those that the user asked for")]

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

/// Options for a file that only its owner can read.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file whole or not at all: a draft beside it takes its place, with its permissions and
/// its owner. `rename` is what puts it there.
///
/// # Errors
/// When anything of that fails; the file is then as it was.
pub(crate) fn write_whole(
    path: &Path,
    bytes: &[u8],
    rename: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}.lore", std::process::id()));
    let existing = fs::metadata(path).ok();
    let written = write_draft(&draft, bytes, |draft| {
        // Nobody may read a draft whose file is not for everybody.
        let mut options = if existing.is_some() { private() } else { OpenOptions::new() };
        options.write(true).create_new(true).open(draft)
    })
    .and_then(|()| match &existing {
        Some(metadata) => {
            keep_owner(&draft, metadata)?;
            fs::set_permissions(&draft, metadata.permissions())
        }
        None => Ok(()),
    })
    .and_then(|()| rename(&draft, path));
    if let Err(error) = written {
        // The first error is the one that tells; nothing may stay behind. A draft that was there
        // before is not ours.
        if error.kind() != io::ErrorKind::AlreadyExists {
            let _ = fs::remove_file(&draft);
        }
        return Err(error);
    }
    // The name is safe once its folder is.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// Writes a new file and waits until it is on the disk.
///
/// # Errors
/// When anything of that fails.
pub(crate) fn write_draft(
    path: &Path,
    bytes: &[u8],
    open: impl FnOnce(&Path) -> io::Result<File>,
) -> io::Result<()> {
    let mut file = open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Gives a draft the owner of the file that it replaces, where that is somebody else.
#[cfg(unix)]
fn keep_owner(draft: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let made = fs::metadata(draft)?;
    if (made.uid(), made.gid()) == (metadata.uid(), metadata.gid()) {
        return Ok(());
    }
    std::os::unix::fs::chown(draft, Some(metadata.uid()), Some(metadata.gid()))
        .map_err(|error| io::Error::new(error.kind(), format!("its owner cannot be kept: {error}")))
}

#[cfg(not(unix))]
fn keep_owner(_draft: &Path, _metadata: &fs::Metadata) -> io::Result<()> {
    Ok(())
}
