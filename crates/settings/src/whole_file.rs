//! Atomic replacement of files: a file has its old content or its new one, whatever happens.
#![expect(clippy::disallowed_methods, reason = "the user asked to write these files")]

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

use tempfile::NamedTempFile;

/// Replaces a file by way of a temporary file beside it. The file keeps its permissions and owner.
///
/// # Errors
/// If any step fails; the file is then unchanged, and the temporary file is removed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    draft(path, bytes)?.persist(path)?;
    // The rename is durable once the folder is synced.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// Writes a file that only its owner can read.
///
/// # Errors
/// If any step fails.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Creates a temporary file with this content beside `path` and syncs it. Dropping it removes it.
pub fn draft(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let existing = fs::metadata(path).ok();
    // The draft of an existing file is private until it gets that file's permissions.
    let mut draft = empty_draft(path, existing.is_some())?;
    draft.write_all(bytes)?;
    if let Some(metadata) = existing {
        keep_owner(draft.path(), &metadata)?;
        fs::set_permissions(draft.path(), metadata.permissions())?;
    }
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// Creates an empty temporary file beside `path`. Unless it is private, it gets the default
/// permissions, less the user's mask.
pub fn empty_draft(path: &Path, is_private: bool) -> io::Result<NamedTempFile> {
    let prefix = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".lore");
    #[cfg(unix)]
    if !is_private {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    builder.tempfile_in(path.parent().unwrap_or(Path::new("")))
}

/// Gives a draft the owner of the file that it replaces, if they differ.
#[cfg(unix)]
fn keep_owner(draft: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let made = fs::metadata(draft)?;
    if (made.uid(), made.gid()) == (metadata.uid(), metadata.gid()) {
        return Ok(());
    }
    std::os::unix::fs::chown(draft, Some(metadata.uid()), Some(metadata.gid()))
        .map_err(|error| io::Error::new(error.kind(), format!("could not keep its owner: {error}")))
}

#[cfg(not(unix))]
fn keep_owner(_draft: &Path, _metadata: &fs::Metadata) -> io::Result<()> {
    Ok(())
}
