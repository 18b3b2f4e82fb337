//! Files that usually change together with others, from the history.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_index::{DocumentId, IndexError};

use crate::{commits::changed, state::file_commits::FileCommits, state::snapshot::Snapshot};

/// Maximum number of commits of a file, newest first.
const MAX_COMMITS: usize = 300;

/// Maximum number of commits of all files.
const MAX_READ: usize = 3_000;

/// Maximum number of files of a commit: a larger one is a sweep that connects nothing.
const MAX_FILES: usize = 30;

/// Minimum number of common commits.
const MIN_SUPPORT: usize = 2;

/// A file that was changed together with a changed one.
pub(super) struct CoChange {
    /// Root-relative path.
    pub(super) path: String,
    /// The changed file of which the share is largest.
    pub(super) with: String,
    /// Number of commits that changed both.
    pub(super) support: usize,
    /// Number of commits that changed the changed file.
    pub(super) total: usize,
    /// Share of these commits, as if one more had changed the file alone.
    pub(super) confidence: f64,
    /// Share of the commits that are most like the change, weighted by their similarity.
    pub(super) alike: f64,
}

impl CoChange {
    /// The numbers in words.
    pub(super) fn evidence(&self) -> String {
        format!("changed in {} of {} commits of {}", self.support, self.total, self.with)
    }
}

/// The commits that change one of the files.
struct Commits {
    /// The existing files of each commit, and the number of all of its files.
    files: HashMap<DocumentId, (Vec<String>, usize)>,
    /// The commits of each changed file, newest first.
    by_file: Vec<(String, Vec<DocumentId>)>,
}

/// Returns the files that were changed together with the changed ones at least twice and are not among them,
/// the most confident first.
pub(super) fn co_changes(
    snapshot: &Snapshot,
    commits: &mut FileCommits<'_>,
    changed_paths: &[String],
) -> Result<Vec<CoChange>, IndexError> {
    let commits = read(snapshot, commits, changed_paths)?;
    let alike = alike(&commits);
    let mut best: BTreeMap<String, CoChange> = BTreeMap::new();
    for (with, ids) in &commits.by_file {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for path in ids.iter().flat_map(|id| &commits.files[id].0) {
            *counts.entry(path).or_default() += 1;
        }
        for (path, support) in counts {
            let confidence = number(support) / (number(ids.len()) + 1.0);
            if support < MIN_SUPPORT {
                continue;
            }
            let known = best.entry(path.to_owned()).or_insert_with(|| CoChange {
                path: path.to_owned(),
                with: String::new(),
                support: 0,
                total: 0,
                confidence: 0.0,
                alike: alike.get(path).copied().unwrap_or(0.0),
            });
            if known.confidence < confidence {
                known.with.clone_from(with);
                known.confidence = confidence;
                (known.support, known.total) = (support, ids.len());
            }
        }
    }
    let mut found: Vec<CoChange> = best.into_values().collect();
    found.sort_by(|left, right| {
        right.confidence.total_cmp(&left.confidence).then_with(|| left.path.cmp(&right.path))
    });
    Ok(found)
}

/// The share of each file in the commits, weighted by their similarity to the change: the square of the cosine
/// of the two sets of files.
fn alike(commits: &Commits) -> BTreeMap<String, f64> {
    // Sorted, because the order of a sum changes its last digits.
    let mut common: BTreeMap<DocumentId, usize> = BTreeMap::new();
    for id in commits.by_file.iter().flat_map(|(_, ids)| ids) {
        *common.entry(*id).or_default() += 1;
    }
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    let mut all = 0.0;
    for (id, common) in common {
        let (files, size) = &commits.files[&id];
        let similarity = number(common * common) / number(size * commits.by_file.len());
        all += similarity;
        for path in files {
            *shares.entry(path.clone()).or_default() += similarity;
        }
    }
    for share in shares.values_mut() {
        *share /= all;
    }
    shares
}

/// Reads the commits of the files.
fn read(
    snapshot: &Snapshot,
    commits: &mut FileCommits<'_>,
    changed_paths: &[String],
) -> Result<Commits, IndexError> {
    let own: HashSet<&str> = changed_paths.iter().map(String::as_str).collect();
    let mut found = Commits { files: HashMap::new(), by_file: Vec::new() };
    let most = (MAX_READ / changed_paths.len().max(1)).clamp(10, MAX_COMMITS);
    for with in changed_paths {
        let mut ids = commits.newest_first(with)?;
        ids.truncate(most);
        let unread: Vec<DocumentId> =
            ids.iter().copied().filter(|id| !found.files.contains_key(id)).collect();
        for (id, commit) in commits.read(with, &unread)? {
            let files = changed(&commit)
                .filter(|path| !own.contains(path) && snapshot.tree.entry(path).is_some());
            found.files.insert(id, (files.map(str::to_owned).collect(), changed(&commit).count()));
        }
        ids.retain(|id| found.files.get(id).is_some_and(|(_, size)| *size <= MAX_FILES));
        found.by_file.push((with.clone(), ids));
    }
    Ok(found)
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
