//! The local backend's way in.

use std::{fs, io, sync::Arc};

use lore_schema::SourceName;

use super::{
    failure::unwritable,
    home::{Home, META_FILE},
    schema::Columns,
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

    fn erase(&self, place: &Place) -> Result<(), IndexError> {
        // Memory is gone with its store.
        let Place::Folder(path) = place else { return Ok(()) };
        let home = Home::at(place);
        let Some(directory) = home.directory()? else { return Ok(()) };
        let _lock = home.lock(&*directory)?;
        let mut names = home.files().map_err(|error| unwritable(path, &error))?;
        // The list of segments goes first: without it the rest is an index that was never written,
        // or one that says that it is damaged.
        names.sort_by_key(|name| (name != META_FILE, name.clone()));
        for name in names {
            match fs::remove_file(path.join(&name)) {
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
}
