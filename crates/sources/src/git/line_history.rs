//! The commits that wrote or changed lines of a file, found by comparing its content before and
//! after each.

use std::{
    collections::{HashSet, VecDeque},
    ops::Range,
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use gix::{ObjectId, bstr::ByteSlice as _, diff::tree::visit};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::{
    files::Differences,
    lines::MAX_FILE_BYTES,
    repository::{RepositoryFolder, read_blob},
};

/// Maximum time for one comparison; after it, the rest counts as replaced.
const MAX_DIFF_TIME: Duration = Duration::from_millis(200);

/// Maximum number of removed files that are compared with a file that a commit adds.
const MAX_REMOVED: usize = 100;

/// Minimum number of lines that count as moved by themselves.
const MIN_MOVED: usize = 3;

/// Number of contents that are kept.
const KEPT_BLOBS: usize = 4;

/// A commit that changed lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// Index of the commit.
    pub commit: usize,
    /// The lines before the commit, which older commits may have changed.
    pub before: Before,
    /// Number of the lines that it changed, added or removed.
    pub size: usize,
}

/// The lines before a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// They were in the same file.
    SameFile,
    /// They were in another file: the commit renamed it, or moved the lines.
    Renamed {
        /// Root-relative path of the file before the commit.
        path: String,
        /// Content of the file before the commit.
        text: String,
        /// The 0-based indexes of the lines in it.
        lines: Range<usize>,
    },
    /// None of them existed.
    Nothing,
}

/// Returns which of the commits changed lines of a file, in the given order.
///
/// `commits` are hashes of commits that change the file, newest first. `text` is the current content of
/// the file, and `lines` the range of 0-based line indexes in it. From each commit to the next one, the
/// range follows its lines to their place in the older content. Changes of whitespace, line breaks and
/// trailing commas are ignored. A commit that cannot be read is skipped. A merge counts only if the lines
/// differ from those of every parent. Stops where the lines or the file begin, or after `limit` changes:
/// the last change names where older commits continue. A renaming counts as a change.
pub fn line_history(
    root: &Path,
    commits: &[String],
    path: &str,
    (text, lines): (&str, Range<usize>),
    limit: usize,
) -> Vec<LineChange> {
    let mut changes = Vec::new();
    let Ok(folder) = RepositoryFolder::find(root) else { return changes };
    let path = format!("{}{path}", folder.prefix);
    let mut newer = (Rc::<[u8]>::from(text.as_bytes()), lines);
    let mut blobs = Blobs::default();
    for (commit, hash) in commits.iter().enumerate() {
        let Some(Versions { after, parents }) = Versions::of(&folder, &mut blobs, hash, &path)
        else {
            continue;
        };
        let Some(Mapped { range, .. }) = mapped(&newer.0, newer.1.clone(), &after) else {
            // The lines are of another branch, or not committed.
            continue;
        };
        let mut before = None;
        let mut is_taken_over = false;
        for parent in &parents {
            let old = parent.as_ref().and_then(|content| {
                Some((Rc::clone(content), mapped(&after, range.clone(), content)?))
            });
            is_taken_over |= old.as_ref().is_some_and(|(_, old)| !old.is_changed);
            before = before.or(old);
        }
        if !is_taken_over {
            let origin = match (&before, parents.first()) {
                (Some(_), _) => Before::SameFile,
                (None, _) => {
                    elsewhere(&folder, hash, &path, &after, &range).unwrap_or(Before::Nothing)
                }
            };
            let is_end = origin != Before::SameFile;
            let size = match (&before, &origin) {
                (Some((_, old)), _) => range.len().max(old.range.len()) - old.kept,
                (None, Before::Renamed { lines, .. }) => range.len().abs_diff(lines.len()),
                (None, _) => range.len(),
            };
            changes.push(LineChange { commit, before: origin, size });
            if is_end || changes.len() == limit {
                break;
            }
        }
        newer = match before {
            Some((content, old)) if parents.len() < 2 => (content, old.range),
            _ => (after, range),
        };
    }
    changes
}

/// The versions of a file around a commit.
pub(super) struct Versions {
    /// The content after the commit.
    pub(super) after: Rc<[u8]>,
    /// The content in each parent; `None` if the file does not exist there.
    pub(super) parents: Vec<Option<Rc<[u8]>>>,
}

/// The contents that were read last: a version before a commit is mostly the one after the next commit.
#[derive(Default)]
pub(super) struct Blobs {
    last: VecDeque<(ObjectId, Rc<[u8]>)>,
}

impl Blobs {
    /// Returns the content of a file after a commit; `None` if it does not exist there or is too large.
    pub(super) fn read(
        &mut self,
        folder: &RepositoryFolder,
        commit: ObjectId,
        path: &str,
    ) -> Option<Rc<[u8]>> {
        let tree = folder.repository.find_commit(commit).ok()?.tree().ok()?;
        let id = tree.lookup_entry_by_path(path).ok()??.object_id();
        if let Some((_, known)) = self.last.iter().find(|(known, _)| *known == id) {
            return Some(Rc::clone(known));
        }
        let read = Rc::<[u8]>::from(blob(folder, id)?);
        self.last.push_front((id, Rc::clone(&read)));
        self.last.truncate(KEPT_BLOBS);
        Some(read)
    }
}

impl Versions {
    /// Reads the versions of a file around a commit; `None` if it does not exist after it.
    pub(super) fn of(
        folder: &RepositoryFolder,
        blobs: &mut Blobs,
        hash: &str,
        path: &str,
    ) -> Option<Versions> {
        let id = ObjectId::from_hex(hash.as_bytes()).ok()?;
        let commit = folder.repository.find_commit(id).ok()?;
        let after = blobs.read(folder, id, path)?;
        let parents = commit.parent_ids().map(|parent| blobs.read(folder, parent.detach(), path));
        Some(Versions { after, parents: parents.collect() })
    }
}

/// The file with most of the lines among those that a commit removes, or from which it removes the lines.
fn elsewhere(
    folder: &RepositoryFolder,
    hash: &str,
    path: &str,
    after: &[u8],
    range: &Range<usize>,
) -> Option<Before> {
    let repository = &folder.repository;
    let commit = repository.find_commit(ObjectId::from_hex(hash.as_bytes()).ok()?).ok()?;
    let parent = commit.parent_ids().next()?.detach();
    let before = repository.find_commit(parent).ok()?.tree_id().ok()?.detach();
    let (mut removed, mut changed, mut added) = (Vec::new(), Vec::new(), None);
    let note = |other: &gix::bstr::BStr, change: visit::Change| match change {
        visit::Change::Deletion { oid, .. } if removed.len() < MAX_REMOVED => {
            removed.push((other.to_str_lossy().into_owned(), oid, None));
        }
        visit::Change::Modification { previous_oid, oid, .. } if changed.len() < MAX_REMOVED => {
            changed.push((other.to_str_lossy().into_owned(), previous_oid, Some(oid)));
        }
        visit::Change::Addition { oid, .. } if other == path => added = Some(oid),
        _ => {}
    };
    let after_tree = commit.tree_id().ok()?.detach();
    Differences::default().of(repository, Some(before), after_tree, note).ok()?;
    // A file that was only renamed is the origin, whatever the others contain.
    removed.sort_by_key(|(_, old, _)| Some(*old) != added);
    let wanted = distinctive_lines(after, range);
    let whole = distinctive_lines(after, &(0..usize::MAX));
    let mut best: Option<(usize, Before)> = None;
    for (other, old_id, new) in removed.into_iter().chain(changed) {
        let Some(other) = other.strip_prefix(folder.prefix.as_str()) else { continue };
        let Some(old) = blob(folder, old_id) else { continue };
        let held = count_lines(&old, &wanted);
        // A line or two may be anywhere: then, most of the file must be the same.
        let is_renamed = new.is_none() && whole.len() <= count_lines(&old, &whole) * 2;
        if held == 0 || (range.len() < MIN_MOVED && !is_renamed) {
            continue;
        }
        // Lines that stay in the other file were copied at most.
        let left = new.and_then(|new| blob(folder, new)).map(|new| count_lines(&new, &wanted));
        if left.is_some_and(|left| held <= left * 2) {
            continue;
        }
        let Some(found) = mapped(after, range.clone(), &old) else { continue };
        if best.as_ref().is_none_or(|(kept, _)| *kept < found.kept) && range.len() <= found.kept * 2
        {
            let text = String::from_utf8_lossy(&old).into_owned();
            let before = Before::Renamed { path: other.to_owned(), text, lines: found.range };
            best = Some((found.kept, before));
        }
        if Some(old_id) == added {
            break;
        }
    }
    best.map(|(_, found)| found)
}

/// The content of a file that is small enough to be compared.
fn blob(folder: &RepositoryFolder, id: ObjectId) -> Option<Vec<u8>> {
    read_blob(&folder.repository, id, MAX_FILE_BYTES)
}

/// The lines of a range that are no brackets alone.
fn distinctive_lines<'t>(text: &'t [u8], range: &Range<usize>) -> Vec<&'t [u8]> {
    let lines = trimmed_lines(text);
    let end = range.end.min(lines.len());
    let within = lines.get(range.start..end).unwrap_or_default();
    let is_distinct =
        |line: &&&[u8]| line.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() > 2;
    within.iter().filter(is_distinct).copied().collect()
}

/// Counts how many of the lines a text contains.
fn count_lines(text: &[u8], wanted: &[&[u8]]) -> usize {
    let lines: HashSet<&[u8]> = trimmed_lines(text).into_iter().collect();
    wanted.iter().filter(|line| lines.contains(*line)).count()
}

/// A range of lines in an older content.
#[derive(Debug, PartialEq, Eq)]
struct Mapped {
    range: Range<usize>,
    /// True if the lines differ.
    is_changed: bool,
    /// Number of equal lines.
    kept: usize,
}

/// Maximum number of lines that count as an older version of others without an equal line.
const MAX_REPLACED: usize = 2;

/// Finds a range of lines of `newer` in `older`; `None` if none of the lines is there.
fn mapped(newer: &[u8], range: Range<usize>, older: &[u8]) -> Option<Mapped> {
    if newer == older {
        let kept = range.len();
        return Some(Mapped { range, is_changed: false, kept });
    }
    let (old, new) = (trimmed_lines(older), trimmed_lines(newer));
    if let Some(range) = outside_of_changes(&new, &range, &old) {
        let kept = range.len();
        return Some(Mapped { range, is_changed: false, kept });
    }
    let deadline = Instant::now() + MAX_DIFF_TIME;
    let operations = capture_diff_slices_deadline(Algorithm::Histogram, &old, &new, Some(deadline));
    let mut found: Option<Range<usize>> = None;
    let (mut is_changed, mut kept) = (false, 0);
    for operation in operations {
        let (old_range, new_range) = (operation.old_range(), operation.new_range());
        let start = new_range.start.max(range.start);
        let end = new_range.end.min(range.end);
        let part = match operation {
            DiffOp::Equal { .. } if start < end => {
                let shift = start - new_range.start;
                kept += end - start;
                old_range.start + shift..old_range.start + shift + (end - start)
            }
            DiffOp::Replace { .. } if start < end => {
                is_changed = true;
                let Some(part) = counterparts(&new[start..end], &old, old_range) else { continue };
                part
            }
            DiffOp::Insert { .. } if start < end => {
                is_changed = true;
                continue;
            }
            // Between two lines of the range.
            DiffOp::Delete { .. }
                if range.start < new_range.start && new_range.start < range.end =>
            {
                is_changed = true;
                old_range
            }
            _ => continue,
        };
        found = Some(match found {
            Some(known) => known.start.min(part.start)..known.end.max(part.end),
            None => part,
        });
    }
    if is_changed
        && let Some(older_range) = &found
        && let (Some(new), Some(old)) = (new.get(range.clone()), old.get(older_range.clone()))
        && is_reformatted(new, old)
    {
        let kept = range.len();
        return Some(Mapped { range: older_range.clone(), is_changed: false, kept });
    }
    // Of a longer text, an older version has some line in common. Otherwise, it was written beside a
    // line that changed at the same time.
    let is_new = kept == 0 && MAX_REPLACED < range.len();
    found.filter(|_| !is_new).map(|range| Mapped { range, is_changed, kept })
}

/// Maximum number of old lines of a changed part that are compared with the new ones.
const MAX_COUNTERPARTS: usize = 60;

/// Minimum similarity of an old line and the new one that replaces it.
const MIN_SIMILARITY: f64 = 0.4;

/// Returns the old lines of a changed part that some of its new lines replace: from the first to the last
/// similar one. `None` if none is similar: the new lines were added there.
fn counterparts(new: &[&[u8]], old: &[&[u8]], part: Range<usize>) -> Option<Range<usize>> {
    if MAX_COUNTERPARTS < part.len() || MAX_COUNTERPARTS < new.len() {
        return Some(part);
    }
    let mut found: Option<Range<usize>> = None;
    for line in new {
        let best = part
            .clone()
            .map(|at| (similarity(line, old[at]), at))
            .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1)));
        let Some((_, at)) = best.filter(|(similarity, _)| MIN_SIMILARITY <= *similarity) else {
            continue;
        };
        found = Some(match found {
            Some(known) => known.start.min(at)..known.end.max(at + 1),
            None => at..at + 1,
        });
    }
    found
}

/// The share of pairs of neighbouring bytes that two lines have in common.
fn similarity(left: &[u8], right: &[u8]) -> f64 {
    let pairs = |line: &[u8]| {
        let mut pairs: Vec<(u8, u8)> = line.windows(2).map(|pair| (pair[0], pair[1])).collect();
        pairs.sort_unstable();
        pairs
    };
    let (left, right) = (pairs(left), pairs(right));
    let total = left.len() + right.len();
    if total == 0 {
        return 0.0;
    }
    let (mut at, mut common) = (0, 0_usize);
    for pair in &left {
        while at < right.len() && right[at] < *pair {
            at += 1;
        }
        if right.get(at) == Some(pair) {
            common += 1;
            at += 1;
        }
    }
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    2.0 * number(common) / number(total)
}

/// Returns the lines of the older text if all changes are before or after the range: most commits change
/// another part of a file, and a comparison takes longer.
fn outside_of_changes(new: &[&[u8]], range: &Range<usize>, old: &[&[u8]]) -> Option<Range<usize>> {
    let equal = |(left, right): &(&&[u8], &&[u8])| left == right;
    let before = new.iter().zip(old).take_while(equal).count();
    if range.end <= before {
        return Some(range.clone());
    }
    let after = new.iter().rev().zip(old.iter().rev()).take_while(equal).count();
    let first = new.len() - after;
    if first <= range.start && range.end <= new.len() {
        return Some(range.start + old.len() - new.len()..range.end + old.len() - new.len());
    }
    None
}

/// Returns true if two texts differ only in whitespace, line breaks and commas before a closing bracket.
fn is_reformatted(newer: &[&[u8]], older: &[&[u8]]) -> bool {
    let squeezed = |lines: &[&[u8]]| {
        let mut squeezed: Vec<u8> = Vec::new();
        for byte in lines.iter().flat_map(|line| line.iter()) {
            if byte.is_ascii_whitespace() {
                continue;
            }
            if matches!(byte, b')' | b']' | b'}') && squeezed.last() == Some(&b',') {
                squeezed.pop();
            }
            squeezed.push(*byte);
        }
        squeezed
    };
    squeezed(newer) == squeezed(older)
}

fn trimmed_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect()
}

#[cfg(test)]
mod tests;
