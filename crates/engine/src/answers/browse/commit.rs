//! A commit with the lines that it changes.

use std::ops::Range;

use lore_schema::SkipReason;
use lore_sources::{NewState, Revision, changed_texts, commit_details};

use crate::{Clock, Engine, EngineError, state::revision};

/// A commit with the files that it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitView {
    /// Full hash.
    pub hash: String,
    /// Full hashes of its parents. The files are compared with the first one.
    pub parents: Vec<String>,
    /// Name of the author.
    pub author: String,
    /// Author date, in seconds since the epoch.
    pub date: Option<i64>,
    /// Name of the committer, if it is another person.
    pub committer: Option<String>,
    /// First paragraph of the message, on one line.
    pub subject: String,
    /// The rest of the message.
    pub body: String,
    /// The changed files below the root of the tree, by path; at most 2,000.
    pub files: Vec<ChangedFile>,
}

/// A file that a commit changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Root-relative path; of a removed file, its former path.
    pub path: String,
    /// Root-relative path before a renaming.
    pub old_path: Option<String>,
    /// True if the file was removed.
    pub is_removed: bool,
    /// The reason why a version of the file has no text.
    pub skipped: Option<SkipReason>,
    /// The text before; `None` for a new file, and for one that is skipped.
    pub old: Option<String>,
    /// The text after; `None` for a removed file, and for one that is skipped.
    pub new: Option<String>,
    /// The lines that differ: 0-based ranges of the old and of the new text.
    pub hunks: Vec<(Range<usize>, Range<usize>)>,
}

impl ChangedFile {
    /// Number of added lines.
    pub fn added(&self) -> usize {
        self.hunks.iter().map(|(_, new)| new.len()).sum()
    }

    /// Number of removed lines.
    pub fn removed(&self) -> usize {
        self.hunks.iter().map(|(old, _)| old.len()).sum()
    }
}

impl Engine {
    /// Reads a commit with the lines that differ from its first parent. `name` is that of [`Engine::at`].
    ///
    /// # Errors
    /// [`EngineError::Revision`] when no commit has that name, [`EngineError::Source`] outside git and when
    /// the commit cannot be read.
    pub fn commit_view(&self, name: &str, clock: Clock) -> Result<CommitView, EngineError> {
        let (root, secrets) = (&self.config.root, self.config.secrets);
        let revision = revision::find(root, name, clock)?;
        let details = commit_details(root, &revision.commit(), secrets)?;
        let parent = match details.parents.first() {
            // The parent of the last commit of a shallow clone is missing.
            Some(parent) => Revision::named(root, parent).ok().flatten(),
            None => None,
        };
        let texts = changed_texts(root, parent.as_ref(), &NewState::Commit(revision), secrets)?;
        let files = texts
            .into_iter()
            .map(|text| ChangedFile {
                path: text.path,
                old_path: text.old_path,
                is_removed: text.is_removed,
                skipped: text.skipped,
                old: text.old,
                new: text.new,
                hunks: text.hunks,
            })
            .collect();
        Ok(CommitView {
            hash: details.hash,
            parents: details.parents,
            author: details.author,
            date: details.date,
            committer: details.committer,
            subject: details.subject,
            body: details.body,
            files,
        })
    }
}
