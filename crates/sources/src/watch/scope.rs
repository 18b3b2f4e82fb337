//! Paths that concern a tree: those that a walk would visit, and the git files that determine the
//! checked-out commit.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use crate::{native, root, rules, tree::Tree};

/// True if each folder is watched separately. Other systems watch a folder with everything below
/// it.
pub(super) const EACH_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Files of a git folder that determine the branches and the checked-out commit.
const GIT_FILES: [&str; 2] = ["HEAD", "packed-refs"];

/// Subfolder of a git folder with one file per branch and tag.
const REFS: &str = "refs";

/// Set of paths that concern a tree.
#[derive(Debug)]
pub(super) struct Scope {
    /// Canonical root of the tree.
    root: PathBuf,
    /// Git folders of the repository: its own, and the one shared with other worktrees.
    git: Vec<PathBuf>,
    /// Folder that the caller writes itself.
    excluded: Option<PathBuf>,
    /// Paths that the last walk skipped.
    skipped: RwLock<Vec<String>>,
}

impl Scope {
    pub(super) fn new(root: &Path, excluded: Option<&Path>) -> Scope {
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
            excluded: excluded.map(canonical),
            skipped: RwLock::default(),
        }
    }

    /// Sets the paths that a walk skipped: sorted, folders with a final `/`.
    pub(super) fn set_skipped(&self, ignored: &[String]) {
        let mut skipped = self.skipped.write().unwrap_or_else(PoisonError::into_inner);
        ignored.clone_into(&mut skipped);
    }

    /// Returns the folders to watch. Folders that cannot be listed are skipped.
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

    /// Returns whether a change of a path concerns the tree.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        for git in &self.git {
            if let Ok(inner) = path.strip_prefix(git) {
                return is_state_of_git(inner);
            }
        }
        if self.excluded.as_ref().is_some_and(|excluded| path.starts_with(excluded)) {
            return false;
        }
        let Ok(inner) = path.strip_prefix(&self.root) else { return false };
        let parts: Vec<_> = inner.components().map(|part| part.as_os_str().to_str()).collect();
        // A path that is not UTF-8 is never in an answer.
        let Some(parts) = parts.into_iter().collect::<Option<Vec<&str>>>() else { return false };
        let is_inside = |part: &&str| rules::is_version_control(part);
        let folders = parts.len().saturating_sub(1);
        !parts[..folders].iter().any(is_inside) && !self.is_skipped(&parts)
    }

    /// Returns whether the last walk skipped the path or one of its parent folders.
    fn is_skipped(&self, parts: &[&str]) -> bool {
        let skipped = self.skipped.read().unwrap_or_else(PoisonError::into_inner);
        let contains =
            |name: &str| skipped.binary_search_by(|known| known.as_str().cmp(name)).is_ok();
        let mut path = String::new();
        for part in parts {
            path.push_str(part);
            if contains(&path) {
                return true;
            }
            path.push('/');
            if contains(&path) {
                return true;
            }
        }
        false
    }
}

/// Returns whether a path inside a git folder determines the branches or the checked-out commit.
/// Lock files are renamed to such files later.
fn is_state_of_git(inner: &Path) -> bool {
    let Some(inner) = inner.to_str() else { return false };
    let inner = inner.replace(std::path::MAIN_SEPARATOR, "/");
    let is_lock = Path::new(&inner).extension().is_some_and(|ending| ending == "lock");
    let is_ref =
        inner.strip_prefix(REFS).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    !is_lock && (GIT_FILES.contains(&inner.as_str()) || is_ref)
}

/// Adds a folder and its subfolders.
fn add_folders(folder: &Path, all: &mut BTreeSet<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else { return };
    all.insert(folder.to_owned());
    for item in listing.flatten() {
        if item.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_folders(&item.path(), all);
        }
    }
}
