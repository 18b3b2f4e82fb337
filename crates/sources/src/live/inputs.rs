//! Files that decide what a walk lists, but are not in its folders: the configuration of git, its
//! ignore files outside of the tree, its indexes, and the targets of ignore files that are links.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{
    fingerprint::FileStat,
    rules::{self, RuleSet},
    walk::FolderRecord,
};

/// The files with their stamps.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// `None` for a file that does not exist.
    files: Vec<(PathBuf, Option<u64>)>,
    /// Indexes of git.
    indexes: Vec<(PathBuf, Option<u64>)>,
    /// Identity of the root.
    root: Option<(u64, u64)>,
    /// True if one of them changed so recently that the walk may have read another version.
    is_recent: bool,
}

/// Change of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputChange {
    /// None.
    Nothing,
    /// Only indexes of git.
    Indexes,
    /// Others, or unknown.
    Rules,
}

impl Inputs {
    /// Collects the inputs of a walk that started at `started`.
    pub(super) fn of<'a>(
        root: &Path,
        rule_set: &RuleSet,
        records: impl IntoIterator<Item = &'a FolderRecord>,
        started: SystemTime,
    ) -> Inputs {
        let (mut files, mut indexes) = rule_set.inputs();
        for record in records {
            if let Some(rules) = record.rules.as_ref().filter(|_| record.has_rules) {
                rules.add_inputs(&mut files, &mut indexes);
                // The events of the folder do not show a change behind a link.
                let own = rules::RULE_FILES.iter().map(|name| root.join(record.path()).join(name));
                files.extend(own.filter(|path| path.is_symlink()));
            }
        }
        let mut is_recent = false;
        let mut stamped = |paths: Vec<PathBuf>| -> Vec<(PathBuf, Option<u64>)> {
            let paths: BTreeSet<PathBuf> = paths.into_iter().collect();
            let stamp = |path: PathBuf| {
                let stat = path.metadata().ok().map(|metadata| FileStat::of(&metadata));
                is_recent |= stat.is_some_and(|stat| stat.is_recent(started));
                (path, stat.map(|stat| stat.fingerprint))
            };
            paths.into_iter().map(stamp).collect()
        };
        let (files, indexes) = (stamped(files), stamped(indexes));
        Inputs { files, indexes, root: identity(root), is_recent }
    }

    /// Compares the inputs with the disk.
    pub(super) fn compare(&mut self, root: &Path) -> InputChange {
        if self.is_recent
            || identity(root) != self.root
            || self.files.iter().any(|(path, known)| stamp_of(path) != *known)
        {
            return InputChange::Rules;
        }
        let mut has_changed = false;
        for (path, known) in &mut self.indexes {
            let now = stamp_of(path);
            has_changed |= now != *known;
            *known = now;
        }
        if has_changed { InputChange::Indexes } else { InputChange::Nothing }
    }
}

fn stamp_of(path: &Path) -> Option<u64> {
    path.metadata().ok().map(|metadata| FileStat::of(&metadata).fingerprint)
}

/// Device and inode of the root, which change when another folder takes its place.
#[cfg(unix)]
fn identity(root: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    root.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}
