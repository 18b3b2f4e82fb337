//! Searches content that is in git but not in the worktree: files deleted by recent commits, and
//! files that differ on local branches.

use std::collections::{BTreeMap, HashSet};

use gix::{ObjectId, Repository, bstr::ByteSlice, diff::tree::visit::Change};

use super::{
    files::Differences,
    history::History,
    repository::{open, walk_newest_first},
};
use crate::{
    Tree, root,
    unindexed::{UnindexedBounds, UnindexedReason, UnindexedSearch},
};

/// Maximum file size in bytes: larger files are data.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Searches local branches and deleted files within the bounds. Unreadable objects are skipped: a
/// partial result is still useful.
pub(crate) fn search_unindexed(
    tree: &Tree,
    bounds: &UnindexedBounds,
    search: &mut UnindexedSearch<'_>,
) {
    let Some(top) = root::git_top(tree.canonical_root()) else { return };
    let Ok(repository) = open(top) else { return };
    let head = match &tree.options().at {
        Some(revision) => Ok(revision.id()),
        None => repository.head_id().map(gix::Id::detach),
    };
    let Ok(head) = head else { return };
    let Ok(history) = History::new(&repository, top, tree) else { return };
    let mut git_search = GitSearch {
        repository: &repository,
        history: &history,
        differences: Differences::default(),
        seen: HashSet::new(),
        search,
    };
    git_search.branches(head, bounds.branches);
    git_search.deleted(head, bounds.commits);
}

/// State of the search in git.
struct GitSearch<'a, 'b, 'c> {
    repository: &'a Repository,
    history: &'a History<'a>,
    differences: Differences,
    /// Objects that were searched.
    seen: HashSet<ObjectId>,
    search: &'b mut UnindexedSearch<'c>,
}

impl GitSearch<'_, '_, '_> {
    /// Searches the files that are added or changed at the tips of the branches.
    fn branches(&mut self, head: ObjectId, max: usize) {
        let Some(own) = self.tree_of(head) else { return };
        let tips = self.tips(head);
        if tips.len() > max {
            self.search.mark_incomplete();
        }
        for (name, tip) in tips.into_iter().take(max) {
            let is_branch =
                |reason: &UnindexedReason| matches!(reason, UnindexedReason::Branch { .. });
            if self.search.has_enough(is_branch) || !self.search.has_budget() {
                return;
            }
            self.search.seen.branches += 1;
            let Some(tree) = self.tree_of(tip) else { continue };
            let mut changed: Vec<(String, ObjectId)> = Vec::new();
            let compared = self.differences.of(self.repository, Some(own), tree, |path, change| {
                if let Change::Addition { entry_mode, oid, .. }
                | Change::Modification { entry_mode, oid, .. } = change
                    && entry_mode.is_blob()
                {
                    changed.push((path.to_str_lossy().into_owned(), oid));
                }
            });
            if compared.is_err() {
                continue;
            }
            self.read(changed, &UnindexedReason::Branch { name }, is_branch);
        }
    }

    /// Searches the files that commits deleted, newest first, in their last version. Moved files
    /// are not deleted.
    fn deleted(&mut self, head: ObjectId, max: usize) {
        let Ok(walk) = walk_newest_first(self.repository, &[head]) else { return };
        for info in walk.take(max).filter_map(Result::ok) {
            let is_deleted =
                |reason: &UnindexedReason| matches!(reason, UnindexedReason::Deleted { .. });
            if self.search.has_enough(is_deleted) || !self.search.has_budget() {
                return;
            }
            self.search.seen.commits += 1;
            // The deletions of a merge are those of the merged commits.
            let [parent] = info.parent_ids[..] else { continue };
            let (Some(before), Some(after)) = (self.tree_of(parent), self.tree_of(info.id)) else {
                continue;
            };
            let mut deleted: Vec<(String, ObjectId)> = Vec::new();
            let mut kept: HashSet<ObjectId> = HashSet::new();
            let compared =
                self.differences.of(self.repository, Some(before), after, |path, change| {
                    match change {
                        Change::Deletion { entry_mode, oid, .. } if entry_mode.is_blob() => {
                            deleted.push((path.to_str_lossy().into_owned(), oid));
                        }
                        Change::Addition { oid, .. } => {
                            kept.insert(oid);
                        }
                        Change::Deletion { .. } | Change::Modification { .. } => {}
                    }
                });
            if compared.is_err() {
                continue;
            }
            deleted.retain(|(_, id)| !kept.contains(id));
            let reason = UnindexedReason::Deleted { commit: info.id.to_string() };
            self.read(deleted, &reason, is_deleted);
        }
    }

    /// Searches contents, each object once.
    fn read(
        &mut self,
        mut contents: Vec<(String, ObjectId)>,
        reason: &UnindexedReason,
        is_kind: fn(&UnindexedReason) -> bool,
    ) {
        contents.sort_unstable();
        for (path, id) in contents {
            let Some(path) = path.strip_prefix(&self.history.prefix) else { continue };
            if self.search.has_enough(is_kind) || !self.search.has_budget() {
                return;
            }
            if !self.seen.insert(id) {
                continue;
            }
            let Ok(header) = self.repository.find_header(id) else { continue };
            if header.size() > MAX_FILE_BYTES {
                continue;
            }
            let Ok(object) = self.repository.find_object(id) else { continue };
            self.search.read(path, &object.data, reason);
        }
    }

    /// Returns the tips of the branches that differ from HEAD, by name.
    fn tips(&self, head: ObjectId) -> BTreeMap<String, ObjectId> {
        let mut tips = BTreeMap::new();
        let Ok(references) = self.repository.references() else { return tips };
        let Ok(branches) = references.local_branches() else { return tips };
        for mut branch in branches.filter_map(Result::ok) {
            let name = branch.name().shorten().to_str_lossy().into_owned();
            let Ok(tip) = branch.peel_to_id().map(gix::Id::detach) else { continue };
            if tip != head {
                tips.insert(name, tip);
            }
        }
        tips
    }

    /// Returns the tree of a commit.
    fn tree_of(&self, commit: ObjectId) -> Option<ObjectId> {
        let commit = self.repository.find_object(commit).ok()?.try_into_commit().ok()?;
        commit.tree_id().ok().map(gix::Id::detach)
    }
}
