//! Finds the commits that added lines to a file, by comparing its content before and after each.

use std::path::Path;

use gix::{ObjectId, bstr::ByteSlice};

use super::repository::{RepositoryFolder, read_blob};

/// Maximum file size in bytes: larger files are data.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Returns the lines that each commit added to a file, as indexes into `lines`: after the commit,
/// the file contains the line more often than before. Lines are compared without surrounding
/// whitespace; empty lines are never added. An unreadable commit adds nothing; a merge adds what it
/// changed relative to its first parent.
pub fn lines_added(
    root: &Path,
    commits: &[String],
    path: &str,
    lines: &[String],
) -> Vec<Vec<usize>> {
    let nothing = vec![Vec::new(); commits.len()];
    let Ok(folder) = RepositoryFolder::find(root) else { return nothing };
    let path = format!("{}{path}", folder.prefix);
    let added_by = |commit: &String| {
        let id = ObjectId::from_hex(commit.as_bytes()).ok()?;
        let found = folder.repository.find_commit(id).ok()?;
        let parent = found.parent_ids().next().map(gix::Id::detach);
        let after = content(&folder, id, &path)?;
        let before = parent.and_then(|parent| content(&folder, parent, &path)).unwrap_or_default();
        let is_added = |line: &String| {
            let line = line.trim();
            !line.is_empty() && count(&after, line) > count(&before, line)
        };
        Some((0..lines.len()).filter(|at| is_added(&lines[*at])).collect())
    };
    commits.iter().map(|commit| added_by(commit).unwrap_or_default()).collect()
}

/// Counts the occurrences of a line in a text.
fn count(text: &[u8], line: &str) -> usize {
    text.lines().filter(|other| other.trim() == line.as_bytes()).count()
}

/// Returns the content of a file after a commit; `None` if it does not exist there.
pub(super) fn content(folder: &RepositoryFolder, commit: ObjectId, path: &str) -> Option<Vec<u8>> {
    let tree = folder.repository.find_commit(commit).ok()?.tree().ok()?;
    let entry = tree.lookup_entry_by_path(path).ok()??;
    read_blob(&folder.repository, entry.object_id(), MAX_FILE_BYTES)
}
