//! Restores deleted rows of segments: a commit writes other lists of deleted rows than tantivy
//! would.
//!
//! tantivy can only delete rows. [`ListedSegments`] therefore changes the list of segments
//! (`meta.json`) while tantivy writes it: entries of segments with restored rows refer to a list of
//! deleted rows that this module wrote. Segments without live rows remain listed as long as the
//! shelf refers to them; tantivy alone would remove them.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Value, json};
use tantivy::{
    BitSet, Directory,
    directory::{
        DirectoryLock, FileHandle, Lock, ManagedDirectory, TerminatingWrite as _, WatchCallback,
        WatchHandle, WritePtr,
        error::{DeleteError, LockError, OpenReadError, OpenWriteError},
    },
    fastfield::write_alive_bitset,
};

use super::{
    file_names::META_FILE,
    seal::{REQUIRED, deletions_file},
    shelf::{ShelvedRows, ShelvedUnit},
    snapshot::Snapshot,
};

/// Start of the numbers of our lists of deleted rows. tantivy counts operations from 0.
const FIRST_OPSTAMP: u64 = 1 << 62;

/// The entry of a segment in the list of segments.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    max_doc: u32,
    deleted: u32,
    /// Number of the list of deleted rows.
    opstamp: u64,
    /// True if tantivy may have removed the segment, or has its own list of deleted rows for it.
    has_restored: bool,
}

/// The segments whose entries differ from those of tantivy, by identifier without hyphens.
#[derive(Debug, Clone, Default)]
pub(super) struct Overrides(BTreeMap<String, Entry>);

impl Overrides {
    /// Returns true if every entry is that of tantivy.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the entries of segments with live rows, which tantivy reads from the list.
    pub(super) fn keep_empty_segments(&mut self) {
        self.0.retain(|_, entry| entry.deleted == entry.max_doc);
        for entry in self.0.values_mut() {
            entry.has_restored = false;
        }
    }

    /// Names of the files that the entries refer to.
    fn files(&self) -> HashSet<PathBuf> {
        let mut files = HashSet::new();
        for (id, entry) in &self.0 {
            files.extend(REQUIRED.iter().map(|extension| format!("{id}{extension}").into()));
            files.insert(deletions_file(id, entry.opstamp).into());
        }
        files
    }

    /// Changes a list of segments.
    fn apply(&self, list: &[u8]) -> io::Result<Vec<u8>> {
        let unexpected = || io::Error::other("the list of segments has another form");
        let mut list: Value = serde_json::from_slice(list)?;
        let segments = list.get_mut("segments").and_then(Value::as_array_mut);
        let segments = segments.ok_or_else(unexpected)?;
        for (id, entry) in &self.0 {
            let deletes = (entry.deleted > 0)
                .then(|| json!({ "num_deleted_docs": entry.deleted, "opstamp": entry.opstamp }));
            let is_same = |segment: &&mut Value| {
                let other = segment.get("segment_id").and_then(Value::as_str).unwrap_or_default();
                other.bytes().filter(|byte| *byte != b'-').eq(id.bytes())
            };
            match segments.iter_mut().find(is_same) {
                Some(_) if !entry.has_restored => {}
                Some(segment) => {
                    let field = segment.get_mut("deletes").ok_or_else(unexpected)?;
                    *field = deletes.into();
                }
                None => segments.push(json!({
                    "segment_id": id,
                    "max_doc": entry.max_doc,
                    "deletes": deletes,
                })),
            }
        }
        Ok(serde_json::to_vec(&list)?)
    }
}

/// Rows that a commit deletes, by position of their segment.
pub(super) type DeletedRows = BTreeMap<usize, Vec<u32>>;

/// Writes the lists of deleted rows that a commit needs instead of those of tantivy.
pub(super) fn write_deletions<'a>(
    base: &Snapshot,
    directory: &ManagedDirectory,
    deleted: &DeletedRows,
    restored: impl Iterator<Item = &'a ShelvedRows>,
    shelf: &[ShelvedUnit],
) -> io::Result<Overrides> {
    let mut restored_of: HashMap<&str, Vec<&ShelvedRows>> = HashMap::new();
    for rows in restored {
        restored_of.entry(&rows.segment).or_default().push(rows);
    }
    let needed: HashSet<&str> = shelf.iter().map(|unit| unit.rows.segment.as_str()).collect();
    let mut entries = BTreeMap::new();
    for (position, segment) in base.segments.iter().enumerate() {
        let reader = &segment.reader;
        let id = reader.segment_id().uuid_string();
        let deleted = deleted.get(&position).map_or(&[][..], Vec::as_slice);
        let restored = restored_of.remove(id.as_str()).unwrap_or_default();
        let is_emptied = reader.num_docs() as usize == deleted.len();
        if restored.is_empty() && !(is_emptied && needed.contains(id.as_str())) {
            continue;
        }
        let max_doc = reader.max_doc();
        let entry = match reader.delete_opstamp() {
            Some(opstamp) if restored.is_empty() && deleted.is_empty() => {
                Entry { max_doc, deleted: max_doc, opstamp, has_restored: false }
            }
            _ => {
                let mut alive = BitSet::with_max_value_and_full(max_doc);
                if let Some(before) = reader.alive_bitset() {
                    alive.intersect_update(before.bitset());
                }
                for row in deleted {
                    alive.remove(*row);
                }
                for row in restored.iter().flat_map(|rows| rows.first..rows.first + rows.count) {
                    alive.insert(row);
                }
                let opstamp = FIRST_OPSTAMP + base.generation();
                let alive_rows = u32::try_from(alive.len()).map_err(io::Error::other)?;
                let deleted = max_doc - alive_rows;
                if deleted > 0 {
                    let name = PathBuf::from(deletions_file(&id, opstamp));
                    let mut file = directory.open_write(&name).map_err(io::Error::other)?;
                    write_alive_bitset(&alive, &mut file)?;
                    file.flush()?;
                    file.terminate()?;
                }
                Entry { max_doc, deleted, opstamp, has_restored: true }
            }
        };
        entries.insert(id, entry);
    }
    Ok(Overrides(entries))
}

/// A directory of tantivy whose list of segments has other entries than tantivy writes.
#[derive(Clone)]
pub(super) struct ListedSegments {
    inner: Box<dyn Directory>,
    overrides: Arc<Mutex<Overrides>>,
}

impl ListedSegments {
    /// Wraps a directory, without overrides.
    pub(super) fn over(inner: Box<dyn Directory>) -> ListedSegments {
        ListedSegments { inner, overrides: Arc::default() }
    }

    /// Sets the entries of the lists that are written from now on.
    pub(super) fn set(&self, overrides: Overrides) {
        *self.overrides.lock().unwrap_or_else(PoisonError::into_inner) = overrides;
    }

    fn overrides(&self) -> Overrides {
        self.overrides.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for ListedSegments {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ListedSegments").field(&self.inner).finish()
    }
}

impl Directory for ListedSegments {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        // tantivy does not list the files of the entries, and would remove them.
        if self.overrides().files().contains(path) {
            return Ok(());
        }
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let overrides = self.overrides();
        if path == Path::new(META_FILE) && !overrides.is_empty() {
            return self.inner.atomic_write(path, &overrides.apply(data)?);
        }
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.inner.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}
