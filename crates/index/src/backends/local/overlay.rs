//! The overlay: changes of an index that stay in memory. It reads the files of the last commit and
//! writes its own files to memory, where no other process sees them.
//!
//! Writer, reader and file formats are those of an index in a folder, so that statistics over both
//! are those of one index. The files below are never merged, which would copy them, and never
//! deleted.

use std::{io, path::Path, sync::Arc};

use tantivy::{Directory, Index, TantivyError, directory::ManagedDirectory};

use super::{
    compact::are_crowded,
    failure::{unwritable, while_reading},
    file_names::META_FILE,
    merge::{Merges, Size, plan},
    overlay_directory::{CommittedFiles, OverlayDirectory},
    schema::settings,
    seal::{seal, segment_files},
    shelf::{self, size_to_merge},
    snapshot::{Segment, Snapshot},
    state::VectorFile,
    storage::Storage,
    store::LocalStore,
    writer::{LocalWriter, remove_unnamed_files},
};
use crate::{IndexError, IndexVersion, Overlay, Reader, Store, Writer};

/// An overlay of the local backend.
pub(super) struct LocalOverlay {
    store: LocalStore,
    base: Arc<Snapshot>,
    directory: OverlayDirectory,
}

impl LocalOverlay {
    /// Returns an overlay over a commit, which it does not change.
    pub(super) fn over(base: Arc<Snapshot>) -> Result<LocalOverlay, IndexError> {
        let files: Arc<dyn CommittedFiles> = Arc::<Snapshot>::clone(&base);
        let directory =
            OverlayDirectory::over(files).map_err(|error| unwritable(base.path(), &error))?;
        let below = Box::new(base.storage.clone());
        let storage = Storage::Overlay { directory: directory.clone(), below };
        let store = LocalStore::of(base.at(storage, Box::new(directory.clone())));
        Ok(LocalOverlay { store, base, directory })
    }

    /// Writes the files of a commit in memory to the storage below, the list of segments last.
    fn copy(&self, top: &Snapshot, directory: &dyn Directory) -> Result<(), IndexError> {
        let (path, storage) = (self.base.path(), &self.base.storage);
        let failed = |error: TantivyError| match error {
            TantivyError::IoError(error) => unwritable(path, &error),
            error => while_reading(path, &error),
        };
        let written = |error: io::Error| unwritable(path, &error);
        let (Some(payload), Some(meta)) = (&top.payload, top.meta.as_deref()) else {
            return Ok(());
        };
        let list = Index::open(self.directory.clone()).and_then(|index| index.load_metas());
        if !self.base.has_files() {
            // Without a list of segments, the other files would look like damage.
            let schema = self.base.expected.columns.schema().clone();
            Index::create(directory.box_clone(), schema, settings()).map_err(failed)?;
        }
        let managed = ManagedDirectory::wrap(directory.box_clone()).map_err(failed)?;
        for name in segment_files(&list.map_err(failed)?) {
            let name = Path::new(&name);
            if self.directory.is_in_memory(name) {
                let bytes = self.directory.read(name).map_err(failed)?;
                managed.atomic_write(name, &bytes).map_err(written)?;
            }
        }
        let vectors = top.state.vector_files().iter().map(VectorFile::name);
        for name in vectors.chain([payload.state_file()]) {
            let name = Path::new(&name);
            if self.directory.is_in_memory(name) {
                let bytes = self.directory.read(name).map_err(failed)?;
                directory.atomic_write(name, &bytes).map_err(written)?;
            }
        }
        seal(storage, directory).map_err(written)?;
        managed.atomic_write(Path::new(META_FILE), meta).map_err(written)
    }
}

impl Store for LocalOverlay {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        self.store.reader()
    }

    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError> {
        self.store.writer(base)
    }

    fn overlay(&self, base: IndexVersion) -> Result<Option<Box<dyn Overlay>>, IndexError> {
        self.store.overlay(base)
    }

    fn limit_memory(&self, bytes: u64) {
        self.store.limit_memory(bytes);
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        self.store.verify()
    }
}

impl Overlay for LocalOverlay {
    fn is_over(&self, base: IndexVersion) -> bool {
        self.base.version() == base
    }

    fn publish(&self) -> Result<(), IndexError> {
        // A writer of the overlay would remove files that are being copied.
        let own = self.store.lock(&self.directory)?;
        let top = self.store.snapshot()?;
        if top.generation() == self.base.generation() {
            return Ok(());
        }
        let storage = &self.base.storage;
        let directory = storage.create()?;
        let lock = storage.lock(&*directory)?;
        let expected = &self.base.expected;
        if Snapshot::open(storage, expected)?.version() != self.base.version() {
            return Err(IndexError::Moved { path: storage.path().to_owned() });
        }
        self.copy(&top, &*directory)?;
        drop(own);
        let published = Snapshot::open(storage, expected)?;
        let shelf = published.state.shelf();
        let shelved = shelf::rows_by_segment(&shelf);
        let size = |segment: &Arc<Segment>| {
            let shelved = shelved.get(segment.reader.segment_id().uuid_string().as_str());
            size_to_merge(segment.size(), shelved.copied().unwrap_or(0))
        };
        let sizes: Vec<Size> = published.segments.iter().filter_map(size).collect();
        if plan(&sizes, Merges::Usual).is_empty() && !are_crowded(published.state.vector_files()) {
            // Files that remain are not named by the commit and are removed after the next one.
            let _ = remove_unnamed_files(&self.base, &*directory, Vec::new());
            return Ok(());
        }
        // Small or worn segments are merged by another commit. If it fails, the copied commit
        // remains.
        let cursor = published.state.cursor().to_owned();
        if let Ok(writer) = LocalWriter::new(Arc::new(published), directory, lock, u64::MAX) {
            let _ = Box::new(writer).commit(&cursor);
        }
        Ok(())
    }
}
