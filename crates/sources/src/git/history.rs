//! Git source: the commits of the enclosing repository, one unit and one document each.

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

/// Most older commits that are counted: walking them costs some 15 ms a thousand.
const COUNTED: usize = 100_000;

/// Digits of the short hash: enough for a hundred thousand commits.
const SHORT_HASH: usize = 10;

/// Most files that one commit lists. A commit that changes more is a sweep, and its files say
/// nothing about it.
const FILE_LIMIT: usize = 200;

/// The commits that can be reached from HEAD, or from the commit whose tree is searched, newest first. A folder inside a repository gets
/// those that change something in it.
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
                reason: "its `.git` leads to no repository, or to one that does not name this tree"
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
        let cursor = Cursor { limit, place: history.place, head, commits: 0, older: 0 };
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

/// Where the last scan ended, as a line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cursor {
    limit: Option<usize>,
    /// Fingerprint of what else decides about the documents: the folder inside the repository,
    /// and where a shallow clone ends.
    place: u64,
    head: ObjectId,
    /// How many commits the index holds since.
    commits: u64,
    /// How many older commits the limit leaves out, counted up to [`COUNTED`].
    older: u64,
}

impl Cursor {
    fn parse(text: &str) -> Option<Cursor> {
        let mut words = text.strip_prefix("2 ")?.split(' ');
        let limit = match words.next()? {
            "all" => None,
            number => Some(number.parse().ok()?),
        };
        let place = u64::from_str_radix(words.next()?, 16).ok()?;
        let head = ObjectId::from_hex(words.next()?.as_bytes()).ok()?;
        let commits = words.next()?.parse().ok()?;
        let older = words.next()?.parse().ok()?;
        Some(Cursor { limit, place, head, commits, older })
    }

    fn to_text(&self) -> String {
        let limit = self.limit.map_or_else(|| "all".to_owned(), |limit| limit.to_string());
        format!("2 {limit} {:x} {} {} {}", self.place, self.head, self.commits, self.older)
    }

    /// Returns whether a scan with the other cursor may report only what came in between.
    fn continues(&self, next: &Cursor) -> bool {
        self.limit == next.limit && self.place == next.place
    }

    /// Returns whether the index can take more commits without letting go of any. One that leaves
    /// out older commits is full.
    fn has_room(&self, new: u64) -> bool {
        new == 0
            || self.limit.is_none_or(|limit| self.older == 0 && self.commits + new <= limit as u64)
    }

    /// How many commits the limit leaves out once new ones are on top. Only a full index knows
    /// without counting: each new commit pushes one out.
    fn older_with(&self, new: u64) -> Option<u64> {
        (self.older > 0).then(|| (self.older + new).min(COUNTED as u64))
    }
}

/// The commits of one repository, as one folder of it sees them.
pub(super) struct History<'a> {
    repository: &'a Repository,
    /// The folder inside the repository: empty, or with a final `/`.
    pub(super) prefix: String,
    /// The commits at which a shallow clone ends, sorted.
    ends: Vec<ObjectId>,
    place: u64,
    files: ChangedFiles,
    secrets: Secrets,
}

/// What reading a commit gives: its document, if it has a place in this tree, and whether
/// something about it could not be read.
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
        let place = hasher.finish();
        let (files, secrets) = (ChangedFiles::default(), tree.options().secrets);
        Ok(History { repository, prefix, ends, place, files, secrets })
    }

    /// The commits that can be reached from a tip but not from the hidden ones.
    pub(super) fn walk(
        &self,
        tip: ObjectId,
        hidden: Option<ObjectId>,
    ) -> gix::Result<impl Iterator<Item = Result<Info<'a>, ()>> + use<'a>> {
        walk_newest_first(self.repository, tip, hidden)
    }

    /// What a commit looks like to the index. Its hash says all, except where a shallow clone
    /// ends: once the history is deepened, the files of that commit become known.
    fn stamp(&self, id: &ObjectId) -> Stamp {
        let mut hasher = Hasher::default();
        hasher.bytes(id.as_bytes());
        hasher.bytes(self.prefix.as_bytes());
        hasher.number(u64::from(self.ends.binary_search(id).is_ok()));
        let hash = hasher.finish();
        Stamp { metadata: hash, content: hash }
    }

    /// Reads a commit. Merges list no files: what they bring in is told by the commits that they
    /// join. Neither does the commit at which a shallow clone ends, because everything in it
    /// would look new.
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
            title if title.is_empty() => hash[..SHORT_HASH].to_owned(),
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
        for path in self.files.paths().iter().take(FILE_LIMIT) {
            text.push('\n');
            text.push_str(path);
            extra.push(("file".to_owned(), path.clone()));
        }
        let attributes = Attributes {
            id: Some(hash[..SHORT_HASH].to_owned()),
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

/// One scan of a history.
struct HistoryScan<'a> {
    history: History<'a>,
    known: &'a dyn IndexState,
    emit: &'a mut dyn FnMut(Change) -> ControlFlow<()>,
    cursor: Cursor,
    skipped: SkipCounts,
}

impl HistoryScan<'_> {
    /// The commits since the last scan, newest first; `None` when they cannot stand alone: the
    /// history was rewritten, or they alone fill the limit.
    fn newer_than(&self, last: &Cursor) -> Option<Vec<ObjectId>> {
        if last.head == self.cursor.head {
            return Some(Vec::new());
        }
        let walk = self.history.walk(self.cursor.head, Some(last.head)).ok()?;
        let mut commits = Vec::new();
        // Every way from the new head to the old one runs through commits that the old one cannot
        // reach, so the last of them has it as its parent.
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

    /// Reports the commits since the last scan, for which there is room.
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

    /// Reports every commit up to the limit, so that the index holds the same ones whatever it
    /// held before. `older` is how many lie beyond the limit, where that is known.
    fn report_all(mut self, older: Option<u64>) -> gix::Result<Scan> {
        let mut walk = self.history.walk(self.cursor.head, None)?;
        for info in walk.by_ref().take(self.cursor.limit.unwrap_or(usize::MAX)) {
            let Ok(info) = info else {
                // A commit that is missing ends its line of history, and no other.
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
        self.cursor.older = older.unwrap_or_else(|| walk.take(COUNTED).count() as u64);
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

    /// The next scan starts where this one did: what was reported is known by then.
    fn interrupted(&self) -> Scan {
        let cursor = self.known.cursor().unwrap_or_default().to_owned();
        Scan::Delta(ScanReport { cursor, ..self.finished() })
    }
}

#[cfg(test)]
mod tests;
