//! The replacement of what a commit removed: another name in the lines that it changed, or another file.

use std::{
    collections::{BTreeMap, HashSet},
    time::{Duration, Instant},
};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::{
    Changed, MAX_SEARCHED_FILES, Search,
    texts::{is_long, is_related, is_similar, lines_with, name},
};

/// Maximum time for comparing two versions of a file.
const MAX_DIFF_TIME: Duration = Duration::from_millis(200);

/// Maximum number of lines with a name that are compared.
const MAX_LINES: usize = 40;

impl Search<'_> {
    /// The most frequent replacement of a form in the changed parts of a file.
    pub(super) fn replacement_in(
        &self,
        old: &str,
        new: &str,
        wanted: &[&str],
        form: &str,
    ) -> Option<String> {
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
    pub(super) fn replacement_elsewhere(
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

    /// The removed file that an added file comes from.
    pub(super) fn moved_from<'b>(
        &self,
        file: &Changed,
        changed: &'b [Changed],
    ) -> Option<&'b Changed> {
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
    pub(super) fn moved_to(&self, file: &Changed, changed: &[Changed]) -> Option<String> {
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
