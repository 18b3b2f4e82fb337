//! Lists the files to search, in a fixed order.
//!
//! All threads walk, and the result is sorted: by the named paths, and within each by the names of
//! directories and files, as `rg --sort path` does. ripgrep without `--sort` has no fixed order.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
    fs::Metadata,
    path::{Path, PathBuf, is_separator},
    sync::{Mutex, PoisonError},
};

use ignore::{DirEntry, WalkState};

use crate::{
    builders,
    flags::{Sort, SortKey},
    messages::Messages,
    options::Options,
};

/// A file to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchedFile {
    /// The path as it is shown.
    pub(crate) path: PathBuf,
    /// It was named on the command line.
    pub(crate) is_explicit: bool,
    pub(crate) is_stdin: bool,
    /// Position of the named path that it was found in.
    root: usize,
}

/// Lists the files in the order in which they are searched.
pub(crate) fn list(options: &Options, messages: &Messages) -> Vec<SearchedFile> {
    if options.paths.is_one_file {
        let only = &options.paths.list[0];
        return single(options, only, messages).into_iter().collect();
    }
    let mut files = Vec::new();
    for batch in batches(&options.paths.list) {
        files.extend(walk(options, &batch, messages));
    }
    sort(&mut files, options.flags.sort);
    files
}

/// The only file of a run, unless a glob or a type excludes it.
fn single(options: &Options, path: &Path, messages: &Messages) -> Option<SearchedFile> {
    let mut walk = builders::walk(options, &[path.to_owned()], messages).build();
    walk.find_map(|entry| searched_file(options, entry, messages))
}

/// Divides the named paths into lists without repetitions, with the position of each path. An entry
/// of a walk only shows the path that it was found in, not its position.
fn batches(paths: &[PathBuf]) -> Vec<BTreeMap<&Path, usize>> {
    let mut batches: Vec<BTreeMap<&Path, usize>> = vec![BTreeMap::new()];
    for (position, path) in paths.iter().enumerate() {
        match batches.iter_mut().find(|batch| !batch.contains_key(path.as_path())) {
            Some(batch) => {
                batch.insert(path, position);
            }
            None => batches.push(BTreeMap::from([(path.as_path(), position)])),
        }
    }
    batches
}

/// Walks some of the named paths with all threads.
fn walk(
    options: &Options,
    batch: &BTreeMap<&Path, usize>,
    messages: &Messages,
) -> Vec<SearchedFile> {
    let paths: Vec<PathBuf> = batch.keys().copied().map(Path::to_owned).collect();
    let all = Mutex::new(Vec::new());
    builders::walk(options, &paths, messages).build_parallel().run(|| {
        let mut collector = Collector { files: Vec::new(), all: &all };
        Box::new(move |entry| {
            let depth = entry.as_ref().map_or(0, DirEntry::depth);
            let root = entry
                .as_ref()
                .ok()
                .and_then(|entry| entry.path().ancestors().nth(depth))
                .and_then(|root| batch.get(root).copied());
            if let Some(mut file) = searched_file(options, entry, messages) {
                file.root = root.unwrap_or_default();
                collector.files.push(file);
            }
            WalkState::Continue
        })
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The files that one thread of a walk found; added to all files when the thread ends.
struct Collector<'a> {
    files: Vec<SearchedFile>,
    all: &'a Mutex<Vec<SearchedFile>>,
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.append(&mut self.files);
    }
}

/// The file of an entry; `None` for directories, errors, and special files that were not named.
fn searched_file(
    options: &Options,
    entry: Result<DirEntry, ignore::Error>,
    messages: &Messages,
) -> Option<SearchedFile> {
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => {
            messages.error(error);
            return None;
        }
    };
    if let Some(error) = entry.error() {
        messages.ignore_file(error);
    }
    let is_stdin = entry.is_stdin();
    let is_explicit = is_stdin || (entry.depth() == 0 && !is_directory(&entry));
    if !is_explicit && !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return None;
    }
    let mut path = entry.into_path();
    if options.paths.is_implicit
        && let Ok(stripped) = path.strip_prefix("./")
    {
        path = stripped.to_owned();
    }
    Some(SearchedFile { path, is_explicit, is_stdin, root: 0 })
}

/// Returns true for a directory, and for a link to one.
fn is_directory(entry: &DirEntry) -> bool {
    entry
        .file_type()
        .is_some_and(|kind| kind.is_dir() || (entry.path_is_symlink() && entry.path().is_dir()))
}

/// Sorts the files. Files with equal keys stay in the order of their paths.
fn sort(files: &mut [SearchedFile], sort: Option<Sort>) {
    files.sort_unstable_by(|left, right| {
        left.root.cmp(&right.root).then_with(|| compare(&left.path, &right.path))
    });
    match sort {
        None | Some(Sort { key: SortKey::Path, reverse: false }) => {}
        Some(Sort { key: SortKey::Path, reverse: true }) => {
            files.sort_by(|left, right| right.path.cmp(&left.path));
        }
        Some(Sort { key, reverse }) => sort_by_time(files, key, reverse),
    }
}

/// The order of paths by their names: a directory's files come before a longer name, although the
/// separator is a greater character than `.` and `-`.
fn compare(left: &Path, right: &Path) -> Ordering {
    let (left, right) = (left.as_os_str().as_encoded_bytes(), right.as_os_str().as_encoded_bytes());
    let Some(at) = left.iter().zip(right).position(|(left, right)| left != right) else {
        return left.len().cmp(&right.len());
    };
    let key = |byte: u8| (!is_separator(byte.into())).then_some(byte);
    key(left[at]).cmp(&key(right[at]))
}

/// Sorts by a time of the files. Those without one come last, or first in reverse.
fn sort_by_time(files: &mut [SearchedFile], key: SortKey, reverse: bool) {
    let time = |metadata: Metadata| match key {
        SortKey::Accessed => metadata.accessed(),
        SortKey::Created => metadata.created(),
        SortKey::Modified | SortKey::Path => metadata.modified(),
    };
    let key = |file: &SearchedFile| {
        let time = file.path.metadata().and_then(time).ok();
        (time.is_none(), time)
    };
    if reverse {
        files.sort_by_cached_key(|file| Reverse(key(file)));
    } else {
        files.sort_by_cached_key(key);
    }
}

#[cfg(test)]
mod tests;
