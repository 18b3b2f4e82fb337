//! Root of a tree, and the repository that it belongs to.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{native, regular::read_regular_text};

/// Maximum size in bytes of a file that names a directory.
const MAX_POINTER_BYTES: u64 = 64 << 10;

/// Maximum size in bytes of a configuration.
const MAX_CONFIG_BYTES: u64 = 16 << 20;

/// Returns the canonical path of a folder: absolute, without links.
///
/// If it does not exist, cannot be read or is not a folder.
pub fn canonical_root(root: &Path) -> std::io::Result<PathBuf> {
    let canonical = native::canonical(root)?;
    std::fs::read_dir(&canonical)?;
    Ok(canonical)
}

/// Returns whether something exists at a path; a link counts, wherever it leads.
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Names that mark a folder as the root of a repository.
const REPOSITORY_MARKS: &[&str] = &[".git", ".hg", ".jj"];

/// Returns the root of the repository that encloses `start`: the nearest folder, including `start`,
/// that contains `.git` (a folder, or a file in worktrees and submodules), `.hg` or `.jj`; `start`
/// itself if there is none. A relative path is resolved against the current folder.
pub fn find_root(start: &Path) -> PathBuf {
    let absolute = native::canonical(start).unwrap_or_else(|_| start.to_owned());
    enclosing(&absolute, REPOSITORY_MARKS).map_or_else(|| absolute.clone(), Path::to_owned)
}

/// Returns the nearest ancestor of an absolute path, including itself, that contains one of the
/// names.
pub(crate) fn enclosing<'a>(path: &'a Path, marks: &[&str]) -> Option<&'a Path> {
    path.ancestors().find(|folder| marks.iter().any(|mark| folder.join(mark).exists()))
}

/// Returns the common git folder of a repository, which all its worktrees share. Returns `root`
/// itself if it is not the root of a git repository. Canonical if possible.
pub fn common_dir(root: &Path) -> PathBuf {
    let found = git_dir(root).map_or_else(|| root.to_owned(), |folder| common_of(&folder));
    native::canonical(&found).unwrap_or(found)
}

/// Returns the git folder of the repository with this root: `.git`, or the target of the file
/// `.git`.
pub(crate) fn git_dir(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    let metadata = fs::metadata(&dot_git).ok()?;
    if metadata.is_dir() {
        return Some(dot_git).filter(|folder| belongs_to(folder, root));
    }
    let text = read_regular_text(&dot_git, MAX_POINTER_BYTES).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    // Joining an absolute path returns that path.
    Some(root.join(target)).filter(|folder| folder.is_dir() && belongs_to(folder, root))
}

/// Returns the root of the git repository that encloses an absolute path. `None` if the repository
/// belongs to another tree: otherwise a forged tree could present the commits of any repository on
/// this machine as its own.
pub(crate) fn git_top(path: &Path) -> Option<&Path> {
    enclosing(path, &[".git"]).filter(|top| git_dir(top).is_some())
}

/// Returns whether a git folder belongs to the tree that refers to it. It is inside the tree, or
/// refers back to the tree, as git does in worktrees (the file `gitdir`) and in submodules
/// (`core.worktree`). A worktree's git folder is inside the common folder.
fn belongs_to(git_dir: &Path, top: &Path) -> bool {
    let (Ok(git_dir), Ok(top)) = (git_dir.canonicalize(), top.canonicalize()) else { return false };
    let common = common_of(&git_dir).canonicalize();
    if !common.is_ok_and(|common| git_dir.starts_with(&common) || common.starts_with(&top)) {
        return false;
    }
    let leads_to = |target: &str, wanted: &Path| {
        git_dir.join(target.trim()).canonicalize().is_ok_and(|real| real == wanted)
    };
    if git_dir.starts_with(&top) {
        return true;
    }
    let dot_git = top.join(".git");
    let read = |name: &str| read_regular_text(&git_dir.join(name), MAX_CONFIG_BYTES);
    let is_worktree = read("gitdir").is_ok_and(|back| leads_to(&back, &dot_git));
    let is_submodule = read("config").is_ok_and(|config| {
        config.lines().any(|line| {
            let setting = line.trim().strip_prefix("worktree").map(str::trim_start);
            let target = setting.and_then(|rest| rest.strip_prefix('=')).map(str::trim);
            target.is_some_and(|target| leads_to(target.trim_matches('"'), &top))
        })
    });
    is_worktree || is_submodule
}

/// Returns true if a file is inside a folder after all links on the way.
pub(crate) fn is_inside(folder: &Path, file: &Path) -> bool {
    let (Ok(folder), Ok(file)) = (folder.canonicalize(), file.canonicalize()) else { return false };
    file.starts_with(folder)
}

/// Returns true for a bare git repository: a git folder that is no part of a tree.
pub fn is_bare_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file()
        && folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
        && !folder.join(".git").exists()
}

/// Returns the common folder of a git folder: itself, unless it belongs to a worktree.
pub(crate) fn common_of(git_dir: &Path) -> PathBuf {
    match read_regular_text(&git_dir.join("commondir"), MAX_POINTER_BYTES) {
        Ok(text) => git_dir.join(text.trim()),
        Err(_) => git_dir.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktrees_share_a_common_folder_and_plain_folders_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let git = base.join("main/.git");
        fs::create_dir_all(git.join("worktrees/side")).unwrap();
        fs::write(git.join("worktrees/side/commondir"), "../..\n").unwrap();
        let back = base.join("side/.git");
        fs::write(git.join("worktrees/side/gitdir"), format!("{}\n", back.display())).unwrap();
        fs::create_dir_all(base.join("side/deep/er")).unwrap();
        let pointer = format!("gitdir: {}\n", git.join("worktrees/side").display());
        fs::write(base.join("side/.git"), pointer).unwrap();
        fs::create_dir_all(base.join("plain/sub")).unwrap();
        fs::create_dir_all(base.join("broken")).unwrap();
        fs::write(base.join("broken/.git"), "no pointer").unwrap();

        assert_eq!(find_root(&base.join("side/deep/er")), base.join("side"));
        assert_eq!(find_root(&base.join("main")), base.join("main"));
        assert_eq!(find_root(&base.join("plain/sub")), base.join("plain/sub"));
        assert_eq!(common_dir(&base.join("main")), git);
        assert_eq!(common_dir(&base.join("side")), git);
        assert_eq!(common_dir(&base.join("plain")), base.join("plain"));
        assert_eq!(common_dir(&base.join("broken")), base.join("broken"));
        assert_eq!(common_dir(&base.join("missing")), base.join("missing"));
    }
}
