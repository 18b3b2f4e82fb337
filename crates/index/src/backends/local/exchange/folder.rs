//! Private folders for indexes that are exchanged, inside the folder of their view: on the same file
//! system, so that an index is put in place by a rename.

use std::{
    fmt,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use lore_schema::SourceName;

use crate::{
    IndexError, IndexLocation,
    backends::local::{disk, failure::unwritable, private},
};

/// Start of the names of these folders, before random digits.
const PREFIX: &str = "exchange-";

/// Name of the lock in such a folder, held while it is used.
const LOCK: &str = "lock";

/// A private folder for indexes that are being exchanged. It is removed when this is dropped.
pub struct ExchangeFolder {
    pub(super) path: PathBuf,
    /// Folders above it that were created for it.
    pub(super) created: Vec<PathBuf>,
    /// Held as long as the folder is used.
    pub(super) lock: Option<File>,
}

impl ExchangeFolder {
    /// Location of the index of a source in the folder.
    pub fn location(&self, source: SourceName) -> IndexLocation {
        IndexLocation::Folder(self.folder_of(source))
    }

    pub(super) fn folder_of(&self, source: SourceName) -> PathBuf {
        self.path.join(source.as_str())
    }
}

impl Drop for ExchangeFolder {
    fn drop(&mut self) {
        // Windows does not remove an open file.
        drop(self.lock.take());
        // If this fails, the next exchange removes it.
        let _ = fs::remove_dir_all(&self.path);
        for folder in &self.created {
            // Fails if something was created in it meanwhile.
            let _ = fs::remove_dir(folder);
        }
    }
}

impl fmt::Debug for ExchangeFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ExchangeFolder").field(&self.path).finish()
    }
}

/// Creates a folder in that of a view, which is created if necessary. Removes those of killed
/// processes.
pub(super) fn create(view: &Path) -> Result<ExchangeFolder, IndexError> {
    let failed = |error: io::Error| unwritable(view, &error);
    let missing: Vec<PathBuf> =
        view.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    private::create_folders(view).map_err(failed)?;
    remove_abandoned(view);
    let path = view.join(format!("{PREFIX}{}", private::random_digits()));
    private::create_folder(&path).map_err(failed)?;
    let mut folder = ExchangeFolder { path, created: missing, lock: None };
    let lock = disk::lock(&folder.path.join(LOCK), false).map_err(failed)?;
    folder.lock = Some(lock.ok_or_else(|| failed(io::ErrorKind::WouldBlock.into()))?);
    Ok(folder)
}

/// Removes the folders of killed processes from that of a view.
pub(in crate::backends::local) fn remove_abandoned(view: &Path) {
    let Ok(entries) = fs::read_dir(view) else { return };
    for entry in entries.filter_map(Result::ok) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        let digits = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let is_digits = |digits: &str| {
            digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        if is_folder && digits.is_some_and(is_digits) {
            remove(&entry.path());
        }
    }
}

fn remove(folder: &Path) {
    let lock = folder.join(LOCK);
    // A folder without a lock was created a moment ago, or its process was killed just then: it is
    // empty.
    if !lock.exists() {
        let _ = fs::remove_dir(folder);
        return;
    }
    if let Ok(Some(held)) = disk::lock(&lock, false) {
        drop(held);
        let _ = fs::remove_dir_all(folder);
    }
}
