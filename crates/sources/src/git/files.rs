//! The files that a commit changes: the difference of two trees, without looking into any file.

use std::collections::VecDeque;

use gix::{
    ObjectId, Repository,
    bstr::{BStr, BString, ByteSlice},
    diff::tree::{State, Visit, visit},
    objs::{FindExt, TreeRefIter},
};

/// The paths that one commit changes. Made once and used for commit after commit, because its
/// buffers are worth keeping.
#[derive(Default)]
pub(super) struct ChangedFiles {
    differences: Differences,
    commit: Vec<u8>,
    paths: Vec<String>,
}

/// What comparing two trees may cost, in bytes of paths and [`COST`] for each: some ten times what the
/// largest repositories need for all their files. A tree that holds itself has no end.
const MOST_TO_COMPARE: usize = 256 << 20;

/// What an entry costs beside its path.
const COST: usize = 64;

/// Compares trees. Its buffers are worth keeping.
#[derive(Default)]
pub(super) struct Differences {
    state: State,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Differences {
    /// Tells every difference between two trees in something that is no folder, with its path.
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
            left: MOST_TO_COMPARE,
            note,
        };
        gix::diff::tree(before, after, &mut self.state, objects, &mut collector)
            .map_err(|_| Incomplete)
    }
}

/// Some object is missing, as in a clone without trees, or broken.
#[derive(Debug)]
pub(super) struct Incomplete;

impl ChangedFiles {
    /// Compares a tree with that of a parent commit, or with nothing.
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

    /// Drops what lies outside a folder, and the folder's name from the rest.
    pub(super) fn keep_inside(&mut self, prefix: &str) {
        self.paths.retain(|path| path.starts_with(prefix));
        for path in &mut self.paths {
            path.drain(..prefix.len());
        }
    }

    /// How many files were changed.
    pub(super) fn count(&self) -> usize {
        self.paths.len()
    }

    /// Their paths, sorted.
    pub(super) fn paths(&self) -> &[String] {
        &self.paths
    }
}

/// Passes on everything that is no folder, with its path.
struct Collector<N> {
    /// Path of what is being looked at.
    path: BString,
    /// Paths of the folders that wait to be compared, as the comparison goes breadth first.
    waiting: VecDeque<BString>,
    /// What may still be spent.
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
        self.left = self.left.saturating_sub(self.path.len() + COST);
        if self.left == 0 {
            return visit::Action::Break(());
        }
        visit::Action::Continue(())
    }
}
