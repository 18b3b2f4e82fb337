//! The files of the searched tree: on disk, in a commit or in a cluster.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use lore_schema::SkipReason;
use lore_sources::{Secrets, StoredTree, Tree, WorktreeStatus};

use crate::{EngineConfig, state::stored::StoredRepository};

/// Maximum time for comparing the files with the commit that is checked out.
const STATUS_TIMEOUT: Duration = Duration::from_millis(100);

/// Number of digits of a commit in the name of a tree.
const COMMIT_DIGITS: usize = 8;

/// A text that is not compared with the index yet, and that may contain a secret unknown to the index.
#[derive(Debug)]
pub(crate) struct UnverifiedText {
    text: String,
    /// Fingerprint of the file when it was read; 0 for none.
    fingerprint: u64,
}

impl UnverifiedText {
    /// The text for comparisons. It must not be shown.
    pub(crate) fn to_compare(&self) -> &str {
        &self.text
    }

    /// Returns the text if the file was unchanged since the listing when it was read. `listed` is its
    /// fingerprint in the listing, 0 for an inconclusive one.
    pub(crate) fn if_listed(self, listed: u64) -> Option<String> {
        (listed != 0 && self.fingerprint == listed).then_some(self.text)
    }
}

impl EngineConfig {
    /// The files of a repository in a cluster, if that is searched.
    fn stored_tree(&self) -> Option<&StoredTree> {
        self.stored.as_ref().map(StoredRepository::tree)
    }

    /// Reads a file as text, up to the configured maximum size.
    pub(crate) fn read_text(&self, path: &str) -> Result<String, SkipReason> {
        if let Some(stored) = self.stored_tree() {
            return stored.read_text(path, self.max_file_size, self.secrets);
        }
        match &self.at {
            None => lore_sources::read_text(&self.root, path, self.max_file_size, self.secrets),
            Some(revision) => revision.read_text(path, self.max_file_size, self.secrets),
        }
    }

    /// Reads a file as text before its stamp is compared. A file that contained no secret when it was
    /// indexed may be read with [`Secrets::Shown`]: its text is returned only if it is unchanged.
    ///
    /// # Errors
    /// As [`EngineConfig::read_text`].
    pub(crate) fn read_unverified(
        &self,
        path: &str,
        secrets: Secrets,
    ) -> Result<UnverifiedText, SkipReason> {
        let max = self.max_file_size;
        if let Some(stored) = self.stored_tree() {
            // The fingerprint is that of the version before the text was read, so that a newer text is not
            // taken for the older one.
            let fingerprint = stored.fingerprint_of(path).unwrap_or_default();
            return Ok(UnverifiedText { text: stored.read_text(path, max, secrets)?, fingerprint });
        }
        let (text, fingerprint) = match &self.at {
            None => lore_sources::read_text_with_fingerprint(&self.root, path, max, secrets)?,
            Some(revision) => {
                let text = revision.read_text(path, max, secrets)?;
                (text, revision.fingerprint_of(path).unwrap_or_default())
            }
        };
        Ok(UnverifiedText { text, fingerprint })
    }

    /// Announces that these files are read next, which a store elsewhere answers at once.
    pub(crate) fn read_ahead<'a>(&self, paths: impl Iterator<Item = &'a str>) {
        if let Some(stored) = self.stored_tree() {
            stored.read_ahead(&paths.collect::<Vec<_>>());
        }
    }

    /// Returns the current fingerprint of a file, as the walk lists it; `None` if it does not exist.
    pub(crate) fn fingerprint_of(&self, path: &str) -> Option<u64> {
        if let Some(stored) = self.stored_tree() {
            return stored.fingerprint_of(path);
        }
        match &self.at {
            None => lore_sources::fingerprint_of(&self.root, path),
            Some(revision) => revision.fingerprint_of(path),
        }
    }

    /// Returns true if a file still has the fingerprint that a walk listed.
    pub(crate) fn is_unchanged(&self, path: &str, listed: u64) -> bool {
        if let Some(stored) = self.stored_tree() {
            return stored.fingerprint_of(path) == Some(listed);
        }
        match &self.at {
            None => lore_sources::is_unchanged(&self.root, path, listed),
            Some(revision) => revision.fingerprint_of(path) == Some(listed),
        }
    }

    /// Returns true if a file or folder exists inside the tree.
    pub(crate) fn contains(&self, path: &str) -> bool {
        let inside = !path.starts_with('/') && path.split('/').all(|part| part != "..");
        if let Some(stored) = self.stored_tree() {
            return inside && stored.contains(path);
        }
        inside
            && match &self.at {
                None => self.root.join(path).exists(),
                Some(revision) => revision.contains(path),
            }
    }

    /// Returns true if a file exists inside the tree. Nothing outside is looked at, not even through
    /// a link.
    pub(crate) fn contains_file(&self, path: &str) -> bool {
        self.fingerprint_of(path).is_some()
    }

    /// Returns the full hash of the commit whose tree is searched, or that is checked out.
    pub(crate) fn commit(&self) -> Option<String> {
        if self.stored.is_some() {
            return None;
        }
        match &self.at {
            None => lore_sources::head_commit(&self.root),
            Some(revision) => Some(revision.commit()),
        }
    }

    /// Returns the name of a tree for receipts: the commit, `+` and the number of files that differ from it,
    /// `+?` if that took too long; `None` outside git. Also returns the paths that it depends on apart
    /// from the listing and the files of git's own folder, and whether they exist; `None` if it depends on
    /// more.
    pub(crate) fn tree_id(&self, tree: &Tree) -> (Option<String>, Option<Vec<(PathBuf, bool)>>) {
        let short = |commit: String| commit[..COMMIT_DIGITS].to_owned();
        if self.stored.is_some() {
            return (None, Some(Vec::new()));
        }
        if self.at.is_some() {
            return (self.commit().map(short), Some(Vec::new()));
        }
        let Some(WorktreeStatus { commit, changed_files, witnesses }) =
            WorktreeStatus::of(tree, STATUS_TIMEOUT)
        else {
            return (None, None);
        };
        let differs = match changed_files {
            Some(0) => String::new(),
            Some(count) => format!("+{count}"),
            None => "+?".to_owned(),
        };
        (Some(short(commit) + &differs), witnesses)
    }

    /// Returns the times at which files were last changed, in seconds since the epoch. Files changed before
    /// `oldest` may get an earlier date than the real one.
    pub(crate) fn last_changes(
        &self,
        paths: impl IntoIterator<Item = String>,
        oldest: Option<i64>,
    ) -> BTreeMap<String, i64> {
        if self.stored.is_some() {
            return BTreeMap::new();
        }
        match &self.at {
            None => lore_sources::last_changes(&self.root, paths, oldest),
            Some(revision) => revision.last_changes(paths, oldest),
        }
    }
}
