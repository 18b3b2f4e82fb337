//! Stamp of the files of git that determine the checked-out commit and the index.

use std::path::{Path, PathBuf};

use crate::{
    fingerprint::{FileStat, Hasher},
    regular::read_regular,
    root,
};

/// Maximum size of `HEAD` in bytes.
const MAX_HEAD_BYTES: u64 = 4 << 10;

/// Stamp of the checked-out commit and of git's index. Equal stamps mean that neither changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitStamp(u64);

impl GitStamp {
    /// The stamp of the repository of a tree, from the metadata of its files. `None` outside git, and
    /// while a change is so recent that the next one may have the same times.
    pub fn of(root: &Path) -> Option<GitStamp> {
        let now = std::time::SystemTime::now();
        let canonical = crate::native::canonical(root).ok()?;
        let git_dir = root::git_dir(root::git_top(&canonical)?)?;
        let common = root::common_of(&git_dir);
        let head = read_regular(&git_dir.join("HEAD"), MAX_HEAD_BYTES).ok()?;
        let mut files: Vec<PathBuf> = vec![
            git_dir.join("index"),
            common.join("packed-refs"),
            common.join("reftable/tables.list"),
        ];
        let name = std::str::from_utf8(&head).ok().and_then(|head| head.strip_prefix("ref:"));
        if let Some(name) = name.map(str::trim) {
            files.extend([git_dir.join(name), common.join(name)]);
        }
        let mut hasher = Hasher::default();
        hasher.bytes(&head);
        for file in files {
            let stat = file.metadata().ok().map(|metadata| FileStat::of(&metadata));
            if stat.is_some_and(|stat| stat.is_recent(now)) {
                return None;
            }
            hasher.number(stat.map_or(0, |stat| stat.fingerprint));
        }
        Some(GitStamp(hasher.finish()))
    }
}
