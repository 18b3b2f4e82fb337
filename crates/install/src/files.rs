//! Inspects a file before it is changed: its real path, and reasons not to replace it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::Problem;

/// Maximum size of a configuration file.
const MAX_BYTES: u64 = 16 << 20;

/// The state of a file.
#[derive(Debug, Clone)]
pub(super) struct FileState {
    /// Its path with all links resolved.
    pub(super) target: PathBuf,
    /// Its text; `None` if it does not exist.
    pub(super) text: Option<String>,
    /// The parent folders to create, outermost first.
    pub(super) missing: Vec<PathBuf>,
}

/// Inspects a file.
///
/// # Errors
/// If it cannot be read, is not text, or cannot be replaced without side effects.
pub(super) fn inspect(path: &Path) -> Result<FileState, Problem> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => {
            let target = path.canonicalize().map_err(|error| {
                if metadata.is_symlink() && error.kind() == io::ErrorKind::NotFound {
                    Problem::whole("it is a link to a file that does not exist")
                } else {
                    Problem::whole(error.to_string())
                }
            })?;
            let text = read(&target)?;
            Ok(FileState { target, text: Some(text), missing: Vec::new() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => absent(path),
        Err(error) => Err(Problem::whole(error.to_string())),
    }
}

/// The state of a file that does not exist, with the links of its parent folders resolved.
fn absent(path: &Path) -> Result<FileState, Problem> {
    let mut missing = Vec::new();
    let mut folder = path.parent();
    while let Some(current) = folder {
        match fs::symlink_metadata(current) {
            Ok(_) => {
                let real = current
                    .canonicalize()
                    .map_err(|error| Problem::whole(format!("`{}`: {error}", current.display())))?;
                if !real.is_dir() {
                    let reason = format!("`{}` is not a folder", current.display());
                    return Err(Problem::whole(reason));
                }
                let real_path = |path: &Path| match path.strip_prefix(current) {
                    Ok(rest) => real.join(rest),
                    Err(_) => path.to_owned(),
                };
                missing.reverse();
                return Ok(FileState {
                    target: real_path(path),
                    text: None,
                    missing: missing.into_iter().map(real_path).collect(),
                });
            }
            Err(_) => missing.push(current),
        }
        folder = current.parent();
    }
    Err(Problem::whole("none of its parent folders exists"))
}

/// The text of a file that can be replaced.
fn read(path: &Path) -> Result<String, Problem> {
    let metadata = fs::metadata(path).map_err(|error| Problem::whole(error.to_string()))?;
    if !metadata.is_file() {
        return Err(Problem::whole("it is not a file"));
    }
    if metadata.permissions().readonly() {
        return Err(Problem::whole("it is read-only"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(Problem::whole("it is larger than 16 MiB"));
    }
    #[cfg(unix)]
    if 1 < std::os::unix::fs::MetadataExt::nlink(&metadata) {
        return Err(Problem::whole("it has a second name (a hard link), which would be lost"));
    }
    let bytes = fs::read(path).map_err(|error| Problem::whole(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let line = 1 + bytes.iter().take(valid).filter(|byte| **byte == b'\n').count();
        Problem::whole(format!("line {line} is not UTF-8"))
    })
}

/// The current content of a file; `None` if it does not exist.
pub(super) fn current(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
