//! Git source: the commits of the enclosing repository, one unit and one document each.
//!
//! The commits are those that HEAD, a branch, a remote branch or a tag leads to; if the tree of a
//! commit is searched, those that it leads to. A scan reads at most [`WalkOptions::commits`] of
//! them, newest first, and leaves the others to later scans.
//!
//! Steps of a scan:
//!
//! 1. Open the enclosing repository and list the tips ([`tips`]).
//! 2. Parse the cursor of the last scan ([`Cursor`]): the tips of that scan, and the commits to
//!    continue from.
//! 3. Without a cursor, or for another folder, walk all commits. Those with a known stamp are
//!    reported as unchanged, and the newest of the others are read. Return [`Scan::Complete`].
//! 4. If the tips differ, read the commits that the new ones lead to, up to those that are known,
//!    and delete those that only the removed ones led to.
//! 5. If older commits are wanted ([`WalkOptions::older_commits`]), read some of those that are
//!    not read yet. Return [`Scan::Delta`].
//!
//! The commits that are not read yet are counted as skipped, beyond the limit. Those that are
//! missing from the repository or damaged are counted as unreadable, and read once they are whole.

use std::{
    collections::{BTreeSet, HashSet},
    ops::ControlFlow,
};

use gix::{ObjectId, Repository};
use lore_schema::{Change, SkipCounts, SkipReason, SourceName, Unit};

use self::{
    commit::{CommitContent, FORMAT},
    cursor::Cursor,
    tips::{commits_of, read_tips},
};
use super::repository::{in_one_line, open, walk_newest_first, walk_selected, walk_since};
use crate::{
    error::SourceError,
    options::WalkOptions,
    root,
    source::{FormatCount, IndexState, Scan, ScanReport, Source},
    tree::Tree,
};

mod commit;
mod cursor;
mod tips;

pub(super) use self::commit::History;

/// Maximum number of commits not read yet that are counted. Walking 1,000 takes about 15 ms.
const MAX_COUNTED_COMMITS: u64 = 100_000;

/// Maximum number of missing commits that a scan looks for again.
const MAX_MISSING_LOOKUPS: usize = 64;

/// Seconds that a commit may be older than its parent, because the clocks of two machines differ.
const CLOCK_SKEW: i64 = 30 * 24 * 3600;

/// The commits that a reference leads to, or those that the commit whose tree is searched leads to.
/// A folder inside a repository gets the commits that change something in it.
pub(crate) struct GitSource;

impl Source for GitSource {
    fn name(&self) -> SourceName {
        SourceName::Git
    }

    fn scan(
        &self,
        tree: &Tree,
        known: &dyn IndexState,
        emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<Scan, SourceError> {
        let Some(top) = root::git_top(tree.canonical_root()) else {
            if root::enclosing(tree.canonical_root(), &[".git"]).is_none() {
                return Ok(Scan::Complete(ScanReport::default()));
            }
            return Err(SourceError::Git {
                path: tree.root().to_owned(),
                reason:
                    "its `.git` points to no repository, or to one that belongs to another tree"
                        .to_owned(),
            });
        };
        let failed = |error: gix::Error| SourceError::Git {
            path: tree.root().to_owned(),
            reason: in_one_line(&error),
        };
        let repository = open(top).map_err(failed)?;
        let tips = match &tree.options().at {
            Some(revision) => vec![revision.id()],
            None => read_tips(&repository).map_err(failed)?,
        };
        if tips.is_empty() || tree.options().commits == Some(0) {
            return Ok(Scan::Complete(ScanReport::default()));
        }
        let history = History::new(&repository, top, tree).map_err(failed)?;
        let last = known.cursor().and_then(Cursor::parse);
        let last = last.filter(|last| last.scope == history.scope);
        let scan = HistoryScan {
            cursor: Cursor { scope: history.scope, tips, ..Cursor::default() },
            history,
            repository: &repository,
            options: tree.options(),
            known,
            emit,
            read: HashSet::new(),
        };
        let scan = match last {
            Some(last) => scan.continue_from(last),
            None => scan.report_all(),
        };
        scan.map_err(failed)
    }
}

/// State of one scan.
struct HistoryScan<'a> {
    repository: &'a Repository,
    history: History<'a>,
    options: &'a WalkOptions,
    known: &'a dyn IndexState,
    emit: &'a mut dyn FnMut(Change) -> ControlFlow<()>,
    /// The cursor of this scan, complete at its end.
    cursor: Cursor,
    /// The commits that this scan read.
    read: HashSet<ObjectId>,
}

/// Commits that were read one after the other.
struct Walked {
    /// Commits to continue from: not read, while a commit that was read leads to them.
    frontier: BTreeSet<ObjectId>,
    /// Parents of the commits that were read.
    parents: HashSet<ObjectId>,
    /// Number of commits that were read.
    read: u64,
}

/// Returned by a step when the scan was interrupted.
struct Interrupted;

impl HistoryScan<'_> {
    /// Reports every commit, without a cursor of an earlier scan.
    fn report_all(mut self) -> gix::Result<Scan> {
        let starts = commits_of(self.repository, &self.cursor.tips);
        let max = self.options.commits.unwrap_or(usize::MAX);
        let is_first = self.known.cursor().is_none();
        let mut frontier: BTreeSet<ObjectId> = starts.iter().copied().collect();
        // A missing commit stays in the frontier.
        for info in walk_newest_first(self.repository, &starts)?.filter_map(Result::ok) {
            let name = info.id.to_string();
            let step = if self.known.stamp(&name) == Some(self.history.stamp(&info.id)) {
                self.cursor.commits += 1;
                (self.emit)(Change::Unchanged(Unit { source: SourceName::Git, name }))
            } else if self.read.len() < max {
                self.report_commit(info.id)
            } else {
                self.cursor.older += 1;
                // Behind them there may be known commits to report.
                if is_first && self.cursor.older >= MAX_COUNTED_COMMITS {
                    break;
                }
                continue;
            };
            self.read.insert(info.id);
            self.move_frontier(&mut frontier, info.id, &info.parent_ids);
            if step.is_break() {
                return Ok(self.interrupted());
            }
        }
        self.set_pending(frontier);
        Ok(Scan::Complete(self.report()))
    }

    /// Reports the differences from the last scan.
    fn continue_from(mut self, last: Cursor) -> gix::Result<Scan> {
        let tips = std::mem::take(&mut self.cursor.tips);
        let added = missing_in(&last.tips, &tips);
        let removed = missing_in(&tips, &last.tips);
        let removed_commits = commits_of(self.repository, &removed);
        if removed_commits.len() < removed.len() {
            // The commits behind the missing ones cannot be determined.
            self.cursor.tips = tips;
            return self.report_all();
        }
        self.cursor = Cursor { tips, ..last };
        match self.report_differences(&added, removed_commits)? {
            Ok(()) => Ok(Scan::Delta(self.report())),
            Err(Interrupted) => Ok(self.interrupted()),
        }
    }

    fn report_differences(
        &mut self,
        added: &[ObjectId],
        mut removed: Vec<ObjectId>,
    ) -> gix::Result<Result<(), Interrupted>> {
        if !added.is_empty() {
            let Ok(parents) = self.read_new(commits_of(self.repository, added))? else {
                return Ok(Err(Interrupted));
            };
            removed.retain(|commit| !parents.contains(commit));
        }
        if !removed.is_empty() && self.delete_unreachable(&removed)?.is_err() {
            return Ok(Err(Interrupted));
        }
        let reads_older = self.options.older_commits || self.options.commits.is_none();
        if !self.cursor.pending.is_empty() && (reads_older || self.finds_missing()) {
            return self.read_older();
        }
        Ok(Ok(()))
    }

    /// Reads the commits that new tips lead to, up to those that are known or pending. Returns the
    /// parents of those that were read.
    fn read_new(
        &mut self,
        starts: Vec<ObjectId>,
    ) -> gix::Result<Result<HashSet<ObjectId>, Interrupted>> {
        let mut pending: BTreeSet<ObjectId> = self.cursor.pending.iter().copied().collect();
        pending.retain(|commit| !starts.contains(commit));
        let stops = pending.iter().copied().collect();
        let Ok(walked) = self.read_from(starts, stops)? else { return Ok(Err(Interrupted)) };
        if !walked.frontier.is_empty() {
            let (known, stops) = (self.known, pending.clone());
            let read = self.read.clone();
            let is_unread = move |id: &gix::oid| {
                !stops.contains(id) && !read.contains(id) && !is_known(known, id)
            };
            let starts = self.existing(&walked.frontier);
            let unread = walk_selected(self.repository, &starts, is_unread)?;
            self.cursor.older += (0..MAX_COUNTED_COMMITS).zip(unread).count() as u64;
        }
        pending.extend(walked.frontier);
        self.set_pending(pending);
        Ok(Ok(walked.parents))
    }

    /// Reads commits that the pending ones lead to.
    fn read_older(&mut self) -> gix::Result<Result<(), Interrupted>> {
        let starts = std::mem::take(&mut self.cursor.pending);
        let Ok(walked) = self.read_from(starts, HashSet::new())? else {
            return Ok(Err(Interrupted));
        };
        self.cursor.older = self.cursor.older.saturating_sub(walked.read);
        self.set_pending(walked.frontier);
        Ok(Ok(()))
    }

    /// Reads the unknown commits that these lead to, newest first, up to the limit of this scan.
    /// Known commits and the stops are not followed.
    fn read_from(
        &mut self,
        starts: Vec<ObjectId>,
        stops: HashSet<ObjectId>,
    ) -> gix::Result<Result<Walked, Interrupted>> {
        let (known, already) = (self.known, self.read.clone());
        let is_unread = move |id: &gix::oid| {
            !stops.contains(id) && !already.contains(id) && !is_known(known, id)
        };
        let frontier: BTreeSet<ObjectId> = starts.into_iter().filter(|id| is_unread(id)).collect();
        let starts = self.existing(&frontier);
        let mut walked = Walked { frontier, parents: HashSet::new(), read: 0 };
        let max = self.options.commits.unwrap_or(usize::MAX).saturating_sub(self.read.len());
        let walk = walk_selected(self.repository, &starts, is_unread)?;
        for info in walk.filter_map(Result::ok).take(max) {
            walked.read += 1;
            walked.parents.extend(&info.parent_ids);
            self.read.insert(info.id);
            let step = self.report_commit(info.id);
            self.move_frontier(&mut walked.frontier, info.id, &info.parent_ids);
            if step.is_break() {
                return Ok(Err(Interrupted));
            }
        }
        Ok(Ok(walked))
    }

    /// Deletes the commits that the removed tips led to and the present ones do not.
    ///
    /// What the present tips lead to is walked back to some weeks before the oldest commit to
    /// delete: usually a small part of the history.
    fn delete_unreachable(&mut self, removed: &[ObjectId]) -> gix::Result<Result<(), Interrupted>> {
        let tips = commits_of(self.repository, &self.cursor.tips);
        let mut reachable: HashSet<ObjectId> = HashSet::new();
        // The time, in seconds, from which on the reachable commits are known.
        let mut since = i64::MAX;
        let gone = loop {
            let reached = reachable.clone();
            let walk = walk_selected(self.repository, removed, move |id| !reached.contains(id))?;
            let mut gone = Vec::new();
            let (mut newest, mut oldest) = (i64::MIN, i64::MAX);
            for info in walk.filter_map(Result::ok) {
                let time = info.commit_time.unwrap_or(i64::MIN);
                (newest, oldest) = (newest.max(time), oldest.min(time));
                if oldest.saturating_sub(CLOCK_SKEW) < since {
                    break;
                }
                gone.push(info.id);
            }
            if gone.is_empty() && oldest == i64::MAX || oldest.saturating_sub(CLOCK_SKEW) >= since {
                break gone;
            }
            // Twice the time with each turn, so that there are few.
            let span = newest.saturating_sub(oldest);
            since = oldest.saturating_sub(CLOCK_SKEW).saturating_sub(span);
            let walk = walk_since(self.repository, tips.clone(), since)?;
            reachable.extend(walk.filter_map(Result::ok).map(|info| info.id));
        };
        let mut pending = BTreeSet::from_iter(std::mem::take(&mut self.cursor.pending));
        for id in gone {
            pending.remove(&id);
            if !is_known(self.known, &id) {
                self.cursor.older = self.cursor.older.saturating_sub(1);
                continue;
            }
            self.cursor.commits = self.cursor.commits.saturating_sub(1);
            let unit = Unit { source: SourceName::Git, name: id.to_string() };
            if (self.emit)(Change::Delete(unit)).is_break() {
                return Ok(Err(Interrupted));
            }
        }
        self.set_pending(pending);
        Ok(Ok(()))
    }

    /// Removes a commit from the frontier, and adds those of its parents that are not read.
    fn move_frontier(
        &self,
        frontier: &mut BTreeSet<ObjectId>,
        commit: ObjectId,
        parents: &[ObjectId],
    ) {
        frontier.remove(&commit);
        if self.history.is_end(&commit) {
            return;
        }
        let unread =
            parents.iter().filter(|id| !self.read.contains(*id) && !is_known(self.known, id));
        frontier.extend(unread);
    }

    /// Keeps the commits to continue from, and counts those that cannot be read.
    fn set_pending(&mut self, pending: BTreeSet<ObjectId>) {
        self.cursor.pending = pending.into_iter().collect();
        let readable = self.cursor.pending.iter().filter(|id| self.is_readable(**id));
        let readable = readable.count() as u64;
        let cursor = &mut self.cursor;
        cursor.missing = cursor.pending.len() as u64 - readable;
        // The count is not exact if it reached its maximum, or after a merge of old commits.
        cursor.older = match readable {
            0 => 0,
            _ => cursor.older.clamp(readable.min(MAX_COUNTED_COMMITS), MAX_COUNTED_COMMITS),
        };
    }

    /// Returns whether the repository has a commit, and its fields are valid.
    fn is_readable(&self, id: ObjectId) -> bool {
        let commit = self.repository.find_commit(id);
        commit.is_ok_and(|commit| commit.decode().is_ok())
    }

    /// Returns whether commits that could not be read are readable now: a clone was completed, or the
    /// folder of its objects is back.
    fn finds_missing(&self) -> bool {
        if self.cursor.missing == 0 || self.cursor.pending.len() > MAX_MISSING_LOOKUPS {
            return false;
        }
        let pending = self.cursor.pending.iter();
        let missing = pending.filter(|id| !self.is_readable(**id)).count();
        (missing as u64) < self.cursor.missing
    }

    /// Returns those of these commits that the repository has. A missing one fails a walk.
    fn existing(&self, commits: &BTreeSet<ObjectId>) -> Vec<ObjectId> {
        commits.iter().filter(|id| self.repository.has_object(**id)).copied().collect()
    }

    /// Reads and reports one commit.
    fn report_commit(&mut self, id: ObjectId) -> ControlFlow<()> {
        let (document, skipped) = match self.history.read(id) {
            Ok(CommitContent { document, incomplete: false }) => (document, SkipCounts::new()),
            Ok(CommitContent { document, incomplete: true }) => {
                (document, SkipCounts::from([(SkipReason::Unreadable, 1)]))
            }
            Err(reason) => (None, SkipCounts::from([(reason, 1)])),
        };
        self.cursor.commits += 1;
        (self.emit)(Change::Replace {
            unit: Unit { source: SourceName::Git, name: id.to_string() },
            stamp: self.history.stamp(&id),
            documents: document.into_iter().collect(),
            skipped,
        })
    }

    fn report(&self) -> ScanReport {
        let formats = vec![FormatCount { format: FORMAT, units: self.cursor.commits }];
        let counts = [
            (SkipReason::BeyondLimit, self.cursor.older),
            (SkipReason::Unreadable, self.cursor.missing),
        ];
        let skipped = counts.into_iter().filter(|(_, count)| *count > 0).collect();
        ScanReport { cursor: self.cursor.to_text(), skipped, formats }
    }

    /// Keeps the old cursor: the next scan repeats this one, and finds what was reported already
    /// known.
    fn interrupted(&self) -> Scan {
        let cursor = self.known.cursor().unwrap_or_default().to_owned();
        Scan::Delta(ScanReport { cursor, ..self.report() })
    }
}

/// Returns the objects of the second sorted list that are missing in the first.
fn missing_in(list: &[ObjectId], objects: &[ObjectId]) -> Vec<ObjectId> {
    objects.iter().filter(|id| list.binary_search(id).is_err()).copied().collect()
}

/// Returns whether the index has a commit.
fn is_known(known: &dyn IndexState, id: &gix::oid) -> bool {
    known.stamp(&id.to_string()).is_some()
}

#[cfg(test)]
mod tests;
