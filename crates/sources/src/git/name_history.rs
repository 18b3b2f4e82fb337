//! The commits that removed names and files, and the commits that wrote them into documents: one
//! pass through the history, newest first.
//!
//! Every version of a file is searched for all names at once, and only once. A merge is skipped: its
//! changes are those of the merged commits.

mod replacements;
mod texts;
mod types;
mod worktree;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    rc::Rc,
    time::Instant,
};

use aho_corasick::AhoCorasick;
use gix::{ObjectId, bstr::ByteSlice, diff::tree::visit};

use self::texts::{description, is_whole, lines_with, read, removed_part};
pub use self::types::{
    NameHistory, NameHistoryRequest, NameRole, NameRules, Removal, SoughtName, SoughtPath,
    SoughtText, Step,
};
use super::{
    files::Differences,
    repository::{RepositoryFolder, in_one_line, walk_outside},
    revision::Revision,
};
use crate::{error::SourceError, secrets::redact};

/// Maximum size of a version of a file that is searched, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Maximum number of files of a commit that are searched for the new place or form of a name.
const MAX_SEARCHED_FILES: usize = 60;

/// Maximum number of versions whose result is kept.
const MAX_KEPT: usize = 200_000;

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
    let folder = RepositoryFolder::find(root)?;
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
}

impl Changed {
    fn has_new(&self) -> bool {
        self.new.is_some() || self.disk.is_some()
    }
}

#[cfg(test)]
mod tests;
