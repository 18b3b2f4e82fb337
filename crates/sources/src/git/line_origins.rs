//! The commit that last changed each line of a file.

use std::{
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use gix::ObjectId;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::{
    line_history::{Blobs, Versions},
    repository::RepositoryFolder,
};

/// Maximum time for one comparison; after it, the rest counts as replaced.
const MAX_DIFF_TIME: Duration = Duration::from_millis(200);

/// The origin of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineOrigin {
    /// The commit with this index changed it last.
    Commit(usize),
    /// It is not committed.
    Uncommitted,
    /// Its commit is not among those that were compared.
    Unknown,
}

/// Lines: index in the current text, and in another version.
type Lines = Vec<(usize, usize)>;

/// Lines that have no commit yet, in the version that was read last on their way into the past.
struct Group {
    version: Rc<[u8]>,
    lines: Lines,
}

/// Finds the commit that last changed each line of a file.
///
/// `head` is the hash of the commit whose tree the file belongs to. `commits` are hashes of commits that change
/// the file and lead to it, newest first. `content` is the current content as it is stored, `None` for that of
/// `head`. Compares versions until every line has its commit, until the commits end or until `deadline`. A merge
/// counts only for lines that no parent has. Lines that were renamed with their file belong to the commit that
/// renamed it.
pub fn line_origins(
    root: &Path,
    head: &str,
    commits: &[String],
    path: &str,
    content: Option<&[u8]>,
    deadline: Instant,
) -> Vec<LineOrigin> {
    let Ok(folder) = RepositoryFolder::find(root) else { return uncommitted(content) };
    let path = format!("{}{path}", folder.prefix);
    let mut blobs = Blobs::default();
    let head = ObjectId::from_hex(head.as_bytes()).ok();
    let Some(committed) = head.and_then(|head| blobs.read(&folder, head, &path)) else {
        return uncommitted(content);
    };
    let content = content.unwrap_or(&committed);
    let mut found = uncommitted(Some(content));
    let all: Lines = (0..found.len()).map(|line| (line, line)).collect();
    let (lines, _) = carry(content, &committed, &all);
    for (line, _) in &lines {
        found[*line] = LineOrigin::Unknown;
    }
    let mut groups = vec![Group { version: Rc::clone(&committed), lines }];
    for (commit, hash) in commits.iter().enumerate() {
        if groups.is_empty() || deadline <= Instant::now() {
            break;
        }
        let Some(Versions { after, parents }) = Versions::of(&folder, &mut blobs, hash, &path)
        else {
            continue;
        };
        let mut older: Vec<Group> = Vec::new();
        for group in &mut groups {
            let (mut left, others) = carry(&group.version, &after, &group.lines);
            // Lines that the commit does not have are of another branch.
            group.lines = others;
            for parent in parents.iter().flatten() {
                let (same, changed) = carry(&after, parent, &left);
                left = changed;
                add(&mut older, parent, same);
            }
            for (line, _) in left {
                found[line] = LineOrigin::Commit(commit);
            }
        }
        for Group { version, lines } in older {
            add(&mut groups, &version, lines);
        }
        groups.retain(|group| !group.lines.is_empty());
    }
    found
}

/// The lines of a file without a commit.
fn uncommitted(content: Option<&[u8]>) -> Vec<LineOrigin> {
    let count =
        content.filter(|content| !content.is_empty()).map_or(0, |content| split(content).len());
    vec![LineOrigin::Uncommitted; count]
}

/// Adds lines to the group of a version.
fn add(groups: &mut Vec<Group>, version: &Rc<[u8]>, lines: Lines) {
    if lines.is_empty() {
        return;
    }
    match groups.iter_mut().find(|group| group.version == *version) {
        Some(group) => {
            group.lines.extend(lines);
            group.lines.sort_unstable();
        }
        None => groups.push(Group { version: Rc::clone(version), lines }),
    }
}

/// Splits lines of a version into those that an older version has, with their index there, and the others.
fn carry(newer: &[u8], older: &[u8], lines: &[(usize, usize)]) -> (Lines, Lines) {
    if newer == older {
        return (lines.to_vec(), Vec::new());
    }
    let (old, new) = (split(older), split(newer));
    let deadline = Some(Instant::now() + MAX_DIFF_TIME);
    let operations = capture_diff_slices_deadline(Algorithm::Histogram, &old, &new, deadline);
    let mut same = operations.iter().filter(|operation| matches!(operation, DiffOp::Equal { .. }));
    let mut part = same.next();
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    for &(line, at) in lines {
        while part.is_some_and(|part| part.new_range().end <= at) {
            part = same.next();
        }
        match part.map(|part| (part.new_range(), part.old_range())) {
            Some((new, old)) if new.contains(&at) => kept.push((line, old.start + at - new.start)),
            _ => changed.push((line, at)),
        }
    }
    (kept, changed)
}

/// The lines of a text, without line ends.
fn split(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::carry;

    #[test]
    fn lines_are_followed_to_the_older_version() {
        let (older, newer) = (b"a\nb\nc\nd\n", b"a\nx\nb\nd\n");
        let all = [(10, 0), (11, 1), (12, 2), (13, 3)];
        let (kept, changed) = carry(newer, older, &all);
        assert_eq!(kept, [(10, 0), (12, 1), (13, 3)]);
        assert_eq!(changed, [(11, 1)]);
    }
}
