//! Checks the files of a repository before git's library opens them.
//!
//! The library opens files by name: it would wait for ever for a named pipe, and follow a link to a
//! file elsewhere, whose content could then appear in an answer or in an error. A repository with
//! such a file is not opened. A link that stays inside its directory is harmless: old versions of
//! git made `HEAD` one.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    regular::{open_regular, read_regular, read_regular_text},
    root,
};

/// Maximum size in bytes of a file that names one reference or directory.
const MAX_POINTER_BYTES: u64 = 64 << 10;

/// Maximum size in bytes of a configuration.
const MAX_CONFIG_BYTES: u64 = 16 << 20;

/// Maximum size in bytes of a list of references or of the ends of a shallow clone.
const MAX_LIST_BYTES: u64 = 512 << 20;

/// Maximum size in bytes of git's index: two million files have about 200 MB.
const MAX_INDEX_BYTES: u64 = 2 << 30;

/// Maximum size in bytes of a pack. Packs are mapped, not read.
const MAX_PACK_BYTES: u64 = 1 << 44;

/// Maximum number of references that are no part of a list.
const MAX_REFERENCES: usize = 200_000;

/// Maximum number of object directories of other repositories, as in git.
const MAX_ALTERNATES: usize = 64;

/// Time for which a checked repository counts as unchanged.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum nesting of directories of references.
const MAX_DEPTH: usize = 32;

/// Checks the files that git's library opens in a repository. The reason names the file, never its
/// content.
///
/// A search opens a repository several times: it is checked again only after a second.
pub(super) fn check(git_dir: &Path) -> Result<(), String> {
    static CHECKED: Mutex<Vec<(PathBuf, Instant)>> = Mutex::new(Vec::new());

    let Ok(git_dir) = git_dir.canonicalize() else { return Ok(()) };
    let lock = || CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    lock().retain(|(_, at)| at.elapsed() < CHECK_INTERVAL);
    if lock().iter().any(|(checked, _)| *checked == git_dir) {
        return Ok(());
    }
    check_all(&git_dir)?;
    lock().push((git_dir, Instant::now()));
    Ok(())
}

/// Checks all files that git's library opens in a repository.
fn check_all(git_dir: &Path) -> Result<(), String> {
    let git_dir = git_dir.to_owned();
    let common = root::common_of(&git_dir);
    let common = common.canonicalize().unwrap_or(common);
    let guard = Guard { inside: vec![git_dir.clone(), common.clone()] };
    for name in ["HEAD", "commondir", "gitdir"] {
        guard.file(&git_dir.join(name), MAX_POINTER_BYTES)?;
    }
    for name in ["config", "config.worktree"] {
        guard.file(&git_dir.join(name), MAX_CONFIG_BYTES)?;
    }
    guard.file(&git_dir.join("index"), MAX_INDEX_BYTES)?;
    guard.file(&common.join("config"), MAX_CONFIG_BYTES)?;
    for folder in [&git_dir, &common] {
        for name in ["packed-refs", "shallow"] {
            guard.file(&folder.join(name), MAX_LIST_BYTES)?;
        }
    }
    check_shallow(&common.join("shallow"))?;
    let mut left = MAX_REFERENCES;
    guard.folder(&common.join("refs"), MAX_POINTER_BYTES, MAX_DEPTH, &mut left)?;
    if git_dir != common {
        guard.folder(&git_dir.join("refs"), MAX_POINTER_BYTES, MAX_DEPTH, &mut left)?;
    }
    let objects = common.join("objects");
    guard.place(&objects)?;
    check_objects(&objects, &mut Vec::new())
}

/// Checks the list of the ends of a shallow clone: for a damaged one, the library panics.
fn check_shallow(path: &Path) -> Result<(), String> {
    let Ok(bytes) = read_regular(path, MAX_LIST_BYTES) else { return Ok(()) };
    let is_hash =
        |line: &[u8]| matches!(line.len(), 0 | 40 | 64) && line.iter().all(u8::is_ascii_hexdigit);
    if bytes.split(|byte| *byte == b'\n').all(|line| is_hash(line.trim_ascii_end())) {
        return Ok(());
    }
    Err(format!("{} is damaged", shown(path)))
}

/// Checks a file of a repository that a name of the user may refer to, and its log: `FETCH_HEAD`,
/// `stash@{1}`.
pub(super) fn check_name(git_dir: &Path, name: &str) -> Result<(), String> {
    let Ok(git_dir) = git_dir.canonicalize() else { return Ok(()) };
    let common = root::common_of(&git_dir);
    let common = common.canonicalize().unwrap_or(common);
    let guard = Guard { inside: vec![git_dir.clone(), common.clone()] };
    let name = name.split(['~', '^', '@', '{']).next().unwrap_or_default();
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    if name.split('/').all(is_plain) {
        guard.file(&git_dir.join(name), MAX_LIST_BYTES)?;
    }
    for folder in [git_dir, common] {
        guard.folder(&folder.join("logs"), MAX_LIST_BYTES, MAX_DEPTH, &mut { MAX_REFERENCES })?;
    }
    Ok(())
}

/// Directories in which the files of a repository are.
struct Guard {
    inside: Vec<PathBuf>,
}

impl Guard {
    /// Checks that a path exists inside the repository, or not at all.
    fn place(&self, path: &Path) -> Result<(), String> {
        match path.canonicalize() {
            Ok(real) if self.inside.iter().any(|folder| real.starts_with(folder)) => Ok(()),
            Ok(_) => Err(format!("{} is a link that leaves its directory", shown(path))),
            // A dangling link is as good as no file.
            Err(_) => Ok(()),
        }
    }

    /// Checks a file, if it exists.
    fn file(&self, path: &Path, max: u64) -> Result<(), String> {
        self.place(path)?;
        check_file(path, max)
    }

    /// Checks all files of a folder.
    fn folder(
        &self,
        folder: &Path,
        max: u64,
        depth: usize,
        left: &mut usize,
    ) -> Result<(), String> {
        self.place(folder)?;
        self.listed(folder, max, depth, left)
    }

    /// Checks all files of a folder that is no link.
    fn listed(
        &self,
        folder: &Path,
        max: u64,
        depth: usize,
        left: &mut usize,
    ) -> Result<(), String> {
        let Ok(listing) = fs::read_dir(folder) else { return Ok(()) };
        for entry in listing.flatten() {
            *left = left
                .checked_sub(1)
                .ok_or_else(|| format!("{} has more than {MAX_REFERENCES} files", shown(folder)))?;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if depth == 0 {
                    return Err(format!("{} is nested too deeply", shown(folder)));
                }
                self.listed(&entry.path(), max, depth - 1, left)?;
            } else if kind.is_symlink() {
                self.file(&entry.path(), max)?;
            } else if !kind.is_file() {
                return Err(not_regular(&entry.path()));
            }
        }
        Ok(())
    }
}

/// Checks the object directory of a repository, and those of its alternates.
fn check_objects(objects: &Path, known: &mut Vec<PathBuf>) -> Result<(), String> {
    let Ok(objects) = objects.canonicalize() else { return Ok(()) };
    if known.contains(&objects) {
        return Ok(());
    }
    known.push(objects.clone());
    let guard = Guard { inside: vec![objects.clone()] };
    let mut left = usize::MAX;
    for name in ["info", "pack"] {
        guard.folder(&objects.join(name), MAX_PACK_BYTES, 1, &mut left)?;
    }
    // Loose objects are in directories of two digits.
    let Ok(listing) = fs::read_dir(&objects) else { return Ok(()) };
    for entry in listing.flatten() {
        if entry.file_name().len() != 2 {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            guard.place(&entry.path())?;
        }
        guard.listed(&entry.path(), MAX_PACK_BYTES, 0, &mut left)?;
    }
    let list = objects.join("info/alternates");
    let text = match read_regular_text(&list, MAX_POINTER_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{}: {error}", shown(&list))),
    };
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if known.len() > MAX_ALTERNATES {
            return Err(format!("{} names more than {MAX_ALTERNATES} directories", shown(&list)));
        }
        let alternate = objects.join(line.trim_matches('"'));
        if alternate.exists() {
            check_objects(&alternate, known)?;
        } else {
            known.push(alternate);
        }
    }
    Ok(())
}

/// Checks that a path is a regular file of at most `max` bytes, or nothing.
fn check_file(path: &Path, max: u64) -> Result<(), String> {
    match open_regular(path, max) {
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            io::ErrorKind::FileTooLarge => Err(format!("{}: {error}", shown(path))),
            io::ErrorKind::InvalidInput => Err(not_regular(path)),
            // A directory, a missing or an unreadable file: the library reports it.
            _ => Ok(()),
        },
    }
}

fn not_regular(path: &Path) -> String {
    format!("{} is not a regular file", shown(path))
}

/// Returns the path from the repository on: `.git/HEAD`.
fn shown(path: &Path) -> String {
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
    let from = names.iter().rposition(|name| name.ends_with(".git"));
    format!("`{}`", names[from.unwrap_or(names.len().saturating_sub(2))..].join("/"))
}
