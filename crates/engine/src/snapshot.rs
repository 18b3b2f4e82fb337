//! The state of all sources at one moment: their readers, and how far they can be trusted.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use lore_index::{BACKENDS, Backend, IndexError, Place, Reader, Store};
use lore_schema::SourceName;
use lore_sources::{SOURCES, ScanReport, Secrets, Source, Tree, WalkOptions};
use lore_text::{Embedder, StaticEmbedder};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    CachePlace, Embedding, EngineConfig, EngineError, Freshness, IndexMode, IndexReport, Progress,
    Receipt, SourceReport,
    analyze::FINGERPRINT,
    embedding::{Failure, embed_missing, is_built_in, told},
    ingest::{Outcome, Updated, update},
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
    pub(crate) tree: Tree,
    /// The sources, in the order of their names.
    pub(crate) sources: Vec<OpenSource>,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// What was done to get here.
    pub(crate) work: IndexReport,
    /// Why something could not be written, when something could not.
    pub(crate) unwritten: Option<IndexError>,
    has_templates: OnceLock<bool>,
}

impl Snapshot {
    /// Whether the tree holds templates of tools for specs and agents.
    pub(crate) fn has_templates(&self) -> bool {
        let is_template = |entry: &lore_sources::Entry| lore_syntax::is_template(&entry.path);
        *self.has_templates.get_or_init(|| self.tree.entries().iter().any(is_template))
    }

    /// Says once, for all sources, that the cache cannot be written.
    fn warn_of_memory(&mut self, config: &EngineConfig, error: &IndexError) {
        let reason = match error {
            IndexError::Unwritable { reason, .. } => reason.clone(),
            other => other.to_string(),
        };
        let cache = cache_folder(config).unwrap_or_default();
        let note = format!(
            "could not write the index below `{}`: {reason}; this search keeps it in memory",
            cache.display()
        );
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
        match self.sources.iter().map(|source| source.pending.len() as u64).sum() {
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
            tree: lore_sources::head_commit(&config.root).map(|head| head[..8].to_owned()),
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
            let place = place_in(config, folder.as_deref(), name);
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
        secrets: config.secrets,
    }
}

/// Folder of the indexes of this tree: one for the repository, in it one for each work tree and
/// set of options that changes what is in the index. `None` in memory.
pub(crate) fn cache_folder(config: &EngineConfig) -> Option<PathBuf> {
    let CachePlace::Folder(cache) = &config.cache else { return None };
    let common = lore_sources::common_dir(&config.root);
    let name: String = config
        .root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .take(40)
        .collect();
    let repository = hash_of(&common, "");
    let secrets = if config.secrets == Secrets::Shown { " secrets=shown" } else { "" };
    let options = format!("hidden={} max={}{secrets}", config.hidden, config.max_file_size);
    let view = hash_of(&config.root, &options);
    Some(cache.join(format!("{name}-{repository:016x}")).join(format!("{view:016x}")))
}

fn hash_of(path: &Path, options: &str) -> u64 {
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    bytes.push(0);
    bytes.extend_from_slice(options.as_bytes());
    xxh3_64(&bytes)
}

/// Where the index of a source lies.
pub(crate) fn place_of(config: &EngineConfig, source: SourceName) -> Place {
    place_in(config, cache_folder(config).as_deref(), source)
}

/// Where the index of a source lies below the folder of its tree. Finding that folder reads the
/// disk, so whoever opens all sources finds it once.
///
/// Tickets with exports have an index of their own for each set of exports: a search without them
/// finds none of theirs, not even while another one writes.
fn place_in(config: &EngineConfig, folder: Option<&Path>, source: SourceName) -> Place {
    let Some(folder) = folder else { return Place::Memory };
    if source != SourceName::Tickets || config.exports.is_empty() {
        return Place::Folder(folder.join(source.as_str()));
    }
    let mut exports: Vec<PathBuf> = config
        .exports
        .iter()
        .map(|path| lore_sources::canonical_path(&config.root, path))
        .collect();
    exports.sort_unstable();
    exports.dedup();
    let mut names = Vec::new();
    for path in &exports {
        names.extend_from_slice(path.as_os_str().as_encoded_bytes());
        names.push(0);
    }
    Place::Folder(folder.join(format!("{}-{:016x}", source.as_str(), xxh3_64(&names))))
}

/// Brings every wanted source up to date and opens it.
pub(crate) fn take(
    config: &EngineConfig,
    wanted: &[SourceName],
    mode: IndexMode,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    let tree = Tree::walk(&config.root, &walk_options(config))?;
    let mut snapshot = Snapshot {
        tree,
        sources: Vec::new(),
        warnings: Vec::new(),
        work: IndexReport::default(),
        unwritten: None,
        has_templates: OnceLock::new(),
    };
    let folder = cache_folder(config);
    for source in SOURCES {
        if wanted.is_empty() || wanted.contains(&source.name()) {
            let place = place_in(config, folder.as_deref(), source.name());
            open_source(config, *source, &place, mode, progress, &mut snapshot)?;
        }
    }
    Ok(snapshot)
}

fn open_source(
    config: &EngineConfig,
    source: &dyn Source,
    place: &Place,
    mode: IndexMode,
    progress: &dyn Progress,
    snapshot: &mut Snapshot,
) -> Result<(), EngineError> {
    let (store, reader) = open_or_rebuild(config, source.name(), place, mode, snapshot)?;
    let first = if config.write {
        update(source, &snapshot.tree, store.as_ref(), reader.as_ref(), config, progress)
    } else {
        let closed = ReadOnly(store.as_ref());
        update(source, &snapshot.tree, &closed, reader.as_ref(), config, progress)
    };
    let updated = match first {
        Ok(updated) => updated,
        // A source that cannot be read at all takes nothing from the others.
        Err(EngineError::Source(error)) if source.name() == SourceName::Git => {
            snapshot.warnings.push(format!("{error}; the git source is not searched"));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    note_work(snapshot, source.name(), &updated);
    let mut is_stored = *place != Place::Memory;
    let (mut reader, report, pending) = match updated.outcome {
        Outcome::Unchanged => (reader, updated.report, HashSet::new()),
        Outcome::Committed => (store.reader()?, updated.report, HashSet::new()),
        // Somebody else writes right now. What is committed is searched; the answer says so.
        Outcome::Blocked(error @ (IndexError::Busy { .. } | IndexError::Moved { .. }), pending)
            if reader.generation() > 0 =>
        {
            snapshot.unwritten.get_or_insert(error);
            (store.reader()?, updated.report, pending)
        }
        Outcome::Blocked(error, _) => {
            if config.write && !matches!(error, IndexError::Busy { .. }) {
                snapshot.warn_of_memory(config, &error);
            }
            let store = backend().open(source.name(), &Place::Memory, &fingerprint())?;
            let reader = store.reader()?;
            let again =
                update(source, &snapshot.tree, store.as_ref(), reader.as_ref(), config, progress)?;
            match again.outcome {
                Outcome::Unchanged | Outcome::Committed => {
                    is_stored = false;
                    snapshot.unwritten.get_or_insert(error);
                    (store.reader()?, again.report, HashSet::new())
                }
                Outcome::Blocked(error, _) => return Err(error.into()),
            }
        }
    };
    // A search does not wait for other models: what they have not embedded is for an index run.
    let built_in: &dyn Embedder = StaticEmbedder::builtin();
    if config.write
        && config.embedding != Embedding::Off
        && pending.is_empty()
        && is_stored
        && reader.vector_counts(built_in.fingerprint())?.missing > 0
    {
        catch_up(source, store.as_ref(), built_in, config, progress, snapshot);
        reader = store.reader()?;
    }
    snapshot.sources.push(OpenSource { reader, report, pending });
    Ok(())
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
            let place = place_in(config, folder.as_deref(), source.name());
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
    let store = backend().open(source, &Place::Memory, &fingerprint)?;
    let reader = store.reader()?;
    Ok((store, reader))
}

/// Why a search that must not write does not.
fn switched_off() -> IndexError {
    let reason = "writing is switched off".to_owned();
    IndexError::Unwritable { path: PathBuf::new(), reason }
}

/// A store that refuses to be written, for searches that must not write.
struct ReadOnly<'a>(&'a dyn Store);

impl Store for ReadOnly<'_> {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        self.0.reader()
    }

    fn writer(&self, _: &dyn Reader) -> Result<Box<dyn lore_index::Writer>, IndexError> {
        Err(switched_off())
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        self.0.verify()
    }
}
