//! The merge that brought a commit to a branch.

use std::{
    collections::{BinaryHeap, HashSet},
    path::Path,
};

use gix::{ObjectId, Repository};

use super::repository::RepositoryFolder;

/// Maximum number of commits that are visited for one merge.
const MAX_VISITED: usize = 1_000;

/// Number of seconds by which the clocks of two committers may differ.
const CLOCK_SKEW: i64 = 86_400;

/// Returns the first of the merges that brought a commit to a branch: the commit is behind its second
/// parent, and not behind its first. `merges` are hashes of merges, oldest first. A merge that cannot be
/// read, or whose side has too many commits, is skipped. `None` if no merge did.
pub fn merged_by(root: &Path, commit: &str, merges: &[String]) -> Option<usize> {
    let folder = RepositoryFolder::find(root).ok()?;
    let repository = &folder.repository;
    let commit = ObjectId::from_hex(commit.as_bytes()).ok()?;
    let oldest = time(repository, commit)? - CLOCK_SKEW;
    merges.iter().position(|merge| {
        let Ok(merge) = ObjectId::from_hex(merge.as_bytes()) else { return false };
        let parents = parents(repository, merge);
        let [into, merged @ ..] = parents.as_slice() else { return false };
        merged.iter().any(|side| is_behind(repository, commit, *side, oldest) == Some(true))
            && is_behind(repository, commit, *into, oldest) == Some(false)
    })
}

/// Returns true if a commit is an ancestor of another, or the same; `None` if there are too many commits
/// between them.
fn is_behind(
    repository: &Repository,
    commit: ObjectId,
    tip: ObjectId,
    oldest: i64,
) -> Option<bool> {
    let mut waiting = BinaryHeap::from([(time(repository, tip)?, tip)]);
    let mut seen = HashSet::from([tip]);
    let mut visited = 0;
    while let Some((_, next)) = waiting.pop() {
        if next == commit {
            return Some(true);
        }
        visited += 1;
        if MAX_VISITED < visited {
            return None;
        }
        for parent in parents(repository, next) {
            let Some(time) = time(repository, parent).filter(|time| oldest <= *time) else {
                continue;
            };
            if seen.insert(parent) {
                waiting.push((time, parent));
            }
        }
    }
    Some(false)
}

/// The time of the committer, in seconds since the epoch.
fn time(repository: &Repository, commit: ObjectId) -> Option<i64> {
    repository.find_commit(commit).ok()?.time().ok().map(|time| time.seconds)
}

fn parents(repository: &Repository, commit: ObjectId) -> Vec<ObjectId> {
    let found = repository.find_commit(commit);
    found.map(|found| found.parent_ids().map(gix::Id::detach).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;

    #[test]
    fn a_merge_of_the_main_branch_is_no_merge_of_its_commits() {
        let folder = Folder::new();
        let git = |arguments: &[&str]| folder.git("", arguments);
        git(&["init", "-q", "-b", "main"]);
        let commit = |name: &str| {
            folder.write(name, name);
            git(&["add", "-A"]);
            git(&["commit", "-q", "-m", name]);
            git(&["rev-parse", "HEAD"]).trim().to_owned()
        };
        commit("first");
        git(&["checkout", "-q", "-b", "side"]);
        let on_side = commit("on-side");
        git(&["checkout", "-q", "main"]);
        let on_main = commit("on-main");
        git(&["checkout", "-q", "side"]);
        git(&["merge", "-q", "--no-ff", "-m", "take main", "main"]);
        let taken = git(&["rev-parse", "HEAD"]).trim().to_owned();
        git(&["checkout", "-q", "main"]);
        git(&["merge", "-q", "--no-ff", "-m", "Merge pull request #1", "side"]);
        let request = git(&["rev-parse", "HEAD"]).trim().to_owned();
        let merges = [taken, request];
        assert_eq!(merged_by(folder.path(), &on_side, &merges), Some(1));
        assert_eq!(merged_by(folder.path(), &on_main, &merges[1..]), None);
        assert_eq!(merged_by(folder.path(), "unknown", &merges), None);
    }
}
