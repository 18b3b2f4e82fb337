//! The state of all sources at one moment: their readers, and how far they can be trusted.

use std::{
    collections::{BTreeMap, HashSet},
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Instant,
};

use lore_index::{BACKENDS, Backend, IndexError, Place, Reader, Store};
use lore_schema::{SkipReason, SourceName};
use lore_sources::{SOURCES, ScanReport, Source, Tree, WalkOptions};
use lore_text::{Embedder, StaticEmbedder};

pub(crate) use crate::views::{cache_folder, place_of};
use crate::{
    Embedding, EngineConfig, EngineError, Freshness, IndexMode, IndexReport, Progress, Receipt,
    SourceReport,
    analyze::FINGERPRINT,
    embedding::{Failure, embed_missing, is_built_in, told},
    housekeeping::{
        has_room_for_vectors, keep_house, kept_bytes, warn_of_limits, warn_of_missing_vectors,
    },
    ingest::{Outcome, Updated, update},
    limits::{Concession, Limits},
    overlays::{FEW_STAMPS, Kept, Slot, lock},
    proof::{Ground, Proof},
    views::{self, Siblings},
};

/// One source, ready to be asked.
pub(crate) struct OpenSource {
    /// Its last state.
    pub(crate) reader: Box<dyn Reader>,
    /// What its scan said.
    pub(crate) report: ScanReport,
    /// Units that differ from the reader and are not searched yet.
    pub(crate) pending: HashSet<String>,
}

impl OpenSource {
    /// Whether what lies at this path differs from the disk. A unit may be a folder.
    pub(crate) fn is_pending(&self, path: &str) -> bool {
        !self.pending.is_empty()
            && std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(up, _)| up))
                .any(|unit| self.pending.contains(unit))
    }
}

/// All sources that a request concerns.
pub(crate) struct Snapshot {
    /// The files as the walk saw them.
    pub(crate) tree: Arc<Tree>,
    /// What the receipt calls it.
    tree_id: Option<String>,
    /// The sources, in the order of their names.
    pub(crate) sources: Vec<OpenSource>,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// What was done to get here.
    pub(crate) work: IndexReport,
    /// Why something could not be written, when something could not.
    pub(crate) unwritten: Option<IndexError>,
    /// What was found when hits were proved.
    pub(crate) proof: Proof,
    /// Whether something was written below the folder of the tree.
    is_written: bool,
    has_templates: OnceLock<bool>,
}

impl Snapshot {
    /// Whether the tree holds templates of tools for specs and agents.
    pub(crate) fn has_templates(&self) -> bool {
        let is_template = |entry: &lore_sources::Entry| lore_syntax::is_template(&entry.path);
        *self.has_templates.get_or_init(|| self.tree.entries().iter().any(is_template))
    }

    /// What a hit of one of the sources is proved against.
    pub(crate) fn ground<'a>(&'a self, source: usize, config: &'a EngineConfig) -> Ground<'a> {
        let reader = self.sources.get(source).map(|source| source.reader.as_ref());
        Ground { config, tree: &self.tree, reader, proof: &self.proof }
    }

    /// Says once, for all sources, that the cache cannot be written.
    fn warn_of_memory(&mut self, config: &EngineConfig, error: &IndexError) {
        let note = told_of_memory(config, error);
        let start = note.split(": ").next().unwrap_or_default();
        if !self.warnings.iter().any(|warning| warning.starts_with(start)) {
            self.warnings.push(note);
        }
    }

    /// Says once, for all sources, that the index is made anew.
    fn warn_of_rebuild(&mut self, config: &EngineConfig, error: &IndexError) {
        let cache = cache_folder(config).unwrap_or_default();
        let what = match error {
            IndexError::Incompatible { .. } => "comes from another version",
            _ => "is damaged",
        };
        let note = format!("the index below `{}` {what}; it is rebuilt", cache.display());
        if !self.warnings.contains(&note) {
            self.warnings.push(note);
        }
    }

    /// Whether everything that is on disk is searched.
    pub(crate) fn freshness(&self) -> Freshness {
        let pending: u64 = self.sources.iter().map(|source| source.pending.len() as u64).sum();
        match pending + self.proof.changes() {
            0 if self.proof.is_unchecked() => Freshness::Stale,
            0 => Freshness::Verified,
            pending => Freshness::Partial(pending),
        }
    }

    /// What an answer says of itself.
    pub(crate) fn receipt(
        &self,
        config: &EngineConfig,
        total: u64,
        matched_all: u64,
        shown: u64,
    ) -> Receipt {
        let fresh = self.freshness();
        Receipt {
            root: config.root.clone(),
            tree: self.tree_id.clone(),
            fresh,
            exhaustive: total <= shown && fresh == Freshness::Verified,
            total,
            matched_all,
            sources: self.reports(),
            expanded: Vec::new(),
            semantic: "off".to_owned(),
            semantic_fallback: None,
            failure: None,
            scanned: None,
            elapsed_ms: 0.0,
        }
    }

    /// The last states of the sources that the request leaves out, as far as there are any.
    pub(crate) fn last_states_of_others(&self, config: &EngineConfig) -> Vec<Box<dyn Reader>> {
        let is_open =
            |name: SourceName| self.sources.iter().any(|open| open.reader.source() == name);
        last_states(config, |name| !is_open(name))
    }

    /// Counts per source, for the receipt.
    pub(crate) fn reports(&self) -> BTreeMap<SourceName, SourceReport> {
        self.sources
            .iter()
            .map(|source| {
                let summary = source.reader.summary();
                let mut skipped = summary.skipped;
                for (reason, count) in &source.report.skipped {
                    *skipped.entry(*reason).or_default() += count;
                }
                (source.reader.source(), SourceReport { documents: summary.documents, skipped })
            })
            .collect()
    }
}

/// That the cache cannot be written, in words.
pub(crate) fn told_of_memory(config: &EngineConfig, error: &IndexError) -> String {
    let reason = match error {
        IndexError::Unwritable { reason, .. } => reason.clone(),
        other => other.to_string(),
    };
    let cache = cache_folder(config).unwrap_or_default();
    format!(
        "could not write the index below `{}`: {reason}; this search keeps it in memory",
        cache.display()
    )
}

/// The last written states of the sources that are wanted, as far as there are any that can be read.
/// Nothing is compared with the disk.
pub(crate) fn last_states(
    config: &EngineConfig,
    wanted: impl Fn(SourceName) -> bool,
) -> Vec<Box<dyn Reader>> {
    let folder = cache_folder(config);
    SOURCES
        .iter()
        .map(|source| source.name())
        .filter(|name| wanted(*name))
        .filter_map(|name| {
            let place = views::place_in(config, folder.as_deref(), name);
            let reader = backend().open(name, &place, &fingerprint()).ok()?.reader().ok()?;
            (reader.generation() > 0).then_some(reader)
        })
        .collect()
}

/// The storage engine that is used.
pub(crate) fn backend() -> &'static dyn Backend {
    BACKENDS[0]
}

/// The analysis that the terms of an index come from.
pub(crate) fn fingerprint() -> String {
    let of_secrets = lore_sources::SECRETS_FINGERPRINT;
    let of_text = lore_text::fingerprint();
    format!("{of_text}/{}/{FINGERPRINT}/{of_secrets}", lore_syntax::fingerprint())
}

/// The options of the walk.
pub(crate) fn walk_options(config: &EngineConfig) -> WalkOptions {
    WalkOptions {
        hidden: config.hidden,
        max_file_size: config.max_file_size,
        threads: config.threads,
        commits: config.commits,
        exports: config.exports.clone(),
        at: config.at.clone(),
        secrets: config.secrets,
    }
}

/// Opens every wanted source as it is on the disk now. What changed since the last commit is laid over
/// it in memory; [`Overlays::publish`](crate::Overlays) writes it after the answer, if it is worth it.
pub(crate) fn take(
    config: &EngineConfig,
    wanted: &[SourceName],
    mode: IndexMode,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    open_all(config, wanted, mode, false, progress)
}

/// Brings every source up to date and commits at once.
pub(crate) fn commit(
    config: &EngineConfig,
    mode: IndexMode,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    open_all(config, &[], mode, true, progress)
}

fn open_all(
    config: &EngineConfig,
    wanted: &[SourceName],
    mode: IndexMode,
    at_once: bool,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    let tree = Arc::new(Tree::walk(&config.root, &walk_options(config))?);
    let mut snapshot = Snapshot {
        tree: Arc::clone(&tree),
        tree_id: None,
        sources: Vec::new(),
        warnings: Vec::new(),
        work: IndexReport::default(),
        unwritten: None,
        proof: Proof::default(),
        is_written: false,
        has_templates: OnceLock::new(),
    };
    snapshot.warnings.extend(all_left_out(&tree));
    let folder = cache_folder(config);
    let siblings = Siblings::new(config, folder.as_deref());
    // The files are compared with the commit beside that.
    let tree_id = std::thread::scope(|scope| {
        let tree_id = scope.spawn(|| config.tree_id(&tree));
        for source in SOURCES {
            if wanted.is_empty() || wanted.contains(&source.name()) {
                let place = views::place_in(config, folder.as_deref(), source.name());
                if config.write && mode == IndexMode::Update {
                    snapshot.is_written |= siblings.start(source.name(), &place);
                }
                let opening = Opening { config, source: *source, place, at_once, progress };
                match opening.open(mode, &mut snapshot) {
                    Ok(open) => snapshot.sources.push(open),
                    // A source that cannot be read at all takes nothing from the others.
                    Err(EngineError::Source(error)) if source.name() == SourceName::Git => {
                        snapshot.warnings.push(format!("{error}; the git source is not searched"));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok::<_, EngineError>(tree_id.join().ok().flatten())
    })?;
    snapshot.tree_id = tree_id;
    if snapshot.is_written
        && let Some(folder) = &folder
    {
        views::note(config, folder);
        if snapshot.unwritten.is_none() {
            let bytes = snapshot.work.bytes;
            snapshot.warnings.extend(keep_house(config, folder, bytes));
        }
    }
    Ok(snapshot)
}

/// Says that the rules of the tree leave nothing to search, where they do: no other answer would tell.
fn all_left_out(tree: &Tree) -> Option<String> {
    let ignored = tree.skipped().get(&SkipReason::Ignored).copied().unwrap_or(0);
    (tree.entries().is_empty() && ignored > 0).then(|| {
        format!(
            "`.gitignore` and the like leave out all of `{}`; the line `!/*` in a file `.loreignore` \
             there brings it back",
            tree.root().display()
        )
    })
}

/// Bytes of a tree whose first index is written as it comes: in memory it would take as much again.
const LARGE: u64 = 32 << 20;

/// Whether a first index of a tree is no matter of memory.
fn is_large(tree: &Tree, config: &EngineConfig) -> bool {
    config.commits.is_none() || tree.entries().iter().map(|entry| entry.size).sum::<u64>() > LARGE
}

/// How a source is opened.
struct Opening<'a> {
    config: &'a EngineConfig,
    source: &'a dyn Source,
    place: Place,
    /// Whether what changed is committed now.
    at_once: bool,
    progress: &'a dyn Progress,
}

impl Opening<'_> {
    /// Opens the source as it is on the disk now.
    fn open(&self, mode: IndexMode, snapshot: &mut Snapshot) -> Result<OpenSource, EngineError> {
        let Opening { config, source, place, at_once, .. } = self;
        let at_once = *at_once;
        // Whoever commits at once has the lock of the index, which takes nothing from answers.
        let slot = if at_once { Slot::default() } else { config.overlays.slot(place) };
        let mut kept = lock(&slot);
        let opened = open_or_rebuild(config, source.name(), place, mode, snapshot)?;
        let first = opened.1.generation() == 0;
        let writes = at_once || first && is_large(&snapshot.tree, config);
        let writes = *place == Place::Memory || config.write && writes;
        let tried = self.bring_up(opened, writes, &mut kept, snapshot)?;
        let error = match tried {
            Ok(open) => return Ok(open),
            Err(error) => error,
        };
        // What was read now is not looked at by opening. Only what is verified to be damaged is erased.
        let is_damaged = matches!(error, IndexError::Damaged { .. });
        if config.write && is_damaged && backend().distrust(place).is_ok() {
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
        (store, base): Opened,
        last: &mut Option<Kept>,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        let config = self.config;
        let started = Instant::now();
        // What is laid over an index stays in memory; a first one is for the disk.
        let limits = if base.generation() > 0 { config.limits.of_memory() } else { config.limits };
        let mut kept = match last.take() {
            Some(kept) if kept.stands_on(base.as_ref()) => kept,
            _ => Kept::new(store.overlay(base.as_ref())?, base.as_ref()),
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
                if config.limits.refuses_words(|| kept_bytes(config), text) {
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
        Ok(Ok(OpenSource { reader, report: updated.report, pending: updated.left }))
    }

    /// Writes what changed to where the index lies.
    fn write(
        &self,
        (store, mut reader): Opened,
        snapshot: &mut Snapshot,
    ) -> Result<Result<OpenSource, IndexError>, EngineError> {
        let updated =
            self.update(store.as_ref(), reader.as_ref(), self.config.limits, 0, snapshot)?;
        let pending = match updated.outcome {
            Outcome::Unchanged => HashSet::new(),
            Outcome::Committed => {
                snapshot.is_written |= self.place != Place::Memory;
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
            && self.place != Place::Memory
            && self.wants_vectors(reader.as_ref())?
        {
            let (config, built_in) = (self.config, StaticEmbedder::builtin());
            catch_up(self.source, store.as_ref(), built_in, config, self.progress, snapshot);
            reader = store.reader()?;
        }
        if self.place != Place::Memory && updated.concessions.contains(&Concession::VectorsForDisk)
        {
            warn_of_missing_vectors(snapshot, self.config, reader.as_ref())?;
        }
        Ok(Ok(OpenSource { reader, report: updated.report, pending }))
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
        let (store, reader) = open_in_memory(self.config, self.source.name())?;
        // Nothing of this comes to the disk.
        let limits = self.config.limits.of_memory();
        let updated = self.update(store.as_ref(), reader.as_ref(), limits, 0, snapshot)?;
        match updated.outcome {
            Outcome::Unchanged | Outcome::Committed => {
                snapshot.unwritten.get_or_insert(error);
                let (reader, report) = (store.reader()?, updated.report);
                Ok(OpenSource { reader, report, pending: updated.left })
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
        let config = &EngineConfig { limits, ..(*config).clone() };
        let updated =
            update(*source, &snapshot.tree, store, reader, config, few_stamps, *progress)?;
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
        Ok(missing > 0 && has_room_for_vectors(self.config, reader, missing))
    }
}

/// Gives vectors to what an index holds without. One that cannot be written stays as it is, with a
/// warning. Returns false if the embedder does not answer.
fn catch_up(
    source: &dyn Source,
    store: &dyn Store,
    embedder: &dyn Embedder,
    config: &EngineConfig,
    progress: &dyn Progress,
    snapshot: &mut Snapshot,
) -> bool {
    let all = config.embedding.embedders();
    let keep: Vec<&str> = all.iter().map(Embedder::fingerprint).collect();
    let embedded = embed_missing(source, &snapshot.tree, store, embedder, &keep, progress);
    snapshot.work.embedded += embedded.documents;
    let (name, source) = (embedder.name(), source.name().as_str());
    if let Some(error) = &embedded.refusals.first {
        let passages = match embedded.refusals.passages {
            1 => "one passage".to_owned(),
            count => format!("{count} passages"),
        };
        snapshot.warnings.push(format!(
            "`{name}` refuses {passages} of `{source}`, which words alone find: {}",
            told(error)
        ));
    }
    let reason = match &embedded.failure {
        None => return true,
        Some(Failure::Embedder(error)) => told(error),
        Some(Failure::Index(error)) => error.to_string(),
        Some(Failure::Source(error)) => error.to_string(),
    };
    let instead = if is_built_in(embedder) {
        "words alone find the rest"
    } else {
        "the model inside the program stands in"
    };
    snapshot.warnings.push(format!("`{name}` could not embed `{source}`: {reason}; {instead}"));
    !matches!(embedded.failure, Some(Failure::Embedder(_)))
}

/// Lets the embedders that a search does not wait for embed what is left. Words are searched
/// meanwhile.
pub(crate) fn embed_the_rest(
    config: &EngineConfig,
    snapshot: &mut Snapshot,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    let folder = cache_folder(config);
    for embedder in config.embedding.embedders() {
        if is_built_in(embedder) {
            continue;
        }
        for source in SOURCES {
            let place = views::place_in(config, folder.as_deref(), source.name());
            if place == Place::Memory {
                continue;
            }
            let store = backend().open(source.name(), &place, &fingerprint())?;
            let counts = store.reader()?.vector_counts(embedder.fingerprint())?;
            // What does not answer now is not asked for the next source again.
            if counts.missing > 0
                && !catch_up(*source, store.as_ref(), embedder, config, progress, snapshot)
            {
                break;
            }
        }
    }
    Ok(())
}

fn note_work(snapshot: &mut Snapshot, source: SourceName, updated: &Updated) {
    let counts = (updated.written, updated.deleted, updated.unchanged);
    snapshot.work.sources.insert(source, counts);
    snapshot.work.bytes += updated.bytes;
}

/// An index and its last state.
type Opened = (Box<dyn Store>, Box<dyn Reader>);

/// Opens an index; one that is damaged or of another version is made anew.
fn open_or_rebuild(
    config: &EngineConfig,
    source: SourceName,
    place: &Place,
    mode: IndexMode,
    snapshot: &mut Snapshot,
) -> Result<Opened, EngineError> {
    let fingerprint = fingerprint();
    let attempt = || {
        let store = backend().open(source, place, &fingerprint)?;
        if let Some(bytes) = config.limits.buffers() {
            store.limit_memory(bytes);
        }
        let reader = store.reader()?;
        Ok::<_, IndexError>((store, reader))
    };
    let reason = match attempt() {
        Ok(opened) if mode == IndexMode::Update => return Ok(opened),
        Ok(opened) if opened.1.generation() == 0 => return Ok(opened),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    let failure = if config.write {
        match backend().erase(place).and_then(|()| attempt()) {
            Ok(opened) => {
                if let Some(error) = &reason {
                    snapshot.warn_of_rebuild(config, error);
                }
                return Ok(opened);
            }
            // What looks damaged is being made anew by somebody else right now.
            Err(error) => error,
        }
    } else {
        reason.unwrap_or_else(switched_off)
    };
    if config.write && !matches!(failure, IndexError::Busy { .. }) {
        snapshot.warn_of_memory(config, &failure);
    }
    snapshot.unwritten.get_or_insert(failure);
    Ok(open_in_memory(config, source)?)
}

/// An empty index in memory.
fn open_in_memory(config: &EngineConfig, source: SourceName) -> Result<Opened, IndexError> {
    let store = backend().open(source, &Place::Memory, &fingerprint())?;
    if let Some(bytes) = config.limits.buffers() {
        store.limit_memory(bytes);
    }
    let reader = store.reader()?;
    Ok((store, reader))
}

/// Why a search that must not write does not.
fn switched_off() -> IndexError {
    let reason = "writing is switched off".to_owned();
    IndexError::Unwritable { path: PathBuf::new(), reason }
}
