//! One change of an index.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::available_parallelism,
};

use lore_schema::{Field, Level, Stamp};
use tantivy::{
    Directory, Index, IndexWriter, TantivyError, Term,
    directory::{DirectoryLock, ManagedDirectory},
    indexer::{IndexWriterOptions, NoMergePolicy, UserOperation},
};

use super::{
    backlog::Backlog,
    codec::{encode_chunk, encode_document, encode_outline},
    draft::{NewDocument, NewUnit, UnitChange, advance},
    failure::{unwritable, while_writing},
    filter::symbol_bit,
    home::{Home, META_FILE, is_state, state_file},
    merge::{Size, plan},
    payload::Payload,
    row::Row,
    schema::{TOKENIZER, document_number, settings, unit_term},
    seal::{seal, segment_files},
    snapshot::{Expected, Snapshot},
    tokenizer::{EncodedTerms, is_indexed},
};
use crate::{IndexError, IndexedDocument, StoredDocument, Terms, UnitUpdate, Writer};

/// Bytes that one indexing thread collects before it writes a segment. More makes fewer segments
/// to merge, less spares memory.
const BYTES_OF_BUILD: usize = 40 << 20;
/// The same for a change of an existing index, which is small as a rule.
const BYTES_OF_UPDATE: usize = 16 << 20;
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
    backlog: Arc<Backlog>,
    /// Let go last, after everything is tidy.
    _lock: DirectoryLock,
}

/// What the commit will change.
#[derive(Debug, Default)]
struct Changes {
    units: BTreeMap<String, UnitChange>,
    /// Numbers of documents that this writer gave away.
    numbers: HashSet<u64>,
}

impl LocalWriter {
    pub(super) fn new(
        base: Arc<Snapshot>,
        directory: Box<dyn Directory>,
        lock: DirectoryLock,
    ) -> Result<LocalWriter, IndexError> {
        let (home, expected) = (base.home.clone(), base.expected.clone());
        let index =
            start(&base, directory.clone()).map_err(|error| while_writing(home.path(), &error))?;
        Ok(LocalWriter {
            home,
            expected,
            base,
            directory,
            index: Some(index),
            changes: Mutex::default(),
            backlog: Arc::default(),
            _lock: lock,
        })
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
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
            }
            let stored = encode_document(&document.stored).map_err(failed)?;
            let mut row = self.row(&unit, document.terms, Level::Document, stored);
            row.outline =
                document.outline.as_ref().map(encode_outline).transpose().map_err(failed)?;
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

    /// Merges what has become small or worn. A merge that fails leaves the commit as it is.
    fn merge(&self, index: &mut IndexWriter<Row>) {
        let Ok(segments) = index.index().searchable_segment_metas() else { return };
        let sizes: Vec<Size> = segments
            .iter()
            .map(|segment| Size {
                alive: segment.num_docs().into(),
                deleted: segment.num_deleted_docs().into(),
            })
            .collect();
        let groups = plan(&sizes, self.base.payload.is_none());
        let ids = |group: Vec<usize>| -> Vec<_> {
            group.into_iter().map(|position| segments[position].id()).collect()
        };
        let merges: Vec<_> = groups.into_iter().map(|group| index.merge(&ids(group))).collect();
        for merge in merges {
            let _ = merge.wait();
        }
    }
}

/// Removes what the last commit does not name. What cannot be removed now is removed later.
fn tidy(base: &Snapshot, directory: &dyn Directory) -> tantivy::Result<()> {
    let Expected { source, fingerprint, .. } = &base.expected;
    let list = Index::open(directory.box_clone())?.load_metas()?;
    let state = list.payload.as_ref().and_then(|text| {
        Payload::decode(text, *source, fingerprint).ok().map(|payload| payload.state_file())
    });
    let mut alive: HashSet<PathBuf> = segment_files(&list).into_iter().map(Into::into).collect();
    alive.insert(META_FILE.into());
    ManagedDirectory::wrap(directory.box_clone())?.garbage_collect(|| alive)?;
    let mut states: BTreeSet<String> =
        base.home.files()?.into_iter().filter(|name| is_state(name)).collect();
    // Memory does not list its files.
    states.insert(state_file(base.generation()));
    for name in states {
        if Some(&name) != state.as_ref() {
            // It may not exist.
            let _ = directory.delete(Path::new(&name));
        }
    }
    Ok(())
}

/// A unit on its way in.
#[derive(Default)]
struct Prepared {
    rows: Vec<Row>,
    /// Positions of the rows of documents.
    own_rows: Vec<usize>,
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
    }
}

fn start(base: &Snapshot, directory: Box<dyn Directory>) -> tantivy::Result<IndexWriter<Row>> {
    let columns = &base.expected.columns;
    let index = if base.has_files() {
        Index::open(directory)?
    } else {
        Index::create(directory, columns.schema().clone(), settings())?
    };
    index.tokenizers().register(TOKENIZER, EncodedTerms::default());
    let is_build = base.payload.is_none();
    let cores = available_parallelism().map_or(1, usize::from);
    let options = IndexWriterOptions::builder()
        .num_worker_threads(if is_build { cores.min(THREADS_OF_BUILD) } else { 1 })
        .memory_budget_per_thread(if is_build { BYTES_OF_BUILD } else { BYTES_OF_UPDATE })
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

    fn commit(mut self: Box<Self>, cursor: &str) -> Result<(), IndexError> {
        let path = self.home.path().to_owned();
        let storage = |reason: String| IndexError::Storage { path: path.clone(), reason };
        let changes = std::mem::take(&mut *self.changes());
        let units = changes.units.iter().map(|(name, change)| (name.as_str(), change));
        let state = advance(&self.base.state, units, cursor)
            .ok_or_else(|| storage("the names of the units exceed 4 GiB".to_owned()))?;
        let Expected { source, fingerprint, .. } = &self.expected;
        let payload = Payload::new(self.base.generation() + 1, &state, *source, fingerprint);

        let mut index = self.index.take().expect("a writer commits once");
        let failed = |error: TantivyError| while_writing(&path, &error);
        let mut prepared = index.prepare_commit().map_err(failed)?;
        // Segments and state are on disk before the list of segments names them.
        self.directory
            .atomic_write(Path::new(&payload.state_file()), &state)
            .map_err(|error| unwritable(&path, &error))?;
        seal(&self.home);
        prepared.set_payload(&payload.encode());
        prepared.commit().map_err(failed)?;

        self.merge(&mut index);
        seal(&self.home);
        Ok(())
    }
}

impl Drop for LocalWriter {
    fn drop(&mut self) {
        // Its threads end before their files are removed.
        drop(self.index.take());
        // Whatever stays behind is not named by the last commit and is removed after the next.
        let _ = tidy(&self.base, &*self.directory);
    }
}
