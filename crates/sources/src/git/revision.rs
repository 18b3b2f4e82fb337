//! A commit as something to search: found by what people call it, its files read from git.
//!
//! Objects are read and nothing else. An object that is missing, as in a partial clone, or that is not
//! what it should be, is a file that cannot be read.

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

use super::repository::{OBJECT_CACHE, RepositoryFolder, in_one_line};
use crate::{error::SourceError, fingerprint::Hasher, native, root, secrets::Secrets, text};

/// Most names of branches and tags that are told.
const MOST_NAMES: usize = 10_000;

/// Most links that are followed on the way to one file.
const MOST_LINKS: usize = 8;

/// Largest content of a link, in bytes: the longest path that systems know.
const LONGEST_LINK: u64 = 4_096;

/// The tree of a commit, as far as it lies below a folder of the repository. Cheap to clone.
#[derive(Clone)]
pub struct Revision(Arc<Inner>);

struct Inner {
    /// The root of the repository.
    top: PathBuf,
    /// The folder inside the repository: empty, or with a final `/`.
    prefix: String,
    commit: ObjectId,
    /// The tree of the commit, whole.
    tree: ObjectId,
    /// The repository first, then submodules in the order in which they were met.
    repositories: Mutex<Vec<Opened>>,
}

/// A repository that objects are read from.
struct Opened {
    /// Where it is checked out, from the root of the repository around all.
    path: String,
    /// `None` where it could not be opened.
    shared: Option<ThreadSafeRepository>,
    /// Handles that nobody uses right now.
    idle: Vec<Repository>,
}

/// The content of a file: an object of one of the repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) repository: u32,
    pub(crate) id: ObjectId,
}

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Located {
    File(Blob),
    /// A folder: its tree.
    Folder(Blob),
}

impl Revision {
    /// The commit that a name stands for, as git reads it: a hash or its beginning, a branch, a tag,
    /// with `~3` or `^2` behind it. `None` where nothing is called so.
    ///
    /// # Errors
    /// Outside git, and where the repository or the commit cannot be read.
    pub fn named(root: &Path, name: &str) -> Result<Option<Revision>, SourceError> {
        let place = RepositoryFolder::find(root)?;
        let name = name.trim();
        // What git reads as more than one commit, or as a search through messages, is no name.
        if name.is_empty() || name.contains("..") || name.contains([':', '\0', '\n']) {
            return Ok(None);
        }
        let Ok(id) = place.repository.rev_parse_single(name.as_bytes().as_bstr()) else {
            return Ok(None);
        };
        let Ok(object) = id.object() else { return Ok(None) };
        let Ok(commit) = object.peel_to_kind(Kind::Commit) else { return Ok(None) };
        let id = commit.id;
        drop(commit);
        Revision::new(place, id).map(Some)
    }

    /// The newest commit on the first-parent line of HEAD that was made before a moment, in seconds
    /// since the epoch. `None` where the history begins later.
    ///
    /// # Errors
    /// Outside git, before the first commit, and where the history cannot be read.
    pub fn before(root: &Path, moment: i64) -> Result<Option<Revision>, SourceError> {
        let place = RepositoryFolder::find(root)?;
        let head = place.repository.head_id().map(gix::Id::detach);
        let mut next = Some(head.map_err(|error| place.failed(&in_one_line(&error)))?);
        while let Some(id) = next {
            // Where a shallow clone ends, what came before is not known.
            let Ok(commit) = place.repository.find_commit(id) else { break };
            let time = commit.time().map_err(|error| place.failed(&in_one_line(&error)))?;
            if time.seconds < moment {
                drop(commit);
                return Revision::new(place, id).map(Some);
            }
            next = commit.parent_ids().next().map(gix::Id::detach);
        }
        Ok(None)
    }

    /// The branches and tags of the repository around a folder, for whoever mistyped one. Empty where
    /// they cannot be read.
    pub fn ref_names(root: &Path) -> Vec<String> {
        let Ok(place) = RepositoryFolder::find(root) else { return Vec::new() };
        let Ok(references) = place.repository.references() else { return Vec::new() };
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
            .take(MOST_NAMES)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn new(place: RepositoryFolder, commit: ObjectId) -> Result<Revision, SourceError> {
        let tree = place.tree(commit);
        let tree =
            tree.ok_or_else(|| place.failed(&format!("commit {commit} is not all there")))?;
        let RepositoryFolder { root, repository, prefix } = place;
        let top = native::canonical(&root).unwrap_or(root);
        let levels = prefix.matches('/').count();
        let top = top.ancestors().nth(levels).unwrap_or(&top).to_owned();
        let own =
            Opened { path: String::new(), shared: Some(repository.into_sync()), idle: Vec::new() };
        let repositories = Mutex::new(vec![own]);
        Ok(Revision(Arc::new(Inner { top, prefix, commit, tree, repositories })))
    }

    /// The full hash of the commit.
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

    /// The whole tree of the commit.
    pub(super) fn top_tree(&self) -> Blob {
        Blob { repository: 0, id: self.0.tree }
    }

    /// Reads a file as text, as [`read_text`](crate::read_text) does on disk.
    ///
    /// # Errors
    /// The reason why there is no text.
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

    /// Returns whether a file or folder of this root-relative path is there.
    pub fn contains(&self, path: &str) -> bool {
        self.locate(path.trim_end_matches('/')).is_some()
    }

    /// What [`Entry::metadata`](crate::Entry::metadata) says of a file of this path; `None` where
    /// there is none.
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

    /// The size of a file in bytes, without reading it.
    pub(crate) fn size(&self, blob: Blob) -> Result<u64, SkipReason> {
        let header = self.with(blob.repository, |repository| repository.find_header(blob.id).ok());
        let header = header.flatten().ok_or(SkipReason::Unreadable)?;
        if header.kind() == Kind::Blob { Ok(header.size()) } else { Err(SkipReason::Unreadable) }
    }

    /// The names in a folder, with what they are, in the order of git. `None` where the folder cannot
    /// be read.
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

    /// Where a link leads, from the folder that it lies in.
    pub(super) fn link(&self, blob: Blob) -> Option<String> {
        String::from_utf8(self.read(blob, LONGEST_LINK).ok()?).ok()
    }

    /// What lies at a root-relative path. Links are followed, also into submodules.
    pub(crate) fn locate(&self, path: &str) -> Option<Located> {
        let mut path = resolve("", path)?;
        for _ in 0..MOST_LINKS {
            match self.step_down(&path)? {
                Step::Found(located) => return Some(located),
                Step::Link(target) => path = target,
            }
        }
        None
    }

    /// Goes down a path, up to the first link.
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
                // What leads out of the folder that is searched is not there.
                let inside = target.strip_prefix(&self.0.prefix)?;
                return Some(Step::Link(inside.to_owned()));
            } else {
                return names.peek().is_none().then_some(Step::Found(Located::File(blob)));
            }
        }
        Some(Step::Found(Located::Folder(here)))
    }

    /// The tree of a commit of the submodule that is checked out at a path, from the root of the
    /// repository around all. `None` where the submodule or that commit is not there.
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

    /// Opens a submodule where it is checked out, or where git keeps those that were.
    fn open_submodule(&self, path: &str) -> Option<ThreadSafeRepository> {
        let checked_out = self.0.top.join(path);
        let kept = root::common_dir(&self.0.top).join("modules").join(path);
        let is_there =
            |folder: &PathBuf| root::git_dir(folder).is_some() || folder.join("objects").is_dir();
        let folder = [checked_out, kept].into_iter().find(is_there)?;
        gix::open::Options::isolated().with(gix::sec::Trust::Full).open(folder).ok()
    }

    /// Does something with a handle of a repository.
    fn with<T>(&self, index: u32, work: impl FnOnce(&Repository) -> T) -> Option<T> {
        // Nobody waits for the list while somebody reads.
        let (idle, shared) = {
            let mut opened = self.lock();
            let one = opened.get_mut(index as usize)?;
            (one.idle.pop(), one.shared.clone())
        };
        let handle = if let Some(handle) = idle {
            handle
        } else {
            let mut handle = shared?.to_thread_local();
            handle.object_cache_size(OBJECT_CACHE);
            handle
        };
        let result = work(&handle);
        if let Some(one) = self.lock().get_mut(index as usize) {
            one.idle.push(handle);
        }
        Some(result)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Opened>> {
        // A thread that panicked leaves a list that is still whole.
        self.0.repositories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What going down a path comes to.
enum Step {
    Found(Located),
    /// A link, and the root-relative path that it stands for.
    Link(String),
}

/// The fingerprint of a content: its object says all.
pub(crate) fn fingerprint(blob: Blob) -> u64 {
    let mut hasher = Hasher::default();
    hasher.bytes(b"object");
    hasher.bytes(blob.id.as_bytes());
    hasher.finish()
}

/// A path as seen from a folder, without `.` and `..`. `None` where it leads out or is absolute.
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
