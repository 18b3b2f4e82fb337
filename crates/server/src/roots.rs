//! The trees that a session may read.
//!
//! With `-C`, the tree of that flag. Without it, the roots that the client names, or else the tree
//! around the current directory. No argument of a tool adds one.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use lore_settings::{env_vars, flags::shared_flags};

use super::{Options, failure::Failure, tree::Tree};

/// Maximum number of roots of a client; further ones are ignored.
const MAX_ROOTS: usize = 32;

/// The trees of a process. Sessions that read the same one share it.
#[derive(Debug)]
pub(crate) struct Trees {
    options: Arc<Options>,
    /// Path of the tree of `-C` or of the current directory, absolute, or the reason why there is
    /// none. Links in it are followed for each call.
    start: Result<PathBuf, Failure>,
    opened: Mutex<OpenTrees>,
}

#[derive(Debug, Default)]
struct OpenTrees {
    /// The trees by their roots.
    trees: BTreeMap<PathBuf, Arc<Tree>>,
    /// The root to which each path led last.
    roots: BTreeMap<PathBuf, PathBuf>,
}

impl Trees {
    /// Finds the tree in which the server was started.
    pub(crate) fn new(options: Arc<Options>) -> Trees {
        let start = match &options.tree.directory {
            Some(typed) => directory(typed).map(|_| absolute(typed)),
            None => around_current_directory(),
        };
        Trees { options, start, opened: Mutex::default() }
    }

    /// Options of the server.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// True if the user named the tree; then the roots of the client are ignored.
    pub(crate) fn is_fixed(&self) -> bool {
        self.options.tree.directory.is_some()
    }

    /// The reason why the start tree cannot be read, if any.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.start.clone().and_then(|path| directory(&path)).err()
    }

    /// The tree of the start.
    pub(crate) fn of_start(&self) -> Result<Vec<Arc<Tree>>, Failure> {
        let path = self.start.clone()?;
        let root = directory(&path)?;
        Ok(vec![self.tree(path, root)])
    }

    /// The trees that a client names, in its order; the start tree if none of them is a readable
    /// directory.
    pub(crate) fn of_client(&self, uris: &[String]) -> Result<Vec<Arc<Tree>>, Failure> {
        let mut trees: Vec<Arc<Tree>> = Vec::new();
        let paths = uris.iter().filter_map(|uri| path_of_uri(uri)).filter_map(|path| {
            let root = directory(&path).ok()?;
            (!is_everything(&root)).then_some((path, root))
        });
        for (path, root) in paths.take(MAX_ROOTS) {
            if trees.iter().all(|tree| tree.root != root) {
                trees.push(self.tree(path, root));
            }
        }
        if trees.is_empty() { self.of_start() } else { Ok(trees) }
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
        let tree = opened.trees.entry(root).or_insert_with_key(|root| {
            let flags = shared_flags(&self.options.tree, &self.options.common);
            Arc::new(Tree::new(root.clone(), flags))
        });
        Arc::clone(tree)
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
        return Err(Failure::new(format!(
            "`{}` is not a project, and is only read if it is named explicitly",
            root.display()
        ))
        .remedy("start the server in a project, or as `lore mcp -C DIR`"));
    }
    Ok(root)
}

/// Returns true for the home directory and the directories above it, which contain all files of a
/// user.
fn is_everything(path: &Path) -> bool {
    let variable = |name| env_vars::non_empty(&env_vars::from_process, name).map(PathBuf::from);
    let home = variable(env_vars::HOME).or_else(|| variable(env_vars::USERPROFILE));
    let home = home.and_then(|home| lore_engine::native::canonical(&home).ok());
    path.parent().is_none() || home.is_some_and(|home| home.starts_with(path))
}

/// The path of a `file:` address of this machine.
pub(crate) fn path_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let decoded = decode(path)?;
    // `/C:/work` is how Windows writes it.
    let is_drive = cfg!(windows) && decoded.get(2..3) == Some(":");
    Some(PathBuf::from(if is_drive { &decoded[1..] } else { &decoded }))
}

/// A text whose `%41` stand for bytes; `None` if these are no Unicode.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = match (first, tail) {
            (b'%', [high, low, ..]) => {
                let digits = [*high, *low];
                std::str::from_utf8(&digits).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_are_paths() {
        let path = |uri: &str| path_of_uri(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///shop/a%20b").as_deref(), Some("/shop/a b"));
        assert_eq!(path("file://localhost/shop").as_deref(), Some("/shop"));
        assert_eq!(path("file:///a%2"), Some("/a%2".to_owned()));
        assert_eq!(path("file://elsewhere/shop"), None);
        assert_eq!(path("https://example.org/"), None);
        assert_eq!(path("file:///a%00b"), None);
        assert_eq!(path("file:///%ff"), None);
    }

    #[test]
    fn the_root_of_the_disk_is_no_project() {
        assert!(is_everything(Path::new("/")));
        assert!(!is_everything(Path::new("/some/project")));
    }
}
