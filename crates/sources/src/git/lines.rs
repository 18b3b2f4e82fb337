//! Which commits put a line where it is: the contents of a file before and after.

use std::path::Path;

use gix::{ObjectId, bstr::ByteSlice};

use super::repository::RepositoryFolder;

/// Largest content that is looked into, in bytes: what is larger is data.
const MOST_OF_A_FILE: usize = 1 << 20;

/// Which of some lines each commit put into a file, as positions in `lines`: after it, the file holds
/// the line more often than before. Lines are compared without the blanks around them; a blank line
/// is put nowhere. A commit that cannot be read put nothing; merges put what they changed against
/// their first parent.
pub fn lines_added(
    root: &Path,
    commits: &[String],
    path: &str,
    lines: &[String],
) -> Vec<Vec<usize>> {
    let nothing = vec![Vec::new(); commits.len()];
    let Ok(place) = RepositoryFolder::find(root) else { return nothing };
    let path = format!("{}{path}", place.prefix);
    let put = |commit: &String| {
        let id = ObjectId::from_hex(commit.as_bytes()).ok()?;
        let found = place.repository.find_commit(id).ok()?;
        let parent = found.parent_ids().next().map(gix::Id::detach);
        let after = content(&place, id, &path)?;
        let before = parent.and_then(|parent| content(&place, parent, &path)).unwrap_or_default();
        let is_put = |line: &String| {
            let line = line.trim();
            !line.is_empty() && count(&after, line) > count(&before, line)
        };
        Some((0..lines.len()).filter(|at| is_put(&lines[*at])).collect())
    };
    commits.iter().map(|commit| put(commit).unwrap_or_default()).collect()
}

/// How often a text holds a line.
fn count(text: &[u8], line: &str) -> usize {
    text.lines().filter(|one| one.trim() == line.as_bytes()).count()
}

/// What a file holds after a commit; `None` where it is not there.
fn content(place: &RepositoryFolder, commit: ObjectId, path: &str) -> Option<Vec<u8>> {
    let tree = place.repository.find_commit(commit).ok()?.tree().ok()?;
    let entry = tree.lookup_entry_by_path(path).ok()??;
    let header = place.repository.find_header(entry.object_id()).ok()?;
    if header.size() > MOST_OF_A_FILE as u64 {
        return None;
    }
    Some(entry.object().ok()?.detach().data)
}
