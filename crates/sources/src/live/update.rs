//! Brings the listing of a watched tree up to date with the events since the last question.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    ops::Bound,
    sync::Arc,
    time::SystemTime,
};

use super::{State, inputs::InputChange};
use crate::{
    claims,
    fingerprint::UNSTABLE,
    listing::{ListedFile, add_counts, by_path},
    rules::{self, RuleSet},
    tree::{Tree, TreePart},
    walk::{FileList, FolderRecord, FolderState, Job, Walk, totals},
    watch::{FolderEvents, NameEvent, Watcher},
};

/// Changes that were found, before they are applied to the tree.
#[derive(Default)]
struct Changes {
    /// Files to look at.
    files: BTreeSet<String>,
    /// Folders to read again, with the names that may be other things now.
    folders: BTreeMap<String, BTreeSet<String>>,
    /// Folders to read again with everything below them.
    parts: BTreeSet<String>,
    /// True if a link may lead elsewhere.
    has_links: bool,
}

impl Changes {
    fn add_name(&mut self, folder: &str, name: Option<&str>) {
        let names = self.folders.entry(folder.to_owned()).or_default();
        names.extend(name.map(str::to_owned));
    }

    fn add_path(&mut self, path: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.add_name(folder, Some(name));
    }
}

/// The parts of the listing that are replaced.
#[derive(Default)]
struct Replacement {
    /// Folders that are gone or read again with everything below them.
    parts: Vec<String>,
    /// Folders of which only the own files are replaced.
    folders: Vec<String>,
    /// The files there now.
    files: Vec<ListedFile>,
    /// Folders to read with everything below them.
    jobs: Vec<Job>,
}

impl State {
    /// Brings the listing up to date. Returns false if that takes a walk: events are no proof, or
    /// everything may have changed.
    pub(super) fn update(&mut self, watcher: &Watcher) -> bool {
        if self.has_clock_jumped() {
            return false;
        }
        let mut changes = Changes::default();
        match self.inputs.compare(self.tree.canonical_root()) {
            InputChange::Nothing => {}
            InputChange::Indexes => self.compare_tracked(&mut changes),
            InputChange::Rules => return false,
        }
        let reported = watcher.take();
        if reported.is_lost {
            return false;
        }
        for (folder, events) in &reported.folders {
            self.sort_events(folder, events, &mut changes);
        }
        changes.files.extend(self.doubtful.iter().cloned());
        if changes.parts.contains("") {
            return false;
        }
        let options = self.tree.options().clone();
        let canonical = self.tree.canonical_root().to_owned();
        let watch = |folder: &str| watcher.watch(folder);
        // The fields of `self` change below.
        let rule_set = std::mem::take(&mut self.rule_set);
        let walk = Walk::new(&canonical, &options, &rule_set, &|| true, &watch);
        let is_good = self.apply(changes, &walk, &rule_set, watcher);
        self.rule_set = rule_set;
        is_good && watcher.is_prompt() && self.is_covered()
    }

    /// Sorts the events of one folder by what has to be done.
    fn sort_events(&self, folder: &str, events: &FolderEvents, changes: &mut Changes) {
        let Some(record) = self.records.get(folder) else { return };
        let has = |names: &[&str]| names.iter().any(|name| events.names.contains_key(*name));
        let has_mark = has(rules::CACHE_MARKS);
        match record.state {
            FolderState::Cache if !has_mark => return,
            FolderState::Read if !has_mark && !has(rules::RULE_FILES) => {}
            _ => {
                changes.parts.insert(folder.to_owned());
                return;
            }
        }
        if events.is_unnamed {
            changes.add_name(folder, None);
        }
        for (name, event) in &events.names {
            if *event == NameEvent::Name {
                changes.add_name(folder, Some(name));
                continue;
            }
            let path = join(folder, name);
            if self.tree.entry(&path).is_some() {
                changes.files.insert(path);
            }
        }
    }

    /// Finds the folders in which another file or folder is tracked by git than before.
    fn compare_tracked(&self, changes: &mut Changes) {
        for record in self.records.values() {
            if let Some(rules) = &record.rules {
                rules.forget_index();
            }
        }
        for record in self.records.values() {
            let is_tracked = |path: &String| {
                let outer = format!("{}{}", self.rule_set.prefix, path.trim_end_matches('/'));
                RuleSet::is_tracked(record.rules.as_ref(), &outer, path.ends_with('/'))
            };
            let tracked: HashSet<&str> = record.tracked.iter().map(String::as_str).collect();
            let is_other = record.is_capped()
                || record.tracked.iter().any(|path| !is_tracked(path))
                || record
                    .ignored
                    .iter()
                    .any(|path| !tracked.contains(path.as_str()) && is_tracked(path));
            if is_other {
                changes.parts.insert(record.path().to_owned());
            }
        }
    }

    /// Applies changes. Returns false if they take a walk.
    fn apply(
        &mut self,
        mut changes: Changes,
        walk: &Walk<'_>,
        rule_set: &RuleSet,
        watcher: &Watcher,
    ) -> bool {
        let started = SystemTime::now();
        let mut looked_at = Vec::new();
        for path in std::mem::take(&mut changes.files) {
            match self.look_at(&path, walk) {
                Look::Same => {}
                Look::Changed(file) => looked_at.push(file),
                Look::Gone => changes.add_path(&path),
                Look::OtherLink => changes.has_links = true,
            }
        }
        let followed = &self.followed.doubtful;
        changes.has_links |= !followed.iter().all(|(link, to)| walk.is_same_target(link, to));
        self.put(looked_at);
        if changes.folders.is_empty() && changes.parts.is_empty() && !changes.has_links {
            return true;
        }
        let Some(mut replacement) = self.read_again(&changes, walk, watcher) else { return false };
        let part = walk.part(std::mem::take(&mut replacement.jobs), 1);
        replacement.files.extend(part.files);
        let mut has_rules = !changes.parts.is_empty();
        for record in part.records {
            has_rules |= record.has_rules;
            self.records.insert(record.path().to_owned(), record);
        }
        let is_known = |file: &ListedFile| self.tree.is_shared(&file.entry.path);
        if replacement.files.iter().any(|file| file.is_shared && !is_known(file)) {
            // A new name of a file whose other names are not known.
            return false;
        }
        self.replace(replacement, walk, rule_set);
        watcher.set_skipped(self.tree.ignored());
        if has_rules {
            let root = self.tree.canonical_root();
            self.inputs = super::Inputs::of(root, rule_set, self.records.values(), started);
        }
        true
    }

    /// Looks at a listed file.
    fn look_at(&self, path: &str, walk: &Walk<'_>) -> Look {
        let Some(index) = self.tree.index(path) else { return Look::Gone };
        let place = self.tree.canonical_root().join(path);
        let is_linked = self.tree.is_linked(index);
        let metadata = if is_linked { place.metadata() } else { place.symlink_metadata() };
        let Some(metadata) = metadata.ok().filter(std::fs::Metadata::is_file) else {
            return if is_linked { Look::OtherLink } else { Look::Gone };
        };
        let now = walk.listed_file(path.to_owned(), &metadata, self.tree.is_ignored(index));
        if self.tree.is_same(index, &now) { Look::Same } else { Look::Changed(now) }
    }

    /// Puts files into the listing that have the same paths as before.
    fn put(&mut self, files: Vec<ListedFile>) {
        if files.is_empty() {
            return;
        }
        for file in &files {
            let path = &file.entry.path;
            let is_linked = self.tree.index(path).is_some_and(|index| self.tree.is_linked(index));
            if file.entry.metadata == UNSTABLE || file.is_shared || is_linked {
                self.doubtful.insert(path.clone());
            } else {
                self.doubtful.remove(path);
            }
        }
        Arc::make_mut(&mut self.tree).put(files, claims::depend_on_content);
    }

    /// Reads the folders again whose names changed. `None` if the whole tree has to be read.
    fn read_again(
        &mut self,
        changes: &Changes,
        walk: &Walk<'_>,
        watcher: &Watcher,
    ) -> Option<Replacement> {
        let mut replacement = Replacement::default();
        for folder in &changes.parts {
            let Some(record) = self.records.get(folder) else { continue };
            let job = record.job.clone();
            self.remove_part(folder, watcher, &mut replacement);
            replacement.jobs.push(job);
        }
        for (folder, names) in &changes.folders {
            // It may be inside a part that is read anyway.
            let Some(record) = self.records.get(folder) else { continue };
            let known = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or(path);
                if names.contains(name) { None } else { self.tree.listed(path) }
            };
            let mut jobs = Vec::new();
            let mut files = Vec::new();
            let now = walk.read_again(record, &known, &mut files, &mut jobs);
            if now.state != FolderState::Read {
                if folder.is_empty() {
                    return None;
                }
                let job = record.job.clone();
                self.remove_part(folder, watcher, &mut replacement);
                replacement.jobs.push(job);
                continue;
            }
            let old = self.records.insert(folder.clone(), now)?;
            replacement.files.append(&mut files);
            replacement.folders.push(folder.clone());
            let is_kept = |job: &Job| {
                let path = job.path().trim_end_matches('/');
                let name = path.rsplit('/').next().unwrap_or(path);
                !names.contains(name)
                    && self.records.get(path).is_some_and(|known| known.job.is_alike(job))
            };
            let (kept, new): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(is_kept);
            let kept: HashSet<&str> =
                kept.iter().map(|job| job.path().trim_end_matches('/')).collect();
            for name in old.folders {
                let path = join(folder, &name);
                if !kept.contains(path.as_str()) {
                    self.remove_part(&path, watcher, &mut replacement);
                }
            }
            replacement.jobs.extend(new);
        }
        Some(replacement)
    }

    /// Forgets a folder and everything below it.
    fn remove_part(&mut self, folder: &str, watcher: &Watcher, replacement: &mut Replacement) {
        watcher.forget(folder);
        let inside = format!("{folder}/");
        let below = (Bound::Included(inside.clone()), Bound::Unbounded);
        let mut gone: Vec<String> = self
            .records
            .range::<String, _>(below)
            .take_while(|(path, _)| path.starts_with(&inside))
            .map(|(path, _)| path.clone())
            .collect();
        gone.push(folder.to_owned());
        for path in gone {
            self.records.remove(&path);
        }
        replacement.jobs.retain(|job| !job.path().starts_with(&inside));
        replacement.parts.push(folder.to_owned());
    }

    /// Replaces parts of the listing, and follows the links again.
    fn replace(&mut self, replacement: Replacement, walk: &Walk<'_>, rule_set: &RuleSet) {
        let Replacement { parts, folders, mut files, .. } = replacement;
        files.sort_unstable_by(by_path);
        // Two jobs may have read the same folder.
        files.dedup_by(|left, right| left.entry.path == right.entry.path);
        let mut totals = totals(self.records.values(), rule_set);
        let tree = Arc::make_mut(&mut self.tree);
        let part = TreePart { parts, folders, files };
        tree.replace(part, claims::depend_on_content, |paths| {
            let links = self.records.values().flat_map(|record| record.links.iter().cloned());
            self.followed = walk.follow(links.collect(), paths);
            self.followed.files.clone()
        });
        add_counts(&mut totals.skipped, &self.followed.skipped);
        tree.set_totals(totals.skipped, totals.ignored, totals.oversized);
        self.doubtful = self.tree.doubtful().map(str::to_owned).collect();
    }
}

/// Outcome of looking at a listed file.
enum Look {
    Same,
    Changed(ListedFile),
    /// There is no file of this name now.
    Gone,
    /// The file was listed under a link that leads elsewhere now.
    OtherLink,
}

/// Joins a root-relative folder and a name.
fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Paths of a listing, in which no store may be replaced by a link.
impl FileList for Vec<crate::Entry> {
    fn first_from(&self, path: &str) -> Option<&str> {
        let first = self.partition_point(|found| found.path.as_str() < path);
        self.get(first).map(|found| found.path.as_str())
    }

    /// Does nothing: the tree is walked instead.
    fn remove_inside(&mut self, _folder: &str) {}
}

impl FolderRecord {
    /// Returns whether more names are ignored than the record lists.
    fn is_capped(&self) -> bool {
        self.ignored.len() >= crate::listing::MAX_NAMED_IGNORED
    }
}

impl Tree {
    /// Returns whether a file with this path is listed and has several names.
    fn is_shared(&self, path: &str) -> bool {
        self.index(path).is_some_and(|index| self.listed_at(index).is_shared)
    }
}
