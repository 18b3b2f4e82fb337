//! The files of the tree that is searched, whether they lie on disk or in a commit.

use std::{collections::BTreeMap, time::Duration};

use lore_schema::SkipReason;
use lore_sources::{Secrets, Tree, WorktreeStatus};

use crate::EngineConfig;

/// How long the files may be compared with the commit that is checked out.
const COMPARED: Duration = Duration::from_millis(100);

/// Digits of a commit that name a tree.
const DIGITS: usize = 8;

/// A text that nobody has compared with the index yet, and that may hold a secret which the index
/// does not know of.
#[derive(Debug)]
pub(crate) struct Unchecked {
    text: String,
    /// Of the file when it was read; 0 for none.
    fingerprint: u64,
}

impl Unchecked {
    /// The text to compare with others. Nobody may be shown it.
    pub(crate) fn to_compare(&self) -> &str {
        &self.text
    }

    /// The text, if the file was as it had been listed when it was read: `listed` is its fingerprint
    /// then, 0 for one that tells nothing.
    pub(crate) fn if_listed(self, listed: u64) -> Option<String> {
        (listed != 0 && self.fingerprint == listed).then_some(self.text)
    }
}

impl EngineConfig {
    /// Reads a file as text, up to the size limit of the settings.
    pub(crate) fn read_text(&self, path: &str) -> Result<String, SkipReason> {
        match &self.at {
            None => lore_sources::read_text(&self.root, path, self.max_file_size, self.secrets),
            Some(revision) => revision.read_text(path, self.max_file_size, self.secrets),
        }
    }

    /// Reads a file as text before its stamp is compared. What the index knows to have held no secret
    /// may be read with [`Secrets::Shown`]: it comes out only as it was indexed.
    ///
    /// # Errors
    /// As [`EngineConfig::read_text`].
    pub(crate) fn read_unchecked(
        &self,
        path: &str,
        secrets: Secrets,
    ) -> Result<Unchecked, SkipReason> {
        let max = self.max_file_size;
        let (text, fingerprint) = match &self.at {
            None => lore_sources::read_text_with_fingerprint(&self.root, path, max, secrets)?,
            Some(revision) => {
                let text = revision.read_text(path, max, secrets)?;
                (text, revision.fingerprint_of(path).unwrap_or_default())
            }
        };
        Ok(Unchecked { text, fingerprint })
    }

    /// The fingerprint of a file as it is now, as the walk notes it; `None` where there is none.
    pub(crate) fn fingerprint_of(&self, path: &str) -> Option<u64> {
        match &self.at {
            None => lore_sources::fingerprint_of(&self.root, path),
            Some(revision) => revision.fingerprint_of(path),
        }
    }

    /// Whether a file is as a walk listed it, by its fingerprint.
    pub(crate) fn is_still(&self, path: &str, listed: u64) -> bool {
        match &self.at {
            None => lore_sources::is_unchanged(&self.root, path, listed),
            Some(revision) => revision.fingerprint_of(path) == Some(listed),
        }
    }

    /// Whether a file or folder is there. What leads out of the tree is not.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let inside = !path.starts_with('/') && path.split('/').all(|part| part != "..");
        inside
            && match &self.at {
                None => self.root.join(path).exists(),
                Some(revision) => revision.contains(path),
            }
    }

    /// Whether a file is there.
    pub(crate) fn holds_file(&self, path: &str) -> bool {
        match &self.at {
            None => self.root.join(path).is_file(),
            Some(revision) => revision.fingerprint_of(path).is_some(),
        }
    }

    /// The full hash of the commit whose tree is searched, or that is checked out.
    pub(crate) fn commit(&self) -> Option<String> {
        match &self.at {
            None => lore_sources::head_commit(&self.root),
            Some(revision) => Some(revision.commit()),
        }
    }

    /// What a receipt says of a tree: the commit, `+` and the number of files that differ from it, `+?`
    /// where that could not be told in time; `None` outside git.
    pub(crate) fn tree_id(&self, tree: &Tree) -> Option<String> {
        let short = |commit: String| commit[..DIGITS].to_owned();
        if self.at.is_some() {
            return self.commit().map(short);
        }
        let WorktreeStatus { commit, changed_files } = WorktreeStatus::of(tree, COMPARED)?;
        let differs = match changed_files {
            Some(0) => String::new(),
            Some(count) => format!("+{count}"),
            None => "+?".to_owned(),
        };
        Some(short(commit) + &differs)
    }

    /// When files were last changed, in seconds since the epoch. Those that were changed before
    /// `oldest` may get an earlier date than they have.
    pub(crate) fn last_changes(
        &self,
        paths: impl IntoIterator<Item = String>,
        oldest: Option<i64>,
    ) -> BTreeMap<String, i64> {
        match &self.at {
            None => lore_sources::last_changes(&self.root, paths, oldest),
            Some(revision) => revision.last_changes(paths, oldest),
        }
    }
}
