//! Parallel walk of a folder: one pass over its folders, one `stat` per file.
//!
//! Steps of [`walk`]:
//!
//! 1. Read the ignore rules of the folders above the root (`rules.rs`).
//! 2. Put the root into a queue of jobs, one job per folder. Each thread takes a job, lists the
//!    folder, and adds its subfolders as new jobs.
//! 3. For each name in a folder, combine the outcome of the rules with the [`GitRules`] of the
//!    folder: list the file, queue the folder, or count it as ignored. A store inside an ignored
//!    folder is still found this way.
//! 4. Collect symbolic links while walking.
//! 5. When the queue is empty and no thread is busy, merge the sorted files of all threads.
//! 6. Decide about each link, now that all listed files are known (see `Walk::follow`).
//!
//! Ripgrep's `ignore` crate matches the globs. The traversal is our own because it counts what it
//! skips, looks for stores in ignored folders, and decides about links, which that crate's walker
//! cannot do in the same pass.

use std::{
    collections::BTreeSet,
    fs, io,
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use lore_schema::{SkipCounts, SkipReason};

use crate::{
    error::SourceError,
    fingerprint::{self, FileStat},
    listing::{Entry, ListedFile, MAX_NAMED_IGNORED, WalkOutput, add_counts, by_path},
    native,
    options::WalkOptions,
    paths::{file_name, path_and_parents},
    rules::{self, RuleFiles, RuleOutcome, RuleSet, Rules},
};

/// Effect of version-control ignore rules inside a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GitRules {
    /// They apply.
    Apply,
    /// The folder is an ignored store: they do not apply.
    Disregard,
    /// The folder is ignored, but may contain stores: only those are listed, and tracked files.
    StoresOnly,
    /// The folder is ignored: only the files that git tracks are listed.
    TrackedOnly,
}

/// A folder to read.
#[derive(Debug)]
struct Job {
    /// Root-relative path, empty or with a final `/`.
    path: String,
    rules: Option<Arc<Rules>>,
    git_rules: GitRules,
    /// True if a `!` line of `.loreignore` includes the folder, even if it is a cache.
    reincluded: bool,
}

/// A symbolic link, resolved after the walk.
#[derive(Debug)]
struct Link {
    path: String,
    rules: Option<Arc<Rules>>,
    ignored: bool,
}

/// Walks a folder. A path that is not UTF-8 cannot be shown in any answer: it is counted as
/// unreadable.
pub(crate) fn walk(
    canonical_root: &Path,
    options: &WalkOptions,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<WalkOutput, SourceError> {
    fs::read_dir(canonical_root).map_err(|error| SourceError::Root {
        path: canonical_root.to_owned(),
        reason: error.to_string(),
    })?;
    let rule_set = RuleSet::new(canonical_root);
    let walk = Walk {
        root: canonical_root,
        options,
        rule_set: &rule_set,
        started: SystemTime::now(),
        keep_going,
    };
    let first = Job {
        path: String::new(),
        rules: rule_set.above.clone(),
        git_rules: GitRules::Apply,
        reincluded: true,
    };
    let mut output = walk.run(vec![first], options.threads);
    let links = std::mem::take(&mut output.links);
    output.oversized.extend(rule_set.oversized.iter().cloned());
    output.oversized.sort_unstable();
    output.folders.sort_unstable();
    output.ignored.sort_unstable();
    output.ignored.truncate(MAX_NAMED_IGNORED);
    let mut walked = WalkOutput {
        files: output.files,
        skipped: output.skipped,
        folders: output.folders,
        ignored: output.ignored,
        oversized: output.oversized,
        is_complete: output.unread == 0,
    };
    // After an interrupted walk, the listed files are incomplete: links cannot be resolved.
    if !links.is_empty() && walked.is_complete {
        walk.follow(links, &mut walked);
    }
    Ok(walked)
}

/// Output of one thread.
#[derive(Debug, Default)]
struct WorkerOutput {
    files: Vec<ListedFile>,
    links: Vec<Link>,
    skipped: SkipCounts,
    folders: Vec<String>,
    ignored: Vec<String>,
    /// Ignore files that are too large to apply.
    oversized: Vec<String>,
    /// Number of folders that were not read because the walk was stopped.
    unread: u64,
}

impl WorkerOutput {
    /// Counts an ignored file or folder, and lists it by name.
    fn ignore(&mut self, path: &str, is_folder: bool) {
        self.skip(SkipReason::Ignored);
        if self.ignored.len() < MAX_NAMED_IGNORED {
            let slash = if is_folder && !path.ends_with('/') { "/" } else { "" };
            self.ignored.push(format!("{path}{slash}"));
        }
    }

    fn skip(&mut self, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    fn merge(&mut self, other: WorkerOutput) {
        self.files.extend(other.files);
        self.links.extend(other.links);
        self.folders.extend(other.folders);
        self.ignored.extend(other.ignored);
        self.oversized.extend(other.oversized);
        self.unread += other.unread;
        add_counts(&mut self.skipped, &other.skipped);
    }
}

/// Merges sorted runs into one.
fn merge_sorted(mut runs: Vec<Vec<ListedFile>>) -> Vec<ListedFile> {
    while runs.len() > 1 {
        let mut left = runs.into_iter();
        runs = Vec::with_capacity(left.len().div_ceil(2));
        while let Some(run) = left.next() {
            runs.push(match left.next() {
                Some(other) => merge_two(run, other),
                None => run,
            });
        }
    }
    runs.pop().unwrap_or_default()
}

fn merge_two(left: Vec<ListedFile>, right: Vec<ListedFile>) -> Vec<ListedFile> {
    let mut all = Vec::with_capacity(left.len() + right.len());
    let mut right = right.into_iter().peekable();
    for file in left {
        while let Some(other) = right.next_if(|other| by_path(other, &file).is_lt()) {
            all.push(other);
        }
        all.push(file);
    }
    all.extend(right);
    all
}

/// Queue of folders to read, shared by the threads.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    jobs: Vec<Job>,
    /// Number of threads that are reading a folder and may still add jobs.
    busy: usize,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // A thread that panicked leaves the queue in a valid state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next job; `None` if there is none and no thread can add one.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop() {
                state.busy += 1;
                return Some(job);
            }
            if state.busy == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends a job and adds the new jobs that it created.
    fn finish(&self, jobs: &mut Vec<Job>) {
        let mut state = self.lock();
        let waiting = jobs.len();
        state.jobs.append(jobs);
        state.busy -= 1;
        if waiting != 0 || state.busy == 0 {
            self.changed.notify_all();
        }
    }
}

/// State shared by the threads of a walk.
struct Walk<'a> {
    root: &'a Path,
    options: &'a WalkOptions,
    rule_set: &'a RuleSet,
    started: SystemTime,
    /// Returns whether to read further folders.
    keep_going: &'a (dyn Fn() -> bool + Sync),
}

impl Walk<'_> {
    /// Reads folders until none is left. The files of the output are sorted.
    fn run(&self, jobs: Vec<Job>, threads: usize) -> WorkerOutput {
        let queue = Queue { state: Mutex::new(QueueState { jobs, busy: 0 }), ..Queue::default() };
        let work = || {
            let mut output = WorkerOutput::default();
            let mut jobs = Vec::new();
            while let Some(job) = queue.next() {
                if (self.keep_going)() {
                    self.read_folder(&job, &mut output, &mut jobs);
                } else {
                    output.unread += 1;
                }
                queue.finish(&mut jobs);
            }
            output.files.sort_unstable_by(by_path);
            output
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut output = work();
            let mut runs = vec![std::mem::take(&mut output.files)];
            for worker in workers {
                let mut other = worker.join().expect("reading a folder does not panic");
                runs.push(std::mem::take(&mut other.files));
                output.merge(other);
            }
            output.files = merge_sorted(runs);
            output
        })
    }

    fn read_folder(&self, job: &Job, output: &mut WorkerOutput, jobs: &mut Vec<Job>) {
        let folder = self.root.join(&job.path);
        let Ok(listing) = fs::read_dir(&folder) else {
            output.skip(SkipReason::Unreadable);
            return;
        };
        let mut files = RuleFiles::default();
        let mut names = Vec::new();
        for item in listing {
            let Ok(item) = item else {
                output.skip(SkipReason::Unreadable);
                continue;
            };
            let Ok(name) = item.file_name().into_string() else {
                output.skip(SkipReason::Unreadable);
                continue;
            };
            if !job.reincluded && rules::is_cache_mark(&folder, &name) {
                output.ignore(&job.path, true);
                return;
            }
            files.note(&name);
            names.push((name, item));
        }
        output.folders.push(job.path.trim_end_matches('/').to_owned());
        let outer = format!("{}{}", self.rule_set.prefix, job.path);
        let rules = Rules::extend(job.rules.clone(), &folder, &outer, files);
        if let Some(rules) = rules.as_ref().filter(|_| files.any()) {
            output.oversized.extend(rules.oversized.iter().cloned());
        }
        let mut outer = outer;
        let prefix_length = outer.len();
        for (name, item) in names {
            outer.truncate(prefix_length);
            outer.push_str(&name);
            self.read_item(job, rules.as_ref(), &outer, &name, &item, output, jobs);
        }
    }

    /// Decides about one name in a folder. `outer` is its path relative to the base of the rules.
    #[expect(
        clippy::too_many_arguments,
        reason = "inner loop of the walk, split off because of its size"
    )]
    fn read_item(
        &self,
        job: &Job,
        rules: Option<&Arc<Rules>>,
        outer: &str,
        name: &str,
        item: &fs::DirEntry,
        output: &mut WorkerOutput,
        jobs: &mut Vec<Job>,
    ) {
        let Ok(kind) = item.file_type() else {
            output.skip(SkipReason::Unreadable);
            return;
        };
        // Version-control data is a folder; in worktrees and submodules `.git` is a file.
        if rules::is_version_control(name) && (kind.is_dir() || name == ".git") {
            return;
        }
        let path = &outer[self.rule_set.prefix.len()..];
        if (!self.options.hidden && name.starts_with('.')) || rules::is_foreign_index(path) {
            output.ignore(path, kind.is_dir());
            return;
        }
        let outcome = self.rule_set.outcome(rules, outer, kind.is_dir());
        let is_store = rules::is_store(file_name(job.path.trim_end_matches('/')), name);
        let git_rules = match (outcome, job.git_rules) {
            (RuleOutcome::Excluded, _) => None,
            (RuleOutcome::Reincluded, _) | (RuleOutcome::Included, GitRules::Apply) => {
                Some(GitRules::Apply)
            }
            (_, GitRules::Disregard) => Some(GitRules::Disregard),
            (_, GitRules::StoresOnly) => (kind.is_dir() && is_store).then_some(GitRules::Disregard),
            (_, GitRules::TrackedOnly) => None,
            (RuleOutcome::GitIgnored, GitRules::Apply) if kind.is_dir() => {
                match rules::stores_inside(name) {
                    _ if is_store => Some(GitRules::Disregard),
                    Some(_) => Some(GitRules::StoresOnly),
                    None => None,
                }
            }
            (RuleOutcome::GitIgnored, GitRules::Apply) => {
                rules::is_agent_file(name).then_some(GitRules::Disregard)
            }
        };
        let is_excluded = outcome == RuleOutcome::Excluded;
        let git_rules = match git_rules {
            Some(GitRules::Apply) => git_rules,
            // As in git, no rule ignores a tracked file.
            _ if is_excluded || !RuleSet::is_tracked(rules, outer, kind.is_dir()) => git_rules,
            _ if !kind.is_dir() => Some(GitRules::Apply),
            None => Some(GitRules::TrackedOnly),
            _ => git_rules,
        };
        let reincluded = outcome == RuleOutcome::Reincluded;
        let cache = kind.is_dir() && rules::is_cache(name) && !reincluded;
        let Some(git_rules) = git_rules.filter(|_| !cache) else {
            output.ignore(path, kind.is_dir());
            return;
        };
        // A folder walked only for its stores is itself ignored: its other content is counted entry
        // by entry.
        let ignored = git_rules != GitRules::Apply;
        if kind.is_dir() {
            let rules = rules.cloned();
            jobs.push(Job { path: format!("{path}/"), rules, git_rules, reincluded });
        } else if kind.is_symlink() {
            output.links.push(Link { path: path.to_owned(), rules: rules.cloned(), ignored });
        } else if !kind.is_file() {
            output.skip(SkipReason::NotAFile);
        } else if let Ok(metadata) = item.metadata() {
            output.files.push(self.listed_file(path.to_owned(), &metadata, ignored));
        } else {
            output.skip(SkipReason::Unreadable);
        }
    }

    fn listed_file(&self, path: String, metadata: &fs::Metadata, ignored: bool) -> ListedFile {
        let stat = FileStat::of(metadata);
        let stable = !stat.is_recent(self.started);
        let metadata = if stable { stat.fingerprint } else { fingerprint::UNSTABLE };
        ListedFile {
            entry: Entry { path, size: stat.size, metadata },
            version: stat.version(),
            inode_high: stat.inode_high(),
            ignored,
        }
    }

    /// Decides about the links, in the order of their paths:
    ///
    /// - A link to a file inside the root is listed if the file itself is not.
    /// - A link to a folder is followed only if a store is linked in from elsewhere inside the
    ///   root. Its files are then listed under the link, and no longer at their own place.
    /// - A link to something that is listed anyway skips nothing and is not counted.
    /// - Every other link is counted as skipped: it leads out of the root, nowhere, to a folder
    ///   that contains it, or to something that was skipped.
    fn follow(&self, mut links: Vec<Link>, walked: &mut WalkOutput) {
        links.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let mut targets: BTreeSet<String> = BTreeSet::new();
        let mut added = WorkerOutput::default();
        for link in links {
            match self.target(&link) {
                Ok((target, metadata)) => {
                    let inside = format!("{target}/");
                    let loops = path_and_parents(&link.path).any(|path| path == target);
                    // Already listed under another link.
                    let is_already_linked =
                        path_and_parents(&target).any(|path| targets.contains(path));
                    let listed = if metadata.is_dir() { &inside } else { &target };
                    let first = walked
                        .files
                        .partition_point(|found| found.entry.path.as_str() < listed.as_str());
                    let is_listed = walked.files.get(first).is_some_and(|found| {
                        found.entry.path == *listed
                            || (metadata.is_dir() && found.entry.path.starts_with(&inside))
                    });
                    let is_store = metadata.is_dir()
                        && rules::in_store(&link.path)
                        && !rules::in_store(&target);
                    if loops {
                        added.skip(SkipReason::Symlink);
                    } else if is_already_linked {
                        // Nothing is skipped.
                    } else if is_store {
                        walked.files.retain(|found| !found.entry.path.starts_with(&inside));
                        self.read_linked(link, is_listed, &mut added);
                        targets.insert(target);
                    } else if metadata.is_file() && !is_listed {
                        added.files.push(self.listed_file(link.path, &metadata, link.ignored));
                        targets.insert(target);
                    } else if !is_listed {
                        added.skip(SkipReason::Symlink);
                    }
                }
                Err(reason) => added.skip(reason),
            }
        }
        walked.files.append(&mut added.files);
        walked.files.sort_unstable_by(by_path);
        add_counts(&mut walked.skipped, &added.skipped);
    }

    /// Lists a linked store. Links inside it are not followed, so no cycle is ever walked. They are
    /// counted as skipped, unless the walk also found the store at its own place and decides about
    /// them there.
    fn read_linked(&self, link: Link, was_listed: bool, added: &mut WorkerOutput) {
        let git_rules = if link.ignored { GitRules::Disregard } else { GitRules::Apply };
        let path = format!("{}/", link.path);
        let mut output =
            self.run(vec![Job { path, rules: link.rules, git_rules, reincluded: true }], 1);
        for _ in std::mem::take(&mut output.links) {
            if !was_listed {
                output.skip(SkipReason::Symlink);
            }
        }
        added.merge(output);
    }

    /// Returns the root-relative path of a link's target, and its metadata.
    fn target(&self, link: &Link) -> Result<(String, fs::Metadata), SkipReason> {
        let target = native::canonical(&self.root.join(&link.path)).map_err(|error| {
            match error.kind() {
                io::ErrorKind::PermissionDenied => SkipReason::Unreadable,
                // The target does not exist, or there are too many levels of links.
                _ => SkipReason::Symlink,
            }
        })?;
        let path = native::from_disk(self.root, &target)
            .filter(|path| !path.split('/').any(rules::is_version_control))
            .ok_or(SkipReason::Symlink)?;
        let metadata = target.metadata().map_err(|_| SkipReason::Unreadable)?;
        Ok((path, metadata))
    }
}
