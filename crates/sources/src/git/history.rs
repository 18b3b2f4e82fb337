//! Git source: the commits of the enclosing repository, one unit and one document each.
//!
//! Steps of a scan:
//!
//! 1. Open the enclosing repository and find the head: HEAD, or the commit whose tree is searched.
//! 2. Parse the cursor of the last scan: its limit, folder, head, and how many commits the index
//!    has.
//! 3. If limit and folder are unchanged and the old head is an ancestor of the new one, walk only
//!    the commits in between. If the index has room for them, report them and return
//!    [`Scan::Delta`].
//! 4. Otherwise walk all commits up to the limit, newest first. Commits with a known stamp are
//!    reported as unchanged; the others are read. Return [`Scan::Complete`].
//! 5. Return the new cursor. Commits beyond the limit are counted as skipped.

use std::{ops::ControlFlow, path::Path};

use gix::{ObjectId, Repository, revision::walk::Info};
use lore_schema::{
    Attributes, Change, DocKey, Document, SkipCounts, SkipReason, SourceName, Stamp, TextOrigin,
    Trust, Unit,
};

use super::{
    files::ChangedFiles,
    repository::{decode, in_one_line, open, summary, walk_newest_first},
};
use crate::{
    error::SourceError,
    fingerprint::Hasher,
    root,
    secrets::Secrets,
    source::{FormatCount, IndexState, Scan, ScanReport, Source},
    tree::Tree,
};

/// Name of the format of commits.
const FORMAT: &str = "git";

/// Maximum number of commits beyond the limit that are counted. Walking 1,000 takes about 15 ms.
const MAX_COUNTED_COMMITS: usize = 100_000;

/// Number of digits of the short hash: enough for a hundred thousand commits.
const SHORT_HASH_LEN: usize = 10;

/// Maximum number of files listed per commit. A commit that changes more is a bulk change, and its
/// files do not characterize it.
const MAX_FILES: usize = 200;

/// The commits reachable from HEAD, or from the commit whose tree is searched, newest first. A
/// folder inside a repository gets the commits that change something in it.
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
        let head = if let Some(revision) = &tree.options().at {
            Some(revision.id())
        } else {
            let head = repository.head().and_then(gix::Head::try_into_peeled_id);
            head.map_err(failed)?.map(gix::Id::detach)
        };
        let Some(head) = head else {
            return Ok(Scan::Complete(ScanReport::default()));
        };
        let history = History::new(&repository, top, tree).map_err(failed)?;
        let limit = tree.options().commits;
        let cursor = Cursor { limit, scope: history.scope, head, commits: 0, older: 0 };
        let scan = HistoryScan { history, known, emit, cursor, skipped: SkipCounts::new() };
        let last = known.cursor().and_then(Cursor::parse);
        let Some(last) = last.filter(|last| last.continues(&scan.cursor)) else {
            return scan.report_all(None).map_err(failed);
        };
        match scan.newer_than(&last) {
            Some(commits) if last.has_room(commits.len() as u64) => {
                Ok(scan.report_newer(&commits, &last))
            }
            Some(commits) => scan.report_all(last.older_with(commits.len() as u64)).map_err(failed),
            None => scan.report_all(None).map_err(failed),
        }
    }
}

/// State at the end of a scan, stored as a line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cursor {
    limit: Option<usize>,
    /// Fingerprint of the other inputs of the documents: the folder inside the repository, and the
    /// ends of a shallow clone.
    scope: u64,
    head: ObjectId,
    /// Number of commits in the index.
    commits: u64,
    /// Number of older commits beyond the limit, counted up to [`MAX_COUNTED_COMMITS`].
    older: u64,
}

impl Cursor {
    fn parse(text: &str) -> Option<Cursor> {
        let mut words = text.strip_prefix("2 ")?.split(' ');
        let limit = match words.next()? {
            "all" => None,
            number => Some(number.parse().ok()?),
        };
        let scope = u64::from_str_radix(words.next()?, 16).ok()?;
        let head = ObjectId::from_hex(words.next()?.as_bytes()).ok()?;
        let commits = words.next()?.parse().ok()?;
        let older = words.next()?.parse().ok()?;
        Some(Cursor { limit, scope, head, commits, older })
    }

    fn to_text(&self) -> String {
        let limit = self.limit.map_or_else(|| "all".to_owned(), |limit| limit.to_string());
        format!("2 {limit} {:x} {} {} {}", self.scope, self.head, self.commits, self.older)
    }

    /// Returns whether a scan with the next cursor may report only the commits in between.
    fn continues(&self, next: &Cursor) -> bool {
        self.limit == next.limit && self.scope == next.scope
    }

    /// Returns whether the index has room for more commits without dropping any. An index with
    /// commits beyond the limit is full.
    fn has_room(&self, new: u64) -> bool {
        new == 0
            || self.limit.is_none_or(|limit| self.older == 0 && self.commits + new <= limit as u64)
    }

    /// Returns the number of commits beyond the limit after adding new ones. Known without counting
    /// only if the index is full: each new commit pushes one out.
    fn older_with(&self, new: u64) -> Option<u64> {
        (self.older > 0).then(|| (self.older + new).min(MAX_COUNTED_COMMITS as u64))
    }
}

/// History of one folder of a repository.
pub(super) struct History<'a> {
    repository: &'a Repository,
    /// Path of the folder in the repository: empty, or with a final `/`.
    pub(super) prefix: String,
    /// Commits at which a shallow clone ends, sorted.
    ends: Vec<ObjectId>,
    scope: u64,
    files: ChangedFiles,
    secrets: Secrets,
}

/// Result of reading a commit: its document, if it changes something in this tree, and whether part
/// of it could not be read.
struct CommitContent {
    document: Option<Document>,
    incomplete: bool,
}

impl<'a> History<'a> {
    pub(super) fn new(
        repository: &'a Repository,
        top: &Path,
        tree: &Tree,
    ) -> gix::Result<History<'a>> {
        let inside = tree.canonical_root().strip_prefix(top).unwrap_or(Path::new(""));
        let mut prefix = String::new();
        for name in inside {
            prefix.push_str(&name.to_string_lossy());
            prefix.push('/');
        }
        let mut ends: Vec<ObjectId> = match repository.shallow_commits()? {
            Some(commits) => commits.iter().copied().collect(),
            None => Vec::new(),
        };
        ends.sort_unstable();
        let mut hasher = Hasher::default();
        hasher.bytes(prefix.as_bytes());
        for end in &ends {
            hasher.bytes(end.as_bytes());
        }
        let scope = hasher.finish();
        let (files, secrets) = (ChangedFiles::default(), tree.options().secrets);
        Ok(History { repository, prefix, ends, scope, files, secrets })
    }

    /// Walks the commits that are reachable from a tip but not from the hidden one.
    pub(super) fn walk(
        &self,
        tip: ObjectId,
        hidden: Option<ObjectId>,
    ) -> gix::Result<impl Iterator<Item = Result<Info<'a>, ()>> + use<'a>> {
        walk_newest_first(self.repository, tip, hidden)
    }

    /// Returns the stamp of a commit. It depends on the hash alone, except at the end of a shallow
    /// clone: once the history is deepened, the files of that commit become known.
    fn stamp(&self, id: &ObjectId) -> Stamp {
        let mut hasher = Hasher::default();
        hasher.bytes(id.as_bytes());
        hasher.bytes(self.prefix.as_bytes());
        hasher.number(u64::from(self.ends.binary_search(id).is_ok()));
        let hash = hasher.finish();
        Stamp { metadata: hash, content: hash }
    }

    /// Reads a commit. Merges list no files: the merged commits list them. Neither does the commit
    /// at the end of a shallow clone, because every file in it would look new.
    fn read(&mut self, id: ObjectId) -> Result<CommitContent, SkipReason> {
        let object = self.repository.find_object(id).map_err(|_| SkipReason::Unreadable)?;
        let object = object.try_into_commit().map_err(|_| SkipReason::Malformed)?;
        let commit = object.decode().map_err(|_| SkipReason::Malformed)?;
        let parents: Vec<ObjectId> = commit.parents().collect();
        let is_end = self.ends.binary_search(&id).is_ok();
        let mut incomplete = false;
        let listed = if is_end || parents.len() > 1 {
            false
        } else {
            let listed = self.files.read(self.repository, parents.first().copied(), commit.tree());
            incomplete = listed.is_err();
            listed.is_ok()
        };
        if !listed {
            self.files.clear();
        }
        if !self.prefix.is_empty() {
            self.files.keep_inside(&self.prefix);
            if self.files.count() == 0 {
                return Ok(CommitContent { document: None, incomplete });
            }
        }

        let hash = id.to_string();
        let message = self.secrets.apply(decode(commit.message, commit.encoding));
        let message = message.trim();
        let title = match summary(message) {
            title if title.is_empty() => hash[..SHORT_HASH_LEN].to_owned(),
            title => title,
        };
        let author = commit.author().ok();
        let date = author.as_ref().map(gix::actor::SignatureRef::seconds);
        let mut text = message.to_owned();
        let mut extra = Vec::new();
        if is_end {
            extra.push(("shallow".to_owned(), "true".to_owned()));
        }
        if listed {
            extra.push(("files".to_owned(), self.files.count().to_string()));
        }
        if !self.files.paths().is_empty() {
            text.push('\n');
        }
        for path in self.files.paths().iter().take(MAX_FILES) {
            text.push('\n');
            text.push_str(path);
            extra.push(("file".to_owned(), path.clone()));
        }
        let attributes = Attributes {
            id: Some(hash[..SHORT_HASH_LEN].to_owned()),
            author: author
                .map(|author| decode(author.name, commit.encoding).trim().to_owned())
                .filter(|name| !name.is_empty()),
            created: date,
            updated: date,
            extra,
            ..Attributes::default()
        };
        let document = Document {
            key: DocKey { source: SourceName::Git, locator: hash },
            path: String::new(),
            format: FORMAT,
            kind: "commit",
            title,
            text,
            origin: TextOrigin::Composed,
            metadata: Vec::new(),
            attributes,
            trust: Trust::Own,
        };
        Ok(CommitContent { document: Some(document), incomplete })
    }
}

/// State of one scan.
struct HistoryScan<'a> {
    history: History<'a>,
    known: &'a dyn IndexState,
    emit: &'a mut dyn FnMut(Change) -> ControlFlow<()>,
    cursor: Cursor,
    skipped: SkipCounts,
}

impl HistoryScan<'_> {
    /// Returns the commits since the last scan, newest first. `None` if a full scan is needed: the
    /// history was rewritten, or the new commits alone fill the limit.
    fn newer_than(&self, last: &Cursor) -> Option<Vec<ObjectId>> {
        if last.head == self.cursor.head {
            return Some(Vec::new());
        }
        let walk = self.history.walk(self.cursor.head, Some(last.head)).ok()?;
        let mut commits = Vec::new();
        // Every path from the new head to the old one consists of commits that are not reachable
        // from the old one, so the last of them has it as its parent.
        let mut descends = false;
        for info in walk {
            let info = info.ok()?;
            descends |= info.parent_ids.contains(&last.head);
            commits.push(info.id);
            if self.cursor.limit.is_some_and(|limit| commits.len() >= limit) {
                return None;
            }
        }
        descends.then_some(commits)
    }

    /// Reports the commits since the last scan, if the index has room for them.
    fn report_newer(mut self, commits: &[ObjectId], last: &Cursor) -> Scan {
        for id in commits {
            if self.report(*id).is_break() {
                return self.interrupted();
            }
        }
        self.cursor.commits = last.commits + commits.len() as u64;
        self.cursor.older = last.older;
        Scan::Delta(self.finished())
    }

    /// Reports every commit up to the limit, so that the content of the index does not depend on
    /// its history. `older` is the number of commits beyond the limit, if known.
    fn report_all(mut self, older: Option<u64>) -> gix::Result<Scan> {
        let mut walk = self.history.walk(self.cursor.head, None)?;
        for info in walk.by_ref().take(self.cursor.limit.unwrap_or(usize::MAX)) {
            let Ok(info) = info else {
                // A missing commit ends its own line of history only.
                *self.skipped.entry(SkipReason::Unreadable).or_default() += 1;
                continue;
            };
            self.cursor.commits += 1;
            let name = info.id.to_string();
            let step = if self.known.stamp(&name) == Some(self.history.stamp(&info.id)) {
                (self.emit)(Change::Unchanged(Unit { source: SourceName::Git, name }))
            } else {
                self.report(info.id)
            };
            if step.is_break() {
                return Ok(self.interrupted());
            }
        }
        self.cursor.older = older.unwrap_or_else(|| walk.take(MAX_COUNTED_COMMITS).count() as u64);
        Ok(Scan::Complete(self.finished()))
    }

    /// Reads and reports one commit.
    fn report(&mut self, id: ObjectId) -> ControlFlow<()> {
        let (document, skipped) = match self.history.read(id) {
            Ok(CommitContent { document, incomplete: false }) => (document, SkipCounts::new()),
            Ok(CommitContent { document, incomplete: true }) => {
                (document, SkipCounts::from([(SkipReason::Unreadable, 1)]))
            }
            Err(reason) => (None, SkipCounts::from([(reason, 1)])),
        };
        (self.emit)(Change::Replace {
            unit: Unit { source: SourceName::Git, name: id.to_string() },
            stamp: self.history.stamp(&id),
            documents: document.into_iter().collect(),
            skipped,
        })
    }

    fn finished(&self) -> ScanReport {
        let formats = vec![FormatCount { format: FORMAT, units: self.cursor.commits }];
        let mut skipped = self.skipped.clone();
        if self.cursor.older > 0 {
            skipped.insert(SkipReason::BeyondLimit, self.cursor.older);
        }
        ScanReport { cursor: self.cursor.to_text(), skipped, formats }
    }

    /// Keeps the old cursor: the next scan repeats this one, and finds what was reported already
    /// known.
    fn interrupted(&self) -> Scan {
        let cursor = self.known.cursor().unwrap_or_default().to_owned();
        Scan::Delta(ScanReport { cursor, ..self.finished() })
    }
}

#[cfg(test)]
mod tests;
