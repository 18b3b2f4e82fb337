//! The trees that a session may read.
//!
//! With `-C`, the tree of that flag; with `-W`, the repositories of a workspace. Without them, the
//! roots that the client names, or else the tree around the current directory. No argument of a tool
//! adds one.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use lore_engine::WorkspacePaths;
use lore_session::workspace::{Directories, directories};
use lore_settings::{env_vars, flags::shared_flags};

use super::{Options, failure::Failure, tree::Tree, uris::path_of_uri};

/// Maximum number of roots of a client; further ones are ignored.
const MAX_ROOTS: usize = 32;

/// Maximum number of repositories of a workspace.
const MAX_REPOSITORIES: usize = 128;

/// Maximum number of open trees: the roots of a client or the repositories of a workspace, and some of
/// others. Beyond it, the tree that was used least recently is closed, and opened again when it is used.
const MAX_OPEN: usize = MAX_REPOSITORIES + 8;

/// The trees of a process. Sessions that read the same one share it.
#[derive(Debug)]
pub struct Trees {
    options: Arc<Options>,
    /// Paths of the trees of the start, absolute, or the reason why there is none. Links in them are
    /// followed for each call.
    start: Result<Vec<PathBuf>, Failure>,
    /// A warning for each repository of the workspace that was missing at the start.
    missing: Vec<String>,
    opened: Mutex<OpenTrees>,
}

#[derive(Debug, Default)]
struct OpenTrees {
    /// The trees by their roots, each with the number of the call that used it last.
    trees: BTreeMap<PathBuf, (Arc<Tree>, u64)>,
    /// Number of calls so far.
    calls: u64,
    /// The root to which each path led last.
    roots: BTreeMap<PathBuf, PathBuf>,
}

impl Trees {
    /// Finds the tree in which the server was started.
    pub fn new(options: Arc<Options>) -> Trees {
        let mut missing = Vec::new();
        let start = match (&options.workspace, &options.tree.directory) {
            (Some(name), _) => repositories(name, &options.repositories, &mut missing),
            (None, Some(typed)) => directory(typed).map(|_| vec![absolute(typed)]),
            (None, None) => around_current_directory().map(|root| vec![root]),
        };
        Trees { options, start, missing, opened: Mutex::default() }
    }

    /// Options of the server.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// True if the user named the trees; then the roots of the client are ignored.
    pub fn is_fixed(&self) -> bool {
        self.options.tree.directory.is_some() || self.options.workspace.is_some()
    }

    /// The reason why the start tree cannot be read, if any.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.of_start().err()
    }

    /// A warning for each repository of the workspace that cannot be read.
    pub(crate) fn skipped(&self) -> Vec<String> {
        let paths = self.start.as_deref().unwrap_or_default();
        let gone = paths.iter().filter_map(|path| directory(path).err());
        let gone = gone.map(|failure| failure.message().into_owned());
        if self.options.workspace.is_some() {
            self.missing.iter().cloned().chain(gone).collect()
        } else {
            Vec::new()
        }
    }

    /// The trees of the start, at least one. Those that are gone are skipped while there is another.
    pub fn of_start(&self) -> Result<Vec<Arc<Tree>>, Failure> {
        let mut trees = Vec::new();
        let mut failure = None;
        for path in self.start.clone()? {
            match directory(&path) {
                Ok(root) => trees.push(self.tree(path, root)),
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) if trees.is_empty() => Err(error),
            _ => Ok(trees),
        }
    }

    /// The trees that a client names, in its order; the start tree if none of them is a readable
    /// directory.
    pub(crate) fn of_client(&self, uris: &[String]) -> Result<Vec<Arc<Tree>>, Failure> {
        let mut trees: Vec<Arc<Tree>> = Vec::new();
        let paths = uris.iter().filter_map(|uri| path_of_uri(uri));
        for tree in paths.filter_map(|path| self.of_path(path).ok()).take(MAX_ROOTS) {
            if trees.iter().all(|known| known.root != tree.root) {
                trees.push(tree);
            }
        }
        if trees.is_empty() { self.of_start() } else { Ok(trees) }
    }

    /// The trees of the start that are open, with their names. Opens and reads nothing.
    pub(crate) fn open_of_start(&self) -> Vec<(String, Arc<Tree>)> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = self.start.as_deref().unwrap_or_default();
        let mut trees: Vec<Arc<Tree>> = Vec::new();
        for tree in paths.iter().filter_map(|path| opened.trees.get(opened.roots.get(path)?)) {
            if trees.iter().all(|known| known.root != tree.0.root) {
                trees.push(Arc::clone(&tree.0));
            }
        }
        drop(opened);
        let roots: Vec<&Path> = trees.iter().map(|tree| &*tree.root).collect();
        let names: Vec<String> = if let [tree] = &trees[..] {
            vec![tree.name.clone()]
        } else {
            let paths = WorkspacePaths::new(&roots);
            (0..trees.len()).map(|at| paths.name(at)).collect()
        };
        names.into_iter().zip(trees).collect()
    }

    /// Number of open trees.
    pub(crate) fn open_count(&self) -> usize {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).trees.len()
    }

    /// The tree of a directory that a client names.
    ///
    /// # Errors
    /// When it is no readable directory, or one that contains all files of a user.
    pub fn of_path(&self, path: PathBuf) -> Result<Arc<Tree>, Failure> {
        let root = directory(&path)?;
        if is_everything(&root) {
            return Err(not_a_project(&root));
        }
        Ok(self.tree(path, root))
    }

    /// Returns the tree of a root. `path` led to it; if that led to another root before, and no other
    /// path does, its tree is closed.
    fn tree(&self, path: PathBuf, root: PathBuf) -> Arc<Tree> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let before = opened.roots.insert(path, root.clone());
        if let Some(before) = before.filter(|before| *before != root)
            && opened.roots.values().all(|other| *other != before)
        {
            opened.trees.remove(&before);
        }
        opened.calls += 1;
        let call = opened.calls;
        let (tree, used) = opened.trees.entry(root).or_insert_with_key(|root| {
            let flags = shared_flags(&self.options.tree, &self.options.common);
            (Arc::new(Tree::new(root.clone(), flags)), call)
        });
        *used = call;
        let tree = Arc::clone(tree);
        opened.close_unused();
        tree
    }
}

/// The directories of a workspace. Adds a warning for each that is `missing`.
fn repositories(
    name: &str,
    globs: &[String],
    missing: &mut Vec<String>,
) -> Result<Vec<PathBuf>, Failure> {
    let Directories { roots, skipped, .. } = directories(name, globs)?;
    *missing = skipped;
    if MAX_REPOSITORIES < roots.len() {
        return Err(Failure::new(format!(
            "the workspace `{name}` has {} repositories, and a server has at most {MAX_REPOSITORIES}",
            roots.len()
        ))
        .remedy("choose some of them with `--repo GLOB`"));
    }
    Ok(roots)
}

impl OpenTrees {
    /// Closes the trees that were used least recently, beyond the maximum. Calls that use one of them
    /// still get their answers.
    fn close_unused(&mut self) {
        while MAX_OPEN < self.trees.len() {
            let oldest = self.trees.iter().min_by_key(|(_, (_, used))| *used);
            let Some(root) = oldest.map(|(root, _)| root.clone()) else { return };
            self.trees.remove(&root);
            self.roots.retain(|_, other| *other != root);
        }
    }
}

/// Returns an absolute path. Links in it are kept.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the canonical path of a directory.
fn directory(path: &Path) -> Result<PathBuf, Failure> {
    let remedy = "start the server in a directory that exists, or as `lore mcp -C DIR`";
    let failed = |reason: String| {
        Failure::new(format!("could not open the tree `{}`: {reason}", path.display()))
            .remedy(remedy)
    };
    let real = lore_engine::native::canonical(path).map_err(|error| failed(error.to_string()))?;
    if real.is_dir() { Ok(real) } else { Err(failed("it is not a directory".to_owned())) }
}

/// The repository around the current directory, or else that directory.
fn around_current_directory() -> Result<PathBuf, Failure> {
    let current = std::env::current_dir()
        .map_err(|error| Failure::new(format!("could not find the current directory: {error}")))?;
    let root = directory(&lore_engine::find_root(&current))?;
    // Desktop programs may start their servers in the home directory or at the root.
    if is_everything(&root) {
        return Err(not_a_project(&root));
    }
    Ok(root)
}

/// The error for a directory that contains all files of a user.
fn not_a_project(root: &Path) -> Failure {
    Failure::new(format!(
        "`{}` is not a project, and is only read if it is named explicitly",
        root.display()
    ))
    .remedy("start the server in a project, or as `lore mcp -C DIR`")
}

/// Returns true for the home directory and the directories above it, which contain all files of a
/// user.
fn is_everything(path: &Path) -> bool {
    let variable = |name| env_vars::non_empty(&env_vars::from_process, name).map(PathBuf::from);
    let home = variable(env_vars::HOME).or_else(|| variable(env_vars::USERPROFILE));
    let home = home.and_then(|home| lore_engine::native::canonical(&home).ok());
    path.parent().is_none() || home.is_some_and(|home| home.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_that_are_used_least_recently_are_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |number: usize| folder.path().join(number.to_string());
        let trees = Trees::new(Arc::default());
        let open = |number: usize| {
            std::fs::create_dir_all(path(number)).unwrap();
            trees.of_path(path(number)).unwrap()
        };
        let first = open(0);
        let weak: Vec<_> = (1..=3 * MAX_OPEN)
            .map(|number| {
                // Used for each call, so that it stays open.
                assert!(Arc::ptr_eq(&open(0), &first));
                Arc::downgrade(&open(number))
            })
            .collect();
        let is_open: Vec<bool> = weak.iter().map(|tree| tree.upgrade().is_some()).collect();
        let closed = weak.len() - (MAX_OPEN - 1);
        assert!(is_open[..closed].iter().all(|is_open| !is_open), "{is_open:?}");
        assert!(is_open[closed..].iter().all(|is_open| *is_open), "{is_open:?}");
        let opened = trees.opened.lock().unwrap();
        assert_eq!((opened.trees.len(), opened.roots.len()), (MAX_OPEN, MAX_OPEN));
        drop(opened);
        assert_eq!(open(1).root, path(1).canonicalize().unwrap());
    }

    #[test]
    fn the_root_of_the_disk_is_no_project() {
        assert!(is_everything(Path::new("/")));
        assert!(!is_everything(Path::new("/some/project")));
    }
}
