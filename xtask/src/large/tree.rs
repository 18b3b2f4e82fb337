//! The copy of the tree that a run works on.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

/// Bytes at the start of a file in which a zero byte marks a binary file, as in git.
const TEXT_PROBE: u64 = 8_000;

/// Extensions of the files that questions and changes use.
const TEXT_EXTENSIONS: &[&str] =
    &["c", "h", "rs", "py", "ts", "js", "go", "java", "cpp", "md", "rst", "rb", "php"];

/// A tree with its tracked files.
pub(super) struct Tree {
    pub(super) root: PathBuf,
    /// Tracked files, relative to the root.
    pub(super) files: Vec<String>,
    /// Bytes of the tracked text files.
    pub(super) text_bytes: u64,
}

impl Tree {
    /// Opens a repository without changes, on a branch of its own.
    pub(super) fn open(root: &Path) -> Result<Tree> {
        git(root, &["checkout", "--quiet", "-B", BRANCH])?;
        let listed = git_output(root, &["ls-files", "-z"])?;
        let files: Vec<String> =
            listed.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let mut text_bytes = 0;
        for file in &files {
            text_bytes += text_length(&root.join(file))?;
        }
        Ok(Tree { root: root.to_owned(), files, text_bytes })
    }

    /// Tracked files of programming languages and pages.
    pub(super) fn sources(&self) -> Vec<&str> {
        let is_source = |file: &&str| {
            file.rsplit_once('.').is_some_and(|(_, extension)| TEXT_EXTENSIONS.contains(&extension))
        };
        self.files.iter().map(String::as_str).filter(is_source).collect()
    }

    /// Restores the tracked files, and removes all others.
    pub(super) fn reset(&self) -> Result<()> {
        git(&self.root, &["checkout", "--quiet", "--force", BRANCH])?;
        git(&self.root, &["reset", "--quiet", "--hard"])?;
        git(&self.root, &["clean", "--quiet", "-ffdx"])
    }
}

/// Branch of the copy that contains the files as they were copied.
pub(super) const BRANCH: &str = "large-tree";

/// Copies a repository, and restores the tracked files in the copy.
pub(super) fn copy(source: &Path, target: &Path) -> Result<()> {
    let source = fs::canonicalize(source)
        .with_context(|| format!("could not open `{}`", source.display()))?;
    if !source.join(".git").is_dir() {
        // Git commands in the copy of a linked worktree would change the repository itself.
        bail!("`{}` is not the main work tree of a git repository", source.display());
    }
    let mut command = Command::new("cp");
    command.args(["-a", "--reflink=auto", "--"]).arg(&source).arg(target);
    crate::clients::call(&mut command)?;
    for lock in ["index.lock", "HEAD.lock"] {
        let _ = fs::remove_file(target.join(".git").join(lock));
    }
    git(target, &["reset", "--quiet", "--hard"])?;
    git(target, &["clean", "--quiet", "-ffdx"])
}

/// Bytes of a text file; 0 for others.
fn text_length(path: &Path) -> Result<u64> {
    let metadata =
        path.symlink_metadata().with_context(|| format!("could not read `{}`", path.display()))?;
    if !metadata.is_file() {
        return Ok(0);
    }
    let mut start = Vec::new();
    File::open(path)?.take(TEXT_PROBE).read_to_end(&mut start)?;
    Ok(if start.contains(&0) { 0 } else { metadata.len() })
}

/// The folder with the most files that has at most a share of all files.
///
/// Folders count all files below them; of equal folders, the first by name is chosen.
pub(super) fn folder_with_share(files: &[String], share: f64) -> Option<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        for (end, _) in file.match_indices('/') {
            *counts.entry(&file[..end]).or_default() += 1;
        }
    }
    let max = files.len() as f64 * share;
    counts
        .into_iter()
        .filter(|(_, count)| *count as f64 <= max)
        .max_by(|left, right| left.1.cmp(&right.1).then_with(|| right.0.cmp(left.0)))
        .map(|(folder, count)| (folder.to_owned(), count))
}

/// Runs git in a tree, without settings of the user and without hooks.
pub(super) fn git(tree: &Path, words: &[&str]) -> Result<()> {
    git_output(tree, words).map(|_| ())
}

/// Runs git, and returns its output.
pub(super) fn git_output(tree: &Path, words: &[&str]) -> Result<String> {
    let ran = Command::new("git")
        .arg("-C")
        .arg(tree)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(["-c", "gc.auto=0", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false"])
        .args(["-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"])
        .args(words)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2025-01-16T08:15:00Z")
        .env("GIT_COMMITTER_DATE", "2025-01-16T08:15:00Z")
        .output()?;
    if !ran.status.success() {
        bail!("git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::folder_with_share;

    #[test]
    fn the_largest_folder_within_the_share_is_chosen() {
        let mut files: Vec<String> = (0..60).map(|file| format!("large/deep/{file}.c")).collect();
        files.extend((0..7).map(|file| format!("small/one/{file}.c")));
        files.extend((0..7).map(|file| format!("small/two/{file}.c")));
        files.extend((0..26).map(|file| format!("{file}.md")));
        assert_eq!(folder_with_share(&files, 0.07), Some(("small/one".to_owned(), 7)));
        assert_eq!(folder_with_share(&files, 0.2), Some(("small".to_owned(), 14)));
        assert_eq!(folder_with_share(&files, 0.01), None);
    }
}
