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
//! 3. [`Writer::restore`], [`Writer::restamp`], [`Writer::delete`], [`Writer::embed`] and
//!    [`Writer::keep_models`] only record what the state will contain, and deletions for tantivy.
//! 4. [`Writer::commit`] finishes the vector files, and at the same time lets tantivy write its
//!    last segments and computes the next state from the old one ([`next_state`](super::draft)).
//!    Replaced and deleted units go to the shelf ([`shelf`]); rows of restored units become live
//!    again ([`revive`](super::revive)).
//! 5. Vector files that are small or have many dead rows are merged ([`compact`]).
//! 6. The state file is written; then tantivy replaces `meta.json`, whose payload names the state.
//!    This is the commit: before it readers see the old state, after it the new one.
//! 7. Small or worn segments are merged by a second replacement of `meta.json` ([`plan`]).
//! 8. Dropping the writer removes the files that no longer belong to the index (`cleanup`).
//!
//! A long change is committed in parts (`parts`): [`Writer::commit_part`] takes steps 4 and 6, and
//! the writer goes on from there.
//!
//! A writer that is dropped without a commit, or killed, leaves only files that `meta.json` does
//! not name. The next writer removes them.

mod buffers;
mod cleanup;
mod leaving;
mod parts;
mod purge;
mod unit_rows;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io,
    panic::resume_unwind,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use lore_schema::Stamp;
use tantivy::{
    Directory, Index, IndexWriter, SegmentMeta, TantivyError, Term,
    directory::{DirectoryLock, OwnedBytes},
    indexer::UserOperation,
};
use xxhash_rust::xxh3::xxh3_64;

pub(super) use self::cleanup::{has_unnamed_files, remove_unnamed_files};
use self::{
    buffers::{Buffers, start},
    leaving::Leaving,
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
    revive::{ListedSegments, Overrides, write_deletions},
    row::Row,
    row_number::segment_and_row,
    schema::{document_number, unit_term},
    seal::{files_of, is_intact, seal, unseal},
    shelf::{self, ShelvedRows, size_to_merge},
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
    directory: Box<dyn Directory>,
    /// The directory of the tantivy writer.
    listed: ListedSegments,
    buffers: Buffers,
    /// Locked for writing by a commit, so that no unit is half in it. Locked first.
    current: RwLock<Current>,
    changes: Mutex<Changes>,
    /// Locked after `changes` if both are locked.
    vector_writer: Mutex<VectorWriter>,
    backlog: Arc<Backlog>,
    /// True if the commit removes everything that is not live ([`Writer::purge`]).
    purges: AtomicBool,
    /// Released last, after the cleanup.
    _lock: DirectoryLock,
}

/// The commit that a writer changes, and the tantivy writer on top of it.
struct Current {
    base: Arc<Snapshot>,
    /// `None` after the commit has started, or a part has failed.
    index: Option<IndexWriter<Row>>,
    /// True if this writer has committed a part, so that documents of the first base have moved.
    has_parts: bool,
}

/// A commit that was written.
#[derive(Default)]
struct Published {
    /// Number of rows of each segment that can be restored.
    shelved: HashMap<String, u64>,
    /// The entries that the tantivy writer does not have.
    overrides: Overrides,
}

/// Extent of a commit.
#[derive(Debug, Clone, Copy)]
enum Extent<'a> {
    /// A part of the change: more will follow.
    Part,
    /// The rest of the change, with the cursor of the source.
    Whole(&'a str),
}

/// The changes that the commit publishes.
#[derive(Debug, Default)]
struct Changes {
    units: BTreeMap<String, UnitChange>,
    /// Numbers that this writer assigned to documents.
    numbers: HashSet<u64>,
    /// Rows of the units that are restored.
    restored: BTreeMap<String, ShelvedRows>,
    vectors: VectorChanges,
}

impl Changes {
    /// Returns no changes of a commit.
    fn on(base: &Snapshot) -> Changes {
        let vectors = VectorChanges {
            models: base.state.models().iter().map(|model| model.name.clone()).collect(),
            files: base.state.vector_files().to_vec(),
            ..VectorChanges::default()
        };
        Changes { vectors, ..Changes::default() }
    }
}

impl LocalWriter {
    pub(super) fn new(
        base: Arc<Snapshot>,
        directory: Box<dyn Directory>,
        lock: DirectoryLock,
        memory: u64,
    ) -> Result<LocalWriter, IndexError> {
        let (storage, expected) = (base.storage.clone(), base.expected.clone());
        // A commit that was killed may have left files that take much space, and files of deleted
        // rows with names that this one will use.
        if has_unnamed_files(&base) {
            // If this fails, creating a file of such a name reports the error.
            let _ = remove_unnamed_files(&base, &*directory, Vec::new());
        }
        let buffers = Buffers::within(memory, base.is_first_build());
        let listed = ListedSegments::over(directory.clone());
        let index = start(&base, Box::new(listed.clone()), buffers)
            .map_err(|error| while_writing(storage.path(), &error))?;
        let vector_writer = vector_writer_on(&base, &*directory);
        Ok(LocalWriter {
            storage,
            expected,
            directory,
            listed,
            buffers,
            changes: Mutex::new(Changes::on(&base)),
            vector_writer: Mutex::new(vector_writer),
            current: RwLock::new(Current { base, index: Some(index), has_parts: false }),
            backlog: Arc::new(Backlog::of(buffers.backlog)),
            purges: AtomicBool::new(false),
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

    /// Locks the state for a commit.
    fn current(&self) -> RwLockWriteGuard<'_, Current> {
        self.current.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(
        &self,
        current: &Current,
        operations: Vec<UserOperation<Row>>,
    ) -> Result<(), IndexError> {
        let ran = current.index.as_ref().ok_or_else(|| self.failed_before())?.run(operations);
        ran.map(drop).map_err(|error| while_writing(self.storage.path(), &error))
    }

    fn deletion(&self, unit: &str) -> UserOperation<Row> {
        let column = self.expected.columns.unit;
        UserOperation::Delete(Term::from_field_text(column, &unit_term(unit)))
    }

    /// Returns the bytes of a vector file, given with its position; files of the base come first.
    /// The checksum is verified, so that damage is not copied under a new, valid checksum.
    fn vectors(
        &self,
        base: &Snapshot,
        position: usize,
        file: &VectorFile,
    ) -> io::Result<OwnedBytes> {
        if let Some(bytes) = base.vectors.get(position) {
            if xxh3_64(bytes) != file.checksum {
                let reason = format!("the checksum of `{}` differs", file.name());
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            return Ok(bytes.clone());
        }
        let bytes = self.storage.map(&*self.directory, &file.name()).map_err(io::Error::other)?;
        bytes.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// Plans merges of small and worn segments. Rows that can be restored do not count as deleted;
    /// `shelved` has their number by segment.
    fn plan_merges(
        &self,
        base: &Snapshot,
        index: &IndexWriter<Row>,
        shelved: &HashMap<String, u64>,
    ) -> Vec<Vec<SegmentMeta>> {
        let Ok(segments) = index.index().searchable_segment_metas() else { return Vec::new() };
        let (mut sizes, mut movable) = (Vec::new(), Vec::new());
        for segment in segments {
            let id = segment.id().uuid_string();
            let (alive, deleted) = (segment.num_docs().into(), segment.num_deleted_docs().into());
            let shelved = shelved.get(&id).copied().unwrap_or(0);
            if self.storage.owns(&format!("{id}.store"))
                && let Some(size) = size_to_merge(Size { alive, deleted }, shelved)
            {
                sizes.push(size);
                movable.push(segment);
            }
        }
        let groups = plan(&sizes, self.merges(base)).into_iter();
        let segments = |group: Vec<usize>| group.into_iter().map(|index| movable[index].clone());
        groups.map(|group| segments(group).collect()).collect()
    }

    /// Merges groups of segments. If a merge fails, the commit remains as it is. Returns false if a
    /// segment of the base is damaged; it is not merged, so that its checksum still shows the damage.
    fn merge(
        base: &Snapshot,
        index: &mut IndexWriter<Row>,
        mut groups: Vec<Vec<SegmentMeta>>,
    ) -> bool {
        let planned = groups.len();
        groups.retain(|group| {
            group.iter().all(|segment| is_segment_intact(base, index.index(), segment))
        });
        let is_intact = groups.len() == planned;
        let ids =
            |group: &Vec<SegmentMeta>| -> Vec<_> { group.iter().map(SegmentMeta::id).collect() };
        let merges: Vec<_> = groups.iter().map(|group| index.merge(&ids(group))).collect();
        for merge in merges {
            let _ = merge.wait();
        }
        is_intact
    }

    /// Returns a tantivy writer that has the segments of the last commit. One whose list was
    /// overridden is started again.
    fn continued(
        &self,
        base: &Snapshot,
        index: IndexWriter<Row>,
        mut overrides: Overrides,
    ) -> Result<IndexWriter<Row>, IndexError> {
        if overrides.is_empty() {
            return Ok(index);
        }
        drop(index);
        overrides.keep_empty_segments();
        self.listed.set(overrides);
        let started = start(base, Box::new(self.listed.clone()), self.buffers);
        started.map_err(|error| while_writing(self.storage.path(), &error))
    }

    /// The error of a change after a part that could not be committed.
    fn failed_before(&self) -> IndexError {
        let reason = "an earlier part of the change could not be written".to_owned();
        IndexError::Unwritable { path: self.storage.path().to_owned(), reason }
    }
}

/// Returns the writer of the vector files of the commit that follows `base`.
fn vector_writer_on(base: &Snapshot, directory: &dyn Directory) -> VectorWriter {
    let files = u32::try_from(base.state.vector_files().len()).unwrap_or(u32::MAX);
    VectorWriter::new(directory.box_clone(), base.generation() + 1, files)
}

/// Returns false if a segment of the base is damaged.
fn is_segment_intact(base: &Snapshot, index: &Index, segment: &SegmentMeta) -> bool {
    let is_same = |known: &Arc<Segment>| known.reader.segment_id() == segment.id();
    !base.segments.iter().any(is_same)
        || files_of(segment).iter().all(|name| is_intact(index.directory(), name))
}

impl Writer for LocalWriter {
    fn replace(&self, unit: UnitUpdate) -> Result<(), IndexError> {
        self.backlog.wait();
        let columns = &self.expected.columns;
        let mut prepared = UnitRows::new(columns, self.storage.path(), &unit.name, unit.documents)?;
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let base = &current.base;
        // From here on one thread at a time, so that the rows and the state have the same order.
        let mut changes = self.changes();
        changes.restored.remove(&unit.name);
        let replaced = matches!(changes.units.get(&unit.name), Some(UnitChange::Replace(_)));
        let exists = replaced || base.state.find_unit(&unit.name).is_ok();
        for (document, own_row) in prepared.unit.documents.iter_mut().zip(&prepared.own_rows) {
            let is_taken = |number: u64| {
                changes.numbers.contains(&number)
                    || base
                        .state
                        .document(number)
                        .is_some_and(|other| base.state.unit_of(&other) != unit.name)
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
        self.run(&current, operations)?;
        let entry = NewUnit { stamp: unit.stamp, skipped: unit.skipped, ..prepared.unit };
        changes.units.insert(unit.name, UnitChange::Replace(Box::new(entry)));
        Ok(())
    }

    fn restore(&self, unit: &str, stamp: Stamp) -> Result<bool, IndexError> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let base = &current.base;
        let Some(shelved) = base.shelved(unit, stamp.content) else { return Ok(false) };
        let Some(entry) = shelved.unit(&base.state, stamp) else { return Ok(false) };
        let mut changes = self.changes();
        let mut numbers = entry.documents.iter().map(|document| document.number);
        if changes.units.contains_key(unit)
            || numbers.any(|number| changes.numbers.contains(&number))
        {
            return Ok(false);
        }
        if base.state.find_unit(unit).is_ok() {
            self.run(&current, vec![self.deletion(unit)])?;
        }
        changes.numbers.extend(entry.documents.iter().map(|document| document.number));
        changes.restored.insert(unit.to_owned(), shelved.rows.clone());
        changes.units.insert(unit.to_owned(), UnitChange::Replace(Box::new(entry)));
        Ok(true)
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
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let mut changes = self.changes();
        changes.restored.remove(unit);
        let replaced = matches!(changes.units.get(unit), Some(UnitChange::Replace(_)));
        if replaced || current.base.state.find_unit(unit).is_ok() {
            self.run(&current, vec![self.deletion(unit)])?;
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
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if current.has_parts {
            return Err(unknown());
        }
        let base = &current.base;
        let (segment, own_row) = segment_and_row(document.number);
        let segment = base.segments.get(segment).ok_or_else(unknown)?;
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
        let position = base.state.find_document(number).ok_or_else(unknown)?;
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

    fn purge(&self) {
        self.purges.store(true, Ordering::Relaxed);
    }

    fn commit_part(&self) -> Result<(), IndexError> {
        guarded(self.storage.path(), || self.publish_part())
    }

    fn commit(self: Box<Self>, cursor: &str) -> Result<(), IndexError> {
        let path = self.storage.path().to_owned();
        guarded(&path, || self.publish_whole(cursor))
    }
}

impl LocalWriter {
    /// Publishes the changes since the last commit. Returns how the list of segments differs from
    /// that of the tantivy writer.
    fn publish(
        &self,
        base: &Snapshot,
        index: &mut IndexWriter<Row>,
        extent: Extent<'_>,
    ) -> Result<Published, IndexError> {
        let path = self.storage.path().to_owned();
        let storage = |reason: String| IndexError::Storage { path: path.clone(), reason };
        let mut changes = std::mem::take(&mut *self.changes());
        let written = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData => while_reading_io(&path, &error),
            _ => unwritable(&path, &error),
        };
        // tantivy reads the rows to delete in a thread whose panic ends the process. Reading them
        // here first turns damage into an error.
        let leaving = Leaving::of(base, &changes.units);
        let leaving = leaving.map_err(|error| while_reading(&path, &error))?;
        changes.vectors.purges = self.is_purge();
        if !self.is_purge() {
            changes.vectors.shelf = leaving.next_shelf(base, &changes.restored);
        }
        let overrides = write_deletions(
            base,
            index.index().directory(),
            &leaving.rows,
            changes.restored.values(),
            &changes.vectors.shelf,
        );
        let overrides = overrides.map_err(written)?;
        let shelved = shelf::rows_by_segment(&changes.vectors.shelf).into_iter();
        let shelved = shelved.map(|(segment, rows)| (segment.to_owned(), rows)).collect();
        let failed = |error: TantivyError| while_writing(&path, &error);
        let mut vector_writer = self.vector_writer();
        vector_writer.finish().map_err(written)?;
        changes.vectors.files.extend(vector_writer.files().cloned());
        let too_long = || storage("the names of the units exceed 4 GiB".to_owned());
        let units = changes.units.iter().map(|(name, change)| (name.as_str(), change));
        // tantivy writes the last rows at the same time.
        let (prepared, draft) = std::thread::scope(|scope| {
            let preparing = scope.spawn(|| index.prepare_commit());
            let draft = next_state(&base.state, units, changes.vectors);
            (preparing.join().unwrap_or_else(|panic| resume_unwind(panic)), draft)
        });
        let mut prepared = prepared.map_err(failed)?;
        let mut draft = draft.ok_or_else(too_long)?;
        let is_part = matches!(extent, Extent::Part);
        if !is_part {
            let movable = |file: &VectorFile| self.storage.owns(&file.name());
            let read = |position: usize, file: &VectorFile| self.vectors(base, position, file);
            let merges = self.merges(base);
            compact(&mut draft.vectors, &mut vector_writer, merges, movable, read)
                .map_err(written)?;
        }
        drop(vector_writer);
        let cursor = match extent {
            Extent::Part => base.state.cursor(),
            Extent::Whole(cursor) => cursor,
        };
        let state = draft.encode(cursor).ok_or_else(too_long)?;
        let Expected { source, fingerprint, .. } = &self.expected;
        let is_partial = is_part && base.is_first_build();
        let generation = base.generation() + 1;
        let payload = Payload::new(generation, &state, *source, fingerprint, is_partial);

        // Segments and state must be on disk before the list of segments names them.
        self.storage.write(&*self.directory, &payload.state_file(), state)?;
        seal(&self.storage, &*self.directory).map_err(written)?;
        prepared.set_payload(&payload.encode());
        self.listed.set(overrides.clone());
        prepared.commit().map_err(failed)?;
        Ok(Published { shelved, overrides })
    }

    /// Merges segments and seals the result. Returns a tantivy writer that has the segments of the
    /// last commit.
    fn merge_and_seal(
        &self,
        base: &Snapshot,
        index: IndexWriter<Row>,
        published: Published,
    ) -> Result<IndexWriter<Row>, IndexError> {
        let groups = self.plan_merges(base, &index, &published.shelved);
        let mut index = self.continued(base, index, published.overrides)?;
        if LocalWriter::merge(base, &mut index, groups) {
            // If this fails, the next opening verifies the merged segments.
            let _ = seal(&self.storage, &*self.directory);
        } else {
            // The next opening detects the damage.
            let _ = unseal(&self.storage, &*self.directory);
        }
        Ok(index)
    }
}

impl Drop for LocalWriter {
    fn drop(&mut self) {
        // Stops the indexing threads before their files are removed.
        let mut current = self.current();
        drop(current.index.take());
        let base = Arc::clone(&current.base);
        drop(current);
        let files = self.vector_writer().close();
        // Files that remain are not named by the last commit and are removed after the next one.
        let _ = guarded(base.path(), || {
            remove_unnamed_files(&base, &*self.directory, files)
                .map_err(|error| while_writing(base.path(), &error))
        });
    }
}
