//! The commits that lead to the one that is checked out, newest first.

use std::{
    collections::HashMap,
    path::Path,
    time::{Duration, Instant},
};

use gix::ObjectId;

use super::{
    repository::{RepositoryFolder, walk_outside},
    revision::Revision,
};

/// Number of commits between two looks at the clock.
const STEP: usize = 256;

/// The ancestors of a commit in the order of their committers' dates.
#[derive(Debug, Default)]
pub struct HeadHistory {
    positions: HashMap<ObjectId, usize>,
    /// Commits with several parents, newest first, with their positions.
    merges: Vec<(usize, ObjectId)>,
    /// False if the time was used up before the first commit.
    is_whole: bool,
}

impl HeadHistory {
    /// Reads the history of a commit, or of the one that is checked out. `None` outside git and before the
    /// first commit. Ends when the time is used up.
    pub fn read(root: &Path, at: Option<&Revision>, time: Duration) -> Option<HeadHistory> {
        let deadline = Instant::now() + time;
        let folder = RepositoryFolder::find(root).ok()?;
        let tip = match at {
            Some(revision) => revision.id(),
            None => folder.repository.head_id().ok()?.detach(),
        };
        let mut history = HeadHistory { is_whole: true, ..HeadHistory::default() };
        for (position, info) in walk_outside(&folder.repository, tip, None).ok()?.enumerate() {
            if position % STEP == 0 && deadline < Instant::now() {
                history.is_whole = false;
                break;
            }
            let Ok(info) = info else { continue };
            history.positions.insert(info.id, position);
            if 1 < info.parent_ids.len() {
                history.merges.push((position, info.id));
            }
        }
        Some(history)
    }

    /// Returns the position of a commit, 0 for the newest; `None` if it does not lead to the tip, or was not
    /// read.
    pub fn position(&self, hash: &str) -> Option<usize> {
        let id = ObjectId::from_hex(hash.as_bytes()).ok()?;
        self.positions.get(&id).copied()
    }

    /// Returns true if all commits were read.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the hashes of the merges after a position, oldest first, at most `limit`.
    pub fn merges_after(&self, position: usize, limit: usize) -> Vec<String> {
        let end = self.merges.partition_point(|(merge, _)| *merge < position);
        self.merges[..end].iter().rev().take(limit).map(|(_, id)| id.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;

    #[test]
    fn only_ancestors_have_positions() {
        let folder = Folder::new();
        let git = |day: u64, arguments: &[&str]| folder.git_on("", day, arguments);
        git(0, &["init", "-q", "-b", "main"]);
        let commit = |day: u64, name: &str| {
            folder.write(name, name);
            git(day, &["add", "-A"]);
            git(day, &["commit", "-q", "-m", name]);
            git(day, &["rev-parse", "HEAD"]).trim().to_owned()
        };
        let first = commit(1, "first");
        git(1, &["checkout", "-q", "-b", "side"]);
        let on_side = commit(2, "on-side");
        git(2, &["checkout", "-q", "main"]);
        let second = commit(3, "second");
        let history = HeadHistory::read(folder.path(), None, Duration::from_mins(1)).unwrap();
        assert!(history.is_whole());
        assert_eq!(history.position(&second), Some(0));
        assert_eq!(history.position(&first), Some(1));
        assert_eq!(history.position(&on_side), None);
        assert_eq!(history.merges_after(1, 10), [""; 0]);
        git(4, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        let merge = git(4, &["rev-parse", "HEAD"]).trim().to_owned();
        let history = HeadHistory::read(folder.path(), None, Duration::from_mins(1)).unwrap();
        let position = history.position(&on_side).unwrap();
        assert_eq!(history.merges_after(position, 10), [merge]);
    }
}
