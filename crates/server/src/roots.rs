//! The trees that a session may read.
//!
//! With `-C`, the tree of that flag; with `-W`, the repositories of a workspace; with `--cluster`, those of a
//! cluster. Without them, the roots that the client names, or else the tree around the current directory. No
//! argument of a tool adds one.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use lore_engine::{StoredTree, WorkspacePaths};
use lore_session::{
    stored::StoredRepositories,
    workspace::{Directories, directories},
};
use lore_settings::{Override, Value, env_vars, flags::shared_flags};

use super::{
    Options, access::Viewer, failure::Failure, stored::StoredTrees, tree::Tree, tree_set::TreeSet,
    uris::path_of_uri,
};

/// Maximum number of roots of a client; further ones are ignored.
const MAX_ROOTS: usize = 32;

/// Maximum number of repositories of a workspace.
const MAX_REPOSITORIES: usize = 128;

/// Maximum number of open trees: the roots of a client or the repositories of a workspace, and some of
/// others. Beyond it, the tree that was used least recently is closed, and opened again when it is used.
const MAX_OPEN: usize = MAX_REPOSITORIES + 8;

/// The trees that a server was started for.
#[derive(Debug)]
enum Start {
    /// An absolute path, or the reason why nothing can be read. Links in it are followed for each call.
    Path(Result<PathBuf, Failure>),
    /// The repositories of a workspace.
    Workspace(Repositories),
    /// The repositories of a cluster.
    Cluster(StoredTrees),
}

/// The repositories of a workspace.
#[derive(Debug)]
struct Repositories {
    /// Their directories, absolute. Links in them are followed for each call.
    directories: Vec<PathBuf>,
    /// Their places, in the same order. Names follow from them, and give access: they stay the same when a
    /// directory goes.
    places: WorkspacePaths,
    /// A warning for each that was missing at the start.
    missing: Vec<String>,
}

/// The trees of a process. Sessions that read the same one share it.
#[derive(Debug)]
pub struct Trees {
    options: Arc<Options>,
    start: Start,
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
        let start = match (&options.cluster, &options.workspace, &options.tree.directory) {
            (Some(url), ..) => cluster(&options, url).map(Start::Cluster),
            (None, Some(name), _) => {
                repositories(name, &options.repositories).map(Start::Workspace)
            }
            (None, None, Some(typed)) => directory(typed).map(|_| Start::Path(Ok(absolute(typed)))),
            (None, None, None) => around_current_directory().map(|root| Start::Path(Ok(root))),
        };
        let start = start.unwrap_or_else(|failure| Start::Path(Err(failure)));
        Trees { options, start, opened: Mutex::default() }
    }

    /// Options of the server.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// True if the user named the trees; then the roots of the client are ignored.
    pub fn is_fixed(&self) -> bool {
        let Options { tree, workspace, cluster, .. } = &*self.options;
        tree.directory.is_some() || workspace.is_some() || cluster.is_some()
    }

    /// True if the server was started for several trees: a workspace or a cluster.
    pub fn is_several(&self) -> bool {
        self.options.workspace.is_some() || self.options.cluster.is_some()
    }

    /// The reason why the start tree cannot be read, if any. For a cluster, that of the last request to it.
    pub(crate) fn failure(&self) -> Option<Failure> {
        match &self.start {
            Start::Cluster(stored) => stored.failure(),
            Start::Path(_) | Start::Workspace(_) => self.of_start().err(),
        }
    }

    /// A warning for each repository of the workspace that cannot be read.
    pub(crate) fn skipped(&self) -> Vec<String> {
        let Start::Workspace(Repositories { directories, missing, .. }) = &self.start else {
            return Vec::new();
        };
        let gone = directories.iter().filter_map(|path| directory(path).err());
        let gone = gone.map(|failure| failure.message().into_owned());
        missing.iter().cloned().chain(gone).collect()
    }

    /// Two repositories of the workspace of which the first contains the second, if there are such. A user
    /// who may read the first reads the files of both.
    pub fn nested(&self) -> Option<[String; 2]> {
        let Start::Workspace(Repositories { directories, places, .. }) = &self.start else {
            return None;
        };
        let mut sorted: Vec<usize> = (0..directories.len()).collect();
        sorted.sort_unstable_by_key(|at| &directories[*at]);
        // What is inside a directory follows it.
        let is_inside = |pair: &&[usize]| directories[pair[1]].starts_with(&directories[pair[0]]);
        let pair = sorted.windows(2).find(is_inside)?;
        Some([pair[0], pair[1]].map(|at| places.name(at)))
    }

    /// The trees of the start, at least one. Those that are gone are skipped while there is another.
    pub fn of_start(&self) -> Result<Vec<Arc<Tree>>, Failure> {
        Ok(self.named(&Viewer::operator())?.into_iter().map(|(_, tree)| tree).collect())
    }

    /// The trees of the start with the names of their repositories, as far as the sender of a request may read
    /// them. The others are treated as if they did not exist.
    ///
    /// # Errors
    /// When a cluster does not answer, or a directory does not exist.
    pub fn named(&self, viewer: &Viewer) -> Result<Vec<(String, Arc<Tree>)>, Failure> {
        let mut named = match &self.start {
            Start::Cluster(stored) => stored.trees()?.into_iter().collect(),
            Start::Workspace(repositories) => self.readable(repositories)?,
            Start::Path(path) => {
                let path = path.clone()?;
                let root = directory(&path)?;
                let tree = self.tree(path, root);
                vec![(tree.name.clone(), tree)]
            }
        };
        named.retain(|(name, _)| viewer.may_read(name));
        Ok(named)
    }

    /// The repositories of a workspace that exist, at least one, with their names.
    fn readable(&self, repositories: &Repositories) -> Result<Vec<(String, Arc<Tree>)>, Failure> {
        let mut named = Vec::new();
        let mut failure = None;
        for (at, path) in repositories.directories.iter().enumerate() {
            match directory(path) {
                Ok(root) => {
                    named.push((repositories.places.name(at), self.tree(path.clone(), root)));
                }
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) if named.is_empty() => Err(error),
            _ => Ok(named),
        }
    }

    /// The trees of the start that the sender of a request may read, at least one.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn of_viewer(&self, viewer: &Viewer) -> Result<Vec<Arc<Tree>>, Failure> {
        let trees: Vec<Arc<Tree>> = self.named(viewer)?.into_iter().map(|(_, tree)| tree).collect();
        if trees.is_empty() {
            let failure = Failure::new("this token gives access to no repository");
            return Err(failure.remedy("ask the operator of the server for access"));
        }
        Ok(trees)
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
        let opened = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        match &self.start {
            Start::Cluster(stored) => stored.open(),
            Start::Path(Ok(path)) => {
                opened().at(path).map(|tree| (tree.name.clone(), tree)).into_iter().collect()
            }
            Start::Path(Err(_)) => Vec::new(),
            Start::Workspace(Repositories { directories, places, .. }) => {
                let opened = opened();
                let directories = directories.iter().enumerate();
                directories
                    .filter_map(|(at, path)| Some((places.name(at), opened.at(path)?)))
                    .collect()
            }
        }
    }

    /// Number of open trees.
    pub(crate) fn open_count(&self) -> usize {
        let stored = match &self.start {
            Start::Cluster(stored) => stored.open().len(),
            Start::Path(_) | Start::Workspace(_) => 0,
        };
        stored + self.opened.lock().unwrap_or_else(PoisonError::into_inner).trees.len()
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

impl TreeSet for Trees {
    fn select(
        &self,
        question: &str,
        trees: &[Arc<Tree>],
    ) -> Result<(Vec<Arc<Tree>>, Option<String>), Failure> {
        match &self.start {
            Start::Cluster(stored) => stored.select(question, trees),
            Start::Path(_) | Start::Workspace(_) => Ok((trees.to_vec(), None)),
        }
    }

    fn paths_of(&self, trees: &[Arc<Tree>]) -> WorkspacePaths {
        let roots: Vec<&Path> = trees.iter().map(|tree| &*tree.root).collect();
        let (root, prefixes) = match &self.start {
            Start::Path(_) => return WorkspacePaths::new(&roots),
            Start::Cluster(_) => {
                (StoredTree::roots(), trees.iter().map(|tree| tree.name.clone()).collect())
            }
            Start::Workspace(Repositories { directories, places, .. }) => {
                let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
                let known = directories.iter().map(|path| opened.roots.get(path).unwrap_or(path));
                let known: BTreeMap<&Path, &String> =
                    known.map(PathBuf::as_path).zip(&places.prefixes).collect();
                let prefix = |root| known.get(root).copied().cloned().unwrap_or_default();
                (places.root.clone(), roots.into_iter().map(prefix).collect())
            }
        };
        WorkspacePaths { root, prefixes }
    }
}

/// The repositories of a cluster.
fn cluster(options: &Options, url: &str) -> Result<StoredTrees, Failure> {
    let mut flags = shared_flags(&options.tree, &options.common);
    let value = Value::Text(url.to_owned());
    flags.push(Override { key: "cluster.url", value, flag: "--cluster" });
    let repositories = StoredRepositories::new(flags)?;
    Ok(StoredTrees::new(repositories, options.repositories.clone()))
}

/// The repositories of a workspace that the globs choose.
fn repositories(name: &str, globs: &[String]) -> Result<Repositories, Failure> {
    let Directories { roots, paths, skipped, .. } = directories(name, globs)?;
    if MAX_REPOSITORIES < roots.len() {
        return Err(Failure::new(format!(
            "the workspace `{name}` has {} repositories, and a server has at most {MAX_REPOSITORIES}",
            roots.len()
        ))
        .remedy("choose some of them with `--repo GLOB`"));
    }
    Ok(Repositories { directories: roots, places: paths, missing: skipped })
}

impl OpenTrees {
    /// The open tree to which a path led last.
    fn at(&self, path: &Path) -> Option<Arc<Tree>> {
        let (tree, _) = self.trees.get(self.roots.get(path)?)?;
        Some(Arc::clone(tree))
    }

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
