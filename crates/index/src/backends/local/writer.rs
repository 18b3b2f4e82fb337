//! The writer: one change of an index.
//!
//! A change goes through these steps:
//!
//! 1. [`LocalStore::writer`](super::store::LocalStore) takes the lock and checks that the base is
//!    still the last commit. [`LocalWriter::new`] then starts tantivy's indexing threads
//!    (`buffers`).
//! 2. [`Writer::replace`] encodes the rows of a unit (`unit_rows`), on any number of threads. Then,
//!    one thread at a time, it numbers the documents, appends their vectors to files
//!    ([`VectorWriter`]) and passes the rows to tantivy: first the deletion of the unit's old rows,
//!    then the new ones. The [`Backlog`] bounds the bytes that wait for indexing.
//! 3. [`Writer::restamp`], [`Writer::delete`], [`Writer::embed`] and [`Writer::keep_models`] only
//!    record what the state will contain, and deletions for tantivy.
//! 4. [`Writer::commit`] finishes the vector files, and at the same time lets tantivy write its
//!    last segments and computes the next state from the old one ([`next_state`](super::draft)).
//! 5. Vector files that are small or have many dead rows are merged ([`compact`]).
//! 6. The state file is written; then tantivy replaces `meta.json`, whose payload names the state.
//!    This is the commit: before it readers see the old state, after it the new one.
//! 7. Small or worn segments are merged by a second replacement of `meta.json` ([`plan`]).
//! 8. Dropping the writer removes the files that no longer belong to the index (`cleanup`).
//!
//! A writer that is dropped without a commit, or killed, leaves only files that `meta.json` does
//! not name. The next writer removes them.

mod buffers;
mod cleanup;
mod unit_rows;

use std::{
    collections::{BTreeMap, HashSet},
    io,
    panic::resume_unwind,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lore_schema::Stamp;
use tantivy::{
    Directory, Index, IndexWriter, SegmentMeta, TantivyError, Term,
    directory::{DirectoryLock, OwnedBytes},
    indexer::UserOperation,
};
use xxhash_rust::xxh3::xxh3_64;

pub(super) use self::cleanup::remove_unnamed_files;
use self::{
    buffers::{Buffers, start},
    unit_rows::{UnitRows, round},
};
use super::{
    backlog::Backlog,
    compact::compact,
    draft::{NewEmbedding, NewUnit, UnitChange, VectorChanges, next_state},
    failure::{guarded, unwritable, while_reading, while_reading_io, while_writing},
    merge::{Size, plan},
    payload::Payload,
    quantise::Rows,
    row::Row,
    row_number::segment_and_row,
    schema::{document_number, unit_term},
    seal::{files_of, is_intact, seal, unseal},
    snapshot::{Expected, Segment, Snapshot},
    state::VectorFile,
    storage::Storage,
    vector_writer::VectorWriter,
};
use crate::{DocumentId, DocumentVectors, IndexError, UnitUpdate, Writer};

/// A writer of the local backend.
pub(super) struct LocalWriter {
    storage: Storage,
    expected: Expected,
    base: Arc<Snapshot>,
    directory: Box<dyn Directory>,
    /// `None` after the commit has started.
    index: Option<IndexWriter<Row>>,
    changes: Mutex<Changes>,
    /// Locked after `changes` if both are locked.
    vector_writer: Mutex<VectorWriter>,
    backlog: Arc<Backlog>,
    /// Released last, after the cleanup.
    _lock: DirectoryLock,
}

/// The changes that the commit publishes.
#[derive(Debug, Default)]
struct Changes {
    units: BTreeMap<String, UnitChange>,
    /// Numbers that this writer assigned to documents.
    numbers: HashSet<u64>,
    vectors: VectorChanges,
}

impl LocalWriter {
    pub(super) fn new(
        base: Arc<Snapshot>,
        directory: Box<dyn Directory>,
        lock: DirectoryLock,
        memory: u64,
    ) -> Result<LocalWriter, IndexError> {
        let (storage, expected) = (base.storage.clone(), base.expected.clone());
        // A commit that was killed may have left files of deleted rows with names that this one
        // will use.
        let deletions = base.segments.iter().filter(|segment| segment.reader.has_deletes()).count();
        let is_deletions =
            |name: &&String| Path::new(name).extension().is_some_and(|ending| ending == "del");
        if deletions < storage.files().unwrap_or_default().iter().filter(is_deletions).count() {
            // If this fails, creating the file reports the error.
            let _ = remove_unnamed_files(&base, &*directory, Vec::new());
        }
        let buffers = Buffers::within(memory, base.payload.is_none());
        let index = start(&base, directory.clone(), buffers)
            .map_err(|error| while_writing(storage.path(), &error))?;
        let files = u32::try_from(base.state.vector_files().len()).unwrap_or(u32::MAX);
        let vector_writer = VectorWriter::new(directory.clone(), base.generation() + 1, files);
        let vectors = VectorChanges {
            models: base.state.models().iter().map(|model| model.name.clone()).collect(),
            files: base.state.vector_files().to_vec(),
            ..VectorChanges::default()
        };
        Ok(LocalWriter {
            storage,
            expected,
            base,
            directory,
            index: Some(index),
            changes: Mutex::new(Changes { vectors, ..Changes::default() }),
            vector_writer: Mutex::new(vector_writer),
            backlog: Arc::new(Backlog::of(buffers.backlog)),
            _lock: lock,
        })
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn vector_writer(&self) -> MutexGuard<'_, VectorWriter> {
        self.vector_writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the vectors of a document.
    fn store(
        &self,
        changes: &mut VectorChanges,
        model: &str,
        rows: &Rows,
    ) -> Result<(u32, NewEmbedding), IndexError> {
        let position = changes.models.iter().position(|other| other == model);
        let position = position.unwrap_or_else(|| {
            changes.models.push(model.to_owned());
            changes.models.len() - 1
        });
        let failed = |error: &dyn std::fmt::Display| unwritable(self.storage.path(), error);
        let model = u32::try_from(position).map_err(|error| failed(&error))?;
        let range = self.vector_writer().store(model, rows).map_err(|error| failed(&error))?;
        Ok((model, NewEmbedding { rows: range, vectors: rows.vectors }))
    }

    fn run(&self, operations: Vec<UserOperation<Row>>) -> Result<(), IndexError> {
        let index = self.index.as_ref().expect("only a commit takes it, and it takes the writer");
        let ran = index.run(operations);
        ran.map(drop).map_err(|error| while_writing(self.storage.path(), &error))
    }

    fn deletion(&self, unit: &str) -> UserOperation<Row> {
        let column = self.expected.columns.unit;
        UserOperation::Delete(Term::from_field_text(column, &unit_term(unit)))
    }

    /// Returns the bytes of a vector file, given with its position; files of the base come first.
    /// The checksum is verified, so that damage is not copied under a new, valid checksum.
    fn vectors(&self, position: usize, file: &VectorFile) -> io::Result<OwnedBytes> {
        if let Some(bytes) = self.base.vectors.get(position) {
            if xxh3_64(bytes) != file.checksum {
                let reason = format!("the checksum of `{}` differs", file.name());
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            return Ok(bytes.clone());
        }
        let bytes = self.storage.map(&*self.directory, &file.name()).map_err(io::Error::other)?;
        bytes.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// Merges small and worn segments. If a merge fails, the commit remains as it is. Returns false
    /// if a segment of the base is damaged; it is not merged, so that its checksum still shows the
    /// damage.
    fn merge(&self, index: &mut IndexWriter<Row>) -> bool {
        let Ok(mut segments) = index.index().searchable_segment_metas() else { return true };
        segments
            .retain(|segment| self.storage.owns(&format!("{}.store", segment.id().uuid_string())));
        let sizes: Vec<Size> = segments
            .iter()
            .map(|segment| Size {
                alive: segment.num_docs().into(),
                deleted: segment.num_deleted_docs().into(),
            })
            .collect();
        let mut groups = plan(&sizes, self.base.payload.is_none());
        let planned = groups.len();
        groups.retain(|group| {
            let mut segments = group.iter().map(|position| &segments[*position]);
            segments.all(|segment| self.is_intact(index.index(), segment))
        });
        let is_intact = groups.len() == planned;
        let ids = |group: Vec<usize>| -> Vec<_> {
            group.into_iter().map(|position| segments[position].id()).collect()
        };
        let merges: Vec<_> = groups.into_iter().map(|group| index.merge(&ids(group))).collect();
        for merge in merges {
            let _ = merge.wait();
        }
        is_intact
    }

    /// Returns false if a segment of the base is damaged.
    fn is_intact(&self, index: &Index, segment: &SegmentMeta) -> bool {
        let is_of_base = |base: &Arc<Segment>| base.reader.segment_id() == segment.id();
        !self.base.segments.iter().any(is_of_base)
            || files_of(segment).iter().all(|name| is_intact(index.directory(), name))
    }
}

impl Writer for LocalWriter {
    fn replace(&self, unit: UnitUpdate) -> Result<(), IndexError> {
        self.backlog.wait();
        let columns = &self.expected.columns;
        let mut prepared = UnitRows::new(columns, self.storage.path(), &unit.name, unit.documents)?;
        // From here on one thread at a time, so that the rows and the state have the same order.
        let mut changes = self.changes();
        let replaced = matches!(changes.units.get(&unit.name), Some(UnitChange::Replace(_)));
        let exists = replaced || self.base.state.find_unit(&unit.name).is_ok();
        for (document, own_row) in prepared.unit.documents.iter_mut().zip(&prepared.own_rows) {
            let is_taken = |number: u64| {
                changes.numbers.contains(&number)
                    || self
                        .base
                        .state
                        .document(number)
                        .is_some_and(|other| self.base.state.unit_of(&other) != unit.name)
            };
            let mut number = document_number(&document.locator);
            while is_taken(number) {
                number = number.wrapping_add(1);
            }
            changes.numbers.insert(number);
            document.number = number;
            prepared.rows[*own_row].document = Some(number);
        }
        for (document, vectors) in prepared.unit.documents.iter_mut().zip(&prepared.vectors) {
            for (model, rows) in vectors {
                document.embeddings.push(self.store(&mut changes.vectors, model, rows)?);
            }
        }
        if let Some(last) = prepared.rows.last_mut() {
            last.ticket = Some(self.backlog.enter(prepared.bytes));
        }
        let mut operations = Vec::with_capacity(prepared.rows.len() + 1);
        operations.extend(exists.then(|| self.deletion(&unit.name)));
        operations.extend(prepared.rows.into_iter().map(UserOperation::Add));
        self.run(operations)?;
        let entry = NewUnit { stamp: unit.stamp, skipped: unit.skipped, ..prepared.unit };
        changes.units.insert(unit.name, UnitChange::Replace(Box::new(entry)));
        Ok(())
    }

    fn restamp(&self, unit: &str, stamp: Stamp) -> Result<(), IndexError> {
        let mut changes = self.changes();
        match changes.units.get_mut(unit) {
            Some(UnitChange::Replace(entry)) => entry.stamp = stamp,
            Some(UnitChange::Restamp(entry)) => *entry = stamp,
            Some(UnitChange::Delete) => {}
            None => {
                changes.units.insert(unit.to_owned(), UnitChange::Restamp(stamp));
            }
        }
        Ok(())
    }

    fn delete(&self, unit: &str) -> Result<(), IndexError> {
        let mut changes = self.changes();
        let replaced = matches!(changes.units.get(unit), Some(UnitChange::Replace(_)));
        if replaced || self.base.state.find_unit(unit).is_ok() {
            self.run(vec![self.deletion(unit)])?;
            changes.units.insert(unit.to_owned(), UnitChange::Delete);
        }
        Ok(())
    }

    fn embed(&self, document: DocumentId, vectors: DocumentVectors) -> Result<(), IndexError> {
        let path = self.storage.path();
        let unknown = || IndexError::Storage {
            path: path.to_owned(),
            reason: "the document belongs to another reader".to_owned(),
        };
        let (segment, own_row) = segment_and_row(document.number);
        let segment = self.base.segments.get(segment).ok_or_else(unknown)?;
        if document.source != self.expected.source || own_row >= segment.reader.max_doc() {
            return Err(unknown());
        }
        let (number, chunks) = guarded(path, || {
            let layout = segment.layout().map_err(|error| while_reading(path, &error))?;
            let document = layout.document(own_row);
            let alive = segment.reader.alive_bitset();
            let is_alive = alive.is_none_or(|alive| alive.is_alive(own_row));
            let is_own = is_alive && layout.own_row(document) == own_row;
            let number = layout.number(document).filter(|_| is_own).ok_or_else(unknown)?;
            Ok((number, layout.chunks(document).len()))
        })?;
        let position = self.base.state.find_document(number).ok_or_else(unknown)?;
        let position = u32::try_from(position).map_err(|_| unknown())?;
        let rows = round(path, &vectors, chunks)?;
        let mut changes = self.changes();
        let (model, embedding) = self.store(&mut changes.vectors, &vectors.model, &rows)?;
        changes.vectors.embedded.insert((position, model), embedding);
        Ok(())
    }

    fn keep_models(&self, models: &[&str]) -> Result<(), IndexError> {
        let kept = models.iter().map(|model| (*model).to_owned()).collect();
        self.changes().vectors.kept = Some(kept);
        Ok(())
    }

    fn commit(self: Box<Self>, cursor: &str) -> Result<(), IndexError> {
        let path = self.storage.path().to_owned();
        guarded(&path, || self.publish(cursor))
    }
}

impl LocalWriter {
    fn publish(mut self: Box<Self>, cursor: &str) -> Result<(), IndexError> {
        let path = self.storage.path().to_owned();
        let storage = |reason: String| IndexError::Storage { path: path.clone(), reason };
        let mut changes = std::mem::take(&mut *self.changes());
        let written = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData => while_reading_io(&path, &error),
            _ => unwritable(&path, &error),
        };
        // tantivy reads the rows to delete in a thread whose panic ends the process. Reading them
        // here first turns damage into an error.
        for (unit, change) in &changes.units {
            if !matches!(change, UnitChange::Restamp(_)) {
                let read = self.base.read_rows_of(unit);
                read.map_err(|error| while_reading(&path, &error))?;
            }
        }
        let failed = |error: TantivyError| while_writing(&path, &error);
        let mut index = self.index.take().expect("a writer commits once");
        let mut vector_writer = self.vector_writer();
        vector_writer.finish().map_err(written)?;
        changes.vectors.files.extend(vector_writer.files().cloned());
        let too_long = || storage("the names of the units exceed 4 GiB".to_owned());
        let units = changes.units.iter().map(|(name, change)| (name.as_str(), change));
        // tantivy writes the last rows at the same time.
        let (prepared, draft) = std::thread::scope(|scope| {
            let preparing = scope.spawn(|| index.prepare_commit());
            let draft = next_state(&self.base.state, units, changes.vectors);
            (preparing.join().unwrap_or_else(|panic| resume_unwind(panic)), draft)
        });
        let mut prepared = prepared.map_err(failed)?;
        let mut draft = draft.ok_or_else(too_long)?;
        let movable = |file: &VectorFile| self.storage.owns(&file.name());
        let read = |position: usize, file: &VectorFile| self.vectors(position, file);
        compact(&mut draft.vectors, &mut vector_writer, movable, read).map_err(written)?;
        drop(vector_writer);
        let state = draft.encode(cursor).ok_or_else(too_long)?;
        let Expected { source, fingerprint, .. } = &self.expected;
        let payload = Payload::new(self.base.generation() + 1, &state, *source, fingerprint);

        // Segments and state must be on disk before the list of segments names them.
        self.storage.write(&*self.directory, &payload.state_file(), state)?;
        seal(&self.storage, &*self.directory).map_err(written)?;
        prepared.set_payload(&payload.encode());
        prepared.commit().map_err(failed)?;

        if self.merge(&mut index) {
            // If this fails, the next opening verifies the merged segments.
            let _ = seal(&self.storage, &*self.directory);
        } else {
            // The next opening detects the damage.
            let _ = unseal(&self.storage, &*self.directory);
        }
        Ok(())
    }
}

impl Drop for LocalWriter {
    fn drop(&mut self) {
        // Stops the indexing threads before their files are removed.
        drop(self.index.take());
        let files = self.vector_writer().close();
        // Files that remain are not named by the last commit and are removed after the next one.
        let _ = guarded(self.base.path(), || {
            remove_unnamed_files(&self.base, &*self.directory, files)
                .map_err(|error| while_writing(self.base.path(), &error))
        });
    }
}
