//! Commits as questions: what was asked for, and which files it took.

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

/// Most commits that are looked through, which takes up to half a minute.
const MOST_COMMITS: usize = 20_000;

/// Most files of a commit that asks for something: one that changes more is a sweep.
const MOST_FILES: usize = 10;

/// A commit that asks a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCommit {
    /// Its full hash.
    pub id: String,
    /// The full hash of its parent: the tree as it was before.
    pub parent: String,
    /// The first paragraph of its message on one line, without the number of a pull request.
    pub subject: String,
    /// When it was written, in seconds since the epoch.
    pub date: i64,
    /// The month of that in UTC, as `2025-03`.
    pub month: String,
    /// The files that it changed, renamed or deleted, as its parent has them: root-relative paths,
    /// sorted.
    pub files: Vec<String>,
}

/// Why a commit asks no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnsuitableCommit {
    /// It joins other commits, or has no parent.
    NoSingleParent,
    /// A shallow clone ends here, so that its parent is not there.
    Shallow,
    /// Its subject is too short, or says only that something is released, merged or undone.
    Subject,
    /// It changes more than ten files.
    TooManyFiles,
    /// It changes no file that was there before and counts.
    NoFiles,
    /// It or a tree of it cannot be read.
    Unreadable,
}

impl UnsuitableCommit {
    /// Why, behind a number of commits.
    pub fn describe(self) -> &'static str {
        match self {
            UnsuitableCommit::NoSingleParent => "as merge or first commit",
            UnsuitableCommit::Shallow => "at the end of a shallow clone",
            UnsuitableCommit::Subject => "for the subject",
            UnsuitableCommit::TooManyFiles => "for more than ten files",
            UnsuitableCommit::NoFiles => "for no file that was there before",
            UnsuitableCommit::Unreadable => "as unreadable",
        }
    }
}

/// The commits of a history that ask questions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastCommits {
    /// The commits, newest first.
    pub commits: Vec<PastCommit>,
    /// How many others were passed over, and why.
    pub unsuitable: BTreeMap<UnsuitableCommit, usize>,
}

/// The newest `most` commits that can be reached from HEAD and ask a question about the folder
/// `root`. Files of which `counts` is false are looked at as if they were not there.
///
/// # Errors
/// Outside git, before the first commit, and where the history cannot be read.
pub fn past_commits(
    root: &Path,
    most: usize,
    counts: &dyn Fn(&str) -> bool,
) -> Result<PastCommits, SourceError> {
    let place = RepositoryFolder::find(root)?;
    let failed = |error: gix::Error| place.failed(&in_one_line(&error));
    let repository = &place.repository;
    let head = repository.head().and_then(gix::Head::try_into_peeled_id).map_err(failed)?;
    let head = head.ok_or_else(|| place.failed("it has no commit yet"))?.detach();
    let ends: BTreeSet<ObjectId> = match repository.shallow_commits().map_err(failed)? {
        Some(commits) => commits.iter().copied().collect(),
        None => BTreeSet::new(),
    };
    let mut reader = Reader { place: &place, ends, counts, differences: Differences::default() };
    let mut found = PastCommits::default();
    let walk = walk_newest_first(repository, head, None).map_err(failed)?;
    for info in walk.take(MOST_COMMITS) {
        if found.commits.len() == most {
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

/// Reads commit after commit.
struct Reader<'a> {
    place: &'a RepositoryFolder,
    /// The commits at which a shallow clone ends.
    ends: BTreeSet<ObjectId>,
    counts: &'a dyn Fn(&str) -> bool,
    differences: Differences,
}

impl Reader<'_> {
    fn read(&mut self, id: ObjectId) -> Result<PastCommit, UnsuitableCommit> {
        let commit =
            self.place.repository.find_commit(id).map_err(|_| UnsuitableCommit::Unreadable)?;
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
        if !subject::asks(subject) {
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

    /// The files that were there before and are no longer so. A new mode alone is no change, nor is
    /// what happens to links and submodules.
    fn files(&mut self, parent: ObjectId, tree: ObjectId) -> Result<Vec<String>, UnsuitableCommit> {
        let before = self.place.tree(parent).ok_or(UnsuitableCommit::Unreadable)?;
        let mut files = Vec::new();
        let mut changed = 0_usize;
        let (mut added, mut deleted) = (Vec::new(), Vec::new());
        let place = self.place;
        let counts = self.counts;
        let note = |path: &BStr, change: visit::Change| {
            let Some(inside) = path.strip_prefix(place.prefix.as_bytes()) else { return };
            let name = inside.to_str().ok();
            if name.is_some_and(|name| !counts(name)) {
                return;
            }
            let was_there =
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
            // What has a name that no answer can show is changed, and cannot be found.
            if let (true, Some(name)) = (was_there, name) {
                files.push(name.to_owned());
            }
        };
        self.differences
            .of(&place.repository, Some(before), tree, note)
            .map_err(|_| UnsuitableCommit::Unreadable)?;
        // A file that only moved is one file.
        for id in &deleted {
            if let Some(at) = added.iter().position(|other| other == id) {
                added.swap_remove(at);
                changed -= 1;
            }
        }
        files.sort_unstable();
        if changed > MOST_FILES {
            return Err(UnsuitableCommit::TooManyFiles);
        }
        if files.is_empty() { Err(UnsuitableCommit::NoFiles) } else { Ok(files) }
    }
}

#[cfg(test)]
mod tests;
