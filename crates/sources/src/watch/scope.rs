//! Which paths concern a tree: those that a walk would come upon, and what says which commit is
//! checked out.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use crate::{native, root, rules, tree::Tree};

/// Whether each folder is watched on its own. The other systems watch all that lies below one.
pub(super) const EACH_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Files of a git folder that say which commits there are and which is checked out.
const GIT_FILES: [&str; 2] = ["HEAD", "packed-refs"];

/// Folder of a git folder with a file for each branch and tag.
const REFS: &str = "refs";

/// What concerns a tree.
#[derive(Debug)]
pub(super) struct Scope {
    /// Canonical.
    root: PathBuf,
    /// The repository's git folders: its own, and the one that it shares with other worktrees.
    git: Vec<PathBuf>,
    /// What the caller writes itself.
    apart: Option<PathBuf>,
    /// What the last walk left out.
    left_out: RwLock<Vec<String>>,
}

impl Scope {
    pub(super) fn new(root: &Path, apart: Option<&Path>) -> Scope {
        let mut git = Vec::new();
        if let Some(folder) = root::enclosing(root, &[".git"]).and_then(root::git_dir) {
            let common = root::common_of(&folder);
            for folder in [folder, common] {
                let folder = native::canonical(&folder).unwrap_or(folder);
                if !git.contains(&folder) {
                    git.push(folder);
                }
            }
        }
        let canonical = |path: &Path| native::canonical(path).unwrap_or_else(|_| path.to_owned());
        Scope {
            root: root.to_owned(),
            git,
            apart: apart.map(canonical),
            left_out: RwLock::default(),
        }
    }

    /// Takes note of what a walk left out: sorted, folders with a final `/`.
    pub(super) fn leave_out(&self, ignored: &[String]) {
        let mut left_out = self.left_out.write().unwrap_or_else(PoisonError::into_inner);
        ignored.clone_into(&mut left_out);
    }

    /// The folders to watch. What cannot be listed is left out.
    pub(super) fn wanted(&self, tree: &Tree) -> BTreeSet<PathBuf> {
        let mut wanted: BTreeSet<PathBuf> = BTreeSet::new();
        if EACH_FOLDER {
            let folders = tree.folders().iter().map(|folder| self.root.join(folder));
            wanted.extend(folders);
            for git in &self.git {
                wanted.insert(git.clone());
                add_folders(&git.join(REFS), &mut wanted);
            }
        } else {
            wanted.insert(self.root.clone());
            let outside = self.git.iter().filter(|git| !git.starts_with(&self.root));
            wanted.extend(outside.cloned());
        }
        wanted
    }

    /// Whether what happened to a path concerns the tree.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        for git in &self.git {
            if let Ok(inner) = path.strip_prefix(git) {
                return is_state_of_git(inner);
            }
        }
        if self.apart.as_ref().is_some_and(|apart| path.starts_with(apart)) {
            return false;
        }
        let Ok(inner) = path.strip_prefix(&self.root) else { return false };
        let parts: Vec<_> = inner.components().map(|part| part.as_os_str().to_str()).collect();
        // A path that is not UTF-8 is in no answer.
        let Some(parts) = parts.into_iter().collect::<Option<Vec<&str>>>() else { return false };
        let is_inside = |part: &&str| rules::is_version_control(part);
        let folders = parts.len().saturating_sub(1);
        !parts[..folders].iter().any(is_inside) && !self.is_left_out(&parts)
    }

    /// Whether the last walk left out the path or a folder that it lies in.
    fn is_left_out(&self, parts: &[&str]) -> bool {
        let left_out = self.left_out.read().unwrap_or_else(PoisonError::into_inner);
        let holds = |name: &str| left_out.binary_search_by(|one| one.as_str().cmp(name)).is_ok();
        let mut path = String::new();
        for part in parts {
            path.push_str(part);
            if holds(&path) {
                return true;
            }
            path.push('/');
            if holds(&path) {
                return true;
            }
        }
        false
    }
}

/// Whether a path inside a git folder says which commit is checked out or which there are. Locks are
/// on their way to become such a file.
fn is_state_of_git(inner: &Path) -> bool {
    let Some(inner) = inner.to_str() else { return false };
    let inner = inner.replace(std::path::MAIN_SEPARATOR, "/");
    let is_lock = Path::new(&inner).extension().is_some_and(|ending| ending == "lock");
    let is_ref =
        inner.strip_prefix(REFS).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    !is_lock && (GIT_FILES.contains(&inner.as_str()) || is_ref)
}

/// Adds a folder and those in it.
fn add_folders(folder: &Path, all: &mut BTreeSet<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else { return };
    all.insert(folder.to_owned());
    for item in listing.flatten() {
        if item.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_folders(&item.path(), all);
        }
    }
}
