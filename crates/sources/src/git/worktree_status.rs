//! State of a tree relative to the checked-out commit: the commit, and the number of changed files.
//!
//! Git's index contains the files of the commit, and the size, times and inode of each file when git
//! last compared it. Only files that differ in one of them are read. Staged changes are compared
//! folder by folder; a folder whose tree in the index equals that of the commit is skipped.
//!
//! In a copy of a tree, the inode and the time of the last change differ for every file. If they
//! alone differ for many files, they are ignored.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use gix::{
    ObjectId, Repository,
    bstr::{BStr, ByteSlice},
    index::{
        Entry, File,
        entry::{Flags, Mode, Stage},
        extension,
    },
    objs::Kind,
};

use super::{repository::open, tracked::read_index};
use crate::{root, tree::Tree};

/// Maximum nesting depth of submodules.
const MAX_SUBMODULE_DEPTH: usize = 8;

/// Maximum number of files that are read although only their inode or the time of their last change
/// differs. With more of them, the tree is a copy.
const MAX_DOUBTFUL: usize = 256;

/// Maximum number of paths in [`WorktreeStatus::witnesses`].
const MAX_WITNESSES: usize = 2_000;

/// State of a tree relative to the checked-out commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeStatus {
    /// Full hash of the commit.
    pub commit: String,
    /// Number of files that differ from the commit: changed, added, deleted, or listed but unknown
    /// to git. Files of a submodule are compared with the commit recorded for it. Files that the
    /// walk skips count only if they were deleted. `None` if the number cannot be determined, or
    /// not in time.
    pub changed_files: Option<u64>,
    /// Paths that were looked for, because git tracks them and the walk skips them, and whether they
    /// exist. Apart from them the number depends on nothing but the listing, the commit and git's
    /// index. `None` if it depends on more: on submodules, or on too many paths.
    pub witnesses: Option<Vec<(PathBuf, bool)>>,
}

impl WorktreeStatus {
    /// Compares a tree on disk with the checked-out commit; `None` outside git, and before the
    /// first commit.
    pub fn of(tree: &Tree, within: Duration) -> Option<WorktreeStatus> {
        let deadline = Instant::now() + within;
        let top = root::git_top(tree.canonical_root())?;
        let repository = open(top).ok()?;
        let head = repository.head_id().ok()?.detach();
        let inside = tree.canonical_root().strip_prefix(top).ok()?;
        let prefix: String = inside.iter().map(|name| name.to_string_lossy() + "/").collect();
        let mut count = Count {
            tree,
            top,
            prefix,
            deadline,
            seen: vec![false; tree.entries().len()],
            doubtful: Vec::new(),
            changed_files: 0,
            witnesses: RefCell::new(Some(Vec::new())),
        };
        let counted = commit_tree(&repository, head)
            .and_then(|id| count.repository(&repository, id, "", 0))
            .and_then(|()| count.doubtful())
            .map(|()| count.rest());
        let changed_files = counted.map(|rest| count.changed_files + rest);
        let witnesses = count.witnesses.take().filter(|_| changed_files.is_some());
        Some(WorktreeStatus { commit: head.to_string(), changed_files, witnesses })
    }
}

fn commit_tree(repository: &Repository, commit: ObjectId) -> Option<ObjectId> {
    Some(repository.find_commit(commit).ok()?.tree_id().ok()?.detach())
}

struct Count<'a> {
    tree: &'a Tree,
    top: &'a Path,
    /// Path of the searched folder in the repository: empty, or with a final `/`.
    prefix: String,
    deadline: Instant,
    /// For each entry, true if it is in the index of a repository.
    seen: Vec<bool>,
    /// Entries with the size and modification time in the index, but another inode or time of the
    /// last change; with the object in the index and in the commit.
    doubtful: Vec<(usize, ObjectId, Option<ObjectId>)>,
    changed_files: u64,
    /// See [`WorktreeStatus::witnesses`].
    witnesses: RefCell<Option<Vec<(PathBuf, bool)>>>,
}

impl Count<'_> {
    /// The entry at a path from the root of the repository. An export that the user named has no
    /// history.
    fn listed(&self, path: &str) -> Option<usize> {
        let index = self.tree.index(path.strip_prefix(&self.prefix)?)?;
        self.tree.export(index).is_none().then_some(index)
    }

    /// Compares the index of one repository with the disk. `folder` is the path of its checkout,
    /// empty or with a final `/`.
    fn repository(
        &mut self,
        repository: &Repository,
        head: ObjectId,
        folder: &str,
        level: usize,
    ) -> Option<()> {
        if level > MAX_SUBMODULE_DEPTH {
            return None;
        }
        // Without an index, everything was deleted or nothing was ever added.
        let index = read_index(&repository.index_path(), repository.object_hash())?;
        let index = index.as_ref();
        if index.is_sparse() || index.link().is_some() {
            return None;
        }
        let staged = Staged::read(repository, index, head, self.deadline)?;
        let mut conflicts = HashSet::new();
        for entry in index.entries() {
            let name = entry.path(index);
            let Ok(name) = name.to_str() else { continue };
            let path = joined(folder, name);
            // The searched folder may be inside a submodule.
            let is_around =
                entry.mode == Mode::COMMIT && self.prefix.starts_with(&format!("{path}/"));
            if !path.starts_with(&self.prefix) && !is_around {
                continue;
            }
            if entry.stage() != Stage::Unconflicted {
                if let Some(listed) = self.listed(&path) {
                    self.seen[listed] = true;
                }
                self.changed_files += u64::from(conflicts.insert(path.into_owned()));
                continue;
            }
            let committed = match staged.get(name.as_bytes().as_bstr()) {
                Some(other) => *other,
                None => Some(entry.id),
            };
            if entry.mode == Mode::COMMIT {
                self.submodule(&path, committed, level)?;
                continue;
            }
            let same = self.is_as_committed(&path, entry, index, committed)?;
            self.changed_files += u64::from(!same);
        }
        self.removed(&staged, folder)
    }

    /// Returns true if a file of the index is on disk as in the commit; `None` if it cannot be
    /// determined.
    fn is_as_committed(
        &mut self,
        path: &str,
        entry: &Entry,
        index: &File,
        committed: Option<ObjectId>,
    ) -> Option<bool> {
        let Some(listed) = self.listed(path) else {
            let is_skipped = entry.flags.contains(Flags::SKIP_WORKTREE);
            return Some(committed.is_none() || is_skipped || self.exists(path));
        };
        self.seen[listed] = true;
        let stat = &entry.stat;
        // A file that changed in the same instant as the index may have changed again since.
        let is_settled = {
            let written = index.timestamp();
            let (seconds, nanoseconds) = (i64::from(stat.mtime.secs), stat.mtime.nsecs);
            seconds < written.unix_seconds()
                || (seconds == written.unix_seconds() && nanoseconds < written.nanoseconds())
        };
        let times = (stat.mtime.secs, stat.mtime.nsecs);
        if is_settled && self.tree.has_size_and_time(listed, stat.size, times) {
            let changed = (stat.ctime.secs, stat.ctime.nsecs);
            if !self.tree.has_change_time_and_inode(listed, changed, stat.ino) {
                self.doubtful.push((listed, entry.id, committed));
                return Some(true);
            }
            return Some(Some(entry.id) == committed);
        }
        match committed {
            Some(id) => self.has_content(listed, id),
            None => Some(false),
        }
    }

    /// Counts the doubtful files that differ from the commit; `None` if the time is up.
    fn doubtful(&mut self) -> Option<()> {
        let doubtful = std::mem::take(&mut self.doubtful);
        let is_copy = doubtful.len() > MAX_DOUBTFUL;
        for (listed, in_index, committed) in doubtful {
            let same = match committed {
                Some(id) if !is_copy => self.has_content(listed, id)?,
                _ => Some(in_index) == committed,
            };
            self.changed_files += u64::from(!same);
        }
        Some(())
    }

    /// Counts the files in the commit but not in the index: deleted, unless the file still exists.
    fn removed(&mut self, staged: &Staged, folder: &str) -> Option<()> {
        for (name, id) in &staged.removed {
            let Ok(name) = name.to_str() else { continue };
            let path = joined(folder, name);
            if !path.starts_with(&self.prefix) {
                continue;
            }
            let same = match self.listed(&path) {
                Some(listed) => {
                    self.seen[listed] = true;
                    self.has_content(listed, *id)?
                }
                None => self.exists(&path),
            };
            self.changed_files += u64::from(!same);
        }
        Some(())
    }

    fn submodule(&mut self, path: &str, committed: Option<ObjectId>, level: usize) -> Option<()> {
        *self.witnesses.borrow_mut() = None;
        let place = self.top.join(path);
        // Without a checkout there are no files; in a new submodule, all files are new.
        let Some(committed) = committed.filter(|_| root::git_dir(&place).is_some()) else {
            return Some(());
        };
        let repository = open(&place).ok()?;
        let tree = commit_tree(&repository, committed)?;
        self.repository(&repository, tree, &format!("{path}/"), level + 1)
    }

    /// Returns whether something exists at a path of the repository.
    fn exists(&self, path: &str) -> bool {
        let path = self.top.join(path);
        let exists = path.symlink_metadata().is_ok();
        let mut witnesses = self.witnesses.borrow_mut();
        if witnesses.as_ref().is_some_and(|known| known.len() >= MAX_WITNESSES) {
            *witnesses = None;
        } else if let Some(known) = &mut *witnesses {
            known.push((path, exists));
        }
        exists
    }

    /// Returns whether an entry has the content of an object; `None` if the time is up.
    fn has_content(&self, listed: usize, id: ObjectId) -> Option<bool> {
        if Instant::now() > self.deadline {
            return None;
        }
        let path = &self.tree.entries()[listed].path;
        let Ok(bytes) = self.tree.read_bytes(path, u64::MAX) else { return Some(false) };
        let is = |bytes: &[u8]| {
            gix::objs::compute_hash(id.kind(), Kind::Blob, bytes).is_ok_and(|other| other == id)
        };
        // Git may have converted line ends to CRLF.
        Some(is(&bytes) || (bytes.contains_str("\r\n") && is(&bytes.replace("\r\n", "\n"))))
    }

    /// Counts the entries that are in no repository's index.
    fn rest(&self) -> u64 {
        let entries = self.tree.entries().iter().enumerate();
        let unknown =
            entries.filter(|(index, _)| !self.seen[*index] && self.tree.export(*index).is_none());
        let path = |(_, entry): (usize, &crate::Entry)| format!("{}{}", self.prefix, entry.path);
        unknown.map(path).filter(|path| !self.is_linked(path)).count() as u64
    }

    /// Returns whether a file is behind a link, so that git knows it by another path.
    fn is_linked(&self, path: &str) -> bool {
        let mut folder = PathBuf::from(path);
        loop {
            if self.top.join(&folder).symlink_metadata().is_ok_and(|found| found.is_symlink()) {
                return true;
            }
            if !folder.pop() || folder.as_os_str().len() <= self.prefix.len() {
                return false;
            }
        }
    }
}

/// The path of a name in a folder, which is empty or ends with `/`.
fn joined<'n>(folder: &str, name: &'n str) -> Cow<'n, str> {
    if folder.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(format!("{folder}{name}")) }
}

/// Differences between the index and the commit.
#[derive(Default)]
struct Staged {
    /// Objects in the commit of paths that differ in the index; `None` if the commit does not have
    /// the path.
    changed: HashMap<Vec<u8>, Option<ObjectId>>,
    /// Paths that are not in the index.
    removed: Vec<(Vec<u8>, ObjectId)>,
}

impl Staged {
    fn get(&self, path: &BStr) -> Option<&Option<ObjectId>> {
        if self.changed.is_empty() { None } else { self.changed.get(path.as_bytes()) }
    }

    /// `None` if an object is missing or the time is up: a malicious tree that contains itself has
    /// no end.
    fn read(
        repository: &Repository,
        index: &File,
        head: ObjectId,
        deadline: Instant,
    ) -> Option<Staged> {
        let mut staged = Staged::default();
        let mut folders = vec![(Vec::new(), head, index.tree())];
        while let Some((folder, id, known)) = folders.pop() {
            if known.is_some_and(|known| known.num_entries.is_some() && known.id == id) {
                continue;
            }
            if Instant::now() > deadline {
                return None;
            }
            staged.compare(repository, index, (folder, id, known), &mut folders)?;
        }
        Some(staged)
    }

    /// Compares the entries of a folder, and adds its subfolders to `folders`.
    fn compare<'a>(
        &mut self,
        repository: &Repository,
        index: &'a File,
        (folder, id, known): Folder<'a>,
        folders: &mut Vec<Folder<'a>>,
    ) -> Option<()> {
        let tree = repository.find_tree(id).ok()?;
        let mut names = HashSet::new();
        for entry in tree.iter() {
            let entry = entry.ok()?;
            let name = entry.filename();
            let path = [folder.as_slice(), name.as_bytes()].concat();
            names.insert(name.to_vec());
            if entry.mode().is_tree() {
                let known = known.and_then(|known| {
                    known.children.iter().find(|child| child.name.as_slice() == name.as_bytes())
                });
                folders.push(([path.as_slice(), b"/"].concat(), entry.object_id(), known));
                continue;
            }
            match index.entry_by_path(path.as_bstr()) {
                Some(other) if other.id == entry.object_id() => {}
                Some(_) => drop(self.changed.insert(path, Some(entry.object_id()))),
                None if entry.mode().is_commit() => {}
                None => self.removed.push((path, entry.object_id())),
            }
        }
        // In the index but not in the commit.
        let own = if folder.is_empty() {
            index.entries()
        } else {
            index.prefixed_entries(folder.as_bstr()).unwrap_or_default()
        };
        for entry in own {
            let path = entry.path(index);
            let rest = &path[folder.len()..];
            let name = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
            if !names.contains(name) {
                self.changed.insert(path.to_vec(), None);
            }
        }
        Some(())
    }
}

/// A folder to compare: its path, empty or with a final `/`, its tree in the commit, and its cached
/// tree in the index.
type Folder<'a> = (Vec<u8>, ObjectId, Option<&'a extension::Tree>);

#[cfg(test)]
mod tests;
