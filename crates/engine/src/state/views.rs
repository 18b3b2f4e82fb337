//! Locations of the indexes of a tree, and the sibling from which a new index starts.
//!
//! A repository has one folder in the cache. It contains one folder for each view: each worktree and
//! each commit whose tree was searched. A view without an index starts from that of the nearest
//! sibling, and keeps everything with the same content.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

use lore_index::{CacheProblem, DescribedView, IndexLocation, Reader, ViewDescription};
use lore_schema::SourceName;
use lore_sources::{SOURCES, Secrets};
use xxhash_rust::xxh3::xxh3_64;

use crate::{CachePlace, EngineConfig, state::storage::fingerprint};

/// Maximum number of siblings whose trees are compared: those that were written last.
const MAX_COMPARED: usize = 8;

/// Folder of the indexes of this tree; `None` in memory, and for a cache that another user could
/// have changed.
///
/// It is inside the folder of the repository. There is one for each worktree or commit, set of options
/// that changes the contents of the index, and version of the index format, so that two versions of
/// `lore` do not destroy each other's indexes.
pub(crate) fn cache_folder(config: &EngineConfig) -> Option<PathBuf> {
    place(config).and_then(Result::ok)
}

/// Returns a message why the cache is not used; `None` if it is, or the indexes are in memory.
pub(crate) fn cache_problem(config: &EngineConfig) -> Option<String> {
    let problem = place(config)?.err()?;
    let folder = problem.folder().display();
    Some(format!("the index below `{folder}` is not used, because {problem}"))
}

/// Returns the folder of the indexes, or the reason why it cannot be trusted; `None` in memory.
fn place(config: &EngineConfig) -> Option<Result<PathBuf, CacheProblem>> {
    let CachePlace::Folder(cache) = &config.cache else { return None };
    let common = lore_sources::common_dir(&config.root);
    // A repository is named after the folder that it was cloned to, for all worktrees.
    let named = if common.file_name().is_some_and(|name| name == ".git") {
        common.parent().and_then(Path::file_name)
    } else {
        common.file_name()
    };
    let name: String = named
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .take(40)
        .collect();
    let repository = hash_of(&common, "");
    let view = match &config.at {
        None => hash_of(&config.root, &options(config)),
        Some(revision) => {
            // The same for every worktree.
            let of = format!("commit {} {}", revision.commit(), revision.prefix());
            hash_of(Path::new(&of), &options(config))
        }
    };
    let repository = cache.join(format!("{name}-{repository:016x}"));
    let view = repository.join(format!("{view:016x}"));
    let sources = SOURCES.iter().map(|source| view.join(source.name().as_str()));
    let folders = [cache.clone(), repository.clone(), view.clone()].into_iter().chain(sources);
    let problem = folders.into_iter().find_map(|folder| config.backend.cache().problem(&folder));
    Some(problem.map_or(Ok(view), Err))
}

/// Options that affect the documents of a tree, besides the tree itself.
fn options(config: &EngineConfig) -> String {
    let secrets = if config.secrets == Secrets::Shown { " secrets=shown" } else { "" };
    format!(
        "hidden={} max={} format={} analysis={}{secrets}",
        config.hidden,
        config.max_file_size,
        config.backend.format(),
        fingerprint()
    )
}

/// Options that affect the documents of a tree and are not a version of the program, as an export
/// states them.
pub(crate) fn document_options(config: &EngineConfig) -> String {
    let secrets = if config.secrets == Secrets::Shown { " secrets=shown" } else { "" };
    format!("hidden={} max={}{secrets}", config.hidden, config.max_file_size)
}

fn hash_of(path: &Path, options: &str) -> u64 {
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    bytes.push(0);
    bytes.extend_from_slice(options.as_bytes());
    xxh3_64(&bytes)
}

/// Location of the index of a source.
pub(crate) fn location_of(config: &EngineConfig, source: SourceName) -> IndexLocation {
    location_in(config, cache_folder(config).as_deref(), source)
}

/// Location of the index of a source below the folder of its tree. Finding that folder reads the
/// disk, so code that opens all sources finds it once.
///
/// Tickets with exports have an index for each set of exports: a search without exports finds none of
/// their tickets, even while another process writes. The same holds for each set of custom sources.
pub(crate) fn location_in(
    config: &EngineConfig,
    folder: Option<&Path>,
    source: SourceName,
) -> IndexLocation {
    let Some(folder) = folder else { return IndexLocation::Memory };
    let custom = config.custom.names_in(source);
    let has_exports = source == SourceName::Tickets && !config.exports.is_empty();
    if !has_exports && custom.is_empty() {
        return IndexLocation::Folder(folder.join(source.as_str()));
    }
    let mut names = Vec::new();
    if has_exports {
        for path in exports(config) {
            names.extend_from_slice(path.as_os_str().as_encoded_bytes());
            names.push(0);
        }
    }
    for name in custom {
        // No path of an export starts with two zero bytes.
        names.extend_from_slice(&[0, 0]);
        names.extend_from_slice(name.as_bytes());
    }
    IndexLocation::Folder(folder.join(format!("{}-{:016x}", source.as_str(), xxh3_64(&names))))
}

/// Returns the paths of the exports, each once.
fn exports(config: &EngineConfig) -> Vec<PathBuf> {
    let mut exports: Vec<PathBuf> = config
        .exports
        .iter()
        .map(|path| lore_sources::canonical_path(&config.root, path))
        .collect();
    exports.sort_unstable();
    exports.dedup();
    exports
}

/// Opens the last written states of the wanted sources, as far as they can be read. Nothing is
/// compared with the disk.
pub(crate) fn last_states(
    config: &EngineConfig,
    wanted: impl Fn(SourceName) -> bool,
) -> Vec<Box<dyn Reader>> {
    if let Some(stored) = &config.stored {
        let mut readers = stored.readers().unwrap_or_default();
        readers.retain(|reader| wanted(reader.source()));
        return readers;
    }
    let folder = cache_folder(config);
    SOURCES
        .iter()
        .map(|source| source.name())
        .filter(|name| wanted(*name))
        .filter_map(|name| {
            let location = location_in(config, folder.as_deref(), name);
            let store = config.backend.open(name, &location, &fingerprint()).ok()?;
            let reader = store.reader().ok()?;
            (reader.generation() > 0).then_some(reader)
        })
        .collect()
}

/// Number of views of the repository that have an index on disk.
pub(crate) fn count(config: &EngineConfig) -> usize {
    let folder = cache_folder(config);
    let repository = folder.as_deref().and_then(Path::parent);
    repository.map_or(0, |repository| config.backend.cache().views(repository).len())
}

/// The other views of a repository, looked up on first use.
pub(crate) struct Siblings<'a> {
    config: &'a EngineConfig,
    folder: Option<&'a Path>,
    nearest: OnceCell<Vec<PathBuf>>,
}

impl<'a> Siblings<'a> {
    /// Creates the siblings of the view in a folder.
    pub(crate) fn new(config: &'a EngineConfig, folder: Option<&'a Path>) -> Siblings<'a> {
        Siblings { config, folder, nearest: OnceCell::new() }
    }

    /// Starts an index that does not exist yet from that of the nearest sibling. If that is not possible,
    /// the index is built from scratch, with the same answers. Returns true if something was written.
    pub(crate) fn start(&self, source: SourceName, location: &IndexLocation) -> bool {
        let cache = self.config.backend.cache();
        let siblings = || self.nearest().to_vec();
        matches!(cache.seed(source, location, &fingerprint(), &siblings), Ok(true))
    }

    /// Returns the folders of the siblings with the same options, nearest first: by the number of files in
    /// which their commits differ from ours, then by the time they were written.
    fn nearest(&self) -> &[PathBuf] {
        self.nearest.get_or_init(|| {
            let Some(folder) = self.folder else { return Vec::new() };
            let options = options(self.config);
            let alike = |found: &DescribedView| {
                found.description.options == options && found.path != folder
            };
            let cache = self.config.backend.cache();
            let mut found = cache.views(folder.parent().unwrap_or(folder));
            found.retain(alike);
            found.truncate(MAX_COMPARED);
            if found.len() > 1
                && let Some(commit) = self.config.commit()
            {
                let heads: Vec<Option<&str>> =
                    found.iter().map(|found| found.description.head.as_deref()).collect();
                let distances = lore_sources::tree_distances(&self.config.root, &commit, &heads);
                let mut ranked: Vec<_> = distances.into_iter().zip(found).collect();
                // The sort is stable, so that the latest stays first among equals.
                ranked.sort_by_key(|(distance, _)| distance.unwrap_or(u64::MAX));
                found = ranked.into_iter().map(|(_, found)| found).collect();
            }
            found.into_iter().map(|found| found.path).collect()
        })
    }
}

/// Describes the view in a folder after something was written there, and removes the oldest commits if
/// there are too many. Failures to write are ignored.
pub(crate) fn describe(config: &EngineConfig, folder: &Path) {
    config.backend.cache().describe(folder, &view(config));
}

fn view(config: &EngineConfig) -> ViewDescription {
    ViewDescription {
        root: config.root.display().to_string(),
        options: options(config),
        head: config.commit(),
        is_revision: config.at.is_some(),
    }
}
