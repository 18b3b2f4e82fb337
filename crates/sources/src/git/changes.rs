//! Dates of the last change of files, from the history and the disk.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs::Metadata,
    path::Path,
    time::UNIX_EPOCH,
};

use gix::{ObjectId, Repository, bstr::ByteSlice, diff::tree::visit, objs::Kind};

use super::{
    files::{ChangedFiles, Differences},
    repository::{open, walk_newest_first},
    revision::Revision,
};
use crate::{regular::read_regular, root};

/// Maximum number of commits to search: about 15 ms per hundred.
const MAX_COMMITS: usize = 20_000;

/// Maximum number of commits to search for authors: they are shown, and nothing depends on them.
const MAX_AUTHOR_COMMITS: usize = 2_000;

/// Returns when files were last changed, in seconds since the epoch: the author date of the last
/// commit that changed the file or, if it has uncommitted changes, its time on disk. Paths are
/// root-relative; missing files are absent from the result.
///
/// A file without changes since `oldest` gets some date before it, not necessarily the exact one;
/// so does a file without changes in the last 20,000 commits.
pub fn last_changes(
    root: &Path,
    paths: impl IntoIterator<Item = String>,
    oldest: Option<i64>,
) -> BTreeMap<String, i64> {
    let mut paths: BTreeSet<String> = paths.into_iter().collect();
    let mut dates = BTreeMap::new();
    if let Some(top) = root::git_top(root)
        && let Some(history) = History::open(top, root)
    {
        let committed = history.committed(root, &paths);
        paths.retain(|path| !committed.contains(path));
        match history.read(committed, MAX_COMMITS, oldest) {
            Ok(changes) => {
                dates.extend(changes.into_iter().map(|change| (change.path, change.date)));
            }
            Err(committed) => paths.extend(committed),
        }
    }
    for path in paths {
        let time = std::fs::metadata(root.join(&path)).ok().and_then(|found| time_of(&found));
        dates.extend(time.map(|time| (path, time)));
    }
    dates
}

impl Revision {
    /// Returns when files were last changed up to this commit, like [`last_changes`]. Files that
    /// are not in the commit are absent from the result.
    pub fn last_changes(
        &self,
        paths: impl IntoIterator<Item = String>,
        oldest: Option<i64>,
    ) -> BTreeMap<String, i64> {
        let paths = paths.into_iter().filter(|path| self.fingerprint_of(path).is_some()).collect();
        let Ok(repository) = open(self.top()) else { return BTreeMap::new() };
        let history = History { repository, head: self.id(), prefix: self.prefix().to_owned() };
        let changes = history.read(paths, MAX_COMMITS, oldest).unwrap_or_default();
        changes.into_iter().map(|change| (change.path, change.date)).collect()
    }
}

/// The commit that changed a file last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCommit {
    /// Name of the author.
    pub author: String,
    /// Date of the author, in seconds since the epoch.
    pub date: i64,
}

/// Returns the last commit of each root-relative path. Files without a change in the last 2,000
/// commits are absent from the result, and so are those that git does not track.
pub fn last_commits(
    root: &Path,
    paths: impl IntoIterator<Item = String>,
) -> BTreeMap<String, LastCommit> {
    let Some(history) = root::git_top(root).and_then(|top| History::open(top, root)) else {
        return BTreeMap::new();
    };
    let changes = history.read(paths.into_iter().collect(), MAX_AUTHOR_COMMITS, None);
    let found = changes.unwrap_or_default().into_iter().filter_map(|change| {
        let commit = history.repository.find_commit(change.commit?).ok()?;
        let author = commit.author().ok()?.name.to_str_lossy().into_owned();
        Some((change.path, LastCommit { author, date: change.date }))
    });
    found.collect()
}

fn time_of(metadata: &Metadata) -> Option<i64> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Dates, parent and tree of a commit.
struct Dates {
    authored: i64,
    committed: i64,
    parent: Option<ObjectId>,
    tree: ObjectId,
}

/// The last change of a file.
struct Change {
    path: String,
    /// Author date in seconds since the epoch; without a commit, some date before it.
    date: i64,
    /// The commit, if it was found.
    commit: Option<ObjectId>,
}

struct History {
    repository: Repository,
    head: ObjectId,
    /// Path of the folder in the repository: empty, or with a final `/`.
    prefix: String,
}

impl History {
    fn open(top: &Path, root: &Path) -> Option<History> {
        let repository = open(top).ok()?;
        let head = repository.head_id().ok()?.detach();
        let inside = root.strip_prefix(top).unwrap_or(Path::new(""));
        let prefix = inside.iter().map(|name| name.to_string_lossy() + "/").collect();
        Some(History { repository, head, prefix })
    }

    /// Returns the last change of each path in `open`, from at most `max` commits. The error is `open`
    /// again, if there is no commit to read.
    fn read(
        &self,
        mut open: HashSet<String>,
        max: usize,
        oldest: Option<i64>,
    ) -> Result<Vec<Change>, HashSet<String>> {
        let Ok(walk) = walk_newest_first(&self.repository, &[self.head]) else {
            return Ok(Vec::new());
        };
        let mut files = ChangedFiles::default();
        let mut changes = Vec::new();
        let mut last = i64::MAX;
        for info in walk.take(max) {
            let Ok(info) = info else { continue };
            if open.is_empty() || oldest.is_some_and(|oldest| last < oldest) {
                break;
            }
            let Some(Dates { authored, committed, parent, tree }) = self.dates(info.id) else {
                continue;
            };
            last = last.min(committed);
            // The changes of a merge are those of the merged commits.
            if info.parent_ids.len() > 1 || files.read(&self.repository, parent, tree).is_err() {
                continue;
            }
            files.keep_inside(&self.prefix);
            for path in files.paths() {
                if open.remove(path) {
                    let (path, commit) = (path.clone(), Some(info.id));
                    changes.push(Change { path, date: authored, commit });
                }
            }
        }
        if last == i64::MAX {
            return Err(open);
        }
        changes.extend(open.into_iter().map(|path| Change { path, date: last, commit: None }));
        Ok(changes)
    }

    fn dates(&self, id: ObjectId) -> Option<Dates> {
        let commit = self.repository.find_commit(id).ok()?;
        let parent = commit.parent_ids().next().map(gix::Id::detach);
        let decoded = commit.decode().ok()?;
        Some(Dates {
            authored: decoded.author().ok()?.seconds(),
            committed: decoded.committer().ok()?.seconds(),
            parent,
            tree: decoded.tree(),
        })
    }

    /// Returns the paths whose content on disk equals that in the last commit. Contents are
    /// compared, because times are unreliable: a change may be staged, or older than a commit of
    /// other files.
    fn committed(&self, root: &Path, paths: &BTreeSet<String>) -> HashSet<String> {
        let mut committed = HashSet::new();
        let Some(Dates { tree, .. }) = self.dates(self.head) else { return committed };
        let mut recorded: Vec<(String, ObjectId)> = Vec::new();
        let read = Differences::default().of(&self.repository, None, tree, |path, change| {
            let visit::Change::Addition { oid, .. } = change else { return };
            let inside = path.to_str().ok().and_then(|path| path.strip_prefix(&self.prefix));
            if let Some(path) = inside.filter(|path| paths.contains(*path)) {
                recorded.push((path.to_owned(), oid));
            }
        });
        if read.is_ok() {
            let same = recorded.into_iter().filter(|(path, id)| has_content(&root.join(path), *id));
            committed.extend(same.map(|(path, _)| path));
        }
        committed
    }
}

/// Maximum size in bytes of a file that is compared with git.
const MAX_COMPARED_BYTES: u64 = 256 << 20;

/// Returns whether a file has the content of a blob, possibly with CRLF line ends, which git may
/// have inserted.
fn has_content(path: &Path, recorded: ObjectId) -> bool {
    let is = |bytes: &[u8]| {
        gix::objs::compute_hash(recorded.kind(), Kind::Blob, bytes).is_ok_and(|id| id == recorded)
    };
    read_regular(path, MAX_COMPARED_BYTES).is_ok_and(|bytes| {
        is(&bytes) || (bytes.contains_str("\r\n") && is(&bytes.replace("\r\n", "\n")))
    })
}

#[cfg(test)]
mod tests;
