//! One change of an index.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io,
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::available_parallelism,
};

use lore_schema::{Field, Level, Stamp};
use tantivy::{
    Directory, Index, IndexWriter, SegmentMeta, TantivyError, Term,
    directory::{DirectoryLock, ManagedDirectory, OwnedBytes},
    indexer::{IndexWriterOptions, NoMergePolicy, UserOperation},
};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    backlog::{Backlog, MAX_PENDING_BYTES},
    codec::{encode_chunk, encode_document},
    compact::compact,
    draft::{NewDocument, NewEmbedding, NewUnit, UnitChange, VectorChanges, advance},
    failure::{guarded, unwritable, while_reading, while_reading_io, while_writing},
    filter::symbol_bit,
    home::{Home, META_FILE, is_segment, is_state, is_vectors, state_file},
    lexical::segment_and_row,
    merge::{Size, plan},
    outline::encode_outline,
    payload::Payload,
    quantise::Rows,
    row::Row,
    schema::{TOKENIZER, document_number, settings, unit_term},
    seal::{files_of, is_whole, seal, segment_files, unseal},
    shelf::Shelf,
    snapshot::{Expected, Segment, Snapshot, read_state},
    state::VectorFile,
    tokenizer::{EncodedTerms, is_indexed},
};
use crate::{
    DocumentId, DocumentVectors, IndexError, IndexedDocument, StoredDocument, Terms, UnitUpdate,
    Writer,
};

/// Bytes that one indexing thread collects before it writes a segment. More makes fewer segments
/// to merge, less spares memory: a tree needs as much as it fills.
const BYTES_OF_BUILD: usize = 160 << 20;
/// The same for a change of an existing index, which is small as a rule.
const BYTES_OF_UPDATE: usize = 16 << 20;
/// Less than this tantivy refuses.
const LEAST_BYTES: usize = 15_000_000;
/// Bytes that wait at least: one large unit.
const LEAST_BACKLOG: usize = 1 << 20;
/// Indexing threads of a build: analysis needs the other cores.
const THREADS_OF_BUILD: usize = 2;

/// A writer of the local backend.
pub(super) struct LocalWriter {
    home: Home,
    expected: Expected,
    base: Arc<Snapshot>,
    directory: Box<dyn Directory>,
    /// `None` once it commits.
    index: Option<IndexWriter<Row>>,
    changes: Mutex<Changes>,
    /// Locked after `changes`, if both are.
    shelf: Mutex<Shelf>,
    backlog: Arc<Backlog>,
    /// Let go last, after everything is tidy.
    _lock: DirectoryLock,
}

/// What a writer keeps in memory before it is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Buffers {
    threads: usize,
    /// Bytes of one thread.
    each: usize,
    /// Bytes that wait for the threads.
    backlog: usize,
}

impl Buffers {
    /// Those of a first build or of an update that come to so many bytes, or to the least there is.
    fn within(memory: u64, is_build: bool) -> Buffers {
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let backlog = (memory / 8).clamp(LEAST_BACKLOG, MAX_PENDING_BYTES);
        let (most, threads) =
            if is_build { (BYTES_OF_BUILD, THREADS_OF_BUILD) } else { (BYTES_OF_UPDATE, 1) };
        let left = memory.saturating_sub(backlog);
        let threads = (left / most).clamp(1, threads);
        Buffers { threads, each: (left / threads).clamp(LEAST_BYTES, most), backlog }
    }
}

/// What the commit will change.
#[derive(Debug, Default)]
struct Changes {
    units: BTreeMap<String, UnitChange>,
    /// Numbers of documents that this writer gave away.
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
        let (home, expected) = (base.home.clone(), base.expected.clone());
        // A commit that was stopped may have left deletions under the name that this one gives its own.
        let deletions = base.segments.iter().filter(|segment| segment.reader.has_deletes()).count();
        let is_deletions =
            |name: &&String| Path::new(name).extension().is_some_and(|ending| ending == "del");
        if deletions < home.files().unwrap_or_default().iter().filter(is_deletions).count() {
            // What cannot be removed shows when it is in the way.
            let _ = tidy(&base, &*directory, Vec::new());
        }
        let buffers = Buffers::within(memory, base.payload.is_none());
        let index = start(&base, directory.clone(), buffers)
            .map_err(|error| while_writing(home.path(), &error))?;
        let files = u32::try_from(base.state.vector_files().len()).unwrap_or(u32::MAX);
        let shelf = Shelf::new(directory.clone(), base.generation() + 1, files);
        let vectors = VectorChanges {
            models: base.state.models().iter().map(|model| model.name.clone()).collect(),
            files: base.state.vector_files().to_vec(),
            ..VectorChanges::default()
        };
        Ok(LocalWriter {
            home,
            expected,
            base,
            directory,
            index: Some(index),
            changes: Mutex::new(Changes { vectors, ..Changes::default() }),
            shelf: Mutex::new(shelf),
            backlog: Arc::new(Backlog::of(buffers.backlog)),
            _lock: lock,
        })
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rounds the vectors of a document with so many chunks.
    fn round(&self, vectors: &DocumentVectors, chunks: usize) -> Result<Rows, IndexError> {
        let refused = |reason: String| IndexError::Storage {
            path: self.home.path().to_owned(),
            reason: format!("vectors of `{}` were refused: {reason}", vectors.model),
        };
        let count = vectors.chunks.len();
        if count != 0 && count != chunks {
            return Err(refused(format!("{count} of them for {chunks} chunks")));
        }
        Rows::new(&vectors.chunks).ok_or_else(|| refused("their dimensions differ".to_owned()))
    }

    /// Stores the rows of a document.
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
        let failed = |error: &dyn std::fmt::Display| unwritable(self.home.path(), error);
        let model = u32::try_from(position).map_err(|error| failed(&error))?;
        let range = self.shelf().store(model, rows).map_err(|error| failed(&error))?;
        Ok((model, NewEmbedding { rows: range, vectors: rows.vectors }))
    }

    fn run(&self, operations: Vec<UserOperation<Row>>) -> Result<(), IndexError> {
        let index = self.index.as_ref().expect("only a commit takes it, and it takes the writer");
        let ran = index.run(operations);
        ran.map(drop).map_err(|error| while_writing(self.home.path(), &error))
    }

    fn deletion(&self, unit: &str) -> UserOperation<Row> {
        let column = self.expected.columns.unit;
        UserOperation::Delete(Term::from_field_text(column, &unit_term(unit)))
    }

    /// Rows of a unit, in the order in which they are stored. Document rows have no number yet.
    fn prepare(&self, unit: &str, documents: Vec<IndexedDocument>) -> Result<Prepared, IndexError> {
        let unit: Arc<str> = unit_term(unit).into();
        let mut prepared = Prepared::default();
        let failed = |error: postcard::Error| IndexError::Storage {
            path: self.home.path().to_owned(),
            reason: error.to_string(),
        };
        for document in documents {
            let count = document.chunks.len();
            let rounded = document
                .vectors
                .iter()
                .map(|vectors| Ok((Arc::clone(&vectors.model), self.round(vectors, count)?)));
            prepared.vectors.push(rounded.collect::<Result<_, IndexError>>()?);
            let mut chunks = Vec::with_capacity(count);
            for chunk in document.chunks {
                let stored = encode_chunk(&chunk.stored).map_err(failed)?;
                // A chunk of several definitions is of all their kinds.
                let symbols = chunk.stored.symbols.iter().chain(&chunk.stored.symbol);
                let symbol_kind =
                    symbols.map(|symbol| symbol_bit(symbol.kind)).reduce(|all, bit| all | bit);
                prepared.unit.chunks += 1;
                let mut row = self.row(&unit, chunk.terms, Level::Chunk, stored);
                row.symbol_kind = symbol_kind;
                prepared.push(row);
                chunks.push(chunk.stored);
            }
            let stored = encode_document(&document.stored).map_err(failed)?;
            let mut row = self.row(&unit, document.terms, Level::Document, stored);
            let outline = document.outline.as_ref().map(|one| encode_outline(one, &chunks));
            row.outline = outline.transpose().map_err(failed)?;
            prepared.push(row);
            prepared.own_rows.push(prepared.rows.len() - 1);
            prepared.unit.documents.push(describe(document.stored));
        }
        Ok(prepared)
    }

    fn row(
        &self,
        unit: &Arc<str>,
        mut terms: Vec<(Field, Terms)>,
        level: Level,
        stored: Vec<u8>,
    ) -> Row {
        // A field on a row of the other level would be counted against the wrong rows.
        terms.retain(|(field, _)| field.level() == level);
        Row {
            columns: Arc::clone(&self.expected.columns),
            unit: Arc::clone(unit),
            terms,
            document: None,
            symbol_kind: None,
            stored,
            outline: None,
            ticket: None,
        }
    }

    /// The bytes of a file of vectors at its position, those of the base first. What is damaged is not
    /// written once more, with a checksum that fits it.
    fn vectors(&self, position: usize, file: &VectorFile) -> io::Result<OwnedBytes> {
        if let Some(bytes) = self.base.vectors.get(position) {
            if xxh3_64(bytes) != file.checksum {
                let reason = format!("the checksum of `{}` differs", file.name());
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            return Ok(bytes.clone());
        }
        let bytes = self.home.map(&*self.directory, &file.name()).map_err(io::Error::other)?;
        bytes.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// Merges what has become small or worn. A merge that fails leaves the commit as it is. Returns
    /// false when a segment of the base turned out to be damaged, which is left where its checksum
    /// shows it.
    fn merge(&self, index: &mut IndexWriter<Row>) -> bool {
        let Ok(mut segments) = index.index().searchable_segment_metas() else { return true };
        segments.retain(|segment| self.home.owns(&format!("{}.store", segment.id().uuid_string())));
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
            segments.all(|segment| self.is_whole(index.index(), segment))
        });
        let is_whole = groups.len() == planned;
        let ids = |group: Vec<usize>| -> Vec<_> {
            group.into_iter().map(|position| segments[position].id()).collect()
        };
        let merges: Vec<_> = groups.into_iter().map(|group| index.merge(&ids(group))).collect();
        for merge in merges {
            let _ = merge.wait();
        }
        is_whole
    }

    /// Whether a segment, if the base has it, is what was written.
    fn is_whole(&self, index: &Index, segment: &SegmentMeta) -> bool {
        let is_of_base = |base: &Arc<Segment>| base.reader.segment_id() == segment.id();
        !self.base.segments.iter().any(is_of_base)
            || files_of(segment).iter().all(|name| is_whole(index.directory(), name))
    }
}

/// Removes what the last commit does not name. What cannot be removed now is removed later.
pub(super) fn tidy(
    base: &Snapshot,
    directory: &dyn Directory,
    written: Vec<String>,
) -> tantivy::Result<()> {
    let Expected { source, fingerprint, .. } = &base.expected;
    let list = Index::open(directory.box_clone())?.load_metas()?;
    let payload =
        list.payload.as_ref().and_then(|text| Payload::decode(text, *source, fingerprint).ok());
    let segments = segment_files(&list);
    let mut alive: HashSet<PathBuf> = segments.iter().map(Into::into).collect();
    alive.insert(META_FILE.into());
    ManagedDirectory::wrap(directory.box_clone())?.garbage_collect(|| alive)?;
    let mut named: HashSet<String> = match &payload {
        None => HashSet::new(),
        Some(payload) => match read_state(&base.home, directory, payload) {
            Ok(state) => {
                let vectors = state.vector_files().iter().map(VectorFile::name);
                vectors.chain([payload.state_file()]).collect()
            }
            Err(_) => return Ok(()),
        },
    };
    named.extend(segments);
    let files = base.home.files()?.into_iter();
    // tantivy removes segments, but where writing failed its list of files may not hold them all; nor
    // does it hold those of an index that was erased while another process had them mapped, which
    // Windows does not delete.
    let mut ours: BTreeSet<String> =
        files.filter(|name| is_state(name) || is_vectors(name) || is_segment(name)).collect();
    // Memory does not list its files.
    ours.insert(state_file(base.generation()));
    ours.extend(base.state.vector_files().iter().map(VectorFile::name));
    ours.extend(written);
    for name in ours.iter().filter(|name| !named.contains(*name)) {
        // It may not exist.
        let _ = directory.delete(Path::new(name));
    }
    Ok(())
}

/// A unit on its way in.
#[derive(Default)]
struct Prepared {
    rows: Vec<Row>,
    /// Positions of the rows of documents.
    own_rows: Vec<usize>,
    /// Vectors of each document, by model.
    vectors: Vec<BTreeMap<Arc<str>, Rows>>,
    unit: NewUnit,
    bytes: usize,
}

impl Prepared {
    fn push(&mut self, row: Row) {
        self.bytes += row.stored.len() + row.outline.as_ref().map_or(0, Vec::len);
        for (field, terms) in &row.terms {
            self.bytes += terms.as_encoded().len();
            let indexed = terms.iter().filter(|term| is_indexed(term)).count();
            let tokens = &mut self.unit.tokens[field.index()];
            *tokens = tokens.saturating_add(u32::try_from(indexed).unwrap_or(u32::MAX));
        }
        self.rows.push(row);
    }
}

fn describe(document: StoredDocument) -> NewDocument {
    NewDocument {
        number: 0,
        locator: document.key.locator,
        path: document.path,
        format: document.format,
        kind: document.kind,
        language: document.language,
        category: document.category,
        updated: document.attributes.updated,
        bytes: document.bytes,
        fell_back: document.fell_back,
        embeddings: Vec::new(),
    }
}

fn start(
    base: &Snapshot,
    directory: Box<dyn Directory>,
    buffers: Buffers,
) -> tantivy::Result<IndexWriter<Row>> {
    let columns = &base.expected.columns;
    let index = if base.has_files() {
        Index::open(directory)?
    } else {
        Index::create(directory, columns.schema().clone(), settings())?
    };
    index.tokenizers().register(TOKENIZER, EncodedTerms::default());
    let cores = available_parallelism().map_or(1, usize::from);
    let options = IndexWriterOptions::builder()
        .num_worker_threads(cores.min(buffers.threads))
        .memory_budget_per_thread(buffers.each)
        .num_merge_threads(cores.min(THREADS_OF_BUILD))
        .build();
    let writer = index.writer_with_options(options)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    Ok(writer)
}

impl Writer for LocalWriter {
    fn replace(&self, unit: UnitUpdate) -> Result<(), IndexError> {
        self.backlog.wait();
        let mut prepared = self.prepare(&unit.name, unit.documents)?;
        // From here on one thread at a time, so that the rows and the state agree on the order.
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
        let path = self.home.path();
        let unknown = || IndexError::Storage {
            path: path.to_owned(),
            reason: "the writer was told of a document of another reader".to_owned(),
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
        let rows = self.round(&vectors, chunks)?;
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
        let path = self.home.path().to_owned();
        guarded(&path, || self.publish(cursor))
    }
}

impl LocalWriter {
    fn publish(mut self: Box<Self>, cursor: &str) -> Result<(), IndexError> {
        let path = self.home.path().to_owned();
        let storage = |reason: String| IndexError::Storage { path: path.clone(), reason };
        let mut changes = std::mem::take(&mut *self.changes());
        let written = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData => while_reading_io(&path, &error),
            _ => unwritable(&path, &error),
        };
        // tantivy reads what it deletes in a thread whose panic ends the process: a panic comes here.
        for (unit, change) in &changes.units {
            if !matches!(change, UnitChange::Restamp(_)) {
                let read = self.base.read_rows_of(unit);
                read.map_err(|error| while_reading(&path, &error))?;
            }
        }
        let failed = |error: TantivyError| while_writing(&path, &error);
        let mut index = self.index.take().expect("a writer commits once");
        let mut shelf = self.shelf();
        shelf.finish().map_err(written)?;
        changes.vectors.files.extend(shelf.files().cloned());
        let too_long = || storage("the names of the units exceed 4 GiB".to_owned());
        let units = changes.units.iter().map(|(name, change)| (name.as_str(), change));
        // The last rows are written meanwhile.
        let (prepared, draft) = std::thread::scope(|scope| {
            let preparing = scope.spawn(|| index.prepare_commit());
            let draft = advance(&self.base.state, units, changes.vectors);
            (preparing.join().unwrap_or_else(|panic| resume_unwind(panic)), draft)
        });
        let mut prepared = prepared.map_err(failed)?;
        let mut draft = draft.ok_or_else(too_long)?;
        let movable = |file: &VectorFile| self.home.owns(&file.name());
        let read = |position: usize, file: &VectorFile| self.vectors(position, file);
        compact(&mut draft.vectors, &mut shelf, movable, read).map_err(written)?;
        drop(shelf);
        let state = draft.encode(cursor).ok_or_else(too_long)?;
        let Expected { source, fingerprint, .. } = &self.expected;
        let payload = Payload::new(self.base.generation() + 1, &state, *source, fingerprint);

        // Segments and state are on disk before the list of segments names them.
        self.home.write(&*self.directory, &payload.state_file(), state)?;
        seal(&self.home);
        prepared.set_payload(&payload.encode());
        prepared.commit().map_err(failed)?;

        if self.merge(&mut index) {
            seal(&self.home);
        } else {
            // Whoever opens it next finds the damage, and makes it anew.
            let _ = unseal(&self.home);
        }
        Ok(())
    }
}

impl Drop for LocalWriter {
    fn drop(&mut self) {
        // Its threads end before their files are removed.
        drop(self.index.take());
        let files = self.shelf().close();
        // Whatever stays behind is not named by the last commit and is removed after the next.
        let _ = guarded(self.base.path(), || {
            tidy(&self.base, &*self.directory, files)
                .map_err(|error| while_writing(self.base.path(), &error))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Buffers;

    #[test]
    fn buffers_shrink_with_the_memory_that_there_is() {
        let check = |megabytes: u64, is_build, expected: (usize, usize, usize)| {
            let Buffers { threads, each, backlog } = Buffers::within(megabytes << 20, is_build);
            assert_eq!((threads, each >> 20, backlog >> 20), expected, "{megabytes}");
        };
        check(1000, true, (2, 160, 16));
        check(96, true, (1, 84, 12));
        check(48, true, (1, 42, 6));
        check(24, true, (1, 21, 3));
        check(8, true, (1, 14, 1));
        check(1000, false, (1, 16, 16));
        check(8, false, (1, 14, 1));
    }
}
