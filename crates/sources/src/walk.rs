//! The parallel walk: one pass over the folders of a tree, one `stat` a file.
//!
//! The globs of the ignore files are matched by ripgrep's `ignore` crate; the traversal is our own,
//! because it has to count what it leaves out, to look into ignored folders for stores, and to
//! decide about links, which that crate's walker cannot do in the same pass.

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
    fingerprint::{self, Facts},
    listing::{Entry, Found, MOST_NAMED, Walked, add_counts, by_path},
    native,
    options::WalkOptions,
    paths::{file_name, path_and_parents},
    rules::{self, RuleFiles, RuleSet, Rules, Verdict},
};

/// How the rules of version control are taken inside a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// They hold.
    Plain,
    /// The folder is ignored and a store: they do not hold.
    Store,
    /// The folder is ignored, but it may hold stores.
    Passage,
}

/// A folder still to be read.
#[derive(Debug)]
struct Job {
    /// Root-relative path, empty or with a final `/`.
    path: String,
    rules: Option<Arc<Rules>>,
    mode: Mode,
    /// Whether `.loreignore` asks for the folder, so that being a cache does not matter.
    wanted: bool,
}

/// A symbolic link, decided about after the walk.
#[derive(Debug)]
struct Link {
    path: String,
    rules: Option<Arc<Rules>>,
    ignored: bool,
}

/// Walks a folder. A path that is not UTF-8 cannot be named in any answer: it is counted as
/// unreadable.
pub(crate) fn walk(
    canonical_root: &Path,
    options: &WalkOptions,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Walked, SourceError> {
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
        goes_on,
    };
    let first =
        Job { path: String::new(), rules: rule_set.above.clone(), mode: Mode::Plain, wanted: true };
    let mut output = walk.run(vec![first], options.threads);
    let links = std::mem::take(&mut output.links);
    output.folders.sort_unstable();
    output.ignored.sort_unstable();
    output.ignored.truncate(MOST_NAMED);
    let mut walked = Walked {
        found: output.found,
        skipped: output.skipped,
        folders: output.folders,
        ignored: output.ignored,
        is_complete: output.unread == 0,
    };
    // Links are decided about by what is listed, which is not all.
    if !links.is_empty() && walked.is_complete {
        walk.follow(links, &mut walked);
    }
    Ok(walked)
}

/// What one thread has gathered.
#[derive(Debug, Default)]
struct Output {
    found: Vec<Found>,
    links: Vec<Link>,
    skipped: SkipCounts,
    folders: Vec<String>,
    ignored: Vec<String>,
    /// Folders that were not read, since the walk was stopped.
    unread: u64,
}

impl Output {
    /// Counts what a rule leaves out, and names it.
    fn ignore(&mut self, path: &str, is_folder: bool) {
        self.skip(SkipReason::Ignored);
        if self.ignored.len() < MOST_NAMED {
            let slash = if is_folder && !path.ends_with('/') { "/" } else { "" };
            self.ignored.push(format!("{path}{slash}"));
        }
    }

    fn skip(&mut self, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    fn merge(&mut self, other: Output) {
        self.found.extend(other.found);
        self.links.extend(other.links);
        self.folders.extend(other.folders);
        self.ignored.extend(other.ignored);
        self.unread += other.unread;
        add_counts(&mut self.skipped, &other.skipped);
    }
}

/// Sorted runs as one.
fn merged(mut runs: Vec<Vec<Found>>) -> Vec<Found> {
    while runs.len() > 1 {
        let mut left = runs.into_iter();
        runs = Vec::with_capacity(left.len().div_ceil(2));
        while let Some(run) = left.next() {
            runs.push(match left.next() {
                Some(other) => merged_pair(run, other),
                None => run,
            });
        }
    }
    runs.pop().unwrap_or_default()
}

fn merged_pair(left: Vec<Found>, right: Vec<Found>) -> Vec<Found> {
    let mut all = Vec::with_capacity(left.len() + right.len());
    let mut right = right.into_iter().peekable();
    for one in left {
        while let Some(other) = right.next_if(|other| by_path(other, &one).is_lt()) {
            all.push(other);
        }
        all.push(one);
    }
    all.extend(right);
    all
}

/// The folders that wait, shared by the threads.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    jobs: Vec<Job>,
    /// Threads that are reading a folder and may yet add jobs.
    busy: usize,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // A thread that panicked leaves a queue that is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; `None` when there is none and no thread can add one.
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

    /// Ends a job, with those that it gave rise to.
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

/// One walk.
struct Walk<'a> {
    root: &'a Path,
    options: &'a WalkOptions,
    rule_set: &'a RuleSet,
    started: SystemTime,
    /// Whether further folders are read.
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl Walk<'_> {
    /// Reads folders until none is left. What is found is sorted.
    fn run(&self, jobs: Vec<Job>, threads: usize) -> Output {
        let queue = Queue { state: Mutex::new(QueueState { jobs, busy: 0 }), ..Queue::default() };
        let work = || {
            let mut output = Output::default();
            let mut jobs = Vec::new();
            while let Some(job) = queue.next() {
                if (self.goes_on)() {
                    self.read_folder(&job, &mut output, &mut jobs);
                } else {
                    output.unread += 1;
                }
                queue.finish(&mut jobs);
            }
            output.found.sort_unstable_by(by_path);
            output
        };
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut output = work();
            let mut runs = vec![std::mem::take(&mut output.found)];
            for helper in helpers {
                let mut other = helper.join().expect("reading a folder does not panic");
                runs.push(std::mem::take(&mut other.found));
                output.merge(other);
            }
            output.found = merged(runs);
            output
        })
    }

    fn read_folder(&self, job: &Job, output: &mut Output, jobs: &mut Vec<Job>) {
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
            if !job.wanted && rules::is_cache_mark(&folder, &name) {
                output.ignore(&job.path, true);
                return;
            }
            files.note(&name);
            names.push((name, item));
        }
        output.folders.push(job.path.trim_end_matches('/').to_owned());
        let outer = format!("{}{}", self.rule_set.prefix, job.path);
        let rules = Rules::extend(job.rules.clone(), &folder, &outer, files);
        let mut outer = outer;
        let prefix_length = outer.len();
        for (name, item) in names {
            outer.truncate(prefix_length);
            outer.push_str(&name);
            self.read_item(job, rules.as_ref(), &outer, &name, &item, output, jobs);
        }
    }

    /// Decides about one name of a folder. `outer` is its path in the terms of the rules.
    #[expect(
        clippy::too_many_arguments,
        reason = "the inner loop of the walk, cut off for its size"
    )]
    fn read_item(
        &self,
        job: &Job,
        rules: Option<&Arc<Rules>>,
        outer: &str,
        name: &str,
        item: &fs::DirEntry,
        output: &mut Output,
        jobs: &mut Vec<Job>,
    ) {
        let Ok(kind) = item.file_type() else {
            output.skip(SkipReason::Unreadable);
            return;
        };
        // Version control keeps folders, and in worktrees and submodules a file `.git`.
        if rules::is_version_control(name) && (kind.is_dir() || name == ".git") {
            return;
        }
        let path = &outer[self.rule_set.prefix.len()..];
        if (!self.options.hidden && name.starts_with('.')) || rules::is_foreign_index(path) {
            output.ignore(path, kind.is_dir());
            return;
        }
        let verdict = self.rule_set.verdict(rules, outer, kind.is_dir());
        let is_store = rules::is_store(file_name(job.path.trim_end_matches('/')), name);
        let mode = match (verdict, job.mode) {
            (Verdict::Unwanted, _) => None,
            (Verdict::Wanted, _) | (Verdict::Listed, Mode::Plain) => Some(Mode::Plain),
            (_, Mode::Store) => Some(Mode::Store),
            (_, Mode::Passage) => (kind.is_dir() && is_store).then_some(Mode::Store),
            (Verdict::Ignored, Mode::Plain) if kind.is_dir() => match rules::passage(name) {
                _ if is_store => Some(Mode::Store),
                Some(_) => Some(Mode::Passage),
                None => None,
            },
            (Verdict::Ignored, Mode::Plain) => rules::is_agent_file(name).then_some(Mode::Store),
        };
        let wanted = verdict == Verdict::Wanted;
        let cache = kind.is_dir() && rules::is_cache(name) && !wanted;
        let Some(mode) = mode.filter(|_| !cache) else {
            output.ignore(path, kind.is_dir());
            return;
        };
        // A passage itself is an ignored folder; what is left out of it is counted one by one.
        let ignored = mode != Mode::Plain;
        if kind.is_dir() {
            let rules = rules.cloned();
            jobs.push(Job { path: format!("{path}/"), rules, mode, wanted });
        } else if kind.is_symlink() {
            output.links.push(Link { path: path.to_owned(), rules: rules.cloned(), ignored });
        } else if !kind.is_file() {
            output.skip(SkipReason::NotAFile);
        } else if let Ok(metadata) = item.metadata() {
            output.found.push(self.found(path.to_owned(), &metadata, ignored));
        } else {
            output.skip(SkipReason::Unreadable);
        }
    }

    fn found(&self, path: String, metadata: &fs::Metadata, ignored: bool) -> Found {
        let facts = Facts::of(metadata);
        let stable = !facts.is_recent(self.started);
        let metadata = if stable { facts.fingerprint } else { fingerprint::UNSTABLE };
        Found {
            entry: Entry { path, size: facts.size, metadata },
            version: facts.version(),
            ignored,
        }
    }

    /// Decides about the links, in the order of their paths. A link to a file is listed when the
    /// file lies inside the root and is not listed itself. A link to a folder is followed only
    /// where a store is linked in from elsewhere inside the root: its files are then listed under
    /// the link, and no longer at their own place. A link to what is listed anyway leaves nothing
    /// out. Every other link is counted: one that leads out of the root, nowhere, to a folder
    /// around itself, or to what was left out.
    fn follow(&self, mut links: Vec<Link>, walked: &mut Walked) {
        links.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let mut targets: BTreeSet<String> = BTreeSet::new();
        let mut added = Output::default();
        for link in links {
            match self.target(&link) {
                Ok((target, metadata)) => {
                    let inside = format!("{target}/");
                    let loops = path_and_parents(&link.path).any(|path| path == target);
                    // What another link has brought in is listed there.
                    let is_brought = path_and_parents(&target).any(|path| targets.contains(path));
                    let listed = if metadata.is_dir() { &inside } else { &target };
                    let first = walked
                        .found
                        .partition_point(|found| found.entry.path.as_str() < listed.as_str());
                    let is_listed = walked.found.get(first).is_some_and(|found| {
                        found.entry.path == *listed
                            || (metadata.is_dir() && found.entry.path.starts_with(&inside))
                    });
                    let is_store = metadata.is_dir()
                        && rules::in_store(&link.path)
                        && !rules::in_store(&target);
                    if loops {
                        added.skip(SkipReason::Symlink);
                    } else if is_brought {
                        // Nothing is left out.
                    } else if is_store {
                        walked.found.retain(|found| !found.entry.path.starts_with(&inside));
                        self.read_linked(link, is_listed, &mut added);
                        targets.insert(target);
                    } else if metadata.is_file() && !is_listed {
                        added.found.push(self.found(link.path, &metadata, link.ignored));
                        targets.insert(target);
                    } else if !is_listed {
                        added.skip(SkipReason::Symlink);
                    }
                }
                Err(reason) => added.skip(reason),
            }
        }
        walked.found.append(&mut added.found);
        walked.found.sort_unstable_by(by_path);
        add_counts(&mut walked.skipped, &added.skipped);
    }

    /// Lists a store that is linked in. Links inside it are not followed, so that no circle is ever
    /// walked. They are counted, unless the walk came upon the store at its own place and decides
    /// about them there.
    fn read_linked(&self, link: Link, was_walked: bool, added: &mut Output) {
        let mode = if link.ignored { Mode::Store } else { Mode::Plain };
        let path = format!("{}/", link.path);
        let mut output = self.run(vec![Job { path, rules: link.rules, mode, wanted: true }], 1);
        for _ in std::mem::take(&mut output.links) {
            if !was_walked {
                output.skip(SkipReason::Symlink);
            }
        }
        added.merge(output);
    }

    /// The root-relative path that a link leads to, and what lies there.
    fn target(&self, link: &Link) -> Result<(String, fs::Metadata), SkipReason> {
        let target = native::canonical(&self.root.join(&link.path)).map_err(|error| {
            match error.kind() {
                io::ErrorKind::PermissionDenied => SkipReason::Unreadable,
                // Nothing is there, or there are too many levels of links.
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
