//! A position in the list of hits, valid only for the same query and the same preceding hits.
//!
//! A cursor contains the number of shown hits and a hash of the query and of these hits with their
//! texts. If the hash differs, the tree or the query has changed, and continuing at the position would
//! skip hits that were never shown.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

use lore_engine::Hit;

/// The end of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    /// Number of hits shown so far.
    pub(super) offset: usize,
    state: u32,
}

impl Cursor {
    /// The cursor after `offset` hits.
    pub(super) fn at(offset: usize, query: &str, hits: &[Hit]) -> Cursor {
        let mut hasher = DefaultHasher::new();
        query.hash(&mut hasher);
        for hit in &hits[..offset.min(hits.len())] {
            (&hit.id, hit.start_line, hit.end_line).hash(&mut hasher);
            hit.body.as_ref().unwrap_or(&hit.snippet).text.hash(&mut hasher);
        }
        let hash = hasher.finish();
        // Both halves of the hash contribute.
        let state = (hash ^ (hash >> 32)) & u64::from(u32::MAX);
        Cursor { offset, state: u32::try_from(state).unwrap_or(u32::MAX) }
    }

    /// Parses a cursor; `None` if the text is not one.
    pub(super) fn parse(text: &str) -> Option<Cursor> {
        let (offset, state) = text.trim().split_once('-')?;
        if state.len() != 8 {
            return None;
        }
        Some(Cursor { offset: offset.parse().ok()?, state: u32::from_str_radix(state, 16).ok()? })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{:08x}", self.offset, self.state)
    }
}

/// The start of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Resumed {
    /// Number of hits before the page.
    pub(super) offset: usize,
    /// True if a cursor was given that belongs to another query or state of the tree.
    pub(super) is_foreign: bool,
}

/// Returns the start of the page after `cursor`; the first hit if the cursor is foreign.
pub(super) fn resume(cursor: Option<&str>, query: &str, hits: &[Hit]) -> Resumed {
    let Some(text) = cursor else { return Resumed::default() };
    match Cursor::parse(text) {
        Some(cursor)
            if cursor.offset <= hits.len() && cursor == Cursor::at(cursor.offset, query, hits) =>
        {
            Resumed { offset: cursor.offset, is_foreign: false }
        }
        _ => Resumed { offset: 0, is_foreign: true },
    }
}
