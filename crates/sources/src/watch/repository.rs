//! The git folders of a tree, and the files in them that determine the branches and the checked-out
//! commit.

use std::path::{Path, PathBuf};

use crate::{native, root};

/// Files of a git folder that determine the branches and the checked-out commit.
const GIT_FILES: [&str; 2] = ["HEAD", "packed-refs"];

/// Subfolder of a git folder with one file per branch and tag.
const REFS: &str = "refs";

/// Git folders of a tree: its own, and the one shared with other worktrees.
#[derive(Debug, Clone, Default)]
pub(super) struct GitFolders(pub(super) Vec<PathBuf>);

impl GitFolders {
    /// Finds the git folders of the tree at a canonical root.
    pub(super) fn of(root: &Path) -> GitFolders {
        let mut folders: Vec<PathBuf> = Vec::new();
        if let Some(folder) = root::enclosing(root, &[".git"]).and_then(root::git_dir) {
            let common = root::common_of(&folder);
            for folder in [folder, common] {
                let folder = native::canonical(&folder).unwrap_or(folder);
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
        GitFolders(folders)
    }

    /// Returns the folders to watch where each is watched by itself.
    #[cfg(target_os = "linux")]
    pub(super) fn watched(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for git in &self.0 {
            all.push(git.clone());
            add_folders(&git.join(REFS), &mut all);
        }
        all
    }

    /// Returns whether a path inside a git folder determines the branches or the checked-out
    /// commit; `None` for a path outside of them. Lock files are renamed to such files later.
    pub(super) fn concerns(&self, path: &Path) -> Option<bool> {
        let inner = self.0.iter().find_map(|git| path.strip_prefix(git).ok())?;
        let Some(inner) = inner.to_str() else { return Some(false) };
        let inner = inner.replace(std::path::MAIN_SEPARATOR, "/");
        let is_lock = Path::new(&inner).extension().is_some_and(|ending| ending == "lock");
        let is_ref =
            inner.strip_prefix(REFS).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        Some(!is_lock && (GIT_FILES.contains(&inner.as_str()) || is_ref))
    }
}

/// Adds a folder and its subfolders.
#[cfg(target_os = "linux")]
fn add_folders(folder: &Path, all: &mut Vec<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else { return };
    all.push(folder.to_owned());
    for item in listing.flatten() {
        if item.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_folders(&item.path(), all);
        }
    }
}
