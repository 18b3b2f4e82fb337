//! The local backend's way in.

use std::{io, sync::Arc};

use lore_schema::SourceName;

use super::{
    disk,
    failure::unwritable,
    home::{Home, LOCK_FILES, META_FILE},
    schema::{Columns, FORMAT},
    seal::unseal,
    seed::seed,
    snapshot::Expected,
    store::LocalStore,
};
use crate::{Backend, IndexError, Place, Store};

/// Tantivy indexes in folders.
#[derive(Debug)]
pub(in crate::backends) struct LocalBackend;

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
        place: &Place,
        fingerprint: &str,
    ) -> Result<Box<dyn Store>, IndexError> {
        let expected = Expected {
            source,
            fingerprint: fingerprint.to_owned(),
            columns: Arc::new(Columns::new()),
        };
        Ok(Box::new(LocalStore::open(Home::at(place), expected)?))
    }

    fn seed(
        &self,
        source: SourceName,
        from: &Place,
        to: &Place,
        fingerprint: &str,
    ) -> Result<bool, IndexError> {
        // Memory is gone with its store.
        let (Place::Folder(from), Place::Folder(to)) = (from, to) else { return Ok(false) };
        let expected = Expected {
            source,
            fingerprint: fingerprint.to_owned(),
            columns: Arc::new(Columns::new()),
        };
        seed(from, to, &expected)
    }

    fn erase(&self, place: &Place) -> Result<(), IndexError> {
        empty(place, &[])
    }

    fn remove(&self, place: &Place) -> Result<(), IndexError> {
        empty(place, &LOCK_FILES)?;
        if let Place::Folder(path) = place {
            // It stays where something else lies in it.
            let _ = std::fs::remove_dir(path);
        }
        Ok(())
    }

    fn distrust(&self, place: &Place) -> Result<(), IndexError> {
        let home = Home::at(place);
        unseal(&home).map_err(|error| unwritable(home.path(), &error))
    }
}

/// Removes the files of an index, and then these others, while nobody writes.
fn empty(place: &Place, others: &[&str]) -> Result<(), IndexError> {
    // Memory is gone with its store.
    let Place::Folder(path) = place else { return Ok(()) };
    let home = Home::at(place);
    let Some(directory) = home.directory()? else { return Ok(()) };
    let _lock = home.lock(&*directory)?;
    let mut names = home.files().map_err(|error| unwritable(path, &error))?;
    // The list of segments goes first: without it the rest is an index that was never written,
    // or one that says that it is damaged.
    names.sort_by_key(|name| (name != META_FILE, name.clone()));
    names.extend(others.iter().map(|name| (*name).to_owned()));
    for name in names {
        match disk::remove(&path.join(&name)) {
            // Windows keeps what a reader has mapped; without the list of segments nobody reads it
            // any more, and the next commit removes it.
            Err(_) if cfg!(windows) && name != META_FILE => {}
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(unwritable(path, &error));
            }
            _ => {}
        }
    }
    Ok(())
}
