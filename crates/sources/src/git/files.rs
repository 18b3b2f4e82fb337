//! Files that a commit changes: the difference of two trees, without reading any file.

use std::collections::VecDeque;

use gix::{
    ObjectId, Repository,
    bstr::{BStr, BString, ByteSlice},
    diff::tree::{State, Visit, visit},
    objs::{FindExt, TreeRefIter},
};

/// Paths that one commit changes. Reused for commit after commit, to reuse its buffers.
#[derive(Default)]
pub(super) struct ChangedFiles {
    differences: Differences,
    commit: Vec<u8>,
    paths: Vec<String>,
}

/// Maximum cost of comparing two trees, in bytes of paths plus [`ENTRY_COST`] per entry: about ten
/// times what the largest repositories need for all their files. A malicious tree that contains
/// itself would have no end.
const MAX_COMPARE_COST: usize = 256 << 20;

/// Cost of an entry in addition to its path.
const ENTRY_COST: usize = 64;

/// Comparison of two trees, with reusable buffers.
#[derive(Default)]
pub(super) struct Differences {
    state: State,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Differences {
    /// Calls `note` with every difference between two trees that is not a folder, and its path.
    pub(super) fn of(
        &mut self,
        repository: &Repository,
        before: Option<ObjectId>,
        after: ObjectId,
        note: impl FnMut(&BStr, visit::Change),
    ) -> Result<(), Incomplete> {
        let objects = &repository.objects;
        let before = match before {
            Some(tree) => {
                objects.find_tree_iter(&tree, &mut self.before).map_err(|_| Incomplete)?
            }
            None => TreeRefIter::from_bytes(&[], repository.object_hash()),
        };
        let after = objects.find_tree_iter(&after, &mut self.after).map_err(|_| Incomplete)?;
        let mut collector = Collector {
            path: BString::default(),
            waiting: VecDeque::new(),
            left: MAX_COMPARE_COST,
            note,
        };
        gix::diff::tree(before, after, &mut self.state, objects, &mut collector)
            .map_err(|_| Incomplete)
    }
}

/// Error: an object is missing, as in a clone without trees, or broken.
#[derive(Debug)]
pub(super) struct Incomplete;

impl ChangedFiles {
    /// Compares a tree with that of a parent commit, or with an empty tree.
    pub(super) fn read(
        &mut self,
        repository: &Repository,
        parent: Option<ObjectId>,
        tree: ObjectId,
    ) -> Result<(), Incomplete> {
        self.clear();
        let paths = &mut self.paths;
        let before = match parent {
            Some(parent) => {
                let parent = repository.objects.find_commit_iter(&parent, &mut self.commit);
                Some(parent.map_err(|_| Incomplete)?.tree_id().map_err(|_| Incomplete)?)
            }
            None => None,
        };
        self.differences.of(repository, before, tree, |path, _| {
            paths.push(path.to_str_lossy().into_owned());
        })?;
        self.paths.sort_unstable();
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.paths.clear();
    }

    /// Keeps only paths inside a folder, and removes the folder from them.
    pub(super) fn keep_inside(&mut self, prefix: &str) {
        self.paths.retain(|path| path.starts_with(prefix));
        for path in &mut self.paths {
            path.drain(..prefix.len());
        }
    }

    /// Returns the number of changed files.
    pub(super) fn count(&self) -> usize {
        self.paths.len()
    }

    /// Returns the paths of the changed files, sorted.
    pub(super) fn paths(&self) -> &[String] {
        &self.paths
    }
}

/// Visitor that passes on everything except folders, with its path.
struct Collector<N> {
    /// Path of the current entry.
    path: BString,
    /// Paths of the folders to compare next; the comparison is breadth first.
    waiting: VecDeque<BString>,
    /// Remaining cost.
    left: usize,
    note: N,
}

impl<N: FnMut(&BStr, visit::Change)> Visit for Collector<N> {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.waiting.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push_path_component(component);
        self.waiting.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        if component.is_empty() {
            return;
        }
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(component);
    }

    fn pop_path_component(&mut self) {
        let end = self.path.rfind_byte(b'/').unwrap_or(0);
        self.path.truncate(end);
    }

    fn visit(&mut self, change: visit::Change) -> visit::Action {
        if !change.entry_mode().is_tree() {
            (self.note)(self.path.as_ref(), change);
        }
        self.left = self.left.saturating_sub(self.path.len() + ENTRY_COST);
        if self.left == 0 {
            return visit::Action::Break(());
        }
        visit::Action::Continue(())
    }
}
