//! Decides about symbolic links, when all listed files are known.

use std::{collections::BTreeSet, fs, io};

use lore_schema::{SkipCounts, SkipReason};

use super::{GitRules, Job, Link, PartOutput, Walk, add_counts};
use crate::{listing::ListedFile, native, paths::path_and_parents, rules};

/// The listed files that links are compared with.
pub(crate) trait FileList {
    /// Returns the first path that is not less than this one.
    fn first_from(&self, path: &str) -> Option<&str>;

    /// Removes the files below a folder, given with a final `/`.
    fn remove_inside(&mut self, folder: &str);
}

impl FileList for Vec<ListedFile> {
    fn first_from(&self, path: &str) -> Option<&str> {
        let first = self.partition_point(|found| found.entry.path.as_str() < path);
        self.get(first).map(|found| found.entry.path.as_str())
    }

    fn remove_inside(&mut self, folder: &str) {
        self.retain(|found| !found.entry.path.starts_with(folder));
    }
}

/// Outcome of following the links of a tree.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// Files that are listed under a link, not sorted.
    pub(crate) files: Vec<ListedFile>,
    /// Number of links, and of names behind them, that were skipped.
    pub(crate) skipped: SkipCounts,
    /// True if a store was listed under a link.
    pub(crate) has_stores: bool,
    /// Links whose target is not listed at its own place, with that target; it can change without
    /// any change of a listed folder.
    pub(crate) doubtful: Vec<(Link, Result<String, SkipReason>)>,
}

impl Followed {
    fn skip(&mut self, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

impl Walk<'_> {
    /// Decides about the links, in the order of their paths:
    ///
    /// - A link to a file inside the root is listed if the file itself is not.
    /// - A link to a folder is followed only if a store is linked in from elsewhere inside the
    ///   root. Its files are then listed under the link, and no longer at their own place.
    /// - A link to something that is listed anyway skips nothing and is not counted.
    /// - Every other link is counted as skipped: it leads out of the root, nowhere, to a folder
    ///   that contains it, or to something that was skipped.
    pub(crate) fn follow(&self, mut links: Vec<Link>, files: &mut dyn FileList) -> Followed {
        links.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let mut targets: BTreeSet<String> = BTreeSet::new();
        let mut followed = Followed::default();
        for link in links {
            let (target, metadata) = match self.target(&link) {
                Ok(found) => found,
                Err(reason) => {
                    followed.skip(reason);
                    followed.doubtful.push((link, Err(reason)));
                    continue;
                }
            };
            let inside = format!("{target}/");
            let loops = path_and_parents(&link.path).any(|path| path == target);
            // Already listed under another link.
            let is_already_linked = path_and_parents(&target).any(|path| targets.contains(path));
            let listed = if metadata.is_dir() { &inside } else { &target };
            let is_listed = files.first_from(listed).is_some_and(|found| {
                found == listed || (metadata.is_dir() && found.starts_with(&inside))
            });
            let is_store =
                metadata.is_dir() && rules::in_store(&link.path) && !rules::in_store(&target);
            if !is_listed {
                followed.doubtful.push((link.clone(), Ok(target.clone())));
            }
            if loops {
                followed.skip(SkipReason::Symlink);
            } else if is_already_linked {
                // Nothing is skipped.
            } else if is_store {
                files.remove_inside(&inside);
                self.read_linked(link, is_listed, &mut followed);
                followed.has_stores = true;
                targets.insert(target);
            } else if metadata.is_file() && !is_listed {
                followed.files.push(self.listed_file(link.path, &metadata, link.ignored));
                targets.insert(target);
            } else if !is_listed {
                followed.skip(SkipReason::Symlink);
            }
        }
        followed
    }

    /// Returns whether the target of a link is still the one that was found.
    pub(crate) fn is_same_target(&self, link: &Link, found: &Result<String, SkipReason>) -> bool {
        match (self.target(link), found) {
            (Ok((now, _)), Ok(found)) => now == *found,
            (Err(now), Err(found)) => now == *found,
            _ => false,
        }
    }

    /// Lists a linked store. Links inside it are not followed, so no cycle is ever walked. They are
    /// counted as skipped, unless the walk also found the store at its own place and decides about
    /// them there.
    fn read_linked(&self, link: Link, was_listed: bool, followed: &mut Followed) {
        let git_rules = if link.ignored { GitRules::Disregard } else { GitRules::Apply };
        let path = format!("{}/", link.path);
        let job = Job { path, rules: link.rules, git_rules, reincluded: true };
        let PartOutput { files, records, .. } = self.part(vec![job], 1);
        followed.files.extend(files);
        for record in records {
            add_counts(&mut followed.skipped, &record.skipped);
            for _ in record.links {
                if !was_listed {
                    followed.skip(SkipReason::Symlink);
                }
            }
        }
    }

    /// Returns the root-relative path of a link's target, and its metadata.
    fn target(&self, link: &Link) -> Result<(String, fs::Metadata), SkipReason> {
        let target = native::canonical(&self.root.join(&link.path)).map_err(|error| {
            match error.kind() {
                io::ErrorKind::PermissionDenied => SkipReason::Unreadable,
                // The target does not exist, or there are too many levels of links.
                _ => SkipReason::Symlink,
            }
        })?;
        let path = native::from_disk(self.root, &target)
            .filter(|path| !path.split('/').any(rules::is_version_control))
            .ok_or(SkipReason::Symlink)?;
        let metadata = target.metadata().map_err(|_| SkipReason::Unreadable)?;
        Ok((path, metadata))
    }
}
