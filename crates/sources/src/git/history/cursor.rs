//! State of the git source between two scans, as text.

use std::fmt::Write as _;

use gix::ObjectId;

/// Version of the text. Cursors of other versions are not continued.
const VERSION: &str = "3";

/// State at the end of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Cursor {
    /// Fingerprint of the inputs other than the commits: see `History::scope`.
    pub(super) scope: u64,
    /// Number of commits in the index.
    pub(super) commits: u64,
    /// Number of commits that are not read yet, counted up to `MAX_COUNTED_COMMITS`.
    pub(super) older: u64,
    /// Number of `pending` commits that are missing from the repository.
    pub(super) missing: u64,
    /// Objects that the references pointed at, sorted.
    pub(super) tips: Vec<ObjectId>,
    /// Commits to continue from: not read, while all that lead to them from the tips are. Sorted.
    pub(super) pending: Vec<ObjectId>,
}

impl Cursor {
    /// Returns `None` if the text is not that of a cursor of this version.
    pub(super) fn parse(text: &str) -> Option<Cursor> {
        let mut parts = text.split(';');
        let mut words = parts.next()?.split(' ');
        if words.next()? != VERSION {
            return None;
        }
        let scope = u64::from_str_radix(words.next()?, 16).ok()?;
        let mut number = || words.next()?.parse().ok();
        let (commits, older, missing) = (number()?, number()?, number()?);
        let mut ids = || -> Option<Vec<ObjectId>> {
            let ids = parts.next()?.split_terminator(' ');
            ids.map(|id| ObjectId::from_hex(id.as_bytes()).ok()).collect()
        };
        let (tips, pending) = (ids()?, ids()?);
        parts.next().is_none().then_some(Cursor { scope, commits, older, missing, tips, pending })
    }

    pub(super) fn to_text(&self) -> String {
        let Cursor { scope, commits, older, missing, .. } = self;
        let mut text = format!("{VERSION} {scope:x} {commits} {older} {missing}");
        for ids in [&self.tips, &self.pending] {
            text.push(';');
            for id in ids {
                write!(text, "{id} ").expect("writing to a string does not fail");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_round_trip_as_text() {
        let id = |digit: &str| ObjectId::from_hex(digit.repeat(40).as_bytes()).unwrap();
        let full = Cursor {
            scope: 77,
            commits: 9,
            older: 3,
            missing: 1,
            tips: vec![id("1"), id("a")],
            pending: vec![id("b")],
        };
        for cursor in [Cursor::default(), full.clone()] {
            assert_eq!(Cursor::parse(&cursor.to_text()), Some(cursor));
        }
        let text = full.to_text();
        let of_old = text.replacen('3', "2", 1);
        let cut = text.rsplit_once(';').unwrap().0;
        let torn = &text[..text.len() - 2];
        for text in ["", "3", "3 1 1 1", "3 x 1 1 1;;", "3 1 1 1 1;;;", &of_old, cut, torn] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
