//! Snapshots: the last commit, opened as one immutable whole.
//!
//! Opening takes these steps, and starts again if another process commits meanwhile:
//!
//! 1. Read tantivy's `meta.json`: the segments and the [`Payload`] of the commit.
//! 2. Compare format, source and text analysis with the expected ones.
//! 3. Map the state file and verify its checksum.
//! 4. Compare the files with the [`seal`]; verify the checksum of those that differ.
//! 5. Map the vector files and open the segments. Segments that an earlier snapshot has open are
//!    shared.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::{Arc, OnceLock},
};

use lore_schema::SourceName;
use tantivy::{
    Directory, Index, IndexMeta, SegmentReader, TantivyError,
    directory::{FileSlice, OwnedBytes},
    index::SegmentComponent,
    schema::IndexRecordOption,
    store::StoreReader,
};
use xxhash_rust::xxh3::Xxh3;

use super::{
    docstore,
    failure::{damaged, guarded, incompatible, while_reading},
    file_names::{META_FILE, SEAL_FILE, is_state, is_vectors},
    layout::Layout,
    lookup::{self, Place},
    merge::Size,
    overlay_directory::CommittedFiles,
    payload::{Payload, Refusal},
    schema::{Columns, settings, unit_term},
    seal,
    shelf::{ShelvedDocument, ShelvedRows, ShelvedUnit},
    state::State,
    storage::Storage,
};
use crate::{IndexError, IndexVersion};

/// Maximum attempts to open while other processes commit.
const MAX_ATTEMPTS: usize = 16;

/// Number of documents up to which each is looked up by itself. Above, and above one in
/// `MAX_LOOKUP_SHARE` of all documents, reading all of them is faster.
const MAX_LOOKUPS: usize = 64;
const MAX_LOOKUP_SHARE: usize = 16;

/// The properties that an index is expected to have.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub(super) source: SourceName,
    pub(super) fingerprint: String,
    pub(super) columns: Arc<Columns>,
}

/// A commit.
pub(super) struct Snapshot {
    pub(super) storage: Storage,
    pub(super) expected: Expected,
    pub(super) state: State,
    pub(super) segments: Vec<Arc<Segment>>,
    /// The vector files, in the order of the state.
    pub(super) vectors: Vec<OwnedBytes>,
    /// Addresses of the documents, in the order of the state.
    addresses: OnceLock<Vec<DocumentAddress>>,
    /// The live documents in the order of a listing.
    listed: OnceLock<Vec<Place>>,
    /// Units that can be restored, by name and content.
    shelf: OnceLock<HashMap<(String, u64), ShelvedUnit>>,
    /// Positions of documents by the content of their units.
    contents: OnceLock<HashMap<u64, u32>>,
    /// `None` before the first commit.
    pub(super) payload: Option<Payload>,
    /// The directory that it was read from, if there is one. Its files can be read for as long as
    /// the snapshot lives, because they are mapped.
    pub(super) directory: Option<Box<dyn Directory>>,
    /// The list of segments as it was read, if there is one.
    pub(super) meta: Option<Vec<u8>>,
}

/// The address of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DocumentAddress {
    /// Position of the segment.
    pub(super) segment: u32,
    /// Number in the segment's layout.
    pub(super) document: u32,
}

/// A segment with data that is read on first use.
pub(super) struct Segment {
    pub(super) reader: SegmentReader,
    /// The file of its stored rows.
    stored: FileSlice,
    /// Data of the files, which deletions do not change.
    files: Arc<SegmentFiles>,
}

/// Data that is read once from the files of a segment, for all sets of deleted rows.
#[derive(Default)]
struct SegmentFiles {
    layout: OnceLock<Layout>,
    store: OnceLock<StoreReader>,
}

impl Segment {
    /// Opens a segment. Data that one of the `known` segments has read is shared.
    fn open(segment: &tantivy::Segment, known: &[Arc<Segment>]) -> tantivy::Result<Arc<Segment>> {
        let same = known.iter().find(|known| known.reader.segment_id() == segment.id());
        if let Some(same) = same
            && same.reader.delete_opstamp() == segment.meta().delete_opstamp()
        {
            return Ok(Arc::clone(same));
        }
        let files = same.map(|same| Arc::clone(&same.files)).unwrap_or_default();
        let stored = segment.open_read(SegmentComponent::Store)?;
        Ok(Arc::new(Segment { reader: SegmentReader::open(segment)?, stored, files }))
    }

    /// Number of its rows.
    pub(super) fn size(&self) -> Size {
        Size {
            alive: self.reader.num_docs().into(),
            deleted: self.reader.num_deleted_docs().into(),
        }
    }

    /// The assignment of rows to documents.
    pub(super) fn layout(&self) -> tantivy::Result<&Layout> {
        if let Some(layout) = self.files.layout.get() {
            return Ok(layout);
        }
        let layout = Layout::read(&self.reader)?;
        Ok(self.files.layout.get_or_init(|| layout))
    }

    /// The stored rows.
    pub(super) fn store(&self) -> tantivy::Result<&StoreReader> {
        if let Some(store) = self.files.store.get() {
            return Ok(store);
        }
        let store = docstore::open(&self.stored)?;
        Ok(self.files.store.get_or_init(|| store))
    }
}

impl Snapshot {
    /// Opens the last commit. Writes nothing.
    pub(super) fn open(storage: &Storage, expected: &Expected) -> Result<Snapshot, IndexError> {
        Snapshot::open_after(storage, expected, &[])
    }

    /// As [`Snapshot::open`], sharing segments of the same index that are open already.
    pub(super) fn open_after(
        storage: &Storage,
        expected: &Expected,
        known: &[Arc<Segment>],
    ) -> Result<Snapshot, IndexError> {
        let Some(directory) = storage.directory()? else {
            return Ok(Snapshot::empty(storage, expected));
        };
        let mut meta = storage.read(&*directory, META_FILE)?;
        for _ in 1..MAX_ATTEMPTS {
            let opened = guarded(storage.path(), || {
                read(storage, expected, &*directory, meta.clone(), known)
            });
            // A writer removes the files of the previous commit: try again.
            let now = storage.read(&*directory, META_FILE)?;
            if opened.is_ok() || now == meta {
                return opened;
            }
            meta = now;
        }
        guarded(storage.path(), || read(storage, expected, &*directory, meta, known))
    }

    /// Returns the index before its first commit.
    fn empty(storage: &Storage, expected: &Expected) -> Snapshot {
        Snapshot {
            storage: storage.clone(),
            expected: expected.clone(),
            state: State::empty(),
            segments: Vec::new(),
            vectors: Vec::new(),
            addresses: OnceLock::new(),
            listed: OnceLock::new(),
            shelf: OnceLock::new(),
            contents: OnceLock::new(),
            payload: None,
            meta: None,
            directory: None,
        }
    }

    /// Returns the same commit in another storage.
    pub(super) fn at(&self, storage: Storage, directory: Box<dyn Directory>) -> Snapshot {
        Snapshot {
            storage,
            expected: self.expected.clone(),
            state: self.state.clone(),
            segments: self.segments.clone(),
            vectors: self.vectors.clone(),
            addresses: self.addresses.clone(),
            listed: self.listed.clone(),
            shelf: OnceLock::new(),
            contents: self.contents.clone(),
            payload: self.payload.clone(),
            meta: self.meta.clone(),
            directory: Some(directory),
        }
    }

    /// Identity of this commit. Equal only for the same list of segments of the same index.
    pub(super) fn version(&self) -> IndexVersion {
        let Expected { source, fingerprint, .. } = &self.expected;
        let mut hasher = Xxh3::new();
        let path = self.path().as_os_str().as_encoded_bytes();
        for part in [path, source.as_str().as_bytes(), fingerprint.as_bytes()] {
            hasher.update(part);
            hasher.update(&[0]);
        }
        if let Some(meta) = &self.meta {
            hasher.update(&[1]);
            hasher.update(meta);
        }
        IndexVersion { generation: self.generation(), digest: hasher.digest128() }
    }

    /// Returns true if the snapshot is still the last commit.
    pub(super) fn is_current(&self) -> bool {
        let Ok(directory) = self.storage.directory() else { return false };
        let meta = match directory {
            Some(directory) => self.storage.read(&*directory, META_FILE),
            None => Ok(None),
        };
        meta.is_ok_and(|meta| meta == self.meta)
    }

    /// Number of the commit, 0 before the first.
    pub(super) fn generation(&self) -> u64 {
        self.payload.as_ref().map_or(0, |payload| payload.generation)
    }

    /// Returns true if units may be missing, because the first build of the index is not finished.
    pub(super) fn is_partial(&self) -> bool {
        self.payload.as_ref().is_some_and(|payload| payload.is_partial)
    }

    /// Returns true before the end of the first build of the index.
    pub(super) fn is_first_build(&self) -> bool {
        self.payload.is_none() || self.is_partial()
    }

    /// Returns true if tantivy's files exist.
    pub(super) fn has_files(&self) -> bool {
        self.meta.is_some()
    }

    /// Returns true if a row has the same number in that version: it is the same commit, or neither
    /// has any rows.
    pub(super) fn has_rows_of(&self, version: IndexVersion) -> bool {
        self.version() == version || self.generation() == 0 && version.generation == 0
    }

    /// The live documents in the order of a listing.
    pub(super) fn listed(&self) -> tantivy::Result<&[Place]> {
        if let Some(listed) = self.listed.get() {
            return Ok(listed);
        }
        let listed = lookup::places(self)?;
        Ok(self.listed.get_or_init(|| listed))
    }

    /// Addresses of the documents, in the order of the state.
    pub(super) fn addresses(&self) -> tantivy::Result<&[DocumentAddress]> {
        if let Some(addresses) = self.addresses.get() {
            return Ok(addresses);
        }
        let mut numbered = Vec::with_capacity(self.state.documents().len());
        for (position, segment) in (0_u32..).zip(&self.segments) {
            let layout = segment.layout()?;
            let alive = segment.reader.alive_bitset();
            for document in 0..u32::try_from(layout.len()).unwrap_or(u32::MAX) {
                if alive.is_none_or(|alive| alive.is_alive(layout.own_row(document)))
                    && let Some(number) = layout.number(document)
                {
                    numbered.push((number, DocumentAddress { segment: position, document }));
                }
            }
        }
        numbered.sort_unstable_by_key(|(number, _)| *number);
        let known = self.state.documents().iter().map(|document| document.number);
        if !known.eq(numbered.iter().map(|(number, _)| *number)) {
            return Err(unknown());
        }
        let addresses = numbered.into_iter().map(|(_, address)| address).collect();
        Ok(self.addresses.get_or_init(|| addresses))
    }

    /// Addresses of the documents at distinct positions in the state, in the order of the
    /// positions. Once the layouts are read, the cost of a few does not grow with the index.
    pub(super) fn addresses_of(&self, positions: &[u32]) -> tantivy::Result<Vec<DocumentAddress>> {
        let max_lookups = MAX_LOOKUPS.max(self.state.documents().len() / MAX_LOOKUP_SHARE);
        if self.addresses.get().is_none() && positions.len() <= max_lookups {
            return self.look_up(positions);
        }
        let addresses = self.addresses()?;
        let address =
            |position: &u32| addresses.get(*position as usize).copied().ok_or_else(unknown);
        positions.iter().map(address).collect()
    }

    /// Looks up documents among the rows of their units.
    fn look_up(&self, positions: &[u32]) -> tantivy::Result<Vec<DocumentAddress>> {
        let mut wanted = HashMap::with_capacity(positions.len());
        let mut units = BTreeSet::new();
        for (index, position) in positions.iter().enumerate() {
            let document = self.state.documents().get(*position as usize).ok_or_else(unknown)?;
            wanted.insert(document.number, index);
            units.insert(document.unit);
        }
        let mut found = vec![None; positions.len()];
        for unit in units {
            let unit = self.state.units().get(unit as usize).ok_or_else(unknown)?;
            let term = unit_term(self.state.text(unit.name));
            for (segment, reader) in (0_u32..).zip(&self.segments) {
                for document in self.documents_of(reader, &term)? {
                    let number = reader.layout()?.number(document);
                    if let Some(index) = number.and_then(|number| wanted.get(&number)) {
                        found[*index] = Some(DocumentAddress { segment, document });
                    }
                }
            }
        }
        found.into_iter().map(|address| address.ok_or_else(unknown)).collect()
    }

    /// Reads the rows of a unit as their deletion does, and fails if the deletion would. Returns the
    /// live ones, ascending, for each segment that has some.
    pub(super) fn rows_of(&self, unit: &str) -> tantivy::Result<Vec<(usize, Vec<u32>)>> {
        let mut all = Vec::new();
        if self.state.find_unit(unit).is_err() {
            return Ok(all);
        }
        let term = unit_term(unit);
        for (position, segment) in self.segments.iter().enumerate() {
            let rows = segment.reader.inverted_index(self.expected.columns.unit)?;
            let Some(info) = rows.terms().get(term.as_bytes())? else { continue };
            let basic = IndexRecordOption::Basic;
            let mut rows = rows.read_block_postings_from_terminfo(&info, basic)?;
            let alive = segment.reader.alive_bitset();
            let mut live = Vec::new();
            while rows.block_len() > 0 {
                if rows.docs().iter().any(|row| segment.reader.max_doc() <= *row) {
                    return Err(unknown());
                }
                let is_alive = |row: &&u32| alive.is_none_or(|alive| alive.is_alive(**row));
                live.extend(rows.docs().iter().filter(is_alive));
                rows.advance();
            }
            if !live.is_empty() {
                all.push((position, live));
            }
        }
        Ok(all)
    }

    /// Position of a document by the content of its unit, which has no other documents.
    pub(super) fn by_content(&self, content: u64) -> Option<u32> {
        let contents = self.contents.get_or_init(|| {
            let mut documents = vec![0_u32; self.state.units().len()];
            for document in self.state.documents().iter() {
                if let Some(count) = documents.get_mut(document.unit as usize) {
                    *count += 1;
                }
            }
            let numbered = (0_u32..).zip(self.state.documents().iter());
            let known = numbered.filter_map(|(position, document)| {
                let unit = document.unit as usize;
                let stamp = self.state.units().get(unit)?.stamp;
                (documents[unit] == 1 && stamp.content != 0).then_some((stamp.content, position))
            });
            known.collect()
        });
        contents.get(&content).copied()
    }

    /// Finds a unit that can be restored. `None` if there is none with this content.
    pub(super) fn shelved(&self, unit: &str, content: u64) -> Option<&ShelvedUnit> {
        let shelf = self.shelf.get_or_init(|| {
            let units = self.restorable().into_iter();
            units.map(|unit| ((unit.name.clone(), unit.content), unit)).collect()
        });
        if shelf.is_empty() {
            return None;
        }
        shelf.get(&(unit.to_owned(), content))
    }

    /// The units that can be restored, in the order in which they left the index.
    pub(super) fn restorable(&self) -> Vec<ShelvedUnit> {
        let units = self.state.shelf().into_iter();
        units.filter(|unit| self.is_restorable(unit)).collect()
    }

    /// Returns true if the rows of a shelved unit are in a segment and deleted, and no other unit has
    /// the numbers of its documents.
    fn is_restorable(&self, unit: &ShelvedUnit) -> bool {
        let ShelvedRows { segment, first, .. } = &unit.rows;
        let is_its = |other: &&Arc<Segment>| other.reader.segment_id().uuid_string() == *segment;
        let Some(segment) = self.segments.iter().find(is_its) else { return false };
        let Some(end) = unit.rows.end().filter(|end| *end <= segment.reader.max_doc()) else {
            return false;
        };
        let Some(alive) = segment.reader.alive_bitset() else { return false };
        let is_free = |document: &ShelvedDocument| {
            let other = self.state.document(document.number);
            other.is_none_or(|other| self.state.unit_of(&other) == unit.name)
        };
        (*first..end).all(|row| alive.is_deleted(row)) && unit.documents.iter().all(is_free)
    }

    /// The live documents of a unit in a segment.
    fn documents_of(&self, segment: &Segment, term: &str) -> tantivy::Result<Vec<u32>> {
        let mut documents = Vec::new();
        let rows = segment.reader.inverted_index(self.expected.columns.unit)?;
        let Some(info) = rows.terms().get(term.as_bytes())? else { return Ok(documents) };
        let mut rows = rows.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        let layout = segment.layout()?;
        let alive = segment.reader.alive_bitset();
        while rows.block_len() > 0 {
            for row in rows.docs().iter().copied() {
                let document = layout.document(row);
                if layout.own_row(document) == row && alive.is_none_or(|alive| alive.is_alive(row))
                {
                    documents.push(document);
                }
            }
            rows.advance();
        }
        Ok(documents)
    }

    /// The path that errors name.
    pub(super) fn path(&self) -> &Path {
        self.storage.path()
    }
}

impl CommittedFiles for Snapshot {
    fn directory(&self) -> Option<&dyn Directory> {
        self.directory.as_deref()
    }

    fn meta(&self) -> Option<&[u8]> {
        self.meta.as_deref()
    }

    fn path(&self) -> &Path {
        self.storage.path()
    }
}

fn read(
    storage: &Storage,
    expected: &Expected,
    directory: &dyn Directory,
    meta: Option<Vec<u8>>,
    known: &[Arc<Segment>],
) -> Result<Snapshot, IndexError> {
    let path = storage.path();
    let Some(bytes) = meta else {
        // The first commit creates the list of segments before any other file.
        let files = storage.files().unwrap_or_default();
        return match files
            .iter()
            .find(|name| is_state(name) || is_vectors(name) || *name == SEAL_FILE)
        {
            Some(_) => Err(damaged(path, format!("`{META_FILE}` is missing"))),
            None => Ok(Snapshot::empty(storage, expected)),
        };
    };
    let failed = |error: tantivy::TantivyError| while_reading(path, &error);
    let index = Index::open(directory.box_clone()).map_err(failed)?;
    let list = index.load_metas().map_err(failed)?;
    let mut snapshot = Snapshot {
        meta: Some(bytes),
        directory: Some(directory.box_clone()),
        ..Snapshot::empty(storage, expected)
    };
    let Some(text) = &list.payload else {
        // Created, but never committed.
        return if list.segments.is_empty() {
            Ok(snapshot)
        } else {
            Err(damaged(path, "the description of the commit is missing"))
        };
    };
    let payload =
        Payload::decode(text, expected.source, &expected.fingerprint).map_err(|refusal| {
            match refusal {
                Refusal::Damaged(reason) => damaged(path, reason),
                Refusal::Incompatible(reason) => incompatible(path, reason),
            }
        })?;
    if list.schema != *expected.columns.schema() || list.index_settings != settings() {
        return Err(damaged(path, format!("`{META_FILE}` has another schema")));
    }
    snapshot.state = read_state(storage, directory, &payload)?;
    check_rows(path, &list, &snapshot.state)?;
    seal::check(storage, directory, index.directory(), &list, snapshot.state.vector_files())?;
    for file in snapshot.state.vector_files() {
        let name = file.name();
        let bytes = storage
            .map(directory, &name)?
            .ok_or_else(|| damaged(path, format!("`{name}` is missing")))?;
        if bytes.len() as u64 != file.bytes() {
            return Err(damaged(path, format!("the length of `{name}` differs")));
        }
        snapshot.vectors.push(bytes);
    }
    for segment in &list.segments {
        let opened = Segment::open(&index.segment(segment.clone()), known).map_err(failed)?;
        if opened.reader.num_docs() != segment.num_docs() {
            return Err(damaged(path, "the number of deleted rows differs"));
        }
        snapshot.segments.push(opened);
    }
    snapshot.payload = Some(payload);
    Ok(snapshot)
}

fn unknown() -> TantivyError {
    let reason = "the documents of the rows differ from those of the state";
    TantivyError::InternalError(reason.to_owned())
}

/// Reads the state that a payload names.
pub(super) fn read_state(
    storage: &Storage,
    directory: &dyn Directory,
    payload: &Payload,
) -> Result<State, IndexError> {
    let name = payload.state_file();
    let bytes = storage
        .map(directory, &name)?
        .ok_or_else(|| damaged(storage.path(), format!("`{name}` is missing")))?;
    let state = if payload.describes(&bytes) { State::open(&bytes) } else { None };
    state.ok_or_else(|| damaged(storage.path(), format!("the checksum of `{name}` differs")))
}

/// Compares the number of rows with the state. Detects missing segments and missing deletions.
fn check_rows(path: &Path, list: &IndexMeta, state: &State) -> Result<(), IndexError> {
    let sane = list.segments.iter().all(|segment| segment.num_deleted_docs() <= segment.max_doc());
    let rows: u64 = if sane {
        list.segments.iter().map(|segment| u64::from(segment.num_docs())).sum()
    } else {
        u64::MAX
    };
    if rows != state.rows() {
        let reason = format!("{rows} rows instead of {}", state.rows());
        return Err(damaged(path, reason));
    }
    Ok(())
}
