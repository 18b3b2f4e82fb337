//! Exchange of indexes with other clones of a repository: an export writes those of a tree to one file,
//! and an import starts from such a file.
//!
//! An import takes these steps. Until the last, the index of the tree is as it was.
//!
//! 1. **Choose.** The file must have the format, the text analysis and the options of this tree
//!    ([`plan`]). Of the files in a folder, the one is taken whose commit is nearest to HEAD.
//! 2. **Unpack.** Every byte is checked ([`lore_index::IndexCache::unpack`]), and the indexes that this
//!    tree lacks are unpacked into a private folder.
//! 3. **Prove.** An index of which nothing is in the tree is refused. A scan of the tree reads and hashes every file. Units with equal content are kept, others
//!    are analysed, and what the tree does not have is removed from the files of the index
//!    ([`UpdateOptions::is_import`]).
//! 4. **Place.** The indexes are put in place by renames.
//!
//! **Invariant:** no search, suggestion or count sees an imported index before step 4, and so nothing
//! that only the exporting clone had.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use lore_index::{
    ExchangeFolder, ExportDescription, ExportOptions, FoundExport, IndexError, IndexLocation,
    SourceToExport,
};
use lore_schema::{Change, SourceName};
use lore_sources::{CustomSources, HeadHistory, SOURCES, Secrets, Source, Tree};
use lore_text::{Embedder, StaticEmbedder};

use crate::{
    CachePlace, EngineConfig, EngineError, Overlays, Phase, Progress,
    state::{
        housekeeping::{evict, index_bytes},
        ingest::{Outcome, UpdateOptions, update},
        known_units::KnownUnits,
        limits::format_bytes,
        opening::limit_memory,
        storage::fingerprint,
        views::{self, cache_folder, document_options, location_in},
    },
};

/// Maximum number of files in a folder whose descriptions are compared.
const MAX_FILES: usize = 1_000;

/// Maximum number of refused files that an error names.
const MAX_NAMED: usize = 8;

/// Maximum time to look for the commits of exports in the history.
const HISTORY_TIME: Duration = Duration::from_secs(10);

/// A written export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportReport {
    /// The file.
    pub path: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// The commit that was checked out; `None` outside git.
    pub commit: Option<String>,
    /// Number of documents.
    pub documents: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Size of the packed index files in bytes.
    pub unpacked_bytes: u64,
    /// Duration of the export alone in seconds.
    pub seconds: f64,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// An import that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportPlan {
    /// The file.
    pub path: PathBuf,
    /// The commit that it was made from; `None` if it was made outside git.
    pub commit: Option<String>,
    /// By source: the number of units in the file, and true if they are imported. An index that is
    /// complete is not replaced.
    pub sources: BTreeMap<SourceName, (u64, bool)>,
    /// Size of the indexes to import in bytes, unpacked.
    pub bytes: u64,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// The plan that was carried out.
    pub plan: ImportPlan,
    /// Number of units of the file whose content the tree has.
    pub kept: u64,
    /// Number of units of the tree that were read and analysed.
    pub analysed: u64,
    /// Number of units of the file that the tree does not have.
    pub dropped: u64,
    /// Per imported source: units analysed, dropped and kept, as [`IndexReport::sources`] counts them.
    ///
    /// [`IndexReport::sources`]: crate::IndexReport::sources
    pub sources: BTreeMap<SourceName, (u64, u64, u64)>,
    /// Bytes of text that were read and analysed.
    pub text_bytes: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// Returns the configuration whose indexes are exported: the documents of the tree and its history, and
/// nothing that only the settings of this user name.
pub(crate) fn exported(config: &EngineConfig, target: &Path) -> Result<EngineConfig, EngineError> {
    let refused = |reason: &str| {
        let reason = reason.to_owned();
        Err(EngineError::Index(IndexError::Export { path: target.to_owned(), reason }))
    };
    if config.secrets == Secrets::Shown {
        return refused("the index would contain secrets, because `privacy.redact` is off");
    }
    if !config.write || config.cache == CachePlace::Memory {
        return refused("the index is not written to disk");
    }
    Ok(EngineConfig {
        exports: Vec::new(),
        custom: CustomSources::none(),
        overlays: Overlays::default(),
        ..config.clone()
    })
}

/// Writes the indexes of a configuration, which are up to date, to a file.
pub(crate) fn export(
    config: &EngineConfig,
    target: &Path,
    progress: &dyn Progress,
) -> Result<ExportReport, EngineError> {
    let started = Instant::now();
    progress.phase(Phase::Export);
    let Some(view) = cache_folder(config) else {
        let reason = views::cache_problem(config).unwrap_or_default();
        return Err(IndexError::Export { path: target.to_owned(), reason }.into());
    };
    let sources: Vec<SourceToExport> = SOURCES
        .iter()
        .filter_map(|source| match location_in(config, Some(&view), source.name()) {
            IndexLocation::Folder(folder) => Some(SourceToExport { name: source.name(), folder }),
            IndexLocation::Memory => None,
        })
        .collect();
    // The name of a model behind a server contains the address of the server.
    let embedders = config.embedding.embedders().into_iter().filter(Embedder::is_fast);
    let built_in: &dyn Embedder = StaticEmbedder::builtin();
    let mut models: Vec<&str> = embedders.map(Embedder::fingerprint).collect();
    models.push(built_in.fingerprint());
    let commit = config.commit();
    let options = ExportOptions {
        view: &view,
        sources: &sources,
        models: &models,
        analysis: &fingerprint(),
        options: &document_options(config),
        commit: commit.as_deref(),
    };
    let (description, bytes) = config.backend.cache().export(&options, target)?;
    let all = description.sources.iter();
    Ok(ExportReport {
        path: target.to_owned(),
        bytes,
        commit,
        documents: all.clone().map(|source| source.documents).sum(),
        chunks: all.clone().map(|source| source.chunks).sum(),
        unpacked_bytes: all.map(|source| source.bytes).sum(),
        seconds: started.elapsed().as_secs_f64(),
        warnings: listed_warning(config, target).into_iter().collect(),
    })
}

/// Returns a warning if a file is in the tree and would be searched and committed with it.
fn listed_warning(config: &EngineConfig, file: &Path) -> Option<String> {
    let (folder, name) = (file.parent()?, file.file_name()?);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = lore_sources::canonical_path(folder, Path::new(name));
    let path = lore_sources::native::from_disk(&config.root, &file)?;
    let (tree, _) = config.overlays.walks().take(config).ok()?;
    tree.entry(&path)?;
    Some(format!("`{path}` is in the tree and not ignored; put `/{path}` into `.gitignore`"))
}

/// Chooses the file of an import and the indexes that are taken from it. With `replaces`, complete
/// indexes are replaced.
pub(crate) fn plan(
    config: &EngineConfig,
    path: &Path,
    replaces: bool,
) -> Result<ImportPlan, EngineError> {
    let refused = |reason: String| IndexError::Import { path: path.to_owned(), reason };
    if !config.write || config.cache == CachePlace::Memory {
        return Err(refused("the index is not written to disk".to_owned()).into());
    }
    let Some(view) = cache_folder(config) else {
        return Err(refused(views::cache_problem(config).unwrap_or_default()).into());
    };
    let cache = config.backend.cache();
    let (path, description) = if path.is_dir() {
        nearest(config, path, cache.exports_in(path, MAX_FILES)?)?
    } else {
        let description = cache.describe_export(path)?;
        check(config, &description).map_err(refused)?;
        (path.to_owned(), description)
    };
    let mut plan =
        ImportPlan { path, commit: description.commit, sources: BTreeMap::new(), bytes: 0 };
    for source in description.sources {
        let location = location_in(config, Some(&view), source.name);
        let is_imported = replaces || !is_complete(config, source.name, &location);
        plan.sources.insert(source.name, (source.units, is_imported));
        plan.bytes += if is_imported { source.bytes } else { 0 };
    }
    if let Some(limit) = config.limits.disk.filter(|limit| *limit < plan.bytes) {
        let (bytes, limit) = (format_bytes(plan.bytes), format_bytes(limit));
        let reason = format!("its indexes take {bytes}, more than `limits.disk` allows ({limit})");
        return Err(IndexError::Import { path: plan.path, reason }.into());
    }
    Ok(plan)
}

/// Returns true if a source has an index that can be used and is not the part of a first one.
fn is_complete(config: &EngineConfig, source: SourceName, location: &IndexLocation) -> bool {
    let opened = config.backend.open(source, location, &fingerprint());
    let reader = opened.and_then(|store| store.reader());
    reader.is_ok_and(|reader| 0 < reader.generation() && !reader.is_partial())
}

/// Returns the reason why an export does not fit this tree and this version, if there is one.
fn check(config: &EngineConfig, export: &ExportDescription) -> Result<(), String> {
    let by = format!("it was written by `lore` {}", printable(&export.program));
    if export.backend != config.backend.name() {
        return Err(format!("{by} for the storage engine `{}`", printable(&export.backend)));
    }
    if export.format != config.backend.format() {
        let (theirs, ours) = (export.format, config.backend.format());
        return Err(format!("{by} with index format {theirs}, and this version has {ours}"));
    }
    if export.analysis != fingerprint() {
        return Err(format!("{by} with another analysis of texts"));
    }
    let ours = document_options(config);
    if export.options != ours {
        return Err(format!("{by} with `{}`, and here it is `{ours}`", printable(&export.options)));
    }
    Ok(())
}

/// A text of a file, as a message shows it.
fn printable(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_default).collect()
}

/// Chooses the export whose commit is nearest to HEAD: HEAD itself, or else its newest ancestor.
fn nearest(
    config: &EngineConfig,
    folder: &Path,
    found: Vec<FoundExport>,
) -> Result<(PathBuf, ExportDescription), EngineError> {
    let refused = |reason: String| IndexError::Import { path: folder.to_owned(), reason };
    let history = HeadHistory::read(&config.root, config.at.as_ref(), HISTORY_TIME);
    let position = |export: &ExportDescription| {
        check(config, export)?;
        let commit = export.commit.as_deref().ok_or("it was made outside git")?;
        let history = history.as_ref().ok_or("this tree has no commit to compare its own with")?;
        history.position(commit).ok_or_else(|| {
            let commit: String = printable(commit).chars().take(10).collect();
            format!("its commit {commit} is not in the history of HEAD")
        })
    };
    let number = found.len();
    let (mut fitting, mut reasons) = (Vec::new(), Vec::new());
    for (path, description) in found {
        let name = path.file_name().unwrap_or_default().display().to_string();
        let described = description.map_err(|error| match error {
            IndexError::Import { reason, .. } => reason,
            error => error.to_string(),
        });
        match described.and_then(|export| Ok((position(&export)?, export))) {
            Ok((position, export)) => fitting.push((position, path, export)),
            Err(reason) => reasons.push(format!("`{name}`: {reason}")),
        }
    }
    fitting.sort_by(|left, right| (left.0, &left.1).cmp(&(right.0, &right.1)));
    if let Some((_, path, export)) = fitting.into_iter().next() {
        return Ok((path, export));
    }
    if number == 0 {
        return Err(refused("it contains no file".to_owned()).into());
    }
    let more = reasons.len().saturating_sub(MAX_NAMED);
    reasons.truncate(MAX_NAMED);
    if 0 < more {
        reasons.push(format!("and {more} more"));
    }
    Err(refused(format!("none of its files fits: {}", reasons.join("; "))).into())
}

/// Carries out a plan.
pub(crate) fn import(
    config: &EngineConfig,
    plan: ImportPlan,
    progress: &dyn Progress,
) -> Result<ImportReport, EngineError> {
    let started = Instant::now();
    let mut report = ImportReport {
        plan,
        kept: 0,
        analysed: 0,
        dropped: 0,
        sources: BTreeMap::new(),
        text_bytes: 0,
        seconds: 0.0,
        warnings: Vec::new(),
    };
    let wanted: Vec<SourceName> = report
        .plan
        .sources
        .iter()
        .filter(|(_, (_, is_imported))| *is_imported)
        .map(|(name, _)| *name)
        .collect();
    let Some(view) = cache_folder(config).filter(|_| !wanted.is_empty()) else {
        report.seconds = started.elapsed().as_secs_f64();
        return Ok(report);
    };
    progress.phase(Phase::Import);
    let cache = config.backend.cache();
    let unpacked = cache.unpack(&report.plan.path, &view, &wanted, &fingerprint())?;
    progress.phase(Phase::List);
    let (tree, _) = config.overlays.walks().take(config)?;
    let staged = Staged { config, folder: &unpacked, view: &view, bytes: report.plan.bytes };
    if !staged.shares_content(&wanted, &tree)? {
        let reason = "nothing in it is in this tree".to_owned();
        return Err(IndexError::Import { path: report.plan.path, reason }.into());
    }
    let mut proven = Vec::new();
    for source in SOURCES.iter().filter(|source| wanted.contains(&source.name())) {
        match staged.prove(*source, &tree, &mut report, progress) {
            Ok(()) => proven.push(source.name()),
            Err(EngineError::Index(IndexError::Damaged { reason, .. })) => {
                let reason = format!("it is damaged: its index of `{}`: {reason}", source.name());
                return Err(IndexError::Import { path: report.plan.path, reason }.into());
            }
            // As in a search, an unreadable history leaves the other sources as they are.
            Err(EngineError::Source(_)) if source.name() == SourceName::Git => {}
            Err(error) => return Err(error),
        }
    }
    for source in proven {
        cache.place(&unpacked, source, &location_in(config, Some(&view), source))?;
    }
    drop(unpacked);
    views::describe(config, &view);
    report.warnings = evict(config, &view, report.plan.bytes);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Unpacked indexes that are compared with the tree.
struct Staged<'a> {
    config: &'a EngineConfig,
    folder: &'a ExchangeFolder,
    view: &'a Path,
    bytes: u64,
}

impl Staged<'_> {
    /// Returns true if a unit of the indexes is in the tree with the same content, or they have no unit.
    /// An index of another repository would be emptied, and everything analysed as without it.
    fn shares_content(&self, wanted: &[SourceName], tree: &Tree) -> Result<bool, EngineError> {
        let mut has_units = false;
        // Comparing commits reads those that are new. Files come first.
        let mut sources: Vec<_> =
            SOURCES.iter().filter(|source| wanted.contains(&source.name())).collect();
        sources.sort_by_key(|source| source.name() == SourceName::Git);
        for source in sources {
            let location = self.folder.location(source.name());
            let store = self.config.backend.open(source.name(), &location, &fingerprint())?;
            let reader = store.reader()?;
            if reader.unit_count() == 0 {
                continue;
            }
            has_units = true;
            let mut is_shared = false;
            let known = KnownUnits::imported(reader.as_ref());
            // A source that cannot be read is reported by the update.
            let _ = source.scan(tree, &known, &mut |change| {
                is_shared |= matches!(change, Change::Unchanged(_) | Change::Restamp { .. });
                if is_shared { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if is_shared {
                return Ok(true);
            }
        }
        Ok(!has_units)
    }

    /// Brings an unpacked index up to date with the tree, by contents alone.
    fn prove(
        &self,
        source: &dyn Source,
        tree: &Tree,
        report: &mut ImportReport,
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        let config = self.config;
        let location = self.folder.location(source.name());
        let store = config.backend.open(source.name(), &location, &fingerprint())?;
        limit_memory(config, store.as_ref());
        let reader = store.reader()?;
        let size = || index_bytes(config, Some(self.view)) + self.bytes;
        let options = UpdateOptions {
            limits: config.limits,
            max_unwritten_stamps: 0,
            interval: None,
            totals: None,
            folder: Some(self.view),
            size: &size,
            only: None,
            writes_anyway: true,
            is_import: true,
        };
        let updated =
            update(source, tree, store.as_ref(), reader.as_ref(), config, &options, progress)?;
        if let Outcome::Blocked(error, _) = updated.outcome {
            return Err(error.into());
        }
        if !updated.postponed.is_empty() {
            // They would keep what the file says about them.
            let reason =
                "the tree differs too much for `limits.memory`; build the index without it";
            return Err(IndexError::Import {
                path: report.plan.path.clone(),
                reason: reason.to_owned(),
            }
            .into());
        }
        report.kept += updated.unchanged;
        report.analysed += updated.written;
        report.dropped += updated.deleted;
        report.text_bytes += updated.bytes;
        let counts = (updated.written, updated.deleted, updated.unchanged);
        report.sources.insert(source.name(), counts);
        Ok(())
    }
}
