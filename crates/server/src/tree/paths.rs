//! Paths of a tree: the one place that converts a path in a call into a file.

use std::path::{Component, Path, PathBuf};

use lore_schema::SkipReason;

use super::Tree;
use crate::failure::Failure;

impl Tree {
    /// Finds a file or directory of the tree by its path, which may be absolute. Returns the canonical
    /// path, and the path from the root with `/` as separator.
    pub fn locate(&self, path: &str) -> Result<(PathBuf, String), LocateError> {
        let outside = || {
            LocateError::Outside(
                Failure::new(format!("`{path}` is outside the tree"))
                    .remedy(format!("only files below `{}` can be read", self.root.display())),
            )
        };
        let typed = Path::new(path);
        let inner = if typed.is_absolute() {
            typed.strip_prefix(&self.root).map_err(|_| outside())?
        } else {
            typed
        };
        for part in inner.components() {
            match part {
                Component::Normal(name) if name == ".git" => {
                    return Err(belongs_to_git(path));
                }
                Component::Normal(_) | Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside());
                }
            }
        }
        if self.cluster.is_some() {
            return self.locate_stored(path, inner);
        }
        let real = lore_engine::native::canonical(&self.root.join(inner)).map_err(|error| {
            LocateError::Missing(
                Failure::new(format!("could not open `{path}`: {error}")).remedy(
                    "paths start at the root of the tree; `search` finds them by their words",
                ),
            )
        })?;
        // A symbolic link may lead out of the tree, or into `.git`.
        let from_root = real.strip_prefix(&self.root).map_err(|_| outside())?;
        if from_root.components().any(|part| part.as_os_str() == ".git") {
            return Err(belongs_to_git(path));
        }
        let parts: Vec<_> =
            from_root.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let shown = parts.join("/");
        Ok((real, shown))
    }

    /// Finds a file or directory of a repository in a cluster. The first path of the result does not exist on
    /// disk.
    fn locate_stored(&self, path: &str, inner: &Path) -> Result<(PathBuf, String), LocateError> {
        let normal = inner.components().filter(|part| *part != Component::CurDir);
        let parts: Vec<_> =
            normal.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let shown = parts.join("/");
        let opened = self.open().map_err(LocateError::Missing)?;
        if opened.engine.contains(&shown) {
            return Ok((self.root.join(inner), shown));
        }
        Err(LocateError::Missing(Failure::new(format!("there is no file `{path}`")).remedy(
            "paths start at the root of the repository; `search` finds them by their words",
        )))
    }

    /// Reads a file of the tree as bytes, from the root with `/` as separator. `max` is in bytes.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn read_bytes(&self, path: &str, max: u64) -> Result<Vec<u8>, SkipReason> {
        if self.cluster.is_none() {
            return lore_engine::read_bytes(&self.root, path, max);
        }
        let opened = self.open().map_err(|_| SkipReason::Unreadable)?;
        opened.engine.text(path).map(String::into_bytes)
    }

    /// Returns true if a path of the tree is a directory.
    pub fn is_directory(&self, (real, shown): &(PathBuf, String)) -> bool {
        match (&self.cluster, self.open()) {
            (Some(_), Ok(opened)) => !opened.engine.contains_file(shown),
            _ => real.is_dir(),
        }
    }
}

/// The error for a path into `.git`.
fn belongs_to_git(path: &str) -> LocateError {
    LocateError::Outside(
        Failure::new(format!("`{path}` belongs to git itself"))
            .remedy("commits are found by `search` with {\"in\": [\"git\"]}"),
    )
}

/// The reason why a path cannot be read.
#[derive(Debug)]
pub enum LocateError {
    /// The path is outside the tree, or reading it is forbidden.
    Outside(Failure),
    /// There is no such file or directory.
    Missing(Failure),
}

impl From<LocateError> for Failure {
    fn from(error: LocateError) -> Failure {
        let (LocateError::Outside(failure) | LocateError::Missing(failure)) = error;
        failure
    }
}
