//! The entry point of the local backend: opens, erases and removes indexes.

use std::{io, sync::Arc};

use lore_schema::SourceName;

use super::{
    disk,
    failure::unwritable,
    file_names::{LOCK_FILES, META_FILE},
    schema::{Columns, FORMAT},
    seal::unseal,
    snapshot::Expected,
    storage::Storage,
    store::LocalStore,
};
use crate::{Backend, IndexCache, IndexError, IndexLocation, Store};

/// The local backend.
#[derive(Debug)]
pub(in crate::backends) struct LocalBackend;

impl LocalBackend {
    /// The properties that an index is opened with.
    pub(super) fn expected(source: SourceName, fingerprint: &str) -> Expected {
        let columns = Arc::new(Columns::new());
        Expected { source, fingerprint: fingerprint.to_owned(), columns }
    }

    /// Removes an index with its locks and its folder, unless the folder contains other files.
    pub(super) fn remove(location: &IndexLocation) -> Result<(), IndexError> {
        empty(location, &LOCK_FILES)?;
        if let IndexLocation::Folder(path) = location {
            // Fails if the folder contains other files.
            let _ = std::fs::remove_dir(path);
        }
        Ok(())
    }
}

impl Backend for LocalBackend {
    fn name(&self) -> &'static str {
        "local"
    }

    fn format(&self) -> u32 {
        FORMAT
    }

    fn open(
        &self,
        source: SourceName,
        location: &IndexLocation,
        fingerprint: &str,
    ) -> Result<Box<dyn Store>, IndexError> {
        let expected = LocalBackend::expected(source, fingerprint);
        Ok(Box::new(LocalStore::open(Storage::at(location), expected)?))
    }

    fn erase(&self, location: &IndexLocation) -> Result<(), IndexError> {
        empty(location, &[])
    }

    fn distrust(&self, damage: &IndexError) -> bool {
        let IndexError::Damaged { path, .. } = damage else { return false };
        let storage = Storage::Folder(path.clone());
        matches!(storage.directory(), Ok(Some(directory)) if unseal(&storage, &*directory).is_ok())
    }

    fn cache(&self) -> &dyn IndexCache {
        self
    }
}

/// Removes the files of an index, and then these others, while holding the lock of writers.
fn empty(location: &IndexLocation, others: &[&str]) -> Result<(), IndexError> {
    // Memory is gone with its store.
    let IndexLocation::Folder(path) = location else { return Ok(()) };
    let storage = Storage::at(location);
    let Some(directory) = storage.directory()? else { return Ok(()) };
    let _lock = storage.lock(&*directory)?;
    let mut names = storage.files().map_err(|error| unwritable(path, &error))?;
    // The list of segments is removed first: without it the rest is detected as damaged, or as an
    // index that was never written.
    names.sort_by_key(|name| (name != META_FILE, name.clone()));
    names.extend(others.iter().map(|name| (*name).to_owned()));
    for name in names {
        match disk::remove(&path.join(&name)) {
            // Windows does not remove files that a reader has mapped. Without the list of segments
            // they are unused, and the next commit removes them.
            Err(_) if cfg!(windows) && name != META_FILE => {}
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(unwritable(path, &error));
            }
            _ => {}
        }
    }
    Ok(())
}
