//! How one source is brought up to date: what changed is laid over its index in memory, or written to
//! it; an index that is of no use is made anew.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::Instant,
};

use lore_index::{IndexError, IndexLocation, Opened, Reader, Store};
use lore_schema::SourceName;
use lore_sources::{Source, Tree};
use lore_text::{Embedder, StaticEmbedder};

use crate::{
    Embedding, EngineConfig, EngineError, IndexMode, Progress,
    state::{
        catch_up::catch_up,
        housekeeping::{has_room_for_vectors, kept_bytes, warn_of_limits, warn_of_missing_vectors},
        ingest::{Bounds, Outcome, Updated, update},
        limits::{Concession, Limits},
        overlays::{FEW_STAMPS, Kept, Slot, lock},
        snapshot::{OpenSource, Snapshot},
        storage::fingerprint,
    },
};

/// Bytes of a tree whose first index is written as it comes: in memory it would take as much again.
const LARGE: u64 = 32 << 20;

/// Whether a first index of a tree is no matter of memory.
fn is_large(tree: &Tree, config: &EngineConfig) -> bool {
    config.commits.is_none() || tree.entries().iter().map(|entry| entry.size).sum::<u64>() > LARGE
}

/// How a source is opened.
pub(crate) struct Opening<'a> {
    pub(crate) config: &'a EngineConfig,
    pub(crate) source: &'a dyn Source,
    pub(crate) place: IndexLocation,
    /// Folder of all indexes of the tree; `None` if they are kept in memory.
    pub(crate) folder: Option<&'a Path>,
    /// Whether what changed is committed now.
    pub(crate) at_once: bool,
    pub(crate) progress: &'a dyn Progress,
}

impl Opening<'_> {
    /// Opens the source as it is on the disk now.
    pub(crate) fn open(
        &self,
        mode: IndexMode,
        snapshot: &mut Snapshot,
    ) -> Result<OpenSource, EngineError> {
        let Opening { config, source, place, at_once, .. } = self;
        let at_once = *at_once;
        // Whoever commits at once has the lock of the index, which takes nothing from answers.
        let slot = if at_once { Slot::default() } else { config.overlays.slot(place) };
        let mut kept = lock(&slot);
        let opened = open_or_rebuild(config, source.name(), place, mode, snapshot)?;
        let first = opened.reader.generation() == 0;
        let writes = at_once || first && is_large(&snapshot.tree, config);
        let writes = *place == IndexLocation::Memory || config.write && writes;
        let tried = self.bring_up(opened, writes, &mut kept, snapshot)?;
        let error = match tried {
            Ok(open) => return Ok(open),
            Err(error) => error,
        };
        // What was read now is not looked at by opening. Only what is verified to be damaged is erased.
        if config.write && config.backend.distrust(&error) {
            let mode = IndexMode::Update;
            let opened = open_or_rebuild(config, source.name(), place, mode, snapshot)?;
            let again = self.bring_up(opened, writes, &mut kept, snapshot)?;
            return again.or_else(|error| self.read_anew(error, snapshot));
        }
        self.read_anew(error, snapshot)
    }

    /// Writes what changed, or lays it over the last commit. The inner error is why neither could be
    /// done.
    fn bring_up(
        &self,
        opened: Opened,
        writes: bool,
        kept: &mut Option<Kept>,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        if writes { self.write(opened, snapshot) } else { self.lay_over(opened, kept, snapshot) }
    }

    /// Lays what changed over the last commit, in memory, or goes on from the overlay of the last
    /// answer. No other process is waited for.
    fn lay_over(
        &self,
        Opened { store, reader: base, .. }: Opened,
        last: &mut Option<Kept>,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        let config = self.config;
        let started = Instant::now();
        // What is laid over an index stays in memory; a first one is for the disk.
        let limits = if base.generation() > 0 { config.limits.of_memory() } else { config.limits };
        let mut kept = match last.take() {
            Some(kept) if kept.is_over(base.version()) => kept,
            _ => match store.overlay(base.version())? {
                Some(overlay) => Kept::new(overlay, base.as_ref()),
                // An engine without overlays writes at once.
                None if config.write => {
                    return self.write(Opened { store, reader: base, erased: None }, snapshot);
                }
                None => return Ok(Err(switched_off())),
            },
        };
        let mut reader = kept.overlay.reader()?;
        let store: &dyn Store = kept.overlay.as_ref();
        let updated = self.update(store, reader.as_ref(), limits, FEW_STAMPS, snapshot)?;
        match updated.outcome {
            Outcome::Unchanged => {}
            Outcome::Committed => {
                reader = store.reader()?;
                kept.add(updated.changes, started.elapsed());
                let text = kept.add_text(updated.bytes);
                if config.limits.refuses_words(|| kept_bytes(self.config, self.folder), text) {
                    kept.refuse();
                }
            }
            Outcome::Blocked(error, _) => return Ok(Err(error)),
        }
        if config.write && self.wants_vectors(reader.as_ref())? {
            let before = (snapshot.work.embedded, reader.generation());
            let store: &dyn Store = kept.overlay.as_ref();
            catch_up(
                self.source,
                store,
                StaticEmbedder::builtin(),
                config,
                self.progress,
                snapshot,
            );
            reader = store.reader()?;
            if reader.generation() > before.1 {
                kept.add(snapshot.work.embedded - before.0, started.elapsed());
            }
        }
        if updated.concessions.contains(&Concession::VectorsForDisk) {
            warn_of_missing_vectors(snapshot, config, reader.as_ref())?;
        }
        if kept.has_changes() {
            *last = Some(kept);
        }
        if !config.write && reader.generation() > base.generation() {
            snapshot.unwritten.get_or_insert_with(switched_off);
        }
        Ok(Ok(OpenSource::new(reader, updated.report, updated.left)))
    }

    /// Writes what changed to where the index lies.
    fn write(
        &self,
        Opened { store, mut reader, .. }: Opened,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        let updated =
            self.update(store.as_ref(), reader.as_ref(), self.config.limits, 0, snapshot)?;
        let pending = match updated.outcome {
            Outcome::Unchanged => HashSet::new(),
            Outcome::Committed => {
                snapshot.is_written |= self.place != IndexLocation::Memory;
                reader = store.reader()?;
                updated.left
            }
            // Somebody else writes right now. Whoever wanted it written is told so.
            Outcome::Blocked(
                error @ (IndexError::Busy { .. } | IndexError::Moved { .. }),
                pending,
            ) if self.at_once || reader.generation() > 0 => {
                snapshot.unwritten.get_or_insert(error);
                reader = store.reader()?;
                pending
            }
            Outcome::Blocked(error, _) => return Ok(Err(error)),
        };
        if self.config.write
            && pending.is_empty()
            && self.place != IndexLocation::Memory
            && self.wants_vectors(reader.as_ref())?
        {
            let (config, built_in) = (self.config, StaticEmbedder::builtin());
            catch_up(self.source, store.as_ref(), built_in, config, self.progress, snapshot);
            reader = store.reader()?;
        }
        if self.place != IndexLocation::Memory
            && updated.concessions.contains(&Concession::VectorsForDisk)
        {
            warn_of_missing_vectors(snapshot, self.config, reader.as_ref())?;
        }
        Ok(Ok(OpenSource::new(reader, updated.report, pending)))
    }

    /// Reads the whole source into memory, since its index is of no use.
    fn read_anew(
        &self,
        error: IndexError,
        snapshot: &mut Snapshot,
    ) -> Result<OpenSource, EngineError> {
        if self.config.write && !matches!(error, IndexError::Busy { .. }) {
            snapshot.warn_of_memory(self.config, &error);
        }
        let Opened { store, reader, .. } =
            open(self.config, self.source.name(), &IndexLocation::Memory)?;
        // Nothing of this comes to the disk.
        let limits = self.config.limits.of_memory();
        let updated = self.update(store.as_ref(), reader.as_ref(), limits, 0, snapshot)?;
        match updated.outcome {
            Outcome::Unchanged | Outcome::Committed => {
                snapshot.unwritten.get_or_insert(error);
                let (reader, report) = (store.reader()?, updated.report);
                Ok(OpenSource::new(reader, report, updated.left))
            }
            Outcome::Blocked(error, _) => Err(error.into()),
        }
    }

    /// Compares the source with an index, and notes what was done.
    fn update(
        &self,
        store: &dyn Store,
        reader: &dyn Reader,
        limits: Limits,
        few_stamps: u64,
        snapshot: &mut Snapshot,
    ) -> Result<Updated, EngineError> {
        let Opening { config, source, progress, .. } = self;
        let size = || kept_bytes(self.config, self.folder);
        let bounds = Bounds { limits, few_stamps, folder: self.folder, size: &size };
        let updated = update(*source, &snapshot.tree, store, reader, config, &bounds, *progress)?;
        note_work(snapshot, source.name(), &updated);
        warn_of_limits(snapshot, &limits, source.name(), &updated);
        Ok(updated)
    }

    /// Whether an index holds documents without vectors of the model inside the program, and has room
    /// for them. A search does not wait for others: what they have not embedded is for an index run.
    fn wants_vectors(&self, reader: &dyn Reader) -> Result<bool, EngineError> {
        if self.config.embedding == Embedding::Off {
            return Ok(false);
        }
        let built_in: &dyn Embedder = StaticEmbedder::builtin();
        let missing = reader.vector_counts(built_in.fingerprint())?.missing;
        Ok(missing > 0 && has_room_for_vectors(self.config, self.folder, reader, missing))
    }
}

fn note_work(snapshot: &mut Snapshot, source: SourceName, updated: &Updated) {
    let counts = (updated.written, updated.deleted, updated.unchanged);
    snapshot.work.sources.insert(source, counts);
    snapshot.work.bytes += updated.bytes;
}

/// Opens an index, and rebuilds one that is damaged or of another version. If that fails, opens an
/// empty index in memory.
fn open_or_rebuild(
    config: &EngineConfig,
    source: SourceName,
    place: &IndexLocation,
    mode: IndexMode,
    snapshot: &mut Snapshot,
) -> Result<Opened, EngineError> {
    let rebuild = mode == IndexMode::Rebuild;
    let tried = if config.write {
        config.backend.open_or_rebuild(source, place, &fingerprint(), rebuild)
    } else {
        open(config, source, place).and_then(|opened| {
            let is_usable = !rebuild || opened.reader.generation() == 0;
            if is_usable { Ok(opened) } else { Err(switched_off()) }
        })
    };
    let failure = match tried {
        Ok(opened) => {
            limit_memory(config, opened.store.as_ref());
            if let Some(error) = &opened.erased {
                snapshot.warn_of_rebuild(config, error);
            }
            return Ok(opened);
        }
        Err(error) => error,
    };
    // An index that looks damaged may be one that another process is rebuilding right now.
    if config.write && !matches!(failure, IndexError::Busy { .. }) {
        snapshot.warn_of_memory(config, &failure);
    }
    snapshot.unwritten.get_or_insert(failure);
    Ok(open(config, source, &IndexLocation::Memory)?)
}

/// Opens an index without writing to it.
fn open(
    config: &EngineConfig,
    source: SourceName,
    place: &IndexLocation,
) -> Result<Opened, IndexError> {
    let store = config.backend.open(source, place, &fingerprint())?;
    limit_memory(config, store.as_ref());
    let reader = store.reader()?;
    Ok(Opened { store, reader, erased: None })
}

/// Makes the writers of an index keep within the limits.
fn limit_memory(config: &EngineConfig, store: &dyn Store) {
    if let Some(bytes) = config.limits.buffers() {
        store.limit_memory(bytes);
    }
}

/// Why a search that must not write does not.
fn switched_off() -> IndexError {
    let reason = "writing is switched off".to_owned();
    IndexError::Unwritable { path: PathBuf::new(), reason }
}
