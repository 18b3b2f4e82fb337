//! Locates the trees of repositories.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{Collection, EvalError};

/// Locations of trees, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trees {
    /// Repositories with an explicit directory.
    pub named: BTreeMap<String, PathBuf>,
    /// The directory of every other repository.
    pub single: Option<PathBuf>,
    /// A directory with a subdirectory of the same name for each repository. For `owner/name` and
    /// `kind:name` the last part is enough.
    pub folder: Option<PathBuf>,
}

/// The tree to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The indexed directory.
    pub root: PathBuf,
    /// Prefix that makes a path below it relative to the repository's root: empty, or ending in
    /// `/`.
    pub prefix: String,
}

impl Trees {
    /// Finds the tree of a repository.
    pub fn find(&self, repository: &str, collection: &Collection) -> Result<Place, EvalError> {
        let mut candidates: Vec<PathBuf> = Vec::new();
        candidates.extend(self.named.get(repository).cloned());
        if candidates.is_empty() {
            candidates.extend(self.single.clone());
        }
        if candidates.is_empty()
            && let Some(folder) = &self.folder
        {
            let last = repository.rsplit(['/', ':']).next().unwrap_or(repository);
            candidates.extend([repository, last].iter().filter_map(|name| below(folder, name)));
            candidates.dedup();
        }
        if candidates.is_empty() {
            candidates.extend(collection.corpus.clone());
        }
        let inner = collection.roots.get(repository).map_or("", |root| root.trim_matches('/'));
        let tried: Vec<PathBuf> = candidates
            .into_iter()
            .map(|tree| if inner.is_empty() { tree } else { tree.join(inner) })
            .collect();
        let prefix = if inner.is_empty() { String::new() } else { format!("{inner}/") };
        match tried.iter().find(|tree| tree.is_dir()) {
            Some(root) => Ok(Place { root: root.clone(), prefix }),
            None => Err(EvalError::NoTree { repository: repository.to_owned(), tried }),
        }
    }
}

/// A subdirectory by name, unless the name leads outside.
fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let plain = !name.is_empty()
        && Path::new(name)
            .components()
            .all(|component| matches!(component, std::path::Component::Normal(_)));
    plain.then(|| folder.join(name))
}
