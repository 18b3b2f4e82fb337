//! Parallel walk of a folder: one pass over its folders, one `stat` per file.
//!
//! Steps of [`walk`]:
//!
//! 1. Read the ignore rules of the folders above the root (`rules.rs`).
//! 2. Put the root into a queue of jobs, one job per folder (`walk/queue.rs`). Each thread takes a
//!    job, lists the folder, and adds its subfolders as new jobs.
//! 3. For each name in a folder, combine the outcome of the rules with the [`GitRules`] of the
//!    folder: list the file, queue the folder, or count it as ignored. A store inside an ignored
//!    folder is still found this way.
//! 4. Keep a record of each folder (`walk/record.rs`), from which it can be read again alone, and
//!    its symbolic links.
//! 5. When the queue is empty and no thread is busy, merge the sorted files of all threads.
//! 6. Decide about each link, now that all listed files are known (`walk/links.rs`).
//!
//! Ripgrep's `ignore` crate matches the globs. The traversal is our own because it counts what it
//! skips, looks for stores in ignored folders, decides about links, and can read single folders
//! again, which that crate's walker cannot do in the same pass.

mod links;
mod queue;
mod record;

use std::{fs, path::Path, sync::Arc, time::SystemTime};

use lore_schema::SkipReason;

use self::queue::Queue;
pub(crate) use self::{
    links::{FileList, Followed},
    record::{FolderRecord, FolderState, totals},
};
use crate::{
    error::SourceError,
    fingerprint::{self, FileStat},
    listing::{Entry, ListedFile, MAX_NAMED_IGNORED, WalkOutput, add_counts, by_path},
    options::WalkOptions,
    paths::file_name,
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
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// Root-relative path, empty or with a final `/`.
    path: String,
    /// Rules of its parent folder.
    rules: Option<Arc<Rules>>,
    git_rules: GitRules,
    /// True if a `!` line of `.loreignore` includes the folder, even if it is a cache.
    reincluded: bool,
}

impl Job {
    /// The root of a tree.
    pub(crate) fn root(rule_set: &RuleSet) -> Job {
        Job {
            path: String::new(),
            rules: rule_set.above.clone(),
            git_rules: GitRules::Apply,
            reincluded: true,
        }
    }

    /// Root-relative path, empty or with a final `/`.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether another job reads the same folder in the same way, given equal rules.
    pub(crate) fn is_alike(&self, other: &Job) -> bool {
        (&self.path, self.git_rules, self.reincluded)
            == (&other.path, other.git_rules, other.reincluded)
    }
}

/// A symbolic link, resolved after the walk.
#[derive(Debug, Clone)]
pub(crate) struct Link {
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
    let rule_set = RuleSet::new(canonical_root);
    let walk = Walk::new(canonical_root, options, &rule_set, keep_going, &|_| {});
    Ok(walk.all(options.threads)?.0)
}

/// Output of one thread.
#[derive(Debug, Default)]
struct WorkerOutput {
    /// Sorted files.
    files: Vec<ListedFile>,
    records: Vec<FolderRecord>,
    /// Number of folders that were not read because the walk was stopped.
    unread: u64,
}

/// Data for reading folders, shared by the threads of a walk.
pub(crate) struct Walk<'a> {
    root: &'a Path,
    options: &'a WalkOptions,
    rule_set: &'a RuleSet,
    started: SystemTime,
    /// Returns whether to read further folders.
    keep_going: &'a (dyn Fn() -> bool + Sync),
    /// Called with the path of each folder, without a final `/`, before it is listed.
    before_listing: &'a (dyn Fn(&str) + Sync),
}

/// Rules inside a folder that is about to be read.
enum OwnRules {
    /// Its rule files are read.
    Unread,
    /// They were read before.
    Known(Option<Arc<Rules>>),
}

/// The files and records of a part of a tree.
#[derive(Debug, Default)]
pub(crate) struct PartOutput {
    /// Sorted files.
    pub(crate) files: Vec<ListedFile>,
    /// Records of the folders, sorted by path.
    pub(crate) records: Vec<FolderRecord>,
    /// True if every folder was read; false if the walk was stopped.
    pub(crate) is_complete: bool,
}

impl<'a> Walk<'a> {
    /// Creates a walk of a canonical root that starts now.
    pub(crate) fn new(
        root: &'a Path,
        options: &'a WalkOptions,
        rule_set: &'a RuleSet,
        keep_going: &'a (dyn Fn() -> bool + Sync),
        before_listing: &'a (dyn Fn(&str) + Sync),
    ) -> Walk<'a> {
        let started = SystemTime::now();
        Walk { root, options, rule_set, started, keep_going, before_listing }
    }

    /// Reads the whole tree. Returns its output, the records of its folders, sorted by path, and the
    /// outcome of following its links.
    pub(crate) fn all(
        &self,
        threads: usize,
    ) -> Result<(WalkOutput, Vec<FolderRecord>, Followed), SourceError> {
        fs::read_dir(self.root).map_err(|error| SourceError::Root {
            path: self.root.to_owned(),
            reason: error.to_string(),
        })?;
        let PartOutput { files, records, is_complete } =
            self.part(vec![Job::root(self.rule_set)], threads);
        let mut totals = totals(&records, self.rule_set);
        let (mut files, mut followed) = (files, Followed::default());
        // After an interrupted walk, the listed files are incomplete: links cannot be resolved.
        if is_complete {
            let links: Vec<Link> =
                records.iter().flat_map(|record| record.links.iter().cloned()).collect();
            if !links.is_empty() {
                followed = self.follow(links, &mut files);
            }
        }
        if !followed.files.is_empty() {
            files.extend(followed.files.iter().cloned());
            files.sort_unstable_by(by_path);
        }
        add_counts(&mut totals.skipped, &followed.skipped);
        let walked = WalkOutput {
            files,
            skipped: totals.skipped,
            ignored: totals.ignored,
            oversized: totals.oversized,
            is_complete,
        };
        Ok((walked, records, followed))
    }

    /// Reads folders and everything below them.
    pub(crate) fn part(&self, jobs: Vec<Job>, threads: usize) -> PartOutput {
        let queue = Queue::of(jobs);
        let work = || {
            let mut output = WorkerOutput::default();
            let mut jobs = Vec::new();
            while let Some(job) = queue.next() {
                if (self.keep_going)() {
                    let record = self.read_folder(job, &mut output.files, &mut jobs);
                    output.records.push(record);
                } else {
                    output.unread += 1;
                }
                queue.finish(&mut jobs);
            }
            output.files.sort_unstable_by(by_path);
            output
        };
        let outputs = std::thread::scope(|scope| {
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut outputs = vec![work()];
            for worker in workers {
                outputs.push(worker.join().expect("reading a folder does not panic"));
            }
            outputs
        });
        let mut part = PartOutput { is_complete: true, ..PartOutput::default() };
        let mut runs = Vec::with_capacity(outputs.len());
        for output in outputs {
            runs.push(output.files);
            part.records.extend(output.records);
            part.is_complete &= output.unread == 0;
        }
        part.files = merge_sorted(runs);
        part.records.sort_unstable_by(|left, right| left.job.path.cmp(&right.job.path));
        part
    }

    /// Reads a folder. Adds its files, in any order, and its subfolders as jobs.
    fn read_folder(
        &self,
        job: Job,
        files: &mut Vec<ListedFile>,
        jobs: &mut Vec<Job>,
    ) -> FolderRecord {
        (self.before_listing)(job.path.trim_end_matches('/'));
        self.list_folder(job, OwnRules::Unread, &|_| None, files, jobs)
    }

    /// Reads a folder again that was read before with the same rules. `known` returns a file as it
    /// is known to be, which is not looked at again.
    pub(crate) fn read_again(
        &self,
        record: &FolderRecord,
        known: &dyn Fn(&str) -> Option<ListedFile>,
        files: &mut Vec<ListedFile>,
        jobs: &mut Vec<Job>,
    ) -> FolderRecord {
        let rules = OwnRules::Known(record.rules.clone());
        self.list_folder(record.job.clone(), rules, known, files, jobs)
    }

    fn list_folder(
        &self,
        job: Job,
        rules: OwnRules,
        known: &dyn Fn(&str) -> Option<ListedFile>,
        files: &mut Vec<ListedFile>,
        jobs: &mut Vec<Job>,
    ) -> FolderRecord {
        let mut record = FolderRecord::new(job);
        let folder = self.root.join(&record.job.path);
        let Ok(listing) = fs::read_dir(&folder) else {
            record.state = FolderState::Unreadable;
            record.skip(SkipReason::Unreadable);
            return record;
        };
        let mut rule_files = RuleFiles::default();
        let mut names = Vec::new();
        for item in listing {
            let Ok(item) = item else {
                record.skip(SkipReason::Unreadable);
                continue;
            };
            let Ok(name) = item.file_name().into_string() else {
                record.skip(SkipReason::Unreadable);
                continue;
            };
            if !record.job.reincluded && rules::is_cache_mark(&folder, &name) {
                return record.into_cache();
            }
            rule_files.note(&name);
            names.push((name, item));
        }
        let mut outer = format!("{}{}", self.rule_set.prefix, record.job.path);
        record.rules = match rules {
            OwnRules::Known(rules) => rules,
            OwnRules::Unread => {
                Rules::extend(record.job.rules.clone(), &folder, &outer, rule_files)
            }
        };
        record.has_rules = rule_files.any();
        let prefix_length = outer.len();
        for (name, item) in names {
            outer.truncate(prefix_length);
            outer.push_str(&name);
            self.read_item(&mut record, &outer, &name, &item, known, files, jobs);
        }
        record
    }

    /// Decides about one name in a folder. `outer` is its path relative to the base of the rules.
    #[expect(
        clippy::too_many_arguments,
        reason = "inner loop of the walk, split off because of its size"
    )]
    fn read_item(
        &self,
        record: &mut FolderRecord,
        outer: &str,
        name: &str,
        item: &fs::DirEntry,
        known: &dyn Fn(&str) -> Option<ListedFile>,
        files: &mut Vec<ListedFile>,
        jobs: &mut Vec<Job>,
    ) {
        let Ok(kind) = item.file_type() else {
            record.skip(SkipReason::Unreadable);
            return;
        };
        // Version-control data is a folder; in worktrees and submodules `.git` is a file.
        if rules::is_version_control(name) && (kind.is_dir() || name == ".git") {
            return;
        }
        let path = &outer[self.rule_set.prefix.len()..];
        if (!self.options.hidden && name.starts_with('.')) || rules::is_foreign_index(path) {
            record.ignore(path, kind.is_dir());
            return;
        }
        let outcome = self.rule_set.outcome(record.rules.as_ref(), outer, kind.is_dir());
        let is_store = rules::is_store(file_name(record.job.path.trim_end_matches('/')), name);
        let git_rules = match (outcome, record.job.git_rules) {
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
        let is_tracked = git_rules != Some(GitRules::Apply)
            && !is_excluded
            && RuleSet::is_tracked(record.rules.as_ref(), outer, kind.is_dir());
        if is_tracked {
            let slash = if kind.is_dir() { "/" } else { "" };
            record.tracked.push(format!("{path}{slash}"));
        }
        let git_rules = match git_rules {
            // As in git, no rule ignores a tracked file.
            _ if is_tracked && !kind.is_dir() => Some(GitRules::Apply),
            None if is_tracked => Some(GitRules::TrackedOnly),
            _ => git_rules,
        };
        let reincluded = outcome == RuleOutcome::Reincluded;
        let cache = kind.is_dir() && rules::is_cache(name) && !reincluded;
        let Some(git_rules) = git_rules.filter(|_| !cache) else {
            record.ignore(path, kind.is_dir());
            return;
        };
        // A folder walked only for its stores is itself ignored: its other content is counted entry
        // by entry.
        let ignored = git_rules != GitRules::Apply;
        if kind.is_dir() {
            let rules = record.rules.clone();
            record.folders.push(name.to_owned());
            jobs.push(Job { path: format!("{path}/"), rules, git_rules, reincluded });
        } else if kind.is_symlink() {
            let rules = record.rules.clone();
            record.links.push(Link { path: path.to_owned(), rules, ignored });
        } else if !kind.is_file() {
            record.skip(SkipReason::NotAFile);
        } else if let Some(file) = known(path) {
            files.push(ListedFile { ignored, ..file });
        } else if let Ok(metadata) = item.metadata() {
            files.push(self.listed_file(path.to_owned(), &metadata, ignored));
        } else {
            record.skip(SkipReason::Unreadable);
        }
    }

    /// Returns a file with its metadata, as the walk lists it.
    pub(crate) fn listed_file(
        &self,
        path: String,
        metadata: &fs::Metadata,
        ignored: bool,
    ) -> ListedFile {
        let stat = FileStat::of(metadata);
        let stable = !stat.is_recent(self.started);
        let stamp = if stable { stat.fingerprint } else { fingerprint::UNSTABLE };
        ListedFile {
            entry: Entry { path, size: stat.size, metadata: stamp },
            version: stat.version(),
            inode_high: stat.inode_high(),
            ignored,
            is_shared: has_other_names(metadata),
        }
    }
}

/// Returns true if the file has other names (hard links), through which it can change.
#[cfg(unix)]
fn has_other_names(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
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
