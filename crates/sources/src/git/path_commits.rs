//! The commits that change a file or folder, found by comparing trees.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
    path::Path,
    time::Instant,
};

use gix::ObjectId;

use super::repository::{RepositoryFolder, decode, split_message};
use crate::{error::SourceError, secrets::Secrets};

/// Maximum number of commits that are returned.
const MAX_COMMITS: usize = 20_000;

/// A commit that changes a path. Recognised secrets of its message are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathCommit {
    /// Full hash.
    pub hash: String,
    /// Author date, in seconds since the epoch.
    pub date: Option<i64>,
    /// Name of the author.
    pub author: String,
    /// First paragraph of the message, on one line.
    pub subject: String,
    /// The rest of the message, without whitespace at its ends.
    pub body: String,
}

/// The commits of a path, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathCommits {
    /// The commits.
    pub commits: Vec<PathCommit>,
    /// True if no older commit changes the path.
    pub is_whole: bool,
}

/// Finds the commits that change a path and lead to `start`, newest first, as `git log` does: of a merge that
/// takes the path over from a parent, only that parent is followed. Renamings are not followed. Ends at
/// `deadline`, and before commits that a shallow clone lacks.
///
/// # Errors
/// Outside git, and when `start` is not the hash of a commit.
pub fn path_commits(
    root: &Path,
    start: &str,
    path: &str,
    secrets: Secrets,
    deadline: Instant,
) -> Result<PathCommits, SourceError> {
    let folder = RepositoryFolder::find(root)?;
    let failed = || folder.failed(&format!("commit {start} could not be read"));
    let start = ObjectId::from_hex(start.as_bytes()).map_err(|_| failed())?;
    let path = format!("{}{path}", folder.prefix);
    let path = path.trim_end_matches('/');
    let mut found = PathCommits { commits: Vec::new(), is_whole: true };
    let first = Visit::of(&folder, start, path).ok_or_else(failed)?;
    let mut seen = HashSet::from([start]);
    // Newest first; equal times in a stable order.
    let mut queue = BinaryHeap::from([(first.time, Reverse(start))]);
    while let Some((_, Reverse(id))) = queue.pop() {
        if deadline <= Instant::now() || MAX_COMMITS <= found.commits.len() {
            found.is_whole = false;
            break;
        }
        let Some(visit) = Visit::of(&folder, id, path) else {
            found.is_whole = false;
            continue;
        };
        let parents: Vec<Option<(ObjectId, Visit)>> = visit
            .parents
            .iter()
            .map(|parent| Some((*parent, Visit::of(&folder, *parent, path)?)))
            .collect();
        found.is_whole &= parents.iter().all(Option::is_some);
        let parents: Vec<(ObjectId, Visit)> = parents.into_iter().flatten().collect();
        let same = parents.iter().find(|(_, parent)| parent.content == visit.content);
        let followed: Vec<(ObjectId, i64)> = if let Some((parent, at)) = same {
            vec![(*parent, at.time)]
        } else {
            // A path that exists on neither side of the commit was not changed by it.
            if visit.content.is_some() || parents.iter().any(|(_, at)| at.content.is_some()) {
                found.commits.extend(describe(&folder, id, secrets));
            }
            parents.iter().map(|(parent, at)| (*parent, at.time)).collect()
        };
        for (parent, time) in followed {
            if seen.insert(parent) {
                queue.push((time, Reverse(parent)));
            }
        }
    }
    Ok(found)
}

/// A commit on the way into the past.
struct Visit {
    /// Time of the commit, in seconds since the epoch.
    time: i64,
    parents: Vec<ObjectId>,
    /// The object at the path; `None` if there is none.
    content: Option<ObjectId>,
}

impl Visit {
    fn of(folder: &RepositoryFolder, id: ObjectId, path: &str) -> Option<Visit> {
        let commit = folder.repository.find_commit(id).ok()?;
        let tree = commit.tree().ok()?;
        let content = if path.is_empty() {
            Some(tree.id)
        } else {
            tree.lookup_entry_by_path(path).ok()?.map(|entry| entry.object_id())
        };
        Some(Visit {
            // A commit without a readable time comes last.
            time: commit.time().map_or(i64::MIN, |time| time.seconds),
            parents: commit.parent_ids().map(gix::Id::detach).collect(),
            content,
        })
    }
}

fn describe(folder: &RepositoryFolder, id: ObjectId, secrets: Secrets) -> Option<PathCommit> {
    let commit = folder.repository.find_commit(id).ok()?;
    let read = commit.decode().ok()?;
    let author = commit.author().ok()?;
    let (subject, body) = split_message(&secrets.apply(decode(read.message, read.encoding)));
    Some(PathCommit {
        hash: id.to_string(),
        date: author.time().ok().map(|time| time.seconds),
        author: decode(author.name, read.encoding).trim().to_owned(),
        subject,
        body,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        super::{LineOrigin, line_origins},
        *,
    };
    use crate::fixture::Folder;

    #[test]
    fn commits_of_a_path_are_those_of_git_log() {
        let folder = Folder::new();
        let commit = |day: u64, subject: &str| {
            folder.git_on("", day, &["add", "."]);
            folder.git_on("", day, &["commit", "-q", "-m", subject]);
        };
        folder.git("", &["init", "-q", "-b", "main"]);
        for number in 0..300 {
            folder.write(&format!("many/{number}.txt"), "a\n");
        }
        folder.write("a.txt", "one\n");
        commit(1, "first");
        folder.git("", &["checkout", "-q", "-b", "side"]);
        folder.write("a.txt", "one\ntwo\n");
        commit(2, "second");
        folder.git("", &["checkout", "-q", "main"]);
        folder.write("many/299.txt", "b\n");
        commit(3, "third");
        folder.git_on("", 4, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        let head = folder.git("", &["rev-parse", "HEAD"]);
        for path in ["a.txt", "many/290.txt", "many", "none.txt"] {
            let deadline = Instant::now() + Duration::from_mins(1);
            let found = path_commits(folder.path(), head.trim(), path, Secrets::Redacted, deadline);
            let found = found.expect("a repository");
            assert!(found.is_whole);
            let hashes: Vec<String> = found.commits.into_iter().map(|commit| commit.hash).collect();
            let expected = folder.git("", &["log", "--format=%H", "--", path]);
            assert_eq!(hashes, expected.lines().collect::<Vec<_>>(), "{path}");
        }
    }

    #[test]
    fn a_merge_that_changes_a_path_is_one_of_its_commits() {
        let folder = Folder::new();
        folder.git("", &["init", "-q", "-b", "main"]);
        let commit = |day: u64, text: &str| {
            folder.write("a.txt", text);
            folder.git_on("", day, &["add", "."]);
            folder.git_on("", day, &["commit", "-q", "-m", text.trim()]);
        };
        commit(1, "one\n");
        folder.git("", &["checkout", "-q", "-b", "side"]);
        commit(2, "two\n");
        folder.git("", &["checkout", "-q", "main"]);
        commit(3, "three\n");
        folder.git_on("", 4, &["merge", "-q", "-s", "ours", "--no-commit", "side"]);
        commit(5, "four\n");
        let head = folder.git("", &["rev-parse", "HEAD"]);
        let deadline = Instant::now() + Duration::from_mins(1);
        let found = path_commits(folder.path(), head.trim(), "a.txt", Secrets::Redacted, deadline);
        let commits = found.expect("a repository").commits;
        let subjects: Vec<&str> = commits.iter().map(|commit| commit.subject.as_str()).collect();
        assert_eq!(subjects, ["four", "three", "two", "one"]);
        let hashes: Vec<String> = commits.iter().map(|commit| commit.hash.clone()).collect();
        let origins = line_origins(
            folder.path(),
            head.trim(),
            &hashes,
            "a.txt",
            Some(b"four\nnot yet\n"),
            deadline,
        );
        assert_eq!(origins, [LineOrigin::Commit(0), LineOrigin::Uncommitted]);
    }
}
