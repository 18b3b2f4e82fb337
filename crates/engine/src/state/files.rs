//! The files of the searched tree: on disk, in a commit or in a cluster.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use lore_schema::SkipReason;
use lore_sources::{Revision, Secrets, StoredTree, Tree, WorktreeStatus};

use crate::EngineConfig;

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

/// The place of the files.
enum Files<'a> {
    Disk,
    Commit(&'a Revision),
    /// A repository in a cluster.
    Stored(&'a StoredTree),
}

impl EngineConfig {
    /// The place of the files.
    fn files(&self) -> Files<'_> {
        match (&self.stored, &self.at) {
            (Some(stored), _) => Files::Stored(stored.tree()),
            (None, Some(revision)) => Files::Commit(revision),
            (None, None) => Files::Disk,
        }
    }

    /// Reads a file as text, up to the configured maximum size.
    pub(crate) fn read_text(&self, path: &str) -> Result<String, SkipReason> {
        let (max, secrets) = (self.max_file_size, self.secrets);
        match self.files() {
            Files::Disk => lore_sources::read_text(&self.root, path, max, secrets),
            Files::Commit(revision) => revision.read_text(path, max, secrets),
            Files::Stored(stored) => Ok(stored.read_text_with_fingerprint(path, max, secrets)?.0),
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
        let (text, fingerprint) = match self.files() {
            Files::Disk => {
                lore_sources::read_text_with_fingerprint(&self.root, path, max, secrets)?
            }
            Files::Commit(revision) => {
                let text = revision.read_text(path, max, secrets)?;
                (text, revision.fingerprint_of(path).unwrap_or_default())
            }
            Files::Stored(stored) => stored.read_text_with_fingerprint(path, max, secrets)?,
        };
        Ok(UnverifiedText { text, fingerprint })
    }

    /// Announces that these files are read next. Files in a cluster are then read at once.
    pub(crate) fn read_ahead<'a>(&self, paths: impl Iterator<Item = &'a str>) {
        if let Files::Stored(stored) = self.files() {
            stored.read_ahead(&paths.collect::<Vec<_>>());
        }
    }

    /// Returns the current fingerprint of a file, as the walk lists it; `None` if it does not exist.
    pub(crate) fn fingerprint_of(&self, path: &str) -> Option<u64> {
        match self.files() {
            Files::Disk => lore_sources::fingerprint_of(&self.root, path),
            Files::Commit(revision) => revision.fingerprint_of(path),
            Files::Stored(stored) => stored.fingerprint_of(path),
        }
    }

    /// Returns true if a file still has the fingerprint that a walk listed.
    pub(crate) fn is_unchanged(&self, path: &str, listed: u64) -> bool {
        match self.files() {
            Files::Disk => lore_sources::is_unchanged(&self.root, path, listed),
            Files::Commit(_) | Files::Stored(_) => self.fingerprint_of(path) == Some(listed),
        }
    }

    /// Returns true if a file or folder exists inside the tree.
    pub(crate) fn contains(&self, path: &str) -> bool {
        let inside = !path.starts_with('/') && path.split('/').all(|part| part != "..");
        inside
            && match self.files() {
                Files::Disk => self.root.join(path).exists(),
                Files::Commit(revision) => revision.contains(path),
                Files::Stored(stored) => stored.contains(path),
            }
    }

    /// Returns true if a file exists inside the tree. Nothing outside is looked at, not even through
    /// a link.
    pub(crate) fn contains_file(&self, path: &str) -> bool {
        self.fingerprint_of(path).is_some()
    }

    /// Returns the full hash of the commit whose tree is searched, or that is checked out.
    pub(crate) fn commit(&self) -> Option<String> {
        match self.files() {
            Files::Disk => lore_sources::head_commit(&self.root),
            Files::Commit(revision) => Some(revision.commit()),
            Files::Stored(_) => None,
        }
    }

    /// Returns the name of a tree for receipts: the commit, `+` and the number of files that differ from it,
    /// `+?` if that took too long; `None` outside git. Also returns the paths that it depends on apart
    /// from the listing and the files of git's own folder, and whether they exist; `None` if it depends on
    /// more.
    pub(crate) fn tree_id(&self, tree: &Tree) -> (Option<String>, Option<Vec<(PathBuf, bool)>>) {
        let short = |commit: String| commit[..COMMIT_DIGITS].to_owned();
        if !matches!(self.files(), Files::Disk) {
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
        match self.files() {
            Files::Disk => lore_sources::last_changes(&self.root, paths, oldest),
            Files::Commit(revision) => revision.last_changes(paths, oldest),
            Files::Stored(_) => BTreeMap::new(),
        }
    }
}
