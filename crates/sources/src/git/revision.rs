//! A commit whose tree can be searched: found by name, its files read from git.
//!
//! Only objects are read. A missing object, as in a partial clone, or one of the wrong kind, is an
//! unreadable file.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use gix::{
    ObjectId, Repository, ThreadSafeRepository,
    bstr::ByteSlice,
    objs::{Kind, tree::EntryMode},
};
use lore_schema::SkipReason;

use super::{
    guard,
    repository::{OBJECT_CACHE, RepositoryFolder, in_one_line, open_shared},
};
use crate::{error::SourceError, fingerprint::Hasher, native, root, secrets::Secrets, text};

/// Maximum number of branch and tag names that are returned.
const MAX_NAMES: usize = 10_000;

/// Maximum number of links that are followed to reach one file.
const MAX_LINKS: usize = 8;

/// Maximum length of a link target in bytes: the longest path of common systems.
const MAX_LINK_LEN: u64 = 4_096;

/// The tree of a commit below a folder of the repository. Cheap to clone.
#[derive(Clone)]
pub struct Revision(Arc<Inner>);

struct Inner {
    /// The root of the repository.
    top: PathBuf,
    /// The folder inside the repository: empty, or with a final `/`.
    prefix: String,
    commit: ObjectId,
    /// Whole tree of the commit.
    tree: ObjectId,
    /// The repository first, then submodules in order of discovery.
    repositories: Mutex<Vec<Opened>>,
}

/// An open repository.
struct Opened {
    /// Path of its checkout from the root of the outermost repository.
    path: String,
    /// `None` if it could not be opened.
    shared: Option<ThreadSafeRepository>,
    /// Handles that are not in use.
    idle: Vec<Repository>,
}

/// Content of a file: an object of one of the repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) repository: u32,
    pub(crate) id: ObjectId,
}

/// Object at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Located {
    File(Blob),
    /// A folder: its tree.
    Folder(Blob),
}

impl Revision {
    /// Resolves a name to a commit, like git: a hash or a prefix of it, a branch or a tag,
    /// optionally followed by `~3` or `^2`. `None` if it does not exist.
    ///
    /// Outside git, and if the repository or the commit cannot be read.
    pub fn named(root: &Path, name: &str) -> Result<Option<Revision>, SourceError> {
        let folder = RepositoryFolder::find(root)?;
        let name = name.trim();
        // Reject syntax for ranges of commits and for searches of messages.
        if name.is_empty() || name.contains("..") || name.contains([':', '\0', '\n']) {
            return Ok(None);
        }
        guard::check_name(folder.repository.git_dir(), name)
            .map_err(|reason| folder.failed(&reason))?;
        let Ok(id) = folder.repository.rev_parse_single(name.as_bytes().as_bstr()) else {
            return Ok(None);
        };
        let Ok(object) = id.object() else { return Ok(None) };
        let Ok(commit) = object.peel_to_kind(Kind::Commit) else { return Ok(None) };
        let id = commit.id;
        drop(commit);
        Revision::new(folder, id).map(Some)
    }

    /// Returns the newest commit on the first-parent line of HEAD before a time in seconds since
    /// the epoch; commits whose date cannot be read are skipped. `None` if the history starts later.
    ///
    /// Outside git, before the first commit, and if the history cannot be read.
    pub fn before(root: &Path, moment: i64) -> Result<Option<Revision>, SourceError> {
        let folder = RepositoryFolder::find(root)?;
        let head = folder.repository.head_id().map(gix::Id::detach);
        let mut next = Some(head.map_err(|error| folder.failed(&in_one_line(&error)))?);
        while let Some(id) = next {
            // At the end of a shallow clone, earlier commits are unknown.
            let Ok(commit) = folder.repository.find_commit(id) else { break };
            // A commit without a readable date has no place in time; the line goes on behind it.
            if commit.time().is_ok_and(|time| time.seconds < moment) {
                drop(commit);
                return Revision::new(folder, id).map(Some);
            }
            next = commit.parent_ids().next().map(gix::Id::detach);
        }
        Ok(None)
    }

    /// Returns the newest commit that leads to this one and to another one of the repository; `None` if there is none.
    ///
    /// If the repository cannot be read.
    pub fn common_with(
        &self,
        other: &Revision,
        root: &Path,
    ) -> Result<Option<Revision>, SourceError> {
        let folder = RepositoryFolder::find(root)?;
        let base = match folder.repository.merge_base(self.id(), other.id()) {
            Ok(Some(base)) => base.detach(),
            _ => return Ok(None),
        };
        Revision::new(folder, base).map(Some)
    }

    /// Returns the branches and tags of the repository that contains a folder, to suggest
    /// corrections of a mistyped name. Empty if they cannot be read.
    pub fn ref_names(root: &Path) -> Vec<String> {
        let Ok(folder) = RepositoryFolder::find(root) else { return Vec::new() };
        let Ok(references) = folder.repository.references() else { return Vec::new() };
        let Ok(all) = references.all() else { return Vec::new() };
        let mut names: Vec<String> = all
            .filter_map(Result::ok)
            .filter(|reference| {
                let full = reference.name().as_bstr();
                ["refs/heads/", "refs/tags/", "refs/remotes/"]
                    .iter()
                    .any(|start| full.starts_with_str(start))
            })
            .filter_map(|reference| Some(reference.name().shorten().to_str().ok()?.to_owned()))
            .take(MAX_NAMES)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn new(folder: RepositoryFolder, commit: ObjectId) -> Result<Revision, SourceError> {
        let tree = folder.tree(commit);
        let tree =
            tree.ok_or_else(|| folder.failed(&format!("objects of commit {commit} are missing")))?;
        let RepositoryFolder { root, repository, prefix } = folder;
        let top = native::canonical(&root).unwrap_or(root);
        let levels = prefix.matches('/').count();
        let top = top.ancestors().nth(levels).unwrap_or(&top).to_owned();
        let own =
            Opened { path: String::new(), shared: Some(repository.into_sync()), idle: Vec::new() };
        let repositories = Mutex::new(vec![own]);
        Ok(Revision(Arc::new(Inner { top, prefix, commit, tree, repositories })))
    }

    /// Returns the full hash of the commit.
    pub fn commit(&self) -> String {
        self.0.commit.to_string()
    }

    /// The folder inside the repository: empty, or with a final `/`.
    pub fn prefix(&self) -> &str {
        &self.0.prefix
    }

    /// The root of the repository.
    pub(super) fn top(&self) -> &Path {
        &self.0.top
    }

    pub(super) fn id(&self) -> ObjectId {
        self.0.commit
    }

    /// Returns the whole tree of the commit.
    pub(super) fn top_tree(&self) -> Blob {
        Blob { repository: 0, id: self.0.tree }
    }

    /// Reads a file as text, like [`read_text`](crate::read_text) on disk.
    ///
    /// The reason why the file has no text.
    pub fn read_text(&self, path: &str, max: u64, secrets: Secrets) -> Result<String, SkipReason> {
        text::decode(self.read_bytes(path, max)?, secrets)
    }

    /// Reads a file, up to a size in bytes.
    pub(crate) fn read_bytes(&self, path: &str, max: u64) -> Result<Vec<u8>, SkipReason> {
        match self.locate(path) {
            Some(Located::File(blob)) => self.read(blob, max),
            Some(Located::Folder(_)) => Err(SkipReason::NotAFile),
            None => Err(SkipReason::Unreadable),
        }
    }

    /// Returns whether a file or folder exists at a root-relative path.
    pub fn contains(&self, path: &str) -> bool {
        self.locate(path.trim_end_matches('/')).is_some()
    }

    /// Returns the fingerprint of a file, equal to its [`Entry::metadata`](crate::Entry::metadata);
    /// `None` if there is no such file.
    pub fn fingerprint_of(&self, path: &str) -> Option<u64> {
        match self.locate(path)? {
            Located::File(blob) => Some(fingerprint(blob)),
            Located::Folder(_) => None,
        }
    }

    /// The content of a file.
    pub(crate) fn read(&self, blob: Blob, max: u64) -> Result<Vec<u8>, SkipReason> {
        if self.size(blob)? > max {
            return Err(SkipReason::TooLarge);
        }
        let read = self.with(blob.repository, |repository| {
            let mut object = repository.find_object(blob.id).ok()?;
            (object.kind == Kind::Blob).then(|| std::mem::take(&mut object.data))
        });
        read.flatten().ok_or(SkipReason::Unreadable)
    }

    /// Returns the size of a file in bytes, without reading it.
    pub(crate) fn size(&self, blob: Blob) -> Result<u64, SkipReason> {
        let header = self.with(blob.repository, |repository| repository.find_header(blob.id).ok());
        let header = header.flatten().ok_or(SkipReason::Unreadable)?;
        if header.kind() == Kind::Blob { Ok(header.size()) } else { Err(SkipReason::Unreadable) }
    }

    /// Returns the entries of a folder, in git's order. `None` if the folder cannot be read.
    pub(super) fn names_in(&self, folder: Blob) -> Option<Vec<(Vec<u8>, EntryMode, ObjectId)>> {
        self.with(folder.repository, |repository| {
            let tree = repository.find_tree(folder.id).ok()?;
            let mut names = Vec::new();
            for entry in tree.iter() {
                let entry = entry.ok()?;
                names.push((entry.filename().to_vec(), entry.mode(), entry.object_id()));
            }
            Some(names)
        })
        .flatten()
    }

    /// Returns the target of a link, relative to its folder.
    pub(super) fn link(&self, blob: Blob) -> Option<String> {
        String::from_utf8(self.read(blob, MAX_LINK_LEN).ok()?).ok()
    }

    /// Returns the object at a root-relative path. Links are followed, also into submodules.
    pub(crate) fn locate(&self, path: &str) -> Option<Located> {
        let mut path = resolve("", path)?;
        for _ in 0..MAX_LINKS {
            match self.step_down(&path)? {
                Step::Object(located) => return Some(located),
                Step::Link(target) => path = target,
            }
        }
        None
    }

    /// Follows a path up to its first link.
    fn step_down(&self, path: &str) -> Option<Step> {
        let whole = format!("{}{path}", self.0.prefix);
        let mut here = self.top_tree();
        let mut walked = String::new();
        let mut names = whole.split('/').filter(|name| !name.is_empty()).peekable();
        while let Some(name) = names.next() {
            let (mode, id) = self.with(here.repository, |repository| {
                let tree = repository.find_tree(here.id).ok()?;
                let entry = tree.find_entry(name)?;
                Some((entry.mode(), entry.object_id()))
            })??;
            let blob = Blob { repository: here.repository, id };
            let outer = walked.clone();
            if !walked.is_empty() {
                walked.push('/');
            }
            walked.push_str(name);
            if mode.is_tree() {
                here = blob;
            } else if mode.is_commit() {
                here = self.submodule(&walked, id)?;
            } else if mode.is_link() {
                let rest: Vec<&str> = names.collect();
                let target = format!("{}/{}", self.link(blob)?, rest.join("/"));
                let target = resolve(&outer, target.trim_end_matches('/'))?;
                // Targets outside the searched folder do not exist in this tree.
                let inside = target.strip_prefix(&self.0.prefix)?;
                return Some(Step::Link(inside.to_owned()));
            } else {
                return names.peek().is_none().then_some(Step::Object(Located::File(blob)));
            }
        }
        Some(Step::Object(Located::Folder(here)))
    }

    /// Returns the tree of a commit of the submodule at a path, from the root of the outermost
    /// repository. `None` if the submodule or the commit is missing.
    pub(super) fn submodule(&self, path: &str, commit: ObjectId) -> Option<Blob> {
        let known = self.lock().iter().position(|opened| opened.path == path);
        let index = known.unwrap_or_else(|| {
            let shared = self.open_submodule(path);
            let mut repositories = self.lock();
            repositories.push(Opened { path: path.to_owned(), shared, idle: Vec::new() });
            repositories.len() - 1
        });
        let repository = u32::try_from(index).ok()?;
        let tree = self.with(repository, |repository| {
            Some(repository.find_commit(commit).ok()?.tree_id().ok()?.detach())
        })??;
        Some(Blob { repository, id: tree })
    }

    /// Opens a submodule from its checkout, or from git's folder of submodules.
    fn open_submodule(&self, path: &str) -> Option<ThreadSafeRepository> {
        let checked_out = self.0.top.join(path);
        let kept = root::common_dir(&self.0.top).join("modules").join(path);
        let is_there =
            |folder: &PathBuf| root::git_dir(folder).is_some() || folder.join("objects").is_dir();
        // A link on the way may lead to another repository.
        let has_links = |folder: &Path| {
            let mut names = folder.ancestors().take(path.split('/').count());
            names.any(Path::is_symlink)
        };
        let mut folders = [checked_out, kept].into_iter();
        let folder = folders.find(|folder| is_there(folder) && !has_links(folder))?;
        open_shared(&folder).ok()
    }

    /// Runs `work` with a handle of a repository.
    fn with<T>(&self, index: u32, work: impl FnOnce(&Repository) -> T) -> Option<T> {
        // The list is not locked while reading.
        let (idle, shared) = {
            let mut opened = self.lock();
            let entry = opened.get_mut(index as usize)?;
            (entry.idle.pop(), entry.shared.clone())
        };
        let handle = if let Some(handle) = idle {
            handle
        } else {
            let mut handle = shared?.to_thread_local();
            handle.object_cache_size(OBJECT_CACHE);
            handle
        };
        let result = work(&handle);
        if let Some(entry) = self.lock().get_mut(index as usize) {
            entry.idle.push(handle);
        }
        Some(result)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Opened>> {
        // A thread that panicked leaves the list in a valid state.
        self.0.repositories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Result of following a path.
enum Step {
    Object(Located),
    /// A link, with its root-relative target.
    Link(String),
}

/// Returns the fingerprint of a blob, which depends on its object only.
pub(crate) fn fingerprint(blob: Blob) -> u64 {
    let mut hasher = Hasher::default();
    hasher.bytes(b"object");
    hasher.bytes(blob.id.as_bytes());
    hasher.finish()
}

/// Resolves a path relative to a folder, without `.` and `..`. `None` if it leads out or is
/// absolute.
pub(super) fn resolve(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

impl PartialEq for Revision {
    fn eq(&self, other: &Revision) -> bool {
        let key = |revision: &Revision| {
            let Inner { top, prefix, commit, .. } = &*revision.0;
            (top.clone(), prefix.clone(), *commit)
        };
        key(self) == key(other)
    }
}

impl Eq for Revision {}

impl fmt::Debug for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Revision").field(&self.commit()).finish()
    }
}

#[cfg(test)]
mod tests;
