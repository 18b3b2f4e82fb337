//! Opens repositories for reading objects.
//!
//! A repository is opened without anything that its configuration could run: filters, hooks,
//! includes, and the system's and user's configuration are ignored. That is safe for repositories of
//! any owner, so ownership is not checked.

use std::path::{Path, PathBuf};

use gix::{
    ObjectId, Repository,
    bstr::BStr,
    revision::walk::{Info, Sorting},
    traverse::commit::simple::CommitTimeOrder,
};

use crate::{error::SourceError, native, root};

/// Size of the object cache in bytes. Neighbouring commits share most of their trees. A larger
/// cache does not help with a thousand commits.
pub(super) const OBJECT_CACHE: usize = 16 << 20;

/// Returns the full hash of the checked-out commit of the repository that contains a folder. `None`
/// outside git, before the first commit, and if it cannot be read.
pub fn head_commit(root: &Path) -> Option<String> {
    let top = root::git_top(root)?;
    let repository = open(top).ok()?;
    let head = repository.head_id().ok()?;
    Some(head.to_string())
}

/// Opens a repository without running or trusting its configuration.
pub(super) fn open(top: &Path) -> gix::Result<Repository> {
    let mut repository =
        gix::open::Options::isolated().with(gix::sec::Trust::Full).open(top)?.to_thread_local();
    repository.object_cache_size(OBJECT_CACHE);
    Ok(repository)
}

/// Formats an error with its causes.
pub(super) fn in_one_line(error: &gix::Error) -> String {
    let mut line = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = inner.source();
    }
    line
}

/// A folder and the repository that contains it.
pub(super) struct RepositoryFolder {
    pub(super) root: PathBuf,
    pub(super) repository: Repository,
    /// Path of the folder in the repository: empty, or with a final `/`.
    pub(super) prefix: String,
}

impl RepositoryFolder {
    pub(super) fn find(root: &Path) -> Result<RepositoryFolder, SourceError> {
        let failed = |reason: String| SourceError::Git { path: root.to_owned(), reason };
        let canonical = native::canonical(root).map_err(|error| failed(error.to_string()))?;
        let top = root::git_top(&canonical)
            .ok_or_else(|| failed("it is not in a git repository".to_owned()))?;
        let repository = open(top).map_err(|error| failed(in_one_line(&error)))?;
        let inside = canonical.strip_prefix(top).unwrap_or(Path::new(""));
        let prefix = inside.iter().map(|name| name.to_string_lossy() + "/").collect();
        Ok(RepositoryFolder { root: root.to_owned(), repository, prefix })
    }

    pub(super) fn failed(&self, reason: &str) -> SourceError {
        SourceError::Git { path: self.root.clone(), reason: reason.to_owned() }
    }

    /// Returns the tree of a commit.
    pub(super) fn tree(&self, commit: ObjectId) -> Option<ObjectId> {
        let commit = self.repository.find_commit(commit).ok()?;
        Some(commit.tree_id().ok()?.detach())
    }
}

/// Walks the commits that are reachable from a tip but not from the hidden one, newest first.
pub(super) fn walk_newest_first(
    repository: &Repository,
    tip: ObjectId,
    hidden: Option<ObjectId>,
) -> gix::Result<impl Iterator<Item = Result<Info<'_>, ()>> + use<'_>> {
    let walk = repository
        .rev_walk([tip])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .with_hidden(hidden)
        .all()?;
    Ok(walk.map(|info| info.map_err(|_| ())))
}

/// Returns the first paragraph of a message as one line.
pub(super) fn summary(message: &str) -> String {
    let lines: Vec<&str> =
        message.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// Decodes a text of a commit: UTF-8 unless the commit declares another encoding. Of those, only
/// Latin-1 is supported, which old commits use in practice.
pub(super) fn decode(bytes: &BStr, encoding: Option<&BStr>) -> String {
    let is_latin = encoding.is_some_and(|name| {
        let name = name.to_string().to_lowercase();
        matches!(name.as_str(), "iso-8859-1" | "iso8859-1" | "latin-1" | "latin1")
    });
    if is_latin {
        return bytes.iter().map(|&byte| char::from(byte)).collect();
    }
    String::from_utf8_lossy(bytes).into_owned()
}
