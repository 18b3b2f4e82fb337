//! Brings one source up to date: changes are overlaid on its index in memory, or written to it. An
//! unusable index is rebuilt.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use lore_index::{IndexError, IndexLocation, IndexVersion, Opened, Reader, Store};
use lore_schema::{SkipReason, SourceName};
use lore_sources::{Source, Tree};
use lore_text::{Embedder, StaticEmbedder};

use crate::{
    Embedding, EngineConfig, EngineError, IndexMode, Progress,
    state::{
        catch_up::catch_up,
        estimate::expected_time,
        housekeeping::{has_room_for_vectors, index_bytes, warn_limits, warn_missing_vectors},
        ingest::{Outcome, UpdateOptions, UpdateResult, update},
        kept::{Compared, KeptSource},
        known_units::KnownUnits,
        limits::{Degradation, Limits},
        overlays::{CachedOverlay, MAX_UNWRITTEN_STAMPS, OverlaySlot, lock},
        parts,
        shared_walk::Listing,
        snapshot::{OpenSource, Snapshot},
        storage::fingerprint,
        workload::Totals,
    },
};

/// Bytes of a tree above which its first index is written directly: in memory it would take as much
/// space again.
const MAX_OVERLAID_TREE: u64 = 32 << 20;

/// Returns the bytes of the files that an index lacks; `None` if that is not known.
fn unread_bytes(source: &dyn Source, tree: &Tree, reader: &dyn Reader) -> Option<u64> {
    Some(source.workload(tree, &KnownUnits::of(reader))?.bytes)
}

/// Returns true if what a first index of a source lacks is too large to be cached in memory.
fn is_large(source: &dyn Source, tree: &Tree, reader: &dyn Reader, config: &EngineConfig) -> bool {
    let whole = || tree.entries().iter().map(|entry| entry.size).sum();
    let left = reader.is_partial().then(|| unread_bytes(source, tree, reader)).flatten();
    config.commits.is_none() || left.unwrap_or_else(whole) > MAX_OVERLAID_TREE
}

/// An open index.
struct Base {
    store: Arc<dyn Store>,
    /// Its last commit.
    reader: Box<dyn Reader>,
}

impl From<Opened> for Base {
    fn from(Opened { store, reader, .. }: Opened) -> Base {
        Base { store: store.into(), reader }
    }
}

/// Extent of an update.
#[derive(Clone, Copy, Default)]
struct Extent<'a> {
    /// Paths of the files that may differ from the index; `None` if any may.
    only: Option<&'a BTreeSet<&'a str>>,
    /// Time between commits; `None` for one commit at the end.
    interval: Option<Duration>,
}

/// Options for opening a source.
pub(crate) struct Opening<'a> {
    pub(crate) config: &'a EngineConfig,
    pub(crate) source: &'a dyn Source,
    pub(crate) location: IndexLocation,
    /// Folder of all indexes of the tree; `None` if they are cached in memory.
    pub(crate) folder: Option<&'a Path>,
    /// True to commit changes before the answer.
    pub(crate) commit_now: bool,
    pub(crate) progress: &'a dyn Progress,
    /// Units that the sources have to read, for the progress.
    pub(crate) totals: Option<&'a Totals<'a>>,
}

impl Opening<'_> {
    /// Opens the source as it is on the disk now.
    pub(crate) fn open(
        &self,
        mode: IndexMode,
        snapshot: &mut Snapshot,
    ) -> Result<OpenSource, EngineError> {
        let Opening { config, source, location, commit_now, .. } = self;
        let commit_now = *commit_now;
        // A run that commits now holds the lock of the index, which does not block answers.
        let slot = if commit_now { OverlaySlot::default() } else { config.overlays.slot(location) };
        let mut cached = lock(&slot);
        if mode == IndexMode::Update
            && let Some(open) = self.continue_from_kept(&mut cached, snapshot)?
        {
            return Ok(open);
        }
        let opened: Base = open_or_rebuild(config, source.name(), location, mode, snapshot)?.into();
        let reader = opened.reader.as_ref();
        let first = reader.generation() == 0 || reader.is_partial();
        // What is not written is built again by each answer: there is nothing to wait for.
        let is_kept = config.write && *location != IndexLocation::Memory;
        if first
            && is_kept
            && !commit_now
            && let Some(left @ 1..) = unread_bytes(*source, &snapshot.tree, reader)
            && let expected = expected_time(config, left)
            && !self.progress.accepts(expected)
        {
            let listing = Listing(Arc::clone(&snapshot.tree));
            return Err(EngineError::SlowIndex { expected, listing });
        }
        let writes = commit_now || first && is_large(*source, &snapshot.tree, reader, config);
        let writes = *location == IndexLocation::Memory || config.write && writes;
        let tried = self.update_index(opened, writes, None, &mut cached, snapshot)?;
        let error = match tried {
            Ok(open) => return Ok(open),
            Err(error) => error,
        };
        // Opening does not verify what is read here. Only verified damage is erased.
        if config.write && config.backend.distrust(&error) {
            let mode = IndexMode::Update;
            let opened: Base =
                open_or_rebuild(config, source.name(), location, mode, snapshot)?.into();
            let again = self.update_index(opened, writes, None, &mut cached, snapshot)?;
            return again.or_else(|error| self.read_into_memory(error, snapshot));
        }
        self.read_into_memory(error, snapshot)
    }

    /// Continues from the index that an earlier answer opened and compared, if it is still the last
    /// commit. `None` if it has to be opened again.
    fn continue_from_kept(
        &self,
        cached: &mut Option<CachedOverlay>,
        snapshot: &mut Snapshot,
    ) -> Result<Option<OpenSource>, EngineError> {
        let Opening { config, source, location, commit_now, .. } = self;
        let Some(kept) = config.overlays.kept(location) else { return Ok(None) };
        let Some(base) = kept.reader() else { return Ok(None) };
        if cached.as_ref().is_some_and(|cached| !cached.is_based_on(base.version())) {
            *cached = None;
        }
        let compared = if cached.is_some() { Some(kept.compared) } else { kept.compared_base };
        let tree = Arc::clone(&snapshot.tree);
        // Commits, and the sources of a program, change without any change of the listing.
        let is_listed =
            source.name() != SourceName::Git && config.custom.names_in(source.name()).is_empty();
        let difference = match compared.filter(|_| is_listed) {
            Some(compared) => KeptSource::difference(&tree, compared),
            None => Compared::All,
        };
        let paths = match difference {
            Compared::None => {
                let reader = match cached {
                    Some(cached) => cached.overlay.reader()?,
                    None => base,
                };
                if !config.write && cached.is_some() {
                    snapshot.unwritten.get_or_insert_with(writing_disabled);
                }
                snapshot.work.sources.insert(source.name(), (0, 0, 0));
                return Ok(Some(OpenSource::new(reader, kept.report, HashSet::new())));
            }
            Compared::At(paths) => Some(paths),
            Compared::All => None,
        };
        let base = Base { store: kept.store, reader: base };
        let writes = config.write && *commit_now;
        let tried = self.update_index(base, writes, paths.as_ref(), cached, snapshot)?;
        if tried.is_err() {
            config.overlays.forget_kept();
        }
        Ok(tried.ok())
    }

    /// Writes the changes, or overlays them on the last commit. `only` has the paths of the files that may
    /// differ, if they are known. The inner error is the reason why neither was possible.
    fn update_index(
        &self,
        base: Base,
        writes: bool,
        only: Option<&BTreeSet<&str>>,
        cached: &mut Option<CachedOverlay>,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        let store = Arc::clone(&base.store);
        let version = base.reader.version();
        let updated = if writes {
            self.write(base, only, snapshot)?
        } else {
            self.overlay_changes(base, only, cached, snapshot)?
        };
        if let Ok(open) = &updated {
            let documents = open.reader.summary().documents;
            self.config.overlays.note_documents(&self.location, documents);
        }
        if let Ok(open) = &updated
            && self.location != IndexLocation::Memory
        {
            self.keep(store, version, writes, cached.is_some(), open, snapshot);
        }
        Ok(updated)
    }

    /// Keeps an index that contains all of the listing for the next answer.
    fn keep(
        &self,
        store: Arc<dyn Store>,
        base: IndexVersion,
        is_written: bool,
        has_overlay: bool,
        open: &OpenSource,
        snapshot: &Snapshot,
    ) {
        if !open.pending.is_empty() || snapshot.unwritten.is_some() {
            return;
        }
        let compared = snapshot.tree.version();
        let compared_base = (is_written || !has_overlay).then_some(compared);
        let base = if is_written { open.reader.version() } else { base };
        let report = open.report.clone();
        let kept = KeptSource { store, base, compared, compared_base, report };
        self.config.overlays.keep(&self.location, kept);
    }

    /// Overlays the changes on the last commit, in memory, or continues from the overlay of the last
    /// answer. Does not wait for other processes.
    fn overlay_changes(
        &self,
        Base { store, reader: base }: Base,
        only: Option<&BTreeSet<&str>>,
        last: &mut Option<CachedOverlay>,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        let config = self.config;
        let started = Instant::now();
        // An overlay over an index stays in memory; a first index goes to the disk.
        let limits =
            if base.generation() > 0 { config.limits.without_disk() } else { config.limits };
        let mut cached = match last.take() {
            Some(cached) if cached.is_based_on(base.version()) => cached,
            _ => match store.overlay(base.version())? {
                Some(overlay) => CachedOverlay::new(overlay, base.as_ref()),
                // A backend without overlays writes directly.
                None if config.write => {
                    return self.write(Base { store, reader: base }, only, snapshot);
                }
                None => return Ok(Err(writing_disabled())),
            },
        };
        let mut reader = cached.overlay.reader()?;
        let store: &dyn Store = cached.overlay.as_ref();
        let extent = Extent { only, interval: None };
        let updated =
            self.update(store, reader.as_ref(), limits, MAX_UNWRITTEN_STAMPS, extent, snapshot)?;
        match updated.outcome {
            Outcome::Unchanged => {}
            Outcome::Committed => {
                reader = store.reader()?;
                cached.add(updated.changes, started.elapsed());
                cached.add_faults(updated.faults);
                let text = cached.add_text(updated.bytes);
                if config
                    .limits
                    .lacks_room_for_words(|| index_bytes(self.config, self.folder), text)
                {
                    cached.keep_in_memory();
                }
            }
            Outcome::Blocked(error, _) => return Ok(Err(error)),
        }
        if config.write && self.wants_vectors(reader.as_ref())? {
            let before = (snapshot.work.embedded, reader.generation());
            let store: &dyn Store = cached.overlay.as_ref();
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
                cached.add(snapshot.work.embedded - before.0, started.elapsed());
            }
        }
        if updated.degradations.contains(&Degradation::VectorsOmitted) {
            warn_missing_vectors(snapshot, config, reader.as_ref())?;
        }
        if cached.has_changes() {
            *last = Some(cached);
        }
        if !config.write && reader.generation() > base.generation() {
            snapshot.unwritten.get_or_insert_with(writing_disabled);
        }
        Ok(Ok(OpenSource::new(reader, updated.report, updated.postponed)))
    }

    /// Writes the changes to the index.
    fn write(
        &self,
        Base { store, mut reader }: Base,
        only: Option<&BTreeSet<&str>>,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        let limits = self.config.limits;
        let interval = parts::interval(self.config, &self.location, self.folder, &snapshot.tree);
        let extent = Extent { only, interval };
        let updated = self.update(store.as_ref(), reader.as_ref(), limits, 0, extent, snapshot)?;
        let pending = match updated.outcome {
            Outcome::Unchanged => HashSet::new(),
            Outcome::Committed => {
                snapshot.is_written |= self.location != IndexLocation::Memory;
                reader = store.reader()?;
                updated.postponed
            }
            // Another process is writing. A run that had to write reports that.
            Outcome::Blocked(error, pending)
                if error.is_concurrent() && (self.commit_now || reader.generation() > 0) =>
            {
                snapshot.unwritten.get_or_insert(error);
                reader = store.reader()?;
                pending
            }
            Outcome::Blocked(error, _) => return Ok(Err(error)),
        };
        if self.config.write
            && pending.is_empty()
            && self.location != IndexLocation::Memory
            && self.wants_vectors(reader.as_ref())?
        {
            let (config, built_in) = (self.config, StaticEmbedder::builtin());
            catch_up(self.source, store.as_ref(), built_in, config, self.progress, snapshot);
            reader = store.reader()?;
        }
        if self.location != IndexLocation::Memory
            && updated.degradations.contains(&Degradation::VectorsOmitted)
        {
            warn_missing_vectors(snapshot, self.config, reader.as_ref())?;
        }
        Ok(Ok(OpenSource::new(reader, updated.report, pending)))
    }

    /// Reads the whole source into memory, because its index cannot be used.
    fn read_into_memory(
        &self,
        error: IndexError,
        snapshot: &mut Snapshot,
    ) -> Result<OpenSource, EngineError> {
        if self.config.write && !matches!(error, IndexError::Busy { .. }) {
            snapshot.warn_unwritable(self.config, &error);
        }
        let Opened { store, reader, .. } =
            open(self.config, self.source.name(), &IndexLocation::Memory)?;
        // None of this goes to the disk.
        let limits = self.config.limits.without_disk();
        let updated =
            self.update(store.as_ref(), reader.as_ref(), limits, 0, Extent::default(), snapshot)?;
        match updated.outcome {
            Outcome::Unchanged | Outcome::Committed => {
                snapshot.unwritten.get_or_insert(error);
                let (reader, report) = (store.reader()?, updated.report);
                Ok(OpenSource::new(reader, report, updated.postponed))
            }
            Outcome::Blocked(error, _) => Err(error.into()),
        }
    }

    /// Updates a store from the source and notes the work in the snapshot.
    fn update(
        &self,
        store: &dyn Store,
        reader: &dyn Reader,
        limits: Limits,
        max_unwritten_stamps: u64,
        extent: Extent<'_>,
        snapshot: &mut Snapshot,
    ) -> Result<UpdateResult, EngineError> {
        let Opening { config, source, progress, .. } = self;
        let size = || index_bytes(self.config, self.folder);
        let Extent { only, interval } = extent;
        let options = UpdateOptions {
            limits,
            max_unwritten_stamps,
            interval,
            totals: self.totals,
            folder: self.folder,
            size: &size,
            only,
            writes_anyway: self.commit_now,
            is_import: false,
        };
        let updated = update(*source, &snapshot.tree, store, reader, config, &options, *progress)?;
        note_work(snapshot, source.name(), &updated);
        if source.name() == SourceName::Git {
            let older = updated.report.skipped.get(&SkipReason::BeyondLimit);
            config.overlays.note_older_commits(older.is_some_and(|number| *number > 0));
        }
        warn_limits(snapshot, &limits, source.name(), &updated);
        Ok(updated)
    }

    /// Returns true if an index contains documents without vectors of the built-in model, and has room
    /// for them. A search does not wait for other embedders: `lore index` runs them.
    fn wants_vectors(&self, reader: &dyn Reader) -> Result<bool, EngineError> {
        if self.config.embedding == Embedding::Off {
            return Ok(false);
        }
        let built_in: &dyn Embedder = StaticEmbedder::builtin();
        let missing = reader.vector_counts(built_in.fingerprint())?.missing;
        Ok(missing > 0 && has_room_for_vectors(self.config, self.folder, reader, missing))
    }
}

fn note_work(snapshot: &mut Snapshot, source: SourceName, updated: &UpdateResult) {
    let counts = (updated.written, updated.deleted, updated.unchanged);
    snapshot.work.sources.insert(source, counts);
    snapshot.work.bytes += updated.bytes;
}

/// Opens an index, and rebuilds one that is damaged or of another version. If that fails, opens an
/// empty index in memory.
fn open_or_rebuild(
    config: &EngineConfig,
    source: SourceName,
    location: &IndexLocation,
    mode: IndexMode,
    snapshot: &mut Snapshot,
) -> Result<Opened, EngineError> {
    let rebuild = mode == IndexMode::Rebuild;
    let tried = if config.write {
        config.backend.open_or_rebuild(source, location, &fingerprint(), rebuild)
    } else {
        open(config, source, location).and_then(|opened| {
            let is_usable = !rebuild || opened.reader.generation() == 0;
            if is_usable { Ok(opened) } else { Err(writing_disabled()) }
        })
    };
    let failure = match tried {
        Ok(opened) => {
            limit_memory(config, opened.store.as_ref());
            if let Some(error) = &opened.erased {
                snapshot.warn_rebuild(config, error);
            }
            return Ok(opened);
        }
        Err(error) => error,
    };
    // An index that looks damaged may be one that another process is rebuilding right now.
    if config.write && !matches!(failure, IndexError::Busy { .. }) {
        snapshot.warn_unwritable(config, &failure);
    }
    snapshot.unwritten.get_or_insert(failure);
    Ok(open(config, source, &IndexLocation::Memory)?)
}

/// Opens an index without writing to it.
fn open(
    config: &EngineConfig,
    source: SourceName,
    location: &IndexLocation,
) -> Result<Opened, IndexError> {
    let store = config.backend.open(source, location, &fingerprint())?;
    limit_memory(config, store.as_ref());
    let reader = store.reader()?;
    Ok(Opened { store, reader, erased: None })
}

/// Limits the memory of the writers of an index.
pub(crate) fn limit_memory(config: &EngineConfig, store: &dyn Store) {
    if let Some(bytes) = config.limits.writer_memory() {
        store.limit_memory(bytes);
    }
}

/// The error for a search that must not write.
fn writing_disabled() -> IndexError {
    let reason = "writing is switched off".to_owned();
    IndexError::Unwritable { path: PathBuf::new(), reason }
}
