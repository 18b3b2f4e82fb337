//! Brings the sources of a request up to date with the tree and returns them as a snapshot.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use lore_index::{IndexError, IndexVersion, Reader};
use lore_schema::{SkipReason, SourceName};
use lore_sources::{SOURCES, ScanReport, Tree};

use crate::{
    CachePlace, EngineConfig, EngineError, IndexMode, Phase, Progress,
    state::{
        housekeeping::evict,
        opening::Opening,
        snapshot::{OpenSource, Snapshot},
        storage::walk_options,
        stored::StoredRepository,
        views::{self, Siblings, cache_folder},
        workload::Totals,
    },
};

/// Opens every wanted source as it is on the disk now. Changes since the last commit are overlaid in
/// memory. [`Overlays::publish`](crate::Overlays) writes them after the answer, if they are large enough.
pub(crate) fn take(
    config: &EngineConfig,
    wanted: &[SourceName],
    mode: IndexMode,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    open_all(config, wanted, mode, false, progress)
}

/// Opens the sources that a snapshot does not have, as they are on the disk now, if they have an
/// index. A source that was never searched would take too long.
pub(crate) fn take_others(
    config: &EngineConfig,
    snapshot: &Snapshot,
) -> Result<Vec<Box<dyn Reader>>, EngineError> {
    let is_open =
        |name: SourceName| snapshot.sources.iter().any(|open| open.reader.source() == name);
    if let Some(stored) = &config.stored {
        let mut readers = stored.readers()?;
        readers.retain(|reader| !is_open(reader.source()));
        return Ok(readers);
    }
    let indexed: Vec<SourceName> = views::last_states(config, |name| !is_open(name))
        .iter()
        .map(|reader| reader.source())
        .collect();
    let folder = cache_folder(config);
    let mut others = Snapshot::new(Arc::clone(&snapshot.tree));
    let mut readers = Vec::new();
    for source in SOURCES.iter().filter(|source| indexed.contains(&source.name())) {
        let opening = Opening {
            config,
            source: *source,
            location: views::location_in(config, folder.as_deref(), source.name()),
            folder: folder.as_deref(),
            commit_now: false,
            progress: &(),
            totals: None,
        };
        match opening.open(IndexMode::Update, &mut others) {
            Ok(open) => readers.push(open.reader),
            // As in a search of all sources.
            Err(EngineError::Source(_)) if source.name() == SourceName::Git => {}
            Err(error) => return Err(error),
        }
    }
    Ok(readers)
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
    commit_now: bool,
    progress: &dyn Progress,
) -> Result<Snapshot, EngineError> {
    progress.phase(Phase::List);
    if let Some(stored) = &config.stored {
        return of_stored(stored, config, wanted);
    }
    let (tree, check) = config.overlays.walks().take(config)?;
    let mut snapshot = Snapshot::new(Arc::clone(&tree));
    snapshot.check = check;
    snapshot.templates = config.overlays.templates(tree.version());
    snapshot.warnings.extend(all_ignored_warning(&tree));
    for file in tree.oversized_ignore_files() {
        snapshot.warnings.push(format!(
            "`{file}` is not applied, because an ignore file may have at most 1 MiB"
        ));
    }
    if let Some(problem) = views::cache_problem(config) {
        if commit_now {
            let (path, reason) = (cache_root(config), problem);
            snapshot.unwritten = Some(IndexError::Unwritable { path, reason });
        } else {
            snapshot.warnings.push(problem);
        }
    }
    let folder = cache_folder(config);
    if config.write
        && let Some(repository) = folder.as_deref().and_then(Path::parent)
    {
        config.backend.cache().close_to_others(repository);
    }
    let totals = Totals::new(config, &tree, folder.as_deref(), wanted, mode);
    let siblings = Siblings::new(config, folder.as_deref());
    // Meanwhile, the files are compared with the commit that is checked out.
    let tree_id = std::thread::scope(|scope| {
        let tree_id = scope.spawn(|| config.overlays.standing().of(&tree, config));
        for source in SOURCES {
            if wanted.is_empty() || wanted.contains(&source.name()) {
                let location = views::location_in(config, folder.as_deref(), source.name());
                if config.write && mode == IndexMode::Update {
                    snapshot.is_written |= siblings.start(source.name(), &location);
                }
                let opening = Opening {
                    config,
                    source: *source,
                    location,
                    folder: folder.as_deref(),
                    commit_now,
                    progress,
                    totals: Some(&totals),
                };
                match opening.open(mode, &mut snapshot) {
                    Ok(open) => snapshot.sources.push(open),
                    // If the history cannot be read at all, the other sources are still searched.
                    Err(EngineError::Source(error)) if source.name() == SourceName::Git => {
                        snapshot.warnings.push(format!("{error}; the git source is not searched"));
                    }
                    Err(error) => return Err(error),
                }
                // The run fails for that in the end, and would meet the other process at each source.
                if commit_now && snapshot.unwritten.as_ref().is_some_and(IndexError::is_concurrent)
                {
                    break;
                }
            }
        }
        Ok::<_, EngineError>(tree_id.join().ok().flatten())
    })?;
    snapshot.tree_id = tree_id;
    if snapshot.is_written
        && let Some(folder) = &folder
    {
        views::describe(config, folder);
        if snapshot.unwritten.is_none() {
            let bytes = snapshot.work.bytes;
            snapshot.warnings.extend(evict(config, folder, bytes));
        }
    }
    Ok(snapshot)
}

/// Opens every wanted source of a repository in a cluster as it was last ingested. Without `wanted`, all.
fn of_stored(
    stored: &StoredRepository,
    config: &EngineConfig,
    wanted: &[SourceName],
) -> Result<Snapshot, EngineError> {
    let readers = stored.readers()?;
    let versions: Vec<IndexVersion> = readers.iter().map(|reader| reader.version()).collect();
    let walk = || Tree::walk(&config.root, &walk_options(config));
    let tree = config.overlays.walks().stored(&versions, walk)?;
    let mut snapshot = Snapshot::new(tree);
    snapshot.ingested = Some(StoredRepository::ingested(&readers));
    for reader in readers {
        if wanted.is_empty() || wanted.contains(&reader.source()) {
            snapshot.work.sources.insert(reader.source(), (0, 0, 0));
            let report = ScanReport::default();
            snapshot.sources.push(OpenSource::new(reader, report, HashSet::new()));
        }
    }
    Ok(snapshot)
}

/// Returns the folder of all indexes; empty in memory.
fn cache_root(config: &EngineConfig) -> PathBuf {
    match &config.cache {
        CachePlace::Folder(cache) => cache.clone(),
        CachePlace::Memory => PathBuf::new(),
    }
}

/// Returns a warning if the ignore rules of the tree leave no file to search.
fn all_ignored_warning(tree: &Tree) -> Option<String> {
    let ignored = tree.skipped().get(&SkipReason::Ignored).copied().unwrap_or(0);
    (tree.entries().is_empty() && ignored > 0).then(|| {
        format!(
            "`.gitignore` or a similar file excludes all of `{}`; to include it, put the line `!/*` into \
             a file `.loreignore` there",
            tree.root().display()
        )
    })
}
