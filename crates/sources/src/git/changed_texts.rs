//! The texts of the files that differ between two states: commits, the staged files, the files on disk.

use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

use gix::{ObjectId, bstr::ByteSlice, diff::tree::visit, index::entry::Mode};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use lore_schema::SkipReason;

use super::{
    disk_changes::{disk_changes, files_of},
    files::Differences,
    repository::{RepositoryFolder, read_blob},
    revision::Revision,
    tracked::read_index,
};
use crate::{error::SourceError, paths::path_and_parents, secrets::Secrets, text};

/// Maximum size of a compared text, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Maximum time for comparing two texts; after it, the rest counts as changed.
const MAX_DIFF_TIME: Duration = Duration::from_millis(200);

/// Maximum number of changed files.
const MAX_FILES: usize = 2_000;

/// Minimum share of common lines of a removed and an added file for a renaming.
const MIN_RENAMED: f64 = 0.5;

/// Maximum number of removed files that are compared with each added one.
const MAX_COMPARED: usize = 100;

/// The newer of the compared states.
#[derive(Clone)]
pub enum NewState {
    /// The files on disk.
    Disk {
        /// Root-relative paths of the files of the tree: those that the older state lacks are new.
        listed: Vec<String>,
    },
    /// The files that are staged.
    Staged,
    /// A commit.
    Commit(Revision),
}

/// A file that differs. Its secrets are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedText {
    /// Root-relative path; of a removed file, its former path.
    pub path: String,
    /// Root-relative path before a renaming.
    pub old_path: Option<String>,
    /// The text before; `None` for a new file, and for one that is skipped.
    pub old: Option<String>,
    /// The text after; `None` for a removed file, and for one that is skipped.
    pub new: Option<String>,
    /// True if the file was removed.
    pub is_removed: bool,
    /// The reason why a version of the file has no text: it is binary, empty or too large, not a file, or beyond the
    /// limit of all texts.
    pub skipped: Option<SkipReason>,
    /// The lines that differ: 0-based ranges of the old and of the new text.
    pub hunks: Vec<(Range<usize>, Range<usize>)>,
}

impl ChangedText {
    /// Number of added lines.
    pub fn added(&self) -> usize {
        self.hunks.iter().map(|(_, new)| new.len()).sum()
    }

    /// Number of removed lines.
    pub fn removed(&self) -> usize {
        self.hunks.iter().map(|(old, _)| old.len()).sum()
    }
}

/// Returns the files that differ between a commit and another state, by path. At most 2,000. Without an
/// older commit, every file of the newer state is new. Of a newer commit, the files after the first `max_bytes`
/// of text have none.
///
/// # Errors
/// Outside git, and when the trees cannot be compared.
pub fn changed_texts(
    root: &Path,
    old: Option<&Revision>,
    new: &NewState,
    secrets: Secrets,
    max_bytes: usize,
) -> Result<Vec<ChangedText>, SourceError> {
    let folder = RepositoryFolder::find(root)?;
    let failed = || folder.failed("its trees could not be compared");
    let read = |id: ObjectId| read_version(&folder.repository, id, secrets).ok();
    let old_files = || match old {
        Some(old) => files_of(&folder, old.id()).ok_or_else(failed),
        None => Ok(Vec::new()),
    };
    let mut changes: BTreeMap<String, Pair> = BTreeMap::new();
    match new {
        NewState::Commit(revision) => {
            let before = old.map(|old| folder.tree(old.id()).ok_or_else(failed)).transpose()?;
            let after = folder.tree(revision.id()).ok_or_else(failed)?;
            let prefix = folder.prefix.as_str();
            let mut found = Vec::new();
            let note = |path: &gix::bstr::BStr, change: visit::Change| {
                let Some(path) = path.to_str().ok().and_then(|path| path.strip_prefix(prefix))
                else {
                    return;
                };
                let ids = match change {
                    visit::Change::Addition { oid, .. } => (None, Some(oid)),
                    visit::Change::Deletion { oid, .. } => (Some(oid), None),
                    visit::Change::Modification { previous_oid, oid, .. } => {
                        (Some(previous_oid), Some(oid))
                    }
                };
                if found.len() < MAX_FILES {
                    found.push((path.to_owned(), ids));
                }
            };
            Differences::default()
                .of(&folder.repository, before, after, note)
                .map_err(|_| failed())?;
            let mut left = max_bytes;
            let mut version = |id: Option<ObjectId>| {
                let Some(id) = id else { return (None, None) };
                if left == 0 {
                    return (None, Some(SkipReason::BeyondLimit));
                }
                match read_version(&folder.repository, id, secrets) {
                    Ok(text) => {
                        left = left.saturating_sub(text.len());
                        (Some(text), None)
                    }
                    Err(reason) => (None, Some(reason)),
                }
            };
            for (path, (before, after)) in found {
                let ((old, first), (new, second)) = (version(before), version(after));
                let skipped = second.or(first);
                changes.insert(path, Pair { old, new, is_removed: after.is_none(), skipped });
            }
        }
        NewState::Staged => {
            let files = old_files()?;
            let repository = &folder.repository;
            let index = read_index(&repository.index_path(), repository.object_hash())
                .ok_or_else(failed)?;
            let staged: BTreeMap<String, ObjectId> = index
                .entries()
                .iter()
                // Links and other repositories are no files of a commit either.
                .filter(|entry| matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE))
                .filter_map(|entry| {
                    let path = entry.path(&index).to_str().ok()?;
                    Some((path.strip_prefix(folder.prefix.as_str())?.to_owned(), entry.id))
                })
                .collect();
            let known: BTreeMap<String, ObjectId> = files.into_iter().collect();
            for (path, id) in &known {
                let after = staged.get(path);
                if after != Some(id) {
                    let new = after.and_then(|id| read(*id));
                    let pair =
                        Pair { old: read(*id), new, is_removed: after.is_none(), skipped: None };
                    changes.insert(path.clone(), pair);
                }
            }
            for (path, id) in staged.iter().filter(|(path, _)| !known.contains_key(*path)) {
                changes.insert(
                    path.clone(),
                    Pair { old: None, new: read(*id), is_removed: false, skipped: None },
                );
            }
        }
        NewState::Disk { listed } => {
            let files = old_files()?;
            let known: HashSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
            let is_new = |path: &&String| {
                !known.contains(path.as_str()) && !is_of_other_repository(root, path)
            };
            for path in listed.iter().filter(is_new) {
                let text = text::read_text(root, path, MAX_FILE_BYTES, secrets).ok();
                changes.insert(
                    path.clone(),
                    Pair { old: None, new: text, is_removed: false, skipped: None },
                );
            }
            for change in disk_changes(&folder, root, files, MAX_FILE_BYTES) {
                let is_removed = change.bytes.is_none();
                let new = change.bytes.and_then(|bytes| text::decode(bytes, secrets).ok());
                changes.insert(
                    change.path,
                    Pair { old: read(change.old), new, is_removed, skipped: None },
                );
            }
        }
    }
    Ok(with_renamings(changes.into_iter().take(MAX_FILES).collect()))
}

/// Returns true for a file of a repository inside this one, such as a submodule, and for one outside of the
/// root.
fn is_of_other_repository(root: &Path, path: &str) -> bool {
    let mut folders = path_and_parents(path).skip(1).filter(|folder| !folder.is_empty());
    Path::new(path).is_absolute()
        || folders.any(|folder| text::metadata_inside(root, &format!("{folder}/.git")).is_some())
}

/// The texts of a file: `None` if it does not exist or is no text.
struct Pair {
    old: Option<String>,
    new: Option<String>,
    is_removed: bool,
    skipped: Option<SkipReason>,
}

/// Reads a version of a file.
fn read_version(
    repository: &gix::Repository,
    id: ObjectId,
    secrets: Secrets,
) -> Result<String, SkipReason> {
    // A submodule is a commit of another repository, and no object of this one.
    let header = repository.find_header(id).map_err(|_| SkipReason::NotAFile)?;
    if header.size() > MAX_FILE_BYTES {
        return Err(SkipReason::TooLarge);
    }
    let bytes = read_blob(repository, id, MAX_FILE_BYTES).ok_or(SkipReason::NotAFile)?;
    text::decode(bytes, secrets)
}

/// Joins removed and added files with most lines in common.
fn with_renamings(changes: Vec<(String, Pair)>) -> Vec<ChangedText> {
    let mut found: Vec<ChangedText> = changes
        .into_iter()
        .map(|(path, Pair { old, new, is_removed, skipped })| ChangedText {
            path,
            old_path: None,
            old,
            new,
            is_removed,
            skipped,
            hunks: Vec::new(),
        })
        .collect();
    let removed: Vec<usize> = (0..found.len())
        .filter(|at| found[*at].is_removed && found[*at].old.is_some())
        .take(MAX_COMPARED)
        .collect();
    let mut joined: HashSet<usize> = HashSet::new();
    for at in 0..found.len() {
        let Some(new) = found[at].new.as_deref().filter(|_| found[at].old.is_none()) else {
            continue;
        };
        let best = removed
            .iter()
            .filter(|other| !joined.contains(*other))
            .map(|other| {
                (common_lines(found[*other].old.as_deref().unwrap_or_default(), new), *other)
            })
            .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1)));
        if let Some((_, other)) = best.filter(|(share, _)| MIN_RENAMED <= *share) {
            joined.insert(other);
            let (old, old_path) = (found[other].old.take(), found[other].path.clone());
            found[at].old = old;
            found[at].old_path = Some(old_path);
        }
    }
    let mut kept = Vec::new();
    for (at, mut change) in found.into_iter().enumerate() {
        if !joined.contains(&at) {
            let (old, new) = (change.old.as_deref(), change.new.as_deref());
            change.hunks = hunks(old.unwrap_or_default(), new.unwrap_or_default());
            kept.push(change);
        }
    }
    kept
}

/// The lines in which two texts differ.
pub(crate) fn hunks(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let deadline = Some(Instant::now() + MAX_DIFF_TIME);
    capture_diff_slices_deadline(Algorithm::Histogram, &old, &new, deadline)
        .into_iter()
        .filter(|operation| !matches!(operation, DiffOp::Equal { .. }))
        .map(|operation| (operation.old_range(), operation.new_range()))
        .collect()
}

/// The share of the lines of the longer text that both have.
fn common_lines(old: &str, new: &str) -> f64 {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let lines = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).count();
    for line in old.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    let mut common = 0_u32;
    for line in new.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(count) = counts.get_mut(line).filter(|count| 0 < **count) {
            *count -= 1;
            common += 1;
        }
    }
    let longer = lines(old).max(lines(new)).max(1);
    f64::from(common) / f64::from(u32::try_from(longer).unwrap_or(u32::MAX))
}
