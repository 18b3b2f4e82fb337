//! Lists the files of a commit by the same rules as the walk of a folder. Version-control ignore
//! rules do not apply, because committed files are never ignored.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use lore_schema::SkipReason;

use super::revision::{Blob, Located, Revision, fingerprint, resolve};
use crate::{
    error::SourceError,
    fingerprint::FileVersion,
    listing::{Entry, ListedFile, MAX_NAMED_IGNORED, WalkOutput},
    options::WalkOptions,
    paths::path_and_parents,
    rules::{self, MAX_RULE_FILE_BYTES, RuleOutcome, RuleSet, Rules},
};

/// Maximum number of listed files. A few kilobytes of trees that contain each other can name more
/// files than any disk has.
const MAX_FILES: usize = 2_000_000;

/// Number of files that a folder counts as.
const FOLDER_COST: usize = 4;

/// Maximum length of a listed path in bytes.
const MAX_PATH_LEN: usize = 4_096;

/// Minimum number of files for which another thread pays off.
const FILES_PER_THREAD: usize = 512;

/// A folder to read.
struct Job {
    /// Root-relative path, empty or with a final `/`.
    path: String,
    folder: Blob,
    rules: Option<Arc<Rules>>,
    /// True if a `!` line of `.loreignore` includes the folder, even if it is a cache.
    reincluded: bool,
}

/// A symbolic link, resolved at the end.
struct Link {
    path: String,
    target: Option<String>,
}

/// Lists the files of a commit, and their git objects by path.
///
/// If the searched folder does not exist in this commit.
pub(crate) fn list(
    revision: &Revision,
    options: &WalkOptions,
    keep_going: &dyn Fn() -> bool,
) -> Result<(WalkOutput, HashMap<String, Blob>), SourceError> {
    let mut walk = CommitWalk {
        revision,
        options,
        rule_set: RuleSet::for_commit(revision.prefix()),
        walked: WalkOutput { is_complete: true, ..WalkOutput::default() },
        blobs: Vec::new(),
        links: Vec::new(),
        jobs: Vec::new(),
    };
    let first = walk.first()?;
    walk.jobs.push(first);
    let mut folders = 0;
    while let Some(job) = walk.jobs.pop() {
        if !keep_going() {
            walk.walked.is_complete = false;
            break;
        }
        folders += 1;
        if walk.blobs.len() + folders * FOLDER_COST >= MAX_FILES {
            walk.skip(SkipReason::BeyondLimit);
            break;
        }
        walk.read_folder(&job);
    }
    if walk.walked.is_complete {
        walk.follow();
    }
    Ok(walk.finish())
}

struct CommitWalk<'a> {
    revision: &'a Revision,
    options: &'a WalkOptions,
    rule_set: RuleSet,
    walked: WalkOutput,
    blobs: Vec<(String, Blob)>,
    links: Vec<Link>,
    jobs: Vec<Job>,
}

impl CommitWalk<'_> {
    /// Returns the searched folder, with the rules of its parent folders.
    fn first(&self) -> Result<Job, SourceError> {
        let missing = || SourceError::Revision {
            name: self.revision.commit(),
            reason: format!("it has no folder `{}`", self.revision.prefix()),
        };
        let mut folder = self.revision.top_tree();
        let (mut rules, mut outer) = (None, String::new());
        for name in self.revision.prefix().split_terminator('/') {
            let names = self.revision.names_in(folder).ok_or_else(missing)?;
            rules = self.extend(rules, &outer, folder.repository, &names);
            let next =
                names.iter().find(|(other, mode, _)| other == name.as_bytes() && mode.is_tree());
            let (_, _, id) = next.ok_or_else(missing)?;
            folder = Blob { repository: folder.repository, id: *id };
            outer.push_str(name);
            outer.push('/');
        }
        Ok(Job { path: String::new(), folder, rules, reincluded: true })
    }

    fn skip(&mut self, reason: SkipReason) {
        *self.walked.skipped.entry(reason).or_default() += 1;
    }

    fn ignore(&mut self, path: &str, is_folder: bool) {
        self.skip(SkipReason::Ignored);
        if self.walked.ignored.len() < MAX_NAMED_IGNORED {
            let slash = if is_folder && !path.ends_with('/') { "/" } else { "" };
            self.walked.ignored.push(format!("{path}{slash}"));
        }
    }

    /// Returns the rules inside a folder.
    fn extend(
        &self,
        parent: Option<Arc<Rules>>,
        outer: &str,
        repository: u32,
        names: &[Name],
    ) -> Option<Arc<Rules>> {
        let text = |file: &str| {
            let (_, _, id) =
                names.iter().find(|(name, mode, _)| name == file.as_bytes() && mode.is_blob())?;
            let blob = Blob { repository, id: *id };
            let bytes = self.revision.read(blob, MAX_RULE_FILE_BYTES).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        Rules::of_texts(parent, outer, text(".loreignore").as_deref(), text(".ignore").as_deref())
    }

    fn read_folder(&mut self, job: &Job) {
        let Some(names) = self.revision.names_in(job.folder) else {
            self.skip(SkipReason::Unreadable);
            return;
        };
        if !job.reincluded
            && names.iter().any(|name| self.is_cache_mark(job.folder.repository, name))
        {
            self.ignore(&job.path, true);
            return;
        }
        let outer = format!("{}{}", self.rule_set.prefix, job.path);
        let rules = self.extend(job.rules.clone(), &outer, job.folder.repository, &names);
        for (name, mode, id) in names {
            // Skip names that lead elsewhere or are not UTF-8.
            let Some(name) = std::str::from_utf8(&name).ok().filter(|name| is_plain(name)) else {
                self.skip(SkipReason::Unreadable);
                continue;
            };
            if job.path.len() + name.len() > MAX_PATH_LEN {
                self.skip(SkipReason::Unreadable);
                continue;
            }
            let blob = Blob { repository: job.folder.repository, id };
            let is_folder = mode.is_tree() || mode.is_commit();
            if rules::is_version_control(name) && (is_folder || name == ".git") {
                continue;
            }
            let path = format!("{}{name}", job.path);
            if (!self.options.hidden && name.starts_with('.')) || rules::is_foreign_index(&path) {
                self.ignore(&path, is_folder);
                continue;
            }
            let outcome =
                self.rule_set.outcome(rules.as_ref(), &format!("{outer}{name}"), is_folder);
            let reincluded = outcome == RuleOutcome::Reincluded;
            if outcome == RuleOutcome::Excluded
                || (is_folder && rules::is_cache(name) && !reincluded)
            {
                self.ignore(&path, is_folder);
                continue;
            }
            if mode.is_commit() {
                // The objects of a submodule may be missing.
                match self.revision.submodule(&format!("{outer}{name}"), id) {
                    Some(folder) => {
                        let rules = rules.clone();
                        self.jobs.push(Job { path: format!("{path}/"), folder, rules, reincluded });
                    }
                    None => self.skip(SkipReason::Unreadable),
                }
            } else if mode.is_tree() {
                let rules = rules.clone();
                self.jobs.push(Job { path: format!("{path}/"), folder: blob, rules, reincluded });
            } else if mode.is_link() {
                let target = self.revision.link(blob);
                let folder = format!("{}{}", self.revision.prefix(), job.path);
                let target = target.and_then(|target| resolve(&folder, &target));
                let inside = target.and_then(|target| {
                    Some(target.strip_prefix(self.revision.prefix())?.to_owned())
                });
                self.links.push(Link { path, target: inside });
            } else {
                self.blobs.push((path, blob));
            }
        }
    }

    /// Returns whether a file marks its folder as a cache.
    fn is_cache_mark(&self, repository: u32, (name, mode, id): &Name) -> bool {
        match name.as_slice() {
            b"pyvenv.cfg" => true,
            b"CACHEDIR.TAG" if mode.is_blob() => {
                let blob = Blob { repository, id: *id };
                let bytes = self.revision.read(blob, MAX_RULE_FILE_BYTES);
                bytes.is_ok_and(|bytes| bytes.starts_with(rules::CACHE_TAG))
            }
            _ => false,
        }
    }

    /// Decides about the links, like the walk of a folder (see `walk.rs`).
    fn follow(&mut self) {
        let mut links = std::mem::take(&mut self.links);
        links.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        self.blobs.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let mut targets: BTreeSet<String> = BTreeSet::new();
        let mut added: Vec<(String, Blob)> = Vec::new();
        for Link { path, target } in links {
            let located = target.filter(|target| !target.is_empty()).and_then(|target| {
                let located = self.revision.locate(&target)?;
                Some((target, located))
            });
            let Some((target, located)) = located else {
                self.skip(SkipReason::Symlink);
                continue;
            };
            if path_and_parents(&path).any(|path| path == target) {
                self.skip(SkipReason::Symlink);
                continue;
            }
            if path_and_parents(&target).any(|path| targets.contains(path)) {
                continue;
            }
            let inside = format!("{target}/");
            let is_folder = matches!(located, Located::Folder(_));
            let listed = if is_folder { &inside } else { &target };
            let first = self.blobs.partition_point(|(path, _)| path < listed);
            let is_listed = self.blobs.get(first).is_some_and(|(path, _)| {
                path == listed || (is_folder && path.starts_with(&inside))
            });
            match located {
                // A linked store is listed under the link.
                Located::Folder(_)
                    if is_listed && rules::in_store(&path) && !rules::in_store(&target) =>
                {
                    self.blobs.retain(|(file, blob)| {
                        let Some(rest) = file.strip_prefix(&inside) else { return true };
                        added.push((format!("{path}/{rest}"), *blob));
                        false
                    });
                    targets.insert(target);
                }
                Located::File(blob) if !is_listed => {
                    added.push((path, blob));
                    targets.insert(target);
                }
                _ if is_listed => {}
                _ => self.skip(SkipReason::Symlink),
            }
        }
        self.blobs.append(&mut added);
    }

    /// Looks up the sizes, which also detects missing objects.
    fn finish(mut self) -> (WalkOutput, HashMap<String, Blob>) {
        self.blobs.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        self.blobs.dedup_by(|left, right| left.0 == right.0);
        let (revision, blobs) = (self.revision, &self.blobs);
        let threads = self.options.threads.clamp(1, blobs.len().div_ceil(FILES_PER_THREAD).max(1));
        let sizes: Vec<Result<u64, SkipReason>> = std::thread::scope(|scope| {
            let shares: Vec<_> = blobs
                .chunks(blobs.len().div_ceil(threads).max(1))
                .map(|share| {
                    scope.spawn(move || {
                        share.iter().map(|(_, blob)| revision.size(*blob)).collect::<Vec<_>>()
                    })
                })
                .collect();
            shares
                .into_iter()
                .flat_map(|share| share.join().expect("looking up an object does not panic"))
                .collect()
        });
        let mut blobs_by_path = HashMap::with_capacity(sizes.len());
        for ((path, blob), size) in self.blobs.into_iter().zip(sizes) {
            match size {
                Ok(size) => {
                    let metadata = fingerprint(blob);
                    blobs_by_path.insert(path.clone(), blob);
                    let entry = Entry { path, size, metadata };
                    let version = FileVersion::of_git(metadata);
                    self.walked.files.push(ListedFile {
                        entry,
                        version,
                        inode_high: 0,
                        ignored: false,
                        is_shared: false,
                    });
                }
                Err(reason) => *self.walked.skipped.entry(reason).or_default() += 1,
            }
        }
        self.walked.ignored.sort_unstable();
        (self.walked, blobs_by_path)
    }
}

/// An entry of a folder: name, mode and object.
type Name = (Vec<u8>, gix::objs::tree::EntryMode, gix::ObjectId);

/// Returns whether a name is an ordinary path component.
fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && !name.contains(['/', '\0'])
        && Path::new(name).components().count() == 1
}
