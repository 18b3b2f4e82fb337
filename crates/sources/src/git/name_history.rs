//! The commits that removed names and files, and the commits that wrote them into documents: one
//! pass through the history, newest first.
//!
//! Every version of a file is searched for all names at once, and only once. A merge is skipped: its
//! changes are those of the merged commits.

mod texts;
mod worktree;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use aho_corasick::AhoCorasick;
use gix::{ObjectId, bstr::ByteSlice, diff::tree::visit};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use self::texts::{
    description, is_long, is_related, is_similar, is_whole, lines_with, name, read, removed_part,
};
use super::{
    files::Differences,
    repository::{OBJECT_CACHE, RepositoryFolder, in_one_line, walk_outside},
    revision::Revision,
};
use crate::{error::SourceError, secrets::redact};

/// Maximum size of a version of a file that is searched, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Maximum time for comparing two versions of a file.
const MAX_DIFF_TIME: Duration = Duration::from_millis(200);

/// Maximum number of files of a commit that are searched for the new place or form of a name.
const MAX_SEARCHED_FILES: usize = 60;

/// Maximum number of lines with a name that are compared.
const MAX_LINES: usize = 40;

/// Maximum number of versions whose result is kept.
const MAX_KEPT: usize = 200_000;

/// Rules about the languages of files.
pub trait NameRules {
    /// Returns true if a file contains code.
    fn is_code(&self, path: &str) -> bool;
    /// Splits a source file into its code and its comments, both with the lines of the text.
    fn split(&self, path: &str, text: &str) -> (String, String);
    /// Returns true if a line of code defines a name in a role.
    fn is_evidence(&self, line: &str, name: &str, role: NameRole) -> bool;
    /// Returns true if code defines a function with a parameter.
    fn has_parameter(&self, code: &str, function: &str, parameter: &str) -> bool;
    /// Returns the name that replaces `name` in a later version of a line.
    fn replacement(&self, old: &str, new: &str, name: &str) -> Option<String>;
}

/// The lines of code that count as evidence for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameRole {
    /// Any line that contains it.
    Word,
    /// A line that defines it.
    Definition,
    /// A line that declares it as a flag or key.
    Option,
}

/// A name to look up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtName {
    /// The forms of the name, at least one. None of them occurs in the code as it is now.
    pub forms: Vec<String>,
    /// The lines whose removal counts.
    pub role: NameRole,
    /// A parameter of the function with this name: only its removal counts. The name itself may
    /// still exist.
    pub parameter: Option<String>,
    /// Indexes of the texts that mention it. The search for it ends when all of them are found.
    pub texts: Vec<usize>,
}

/// A path to look up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtPath {
    /// Possible root-relative paths of a file or folder.
    pub paths: Vec<String>,
    /// True if the path of a file or folder may also end with the first of them.
    pub is_suffix: bool,
    /// As [`SoughtName::texts`].
    pub texts: Vec<usize>,
}

/// A text in a document whose origin is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtText {
    /// Root-relative path of the document.
    pub document: String,
    /// The text.
    pub text: String,
}

/// A request for the history of names.
pub struct NameHistoryRequest<'a> {
    /// The names.
    pub names: &'a [SoughtName],
    /// The paths.
    pub paths: &'a [SoughtPath],
    /// The texts.
    pub texts: &'a [SoughtText],
    /// The commit to start from; `None` for the files on disk.
    pub at: Option<&'a Revision>,
    /// Only commits that this one does not contain are read.
    pub since: Option<&'a Revision>,
    /// Maximum time.
    pub time: Duration,
}

/// A commit, and its place in the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// 0 for changes that are not committed; commits count from 1, newest first.
    pub index: usize,
    /// The full hash; `None` for changes that are not committed.
    pub hash: Option<String>,
    /// Date of the author in seconds since the epoch.
    pub date: Option<i64>,
    /// First line of the message.
    pub subject: String,
}

/// The removal of a name or path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// The commit.
    pub step: Step,
    /// Root-relative path of the file that contained the name, or the removed path.
    pub path: String,
    /// The form that was removed; empty for a path.
    pub form: String,
    /// The name or path that replaced it.
    pub replacement: Option<String>,
}

/// The history of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameHistory {
    /// The last removal of each name, in the order of the request.
    pub names: Vec<Option<Removal>>,
    /// The last removal of each path.
    pub paths: Vec<Option<Removal>>,
    /// The commit that wrote each text last. `None` if the search ended before.
    pub texts: Vec<Option<Step>>,
    /// Number of commits that were read.
    pub commits: usize,
    /// True if the time was used up.
    pub is_cut: bool,
}

/// Searches the history for the removal of names and paths.
///
/// A removal is only looked for until all texts that mention the name were written. A text without a
/// written commit in the result is older than every commit that was read.
///
/// # Errors
/// Outside git, and if the history cannot be read.
pub fn name_history(
    root: &Path,
    request: &NameHistoryRequest<'_>,
    rules: &dyn NameRules,
) -> Result<NameHistory, SourceError> {
    let deadline = Instant::now() + request.time;
    let mut folder = RepositoryFolder::find(root)?;
    folder.repository.object_cache_size(OBJECT_CACHE);
    let head = match request.at {
        Some(revision) => Some(revision.id()),
        None => folder.repository.head_id().ok().map(gix::Id::detach),
    };
    let Some(head) = head else { return Ok(NameHistory::default()) };
    let mut search = Search::new(&folder, root, request, rules);
    if request.at.is_none() {
        search.uncommitted(head);
    }
    let hidden = request.since.map(Revision::id);
    let walk = walk_outside(&folder.repository, head, hidden)
        .map_err(|error| folder.failed(&in_one_line(&error)))?;
    let mut differences = Differences::default();
    for info in walk {
        if search.is_done() {
            break;
        }
        if Instant::now() > deadline {
            search.result.is_cut = true;
            break;
        }
        let Ok(info) = info else { continue };
        search.result.commits += 1;
        if info.parent_ids.len() > 1 {
            continue;
        }
        search.commit(info.id, info.parent_ids.first().copied(), &mut differences);
    }
    Ok(search.describe())
}

/// A file that a commit changes. Paths start at the searched folder.
struct Changed {
    path: String,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
    /// The new content, if it is no object.
    disk: Option<Rc<str>>,
}

struct Search<'a> {
    folder: &'a RepositoryFolder,
    root: &'a Path,
    request: &'a NameHistoryRequest<'a>,
    rules: &'a dyn NameRules,
    /// All forms of all names.
    patterns: Option<AhoCorasick>,
    /// Name of each pattern, and its form.
    forms: Vec<(usize, &'a str)>,
    /// The names in versions of files, by object.
    kept: HashMap<ObjectId, Rc<[u32]>>,
    /// Texts without an origin by the path of their document at this step.
    open: BTreeMap<String, Vec<usize>>,
    result: NameHistory,
}

impl<'a> Search<'a> {
    fn new(
        folder: &'a RepositoryFolder,
        root: &'a Path,
        request: &'a NameHistoryRequest<'a>,
        rules: &'a dyn NameRules,
    ) -> Search<'a> {
        let mut forms: Vec<(usize, &str)> = Vec::new();
        for (index, name) in request.names.iter().enumerate() {
            forms.extend(name.forms.iter().map(|form| (index, form.as_str())));
        }
        let mut open: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, text) in request.texts.iter().enumerate() {
            open.entry(text.document.clone()).or_default().push(index);
        }
        let patterns = AhoCorasick::new(forms.iter().map(|(_, form)| form)).ok();
        let result = NameHistory {
            names: vec![None; request.names.len()],
            paths: vec![None; request.paths.len()],
            texts: vec![None; request.texts.len()],
            ..NameHistory::default()
        };
        let kept = HashMap::new();
        Search { folder, root, request, rules, patterns, forms, kept, open, result }
    }

    /// Returns true if nothing is left to find.
    fn is_done(&self) -> bool {
        let is_open = |texts: &[usize]| texts.iter().any(|text| self.result.texts[*text].is_none());
        let names = self.request.names.iter().zip(&self.result.names);
        let paths = self.request.paths.iter().zip(&self.result.paths);
        !names.into_iter().any(|(name, found)| found.is_none() && is_open(&name.texts))
            && !paths.into_iter().any(|(path, found)| found.is_none() && is_open(&path.texts))
    }

    fn is_name_open(&self, name: usize) -> bool {
        let texts = &self.request.names[name].texts;
        self.result.names[name].is_none()
            && texts.iter().any(|text| self.result.texts[*text].is_none())
    }

    fn commit(&mut self, id: ObjectId, parent: Option<ObjectId>, differences: &mut Differences) {
        let repository = &self.folder.repository;
        let Some(tree) = self.folder.tree(id) else { return };
        let before = match parent {
            Some(parent) => match self.folder.tree(parent) {
                Some(tree) => Some(tree),
                None => return,
            },
            None => None,
        };
        let prefix = self.folder.prefix.as_str();
        let mut changed = Vec::new();
        let compared = differences.of(repository, before, tree, |path, change| {
            let Some(path) = path.to_str().ok().and_then(|path| path.strip_prefix(prefix)) else {
                return;
            };
            let (old, new, mode) = match change {
                visit::Change::Addition { oid, entry_mode, .. } => (None, Some(oid), entry_mode),
                visit::Change::Deletion { oid, entry_mode, .. } => (Some(oid), None, entry_mode),
                visit::Change::Modification { previous_oid, oid, entry_mode, .. } => {
                    (Some(previous_oid), Some(oid), entry_mode)
                }
            };
            if mode.is_blob() {
                changed.push(Changed { path: path.to_owned(), old, new, disk: None });
            }
        });
        if compared.is_err() {
            return;
        }
        let index = self.result.commits;
        let step = Step { index, hash: Some(id.to_string()), date: None, subject: String::new() };
        self.step(&step, &changed);
    }

    /// Adds date and message to the commits of the result.
    fn describe(mut self) -> NameHistory {
        let repository = &self.folder.repository;
        let mut known: HashMap<String, (Option<i64>, String)> = HashMap::new();
        let removals = self.result.names.iter_mut().chain(&mut self.result.paths).flatten();
        let steps = removals.map(|removal| &mut removal.step);
        for step in steps.chain(self.result.texts.iter_mut().flatten()) {
            let Some(hash) = &step.hash else { continue };
            let (date, subject) =
                known.entry(hash.clone()).or_insert_with(|| description(repository, hash));
            step.date = *date;
            step.subject.clone_from(subject);
        }
        self.result
    }

    /// Looks for the texts, names and paths that a commit wrote or removed.
    fn step(&mut self, step: &Step, changed: &[Changed]) {
        self.origins(step, changed);
        self.removed_paths(step, changed);
        self.removed_names(step, changed);
    }

    /// Finds the texts that a commit wrote into documents.
    fn origins(&mut self, step: &Step, changed: &[Changed]) {
        for file in changed {
            if !self.open.contains_key(&file.path) || !file.has_new() {
                continue;
            }
            let texts = self.open.remove(&file.path).unwrap_or_default();
            let mut earlier = file.path.clone();
            let mut old = file.old.and_then(|id| self.read(id));
            let new = self.new_text(file);
            if file.old.is_none()
                && let Some(source) = self.moved_from(file, changed)
            {
                old = source.old.and_then(|id| self.read(id));
                earlier.clone_from(&source.path);
            }
            let counts = |text: Option<&str>, wanted: &str| {
                text.map_or(0, |text| text.matches(wanted).count())
            };
            let split = |text: Option<Rc<str>>| match text {
                Some(text) if self.rules.is_code(&file.path) => {
                    Some(Rc::from(self.rules.split(&file.path, &text).1))
                }
                other => other,
            };
            let (old, new) = (split(old), split(new));
            let mut rest = Vec::new();
            for index in texts {
                let wanted = self.request.texts[index].text.as_str();
                let before = counts(old.as_deref(), wanted);
                let after = counts(new.as_deref(), wanted);
                if before < after {
                    self.result.texts[index] = Some(step.clone());
                } else {
                    rest.push(index);
                }
            }
            if !rest.is_empty() {
                self.open.entry(earlier).or_default().extend(rest);
            }
        }
    }

    /// Finds the sought paths that a commit removed.
    fn removed_paths(&mut self, step: &Step, changed: &[Changed]) {
        let deleted: Vec<&Changed> = changed.iter().filter(|file| !file.has_new()).collect();
        if deleted.is_empty() {
            return;
        }
        for index in 0..self.request.paths.len() {
            let sought = &self.request.paths[index];
            let is_open = sought.texts.iter().any(|text| self.result.texts[*text].is_none());
            if self.result.paths[index].is_some() || !is_open {
                continue;
            }
            let matched =
                deleted.iter().find_map(|file| Some((*file, removed_part(&file.path, sought)?)));
            let Some((file, path)) = matched else { continue };
            let replacement = self.moved_to(file, changed).map(|target| {
                let inner = &file.path[path.len()..];
                target.strip_suffix(inner).map_or_else(|| target.clone(), str::to_owned)
            });
            let replacement = replacement.filter(|target| *target != path);
            self.result.paths[index] =
                Some(Removal { step: step.clone(), path, form: String::new(), replacement });
        }
    }

    /// Finds the names that a commit removed from the code.
    fn removed_names(&mut self, step: &Step, changed: &[Changed]) {
        let mut removed: BTreeMap<usize, Vec<&Changed>> = BTreeMap::new();
        for file in changed {
            let Some(old) = file.old.filter(|_| self.rules.is_code(&file.path)) else { continue };
            for &name in self.names_in(&file.path, old).iter() {
                if self.is_name_open(name as usize) {
                    removed.entry(name as usize).or_default().push(file);
                }
            }
        }
        for (name, files) in removed {
            self.result.names[name] = self.removal(step, name, &files, changed);
        }
    }

    /// The removal of a name, if a commit removed it from one of the files.
    fn removal(
        &self,
        step: &Step,
        name: usize,
        files: &[&Changed],
        changed: &[Changed],
    ) -> Option<Removal> {
        let sought = &self.request.names[name];
        let mut best: Option<Removal> = None;
        for file in files.iter().take(MAX_SEARCHED_FILES) {
            let code = |text: Rc<str>| self.rules.split(&file.path, &text).0;
            let Some(old) = file.old.and_then(|id| self.read(id)).map(code) else { continue };
            let new = self.new_text(file).map(code).unwrap_or_default();
            for form in &sought.forms {
                if let Some(parameter) = &sought.parameter {
                    let has = |code: &str| self.rules.has_parameter(code, form, parameter);
                    if has(&old) && !has(&new) {
                        let (path, form) = (file.path.clone(), form.clone());
                        return Some(Removal { step: step.clone(), path, form, replacement: None });
                    }
                    continue;
                }
                let lines = lines_with(&old, form);
                let is_evidence = |line: &&str| self.rules.is_evidence(line, form, sought.role);
                let wanted: Vec<&str> = lines.iter().copied().filter(is_evidence).collect();
                if wanted.is_empty() || lines_with(&new, form).iter().any(is_evidence) {
                    continue;
                }
                let replacement = self
                    .replacement_in(&old, &new, &wanted, form)
                    .or_else(|| self.replacement_elsewhere(&wanted, form, file, changed));
                let is_better = best
                    .as_ref()
                    .is_none_or(|best| best.replacement.is_none() && replacement.is_some());
                if is_better {
                    let replacement = replacement.map(redact);
                    let (path, form) = (file.path.clone(), form.clone());
                    best = Some(Removal { step: step.clone(), path, form, replacement });
                }
            }
        }
        best
    }

    /// The most frequent replacement of a form in the changed parts of a file.
    fn replacement_in(&self, old: &str, new: &str, wanted: &[&str], form: &str) -> Option<String> {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (old.lines().collect(), new.lines().collect());
        let trim = |lines: &[&str]| lines.iter().map(|line| line.trim().to_owned()).collect();
        let (old_lines, new_lines): (Vec<String>, Vec<String>) = (trim(&before), trim(&after));
        let deadline = Instant::now() + MAX_DIFF_TIME;
        let operations = capture_diff_slices_deadline(
            Algorithm::Histogram,
            &old_lines,
            &new_lines,
            Some(deadline),
        );
        let mut votes: BTreeMap<String, usize> = BTreeMap::new();
        for operation in operations {
            let DiffOp::Replace { .. } = operation else { continue };
            let removed = &before[operation.old_range()];
            let added = &after[operation.new_range()];
            for (index, line) in removed.iter().enumerate().take(MAX_LINES * 10) {
                if !wanted.contains(line) {
                    continue;
                }
                // The line at the same place comes first.
                let own = added.get(index).filter(|_| removed.len() == added.len());
                let is_only = added.len() == 1;
                let others = added.iter().take(MAX_LINES * 5);
                let mut candidates = own
                    .into_iter()
                    .map(|line| (line, true))
                    .chain(others.map(|line| (line, is_only)));
                let found = candidates.find_map(|(new, is_aligned)| {
                    let name = self.rules.replacement(line, new, form)?;
                    let is_likely = is_aligned || is_related(&name, form) || is_long(line, form);
                    (is_likely && lines_with(old, &name).is_empty()).then_some(name)
                });
                if let Some(found) = found {
                    *votes.entry(found).or_default() += 1;
                }
            }
        }
        let mut votes: Vec<(String, usize)> = votes.into_iter().collect();
        votes.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        votes.into_iter().next().map(|(name, _)| name)
    }

    /// A replacement in a file that gained lines in the same commit.
    fn replacement_elsewhere(
        &self,
        wanted: &[&str],
        form: &str,
        own: &Changed,
        changed: &[Changed],
    ) -> Option<String> {
        let others = changed.iter().filter(|file| {
            file.path != own.path && file.has_new() && self.rules.is_code(&file.path)
        });
        for file in others.take(MAX_SEARCHED_FILES) {
            let Some(new) = self.new_text(file) else { continue };
            let old = file.old.and_then(|id| self.read(id)).unwrap_or_default();
            let known: HashSet<&str> = old.lines().map(str::trim).collect();
            let added = new.lines().filter(|line| !known.contains(line.trim()));
            for line in added.take(MAX_LINES * 50) {
                let found = wanted.iter().take(MAX_LINES).find_map(|removed| {
                    let name = self.rules.replacement(removed, line, form)?;
                    let is_likely = is_related(&name, form) || is_long(removed, form);
                    (is_likely && lines_with(&old, &name).is_empty()).then_some(name)
                });
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// The indexes of the names in the code of a version of a file, sorted.
    fn names_in(&mut self, path: &str, id: ObjectId) -> Rc<[u32]> {
        if let Some(known) = self.kept.get(&id) {
            return Rc::clone(known);
        }
        let names: Rc<[u32]> = match self.read(id) {
            Some(text) => self.search(path, &text).into(),
            None => Rc::from([]),
        };
        if self.kept.len() < MAX_KEPT {
            self.kept.insert(id, Rc::clone(&names));
        }
        names
    }

    fn search(&self, path: &str, text: &str) -> Vec<u32> {
        let Some(patterns) = &self.patterns else { return Vec::new() };
        let mut names: Vec<u32> = Vec::new();
        let note = |text: &str, names: &mut Vec<u32>| {
            for found in patterns.find_overlapping_iter(text) {
                let (name, form) = self.forms[found.pattern().as_usize()];
                if is_whole(text, found.start(), form) {
                    names.push(u32::try_from(name).unwrap_or(u32::MAX));
                }
            }
            names.sort_unstable();
            names.dedup();
        };
        note(text, &mut names);
        if !names.is_empty() {
            // Comments are only separated if there is anything to find.
            names.clear();
            note(&self.rules.split(path, text).0, &mut names);
        }
        names
    }

    fn read(&self, id: ObjectId) -> Option<Rc<str>> {
        read(&self.folder.repository, id).map(Rc::from)
    }

    fn new_text(&self, file: &Changed) -> Option<Rc<str>> {
        file.disk.clone().or_else(|| file.new.and_then(|id| self.read(id)))
    }

    /// The removed file that an added file comes from.
    fn moved_from<'b>(&self, file: &Changed, changed: &'b [Changed]) -> Option<&'b Changed> {
        let removed = || changed.iter().filter(|other| !other.has_new());
        if let Some(same) = removed().find(|other| other.old == file.new) {
            return Some(same);
        }
        let text = self.new_text(file)?;
        let mut candidates: Vec<&Changed> = removed().collect();
        candidates.sort_by_key(|other| name(&other.path) != name(&file.path));
        candidates.into_iter().take(MAX_SEARCHED_FILES).find(|other| {
            other.old.and_then(|id| self.read(id)).is_some_and(|old| is_similar(&old, &text))
        })
    }

    /// The path of the added file that a removed file became.
    fn moved_to(&self, file: &Changed, changed: &[Changed]) -> Option<String> {
        let added = || changed.iter().filter(|other| other.old.is_none());
        if let Some(same) = added().find(|other| other.new == file.old) {
            return Some(same.path.clone());
        }
        let text = file.old.and_then(|id| self.read(id))?;
        let mut candidates: Vec<&Changed> = added().collect();
        candidates.sort_by_key(|other| name(&other.path) != name(&file.path));
        let similar = candidates
            .into_iter()
            .take(MAX_SEARCHED_FILES)
            .find(|other| self.new_text(other).is_some_and(|new| is_similar(&text, &new)));
        similar.map(|other| other.path.clone())
    }
}

impl Changed {
    fn has_new(&self) -> bool {
        self.new.is_some() || self.disk.is_some()
    }
}

#[cfg(test)]
mod tests;
