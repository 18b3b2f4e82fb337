//! Files that usually change together with others, from the history.

use std::collections::{BTreeMap, HashSet};

use lore_index::IndexError;

use crate::{answers::file_commits::FileCommits, commits::changed, state::snapshot::Snapshot};

/// Maximum number of commits of a file, newest first.
const MAX_COMMITS: usize = 300;

/// Maximum number of files of a commit: a larger one is a sweep that connects nothing.
const MAX_FILES: usize = 30;

/// Minimum number of common commits.
const MIN_SUPPORT: usize = 2;

/// Minimum share of the commits of a changed file that also change the other.
const MIN_CONFIDENCE: f64 = 0.25;

/// A file that usually changes together with a changed one.
pub(super) struct CoChange {
    /// Root-relative path.
    pub(super) path: String,
    /// The changed file.
    pub(super) with: String,
    /// Number of commits that changed both.
    pub(super) support: usize,
    /// Number of commits that changed the changed file.
    pub(super) total: usize,
    /// Share of these commits, as if one more had changed the file alone.
    pub(super) confidence: f64,
}

impl CoChange {
    /// The numbers in words.
    pub(super) fn evidence(&self) -> String {
        format!("changed in {} of {} commits of {}", self.support, self.total, self.with)
    }
}

/// Returns the files that usually change together with the changed ones and are not among them, the most
/// confident first, each with the changed file that supports it most.
pub(super) fn co_changes(
    snapshot: &Snapshot,
    changed_paths: &[String],
) -> Result<Vec<CoChange>, IndexError> {
    let Some(mut commits) = FileCommits::of(snapshot) else { return Ok(Vec::new()) };
    let own: HashSet<&str> = changed_paths.iter().map(String::as_str).collect();
    let mut best: BTreeMap<String, CoChange> = BTreeMap::new();
    for with in changed_paths {
        let mut ids = commits.newest_first(with)?;
        ids.truncate(MAX_COMMITS);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut total = 0_usize;
        for (_, commit) in commits.read(with, &ids)? {
            if MAX_FILES < changed(&commit).count() {
                continue;
            }
            total += 1;
            for path in changed(&commit).filter(|path| !own.contains(path)) {
                *counts.entry(path.to_owned()).or_default() += 1;
            }
        }
        for (path, support) in counts {
            let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            // Few commits prove little: as if one more had changed the file alone.
            let confidence = number(support) / (number(total) + 1.0);
            let is_there = snapshot.tree.entry(&path).is_some();
            if support < MIN_SUPPORT || confidence < MIN_CONFIDENCE || !is_there {
                continue;
            }
            let found =
                CoChange { path: path.clone(), with: with.clone(), support, total, confidence };
            match best.get(&path) {
                Some(known) if known.confidence >= confidence => {}
                _ => {
                    best.insert(path, found);
                }
            }
        }
    }
    let mut found: Vec<CoChange> = best.into_values().collect();
    found.sort_by(|left, right| {
        right.confidence.total_cmp(&left.confidence).then_with(|| left.path.cmp(&right.path))
    });
    Ok(found)
}
