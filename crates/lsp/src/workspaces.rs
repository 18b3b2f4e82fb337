//! The folders of the editor: each is a tree with an engine of its own. No file outside of them is read.

use std::{
    path::{Component, Path, PathBuf},
    str::FromStr as _,
    sync::Arc,
};

use lore_console::report;
use lore_server::{
    Options,
    failure::Failure,
    roots::Trees,
    tree::{LocateError, Tree},
    uris::{path_of_uri, uri_of_path},
};
use lsp_server::{ErrorCode, ResponseError};
use lsp_types::Uri;

use crate::client::error;

/// Maximum number of folders; further ones are ignored.
const MAX_FOLDERS: usize = 32;

/// A folder of the editor.
#[derive(Debug)]
pub(crate) struct Root {
    /// Its tree.
    pub(crate) tree: Arc<Tree>,
    /// Its path as the editor writes it, which may lead through links. Addresses of files start with it.
    given: PathBuf,
}

impl Root {
    /// Returns the address of a file, given by its root-relative path.
    pub(crate) fn uri(&self, path: &str) -> Option<Uri> {
        Uri::from_str(&uri_of_path(&self.given.join(path))?).ok()
    }
}

/// The folders of the editor.
pub(crate) struct Workspaces {
    trees: Trees,
    roots: Vec<Arc<Root>>,
    /// The reason why nothing can be read, if there is no folder.
    failure: Option<Failure>,
}

impl Workspaces {
    /// No folders yet.
    pub(crate) fn new(options: Arc<Options>) -> Workspaces {
        Workspaces { trees: Trees::new(options), roots: Vec::new(), failure: None }
    }

    /// The folders, in the order of the editor.
    pub(crate) fn roots(&self) -> &[Arc<Root>] {
        &self.roots
    }

    /// Opens the folders that the editor names. With `-C`, or if it names none that can be read, the
    /// tree of the start.
    pub(crate) fn set(&mut self, folders: &[String]) {
        self.roots.clear();
        if !self.trees.is_fixed() {
            for uri in folders {
                self.add(uri);
            }
        }
        if self.roots.is_empty() {
            match self.trees.of_start() {
                Ok(trees) => {
                    let root = |tree: Arc<Tree>| Arc::new(Root { given: tree.root.clone(), tree });
                    self.roots = trees.into_iter().map(root).collect();
                }
                Err(failure) => self.failure = Some(failure),
            }
        }
    }

    /// Adds and removes folders.
    pub(crate) fn change(&mut self, added: &[String], removed: &[String]) {
        if self.trees.is_fixed() {
            return;
        }
        let removed: Vec<PathBuf> = removed.iter().filter_map(|uri| path_of_uri(uri)).collect();
        self.roots.retain(|root| !removed.contains(&root.given));
        for uri in added {
            self.add(uri);
        }
    }

    fn add(&mut self, uri: &str) {
        let Some(given) = path_of_uri(uri) else {
            report::warning(&format!("`{uri}` is no folder of this machine; it is not read"));
            return;
        };
        match self.trees.of_path(given.clone()) {
            Ok(tree) => {
                let is_new = self.roots.iter().all(|root| root.tree.root != tree.root);
                if is_new && self.roots.len() < MAX_FOLDERS {
                    self.roots.push(Arc::new(Root { tree, given }));
                }
            }
            Err(failure) => report::warning(&failure.text()),
        }
    }

    /// Finds the folder and the root-relative path of a file. The file need not exist.
    ///
    /// # Errors
    /// When the address is no file in one of the folders.
    pub(crate) fn locate(&self, uri: &str) -> Result<(Arc<Root>, String), ResponseError> {
        let refused = |reason: String| error(ErrorCode::InvalidParams, reason);
        let path = path_of_uri(uri)
            .ok_or_else(|| refused(format!("`{uri}` is not the address of a file")))?;
        let (root, inner) = self.root_of(&path).ok_or_else(|| {
            refused(match &self.failure {
                Some(failure) if self.roots.is_empty() => failure.text(),
                _ => format!("`{}` is outside the folders of the editor", path.display()),
            })
        })?;
        match root.tree.locate(&root.tree.root.join(&inner).to_string_lossy()) {
            Ok((_, path)) => Ok((root, path)),
            Err(LocateError::Outside(failure)) => Err(refused(failure.text())),
            // A new file.
            Err(LocateError::Missing(_)) => {
                let mut names = Vec::new();
                for part in inner.components() {
                    match part {
                        Component::Normal(name) => names.push(name.to_string_lossy()),
                        Component::CurDir => {}
                        _ => return Err(refused(format!("`{}` is no file", path.display()))),
                    }
                }
                Ok((Arc::clone(&root), names.join("/")))
            }
        }
    }

    /// Returns the innermost folder that contains a path, and the path from there.
    fn root_of(&self, path: &Path) -> Option<(Arc<Root>, PathBuf)> {
        let inside = |path: &Path| {
            let inner = self.roots.iter().filter_map(|root| {
                let inner = path
                    .strip_prefix(&root.given)
                    .or_else(|_| path.strip_prefix(&root.tree.root))
                    .ok()?;
                Some((Arc::clone(root), inner.to_owned()))
            });
            inner.min_by_key(|(_, inner)| inner.components().count())
        };
        // The editor may have opened the file through a link.
        inside(path).or_else(|| inside(&lore_engine::native::canonical(path).ok()?))
    }
}
