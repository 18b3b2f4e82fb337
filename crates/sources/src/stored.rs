//! A tree whose files are stored elsewhere, such as in a search cluster. Nothing of it is on the disk of this
//! machine, and nothing of the disk is read for it.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use lore_schema::SkipReason;

use crate::{
    fingerprint::FileVersion,
    listing::{Entry, ListedFile, WalkOutput},
    secrets::Secrets,
    text,
};

/// Directory of the roots of stored trees. It does not exist: `:` is not part of a name on Windows, and
/// elsewhere only the administrator could create it.
const ROOT: &str = "/cluster:";

/// Files that are stored elsewhere. Methods are called from several threads.
pub trait StoredFiles: fmt::Debug + Send + Sync {
    /// The files, sorted by path (bytewise), each once. `metadata` is the fingerprint of the file.
    fn list(&self) -> Vec<Entry>;

    /// Text of a file without its secrets, and the fingerprint of that version.
    ///
    /// # Errors
    /// [`SkipReason::Unreadable`] if there is no such file, or it cannot be read.
    fn read(&self, path: &str) -> Result<(String, u64), SkipReason>;

    /// Fingerprint of the current version of a file, not 0; `None` if there is no such file.
    fn fingerprint(&self, path: &str) -> Option<u64>;

    /// Returns true if there is a file or folder at a path.
    fn contains(&self, path: &str) -> bool;

    /// Announces that these files are read next. Those that cannot be read are ignored. The default does
    /// nothing.
    fn read_ahead(&self, paths: &[&str]) {
        let _ = paths;
    }
}

/// A tree of stored files. Cheap to clone; two are equal if one is a clone of the other.
#[derive(Clone)]
pub struct StoredTree(Arc<dyn StoredFiles>);

impl StoredTree {
    /// A tree of these files.
    pub fn new(files: Arc<dyn StoredFiles>) -> StoredTree {
        StoredTree(files)
    }

    /// The root in answers of the stored tree with this name: a path that does not exist on any disk. `None`
    /// if the name could lead elsewhere: it must be one or more names, separated by `/`.
    pub fn root(name: &str) -> Option<PathBuf> {
        let is_name = |part: &str| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && !part.contains(['\\', '\0'])
                && !part.chars().any(char::is_control)
        };
        name.split('/').all(is_name).then(|| Path::new(ROOT).join(name))
    }

    /// Returns true if a path is the root of a stored tree, or the directory of all of them.
    pub fn is_root(path: &Path) -> bool {
        path.starts_with(ROOT)
    }

    /// The directory of the roots of all stored trees, which does not exist.
    pub fn roots() -> PathBuf {
        PathBuf::from(ROOT)
    }

    /// The listing, as of a walk.
    pub(crate) fn list(&self) -> WalkOutput {
        let files = self.0.list().into_iter().map(|entry| ListedFile {
            version: FileVersion::of_git(entry.metadata),
            entry,
            inode_high: 0,
            ignored: false,
            is_shared: false,
        });
        WalkOutput { files: files.collect(), is_complete: true, ..WalkOutput::default() }
    }

    /// Reads a file of at most `max` bytes as text. Also returns the fingerprint of that version.
    ///
    /// # Errors
    /// The reason why the file has no text.
    pub fn read_text_with_fingerprint(
        &self,
        path: &str,
        max: u64,
        secrets: Secrets,
    ) -> Result<(String, u64), SkipReason> {
        let (bytes, fingerprint) = self.read(path, max)?;
        Ok((text::decode(bytes, secrets)?, fingerprint))
    }

    /// Reads the text of a file of at most `max` bytes.
    pub(crate) fn read_bytes(&self, path: &str, max: u64) -> Result<Vec<u8>, SkipReason> {
        Ok(self.read(path, max)?.0)
    }

    fn read(&self, path: &str, max: u64) -> Result<(Vec<u8>, u64), SkipReason> {
        let (text, fingerprint) = self.0.read(path)?;
        if text.len() as u64 > max {
            return Err(SkipReason::TooLarge);
        }
        Ok((text.into_bytes(), fingerprint))
    }

    /// Fingerprint of the current version of a file; `None` if there is no such file.
    pub fn fingerprint_of(&self, path: &str) -> Option<u64> {
        self.0.fingerprint(path)
    }

    /// Returns true if there is a file or folder at a path.
    pub fn contains(&self, path: &str) -> bool {
        self.0.contains(path)
    }

    /// Announces that these files are read next.
    pub fn read_ahead(&self, paths: &[&str]) {
        self.0.read_ahead(paths);
    }
}

impl fmt::Debug for StoredTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl PartialEq for StoredTree {
    fn eq(&self, other: &StoredTree) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for StoredTree {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        let root = |name| StoredTree::root(name).map(|root| root.display().to_string());
        assert_eq!(root("api").as_deref(), Some("/cluster:/api"));
        assert!(StoredTree::is_root(&StoredTree::root("api").expect("a name")));
        assert!(!StoredTree::is_root(Path::new("/cluster")));
        assert!(!StoredTree::roots().exists());
        assert_eq!(root("org/api").as_deref(), Some("/cluster:/org/api"));
        for name in ["", "..", "a/../b", "/a", "a/", "a//b", "a\\b", "a\0b", "./a", "a\nb"] {
            assert_eq!(root(name), None, "{name:?}");
        }
    }
}
