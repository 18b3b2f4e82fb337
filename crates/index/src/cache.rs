//! The cache: the indexes of many repositories below one folder, for storage engines that keep
//! theirs on disk.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use lore_schema::SourceName;

use crate::{ExchangeFolder, ExportDescription, ExportOptions, IndexError, IndexLocation};

/// The cached indexes of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedRepository {
    /// Its folder.
    pub path: PathBuf,
    /// Its views, in the order of their folders.
    pub views: Vec<CachedView>,
    /// Size on disk in bytes. A file with several hard links counts once.
    pub bytes: u64,
}

impl CachedRepository {
    /// Time of the last use of any of its indexes. See [`CachedView::used`].
    pub fn used(&self) -> Option<SystemTime> {
        self.views.iter().filter_map(|view| view.used).max()
    }
}

/// The cached indexes of one view: of one worktree or of the tree of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedView {
    /// Its folder, with one folder for each source in it.
    pub path: PathBuf,
    /// The searched folder; `None` if it was not recorded.
    pub root: Option<PathBuf>,
    /// Bytes that removing the view frees: the size of the files that no other view shares.
    pub bytes: u64,
    /// Time of the last write or, where the file system records it, of the last read. Most file
    /// systems record reads at most once a day. Nothing is written to keep it up to date.
    pub used: Option<SystemTime>,
}

impl CachedView {
    /// Returns true if the searched folder is known to be gone.
    pub fn is_orphan(&self) -> bool {
        let is_gone = |root: &PathBuf| matches!(root.try_exists(), Ok(false));
        self.root.as_ref().is_some_and(is_gone)
    }
}

/// The reason why a cache is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheProblem {
    /// A folder of it belongs to another user.
    OtherOwner {
        /// The folder.
        folder: PathBuf,
    },
    /// Other users may write to a folder of it.
    Writable {
        /// The folder.
        folder: PathBuf,
    },
}

/// The reason, and the command that removes it.
impl fmt::Display for CacheProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheProblem::OtherOwner { .. } => formatter.write_str(
                "that folder belongs to another user; set another cache with `export \
                 LOREHOUND_CACHE_DIR=\"$HOME/.cache/lorehound-own\"`",
            ),
            CacheProblem::Writable { folder } => {
                let folder = folder.display().to_string().replace('\'', r"'\''");
                write!(
                    formatter,
                    "other users may write to that folder; close it with `chmod -R go-w '{folder}'`"
                )
            }
        }
    }
}

impl CacheProblem {
    /// The folder that cannot be trusted.
    pub fn folder(&self) -> &Path {
        match self {
            CacheProblem::OtherOwner { folder } | CacheProblem::Writable { folder } => folder,
        }
    }
}

/// A file in a folder of exports, and its description, or the reason why it is none.
pub type FoundExport = (PathBuf, Result<ExportDescription, IndexError>);

/// The description of a view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewDescription {
    /// The searched folder, for display.
    pub root: String,
    /// Everything else that decides which documents the view has. A view can start from another one
    /// only if both have the same options.
    pub options: String,
    /// The commit that was checked out at the last write, or the commit whose tree the view has.
    pub head: Option<String>,
    /// True for the tree of a commit, false for a folder on disk.
    pub is_revision: bool,
}

/// A view that has a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedView {
    /// Its folder, with one folder for each source in it.
    pub path: PathBuf,
    /// Its description.
    pub description: ViewDescription,
    /// Time when the description was written.
    pub written: SystemTime,
}

/// Management of the cached indexes: listing, sharing between views, removal.
///
/// Every method has a default that does nothing, for engines without a cache on disk.
pub trait IndexCache: Send + Sync {
    /// Fills an index that does not exist yet with the last state of the same source in another
    /// view, storing as little as possible twice. The new index has the stamps of the other one, so
    /// the caller brings it up to date. Later writes to one of the two never show in the other.
    ///
    /// `siblings` lists the folders of views to copy from, best first; it is called only if the
    /// index does not exist. Returns true if the index was filled; otherwise the location is
    /// unchanged.
    ///
    /// # Errors
    /// That of the last sibling tried, if none could be copied.
    fn seed(
        &self,
        source: SourceName,
        location: &IndexLocation,
        fingerprint: &str,
        siblings: &dyn Fn() -> Vec<PathBuf>,
    ) -> Result<bool, IndexError> {
        let _ = (source, location, fingerprint, siblings);
        Ok(false)
    }

    /// Returns the reason why a folder of the cache cannot be trusted; `None` if it can, or is
    /// missing.
    fn problem(&self, folder: &Path) -> Option<CacheProblem> {
        let _ = folder;
        None
    }

    /// Closes the folder of a repository to other users, with everything in it, if they may read it:
    /// an earlier program or a copy may have opened it. Failures are ignored.
    fn close_to_others(&self, repository: &Path) {
        let _ = repository;
    }

    /// Lists the described views below the folder of a repository, last written first.
    fn views(&self, repository: &Path) -> Vec<DescribedView> {
        let _ = repository;
        Vec::new()
    }

    /// Records the description of a view after a write to it, and removes the oldest views of
    /// commits if there are too many. Failures are ignored: a view without a description works, but
    /// no other view starts from it.
    fn describe(&self, view: &Path, description: &ViewDescription) {
        let _ = (view, description);
    }

    /// Records the searched folder of a view. Returns false if it was recorded before.
    ///
    /// # Errors
    /// An error of the file system, if the record cannot be written.
    fn record_root(&self, view: &Path, root: &Path) -> io::Result<bool> {
        let _ = (view, root);
        Ok(false)
    }

    /// Size of a view on disk in bytes. A file with several hard links counts once.
    fn size(&self, view: &Path) -> u64 {
        let _ = view;
        0
    }

    /// Lists all repositories below the cache folder, sorted by name. Unreadable ones are skipped.
    fn repositories(&self, cache: &Path) -> Vec<CachedRepository> {
        let _ = cache;
        Vec::new()
    }

    /// Removes indexes of repositories other than `own` until the cache has at most `max_bytes`.
    /// Repositories whose searched folders are all gone are removed first, then the least recently
    /// used. Indexes that are being written are kept; existing readers continue to work. Returns
    /// what was removed.
    fn evict(&self, cache: &Path, max_bytes: u64, own: &Path) -> Vec<CachedRepository> {
        let _ = (cache, max_bytes, own);
        Vec::new()
    }

    /// Returns true if an index of the view was written by another version or is damaged.
    fn is_unusable(&self, view: &Path, fingerprint: &str) -> bool {
        let _ = (view, fingerprint);
        false
    }

    /// Removes the indexes of a view; existing readers continue to work. Other files in its folder
    /// are kept.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while one of them is being written, [`IndexError::Unwritable`] when a
    /// file cannot be removed. What was removed by then is gone.
    fn remove(&self, view: &Path) -> Result<(), IndexError> {
        let _ = view;
        Ok(())
    }

    /// Writes the last commits of indexes to one file, without anything that is not live in them.
    /// Returns the description of the file and its size in bytes. A failure leaves no file.
    ///
    /// # Errors
    /// [`IndexError::Export`] when the file cannot be written, and the errors of opening an index.
    fn export(
        &self,
        options: &ExportOptions<'_>,
        file: &Path,
    ) -> Result<(ExportDescription, u64), IndexError> {
        let _ = options;
        Err(IndexError::Export { path: file.to_owned(), reason: NOT_EXCHANGED.to_owned() })
    }

    /// Reads the description of an export.
    ///
    /// # Errors
    /// [`IndexError::Import`] when the file is no export, or cannot be read.
    fn describe_export(&self, file: &Path) -> Result<ExportDescription, IndexError> {
        Err(IndexError::Import { path: file.to_owned(), reason: NOT_EXCHANGED.to_owned() })
    }

    /// Reads the descriptions of the regular files in a folder, sorted by name, at most `limit` of them.
    ///
    /// # Errors
    /// [`IndexError::Import`] when the folder cannot be listed.
    fn exports_in(&self, folder: &Path, limit: usize) -> Result<Vec<FoundExport>, IndexError> {
        let _ = limit;
        Err(IndexError::Import { path: folder.to_owned(), reason: NOT_EXCHANGED.to_owned() })
    }

    /// Checks all of an export, and unpacks the indexes of these sources into a private folder in
    /// that of the view. `fingerprint` names the text analysis. A failure leaves nothing.
    ///
    /// # Errors
    /// [`IndexError::Import`] when the file is damaged, [`IndexError::Unwritable`] when the folder
    /// cannot be written.
    fn unpack(
        &self,
        file: &Path,
        view: &Path,
        sources: &[SourceName],
        fingerprint: &str,
    ) -> Result<ExchangeFolder, IndexError> {
        let _ = (view, sources, fingerprint);
        Err(IndexError::Import { path: file.to_owned(), reason: NOT_EXCHANGED.to_owned() })
    }

    /// Puts an unpacked index in the place of the index at a location, which is removed.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while that index is being written, [`IndexError::Unwritable`] when the
    /// location cannot be written.
    fn place(
        &self,
        folder: &ExchangeFolder,
        source: SourceName,
        location: &IndexLocation,
    ) -> Result<(), IndexError> {
        let _ = (folder, source, location);
        Ok(())
    }
}

/// The reason why an engine without a cache on disk refuses exports.
const NOT_EXCHANGED: &str = "this storage engine has no indexes on disk";

/// The cache of an engine that has none.
pub(crate) struct NoCache;

impl IndexCache for NoCache {}
