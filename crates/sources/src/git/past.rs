//! Past commits as evaluation queries: the subject is the query, and the changed files are the
//! expected results.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use gix::{
    ObjectId,
    bstr::{BStr, ByteSlice},
    diff::tree::visit,
};
use jiff::Timestamp;

use super::{
    files::Differences,
    repository::{RepositoryFolder, decode, in_one_line, summary, walk_newest_first},
    subject,
};
use crate::{error::SourceError, secrets::redact};

/// Maximum number of commits to examine, which takes up to half a minute.
const MAX_COMMITS: usize = 20_000;

/// Maximum number of changed files of a usable commit. A commit that changes more is a bulk change.
const MAX_FILES: usize = 10;

/// A commit that is usable as an evaluation query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCommit {
    /// Full hash.
    pub id: String,
    /// Full hash of the parent, whose tree is searched.
    pub parent: String,
    /// First paragraph of the message as one line, without the number of a pull request.
    pub subject: String,
    /// Author date in seconds since the epoch.
    pub date: i64,
    /// Month of the author date in UTC, as `2025-03`.
    pub month: String,
    /// Files that the commit changed, renamed or deleted, as root-relative paths in its parent,
    /// sorted.
    pub files: Vec<String>,
}

/// Reason why a commit is not usable as a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnsuitableCommit {
    /// It is a merge, or has no parent.
    NoSingleParent,
    /// A shallow clone ends here, so its parent is missing.
    Shallow,
    /// Its subject is too short, or only announces a release, a merge or a revert.
    Subject,
    /// It changes more than ten files.
    TooManyFiles,
    /// It changes no file that existed before and is counted.
    NoFiles,
    /// The commit or one of its trees cannot be read.
    Unreadable,
}

impl UnsuitableCommit {
    /// Returns the reason as text to follow a number of commits.
    pub fn describe(self) -> &'static str {
        match self {
            UnsuitableCommit::NoSingleParent => "without exactly one parent",
            UnsuitableCommit::Shallow => "at the end of a shallow clone",
            UnsuitableCommit::Subject => "with an unsuitable subject",
            UnsuitableCommit::TooManyFiles => "with more than ten files",
            UnsuitableCommit::NoFiles => "changing no existing file",
            UnsuitableCommit::Unreadable => "unreadable",
        }
    }
}

/// Usable commits of a history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastCommits {
    /// Usable commits, newest first.
    pub commits: Vec<PastCommit>,
    /// Number of other commits, by reason.
    pub unsuitable: BTreeMap<UnsuitableCommit, usize>,
}

/// Returns the newest `max` commits that are reachable from HEAD and usable as queries about the
/// folder `root`. Files for which `counts` returns false are ignored.
///
/// Outside git, before the first commit, and if the history cannot be read.
pub fn past_commits(
    root: &Path,
    max: usize,
    counts: &dyn Fn(&str) -> bool,
) -> Result<PastCommits, SourceError> {
    let folder = RepositoryFolder::find(root)?;
    let failed = |error: gix::Error| folder.failed(&in_one_line(&error));
    let repository = &folder.repository;
    let head = repository.head().and_then(gix::Head::try_into_peeled_id).map_err(failed)?;
    let head = head.ok_or_else(|| folder.failed("it has no commit yet"))?.detach();
    let ends: BTreeSet<ObjectId> = match repository.shallow_commits().map_err(failed)? {
        Some(commits) => commits.iter().copied().collect(),
        None => BTreeSet::new(),
    };
    let mut reader = Reader { folder: &folder, ends, counts, differences: Differences::default() };
    let mut found = PastCommits::default();
    let walk = walk_newest_first(repository, &[head]).map_err(failed)?;
    for info in walk.take(MAX_COMMITS) {
        if found.commits.len() == max {
            break;
        }
        let read =
            info.map_err(|()| UnsuitableCommit::Unreadable).and_then(|info| reader.read(info.id));
        match read {
            Ok(commit) => found.commits.push(commit),
            Err(unsuitable) => *found.unsuitable.entry(unsuitable).or_default() += 1,
        }
    }
    Ok(found)
}

/// Reader of commits.
struct Reader<'a> {
    folder: &'a RepositoryFolder,
    /// Commits at which a shallow clone ends.
    ends: BTreeSet<ObjectId>,
    counts: &'a dyn Fn(&str) -> bool,
    differences: Differences,
}

impl Reader<'_> {
    fn read(&mut self, id: ObjectId) -> Result<PastCommit, UnsuitableCommit> {
        let commit =
            self.folder.repository.find_commit(id).map_err(|_| UnsuitableCommit::Unreadable)?;
        let decoded = commit.decode().map_err(|_| UnsuitableCommit::Unreadable)?;
        let mut parents = decoded.parents();
        let (Some(parent), None) = (parents.next(), parents.next()) else {
            return Err(UnsuitableCommit::NoSingleParent);
        };
        if self.ends.contains(&id) {
            return Err(UnsuitableCommit::Shallow);
        }
        let message = redact(decode(decoded.message, decoded.encoding));
        let summary = summary(message.trim());
        let subject = subject::without_number(&summary);
        if !subject::is_usable(subject) {
            return Err(UnsuitableCommit::Subject);
        }
        let files = self.files(parent, decoded.tree())?;
        let date = decoded.author().map_err(|_| UnsuitableCommit::Unreadable)?.seconds();
        let moment = Timestamp::from_second(date).map_err(|_| UnsuitableCommit::Unreadable)?;
        Ok(PastCommit {
            id: id.to_string(),
            parent: parent.to_string(),
            subject: subject.to_owned(),
            date,
            month: moment.strftime("%Y-%m").to_string(),
            files,
        })
    }

    /// Returns the files that existed before and were changed, renamed or deleted. Changes of the
    /// mode alone, and of links and submodules, do not count.
    fn files(&mut self, parent: ObjectId, tree: ObjectId) -> Result<Vec<String>, UnsuitableCommit> {
        let before = self.folder.tree(parent).ok_or(UnsuitableCommit::Unreadable)?;
        let mut files = Vec::new();
        let mut changed = 0_usize;
        let (mut added, mut deleted) = (Vec::new(), Vec::new());
        let folder = self.folder;
        let counts = self.counts;
        let note = |path: &BStr, change: visit::Change| {
            let Some(inside) = path.strip_prefix(folder.prefix.as_bytes()) else { return };
            let name = inside.to_str().ok();
            if name.is_some_and(|name| !counts(name)) {
                return;
            }
            let existed =
                match change {
                    visit::Change::Addition { entry_mode, oid, .. } if entry_mode.is_blob() => {
                        added.push(oid);
                        false
                    }
                    visit::Change::Deletion { entry_mode, oid, .. } if entry_mode.is_blob() => {
                        deleted.push(oid);
                        true
                    }
                    visit::Change::Modification {
                        previous_entry_mode, previous_oid, oid, ..
                    } if previous_entry_mode.is_blob() && previous_oid != oid => true,
                    _ => return,
                };
            changed += 1;
            // A file with a name that is not UTF-8 counts as changed, but cannot be a result.
            if let (true, Some(name)) = (existed, name) {
                files.push(name.to_owned());
            }
        };
        self.differences
            .of(&folder.repository, Some(before), tree, note)
            .map_err(|_| UnsuitableCommit::Unreadable)?;
        // A renamed file counts once.
        for id in &deleted {
            if let Some(at) = added.iter().position(|other| other == id) {
                added.swap_remove(at);
                changed -= 1;
            }
        }
        files.sort_unstable();
        if changed > MAX_FILES {
            return Err(UnsuitableCommit::TooManyFiles);
        }
        if files.is_empty() { Err(UnsuitableCommit::NoFiles) } else { Ok(files) }
    }
}

#[cfg(test)]
mod tests;
