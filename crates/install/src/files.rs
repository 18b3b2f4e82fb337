//! Looks at a file before it is changed: what is really written, and whether that can be done
//! without harm.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::Problem;

/// A longer file is no configuration.
const MOST_BYTES: u64 = 16 << 20;

/// A file as it was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The file itself, behind all links.
    pub(super) target: PathBuf,
    /// Its text; `None` if it is not there.
    pub(super) text: Option<String>,
    /// The folders that would have to be made, the outermost first.
    pub(super) missing: Vec<PathBuf>,
}

/// Looks at a file.
///
/// # Errors
/// When it cannot be read, is no text, or could not be written without breaking something.
pub(super) fn look(path: &Path) -> Result<Found, Problem> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => {
            let target = path.canonicalize().map_err(|error| {
                if metadata.is_symlink() && error.kind() == io::ErrorKind::NotFound {
                    Problem::whole("it is a link that leads nowhere")
                } else {
                    Problem::whole(error.to_string())
                }
            })?;
            let text = read(&target)?;
            Ok(Found { target, text: Some(text), missing: Vec::new() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => absent(path),
        Err(error) => Err(Problem::whole(error.to_string())),
    }
}

/// A file that is not there: where it would be, behind the links of the folders above.
fn absent(path: &Path) -> Result<Found, Problem> {
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
                return Ok(Found {
                    target: real_path(path),
                    text: None,
                    missing: missing.into_iter().map(real_path).collect(),
                });
            }
            Err(_) => missing.push(current),
        }
        folder = current.parent();
    }
    Err(Problem::whole("no folder above it is there"))
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
    if metadata.len() > MOST_BYTES {
        return Err(Problem::whole("it is larger than 16 MiB"));
    }
    #[cfg(unix)]
    if 1 < std::os::unix::fs::MetadataExt::nlink(&metadata) {
        return Err(Problem::whole(
            "it has a second name (a hard link), which a new file would lose",
        ));
    }
    let bytes = fs::read(path).map_err(|error| Problem::whole(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let line = 1 + bytes.iter().take(valid).filter(|byte| **byte == b'\n').count();
        Problem::whole(format!("line {line} is not UTF-8"))
    })
}

/// What is in a file now; `None` if it is not there.
pub(super) fn current(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
