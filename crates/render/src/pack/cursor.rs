//! A place in the list of hits, bound to the question and to what stood before it.
//!
//! A cursor holds how many hits were shown, and a hash of the question and of those hits with their
//! texts. Where the same hits come first again, the next ones follow on them; where they do not, the
//! tree or the question is another one, and going on would skip what nobody has seen.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

use lore_engine::Hit;

/// Where an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    /// Hits that were shown.
    pub(super) offset: usize,
    state: u32,
}

impl Cursor {
    /// After so many hits.
    pub(super) fn at(offset: usize, query: &str, hits: &[Hit]) -> Cursor {
        let mut hasher = DefaultHasher::new();
        query.hash(&mut hasher);
        for hit in &hits[..offset.min(hits.len())] {
            (&hit.id, hit.start_line, hit.end_line).hash(&mut hasher);
            hit.body.as_ref().unwrap_or(&hit.snippet).text.hash(&mut hasher);
        }
        let hash = hasher.finish();
        // Folded, so that both halves count.
        let state = (hash ^ (hash >> 32)) & u64::from(u32::MAX);
        Cursor { offset, state: u32::try_from(state).unwrap_or(u32::MAX) }
    }

    /// Reads a cursor; `None` for a text that is none.
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

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Resumed {
    /// Hits before it.
    pub(super) offset: usize,
    /// Whether there was a cursor that belongs to something else.
    pub(super) is_foreign: bool,
}

/// Where to go on; at the first hit after a cursor that is not of this question and tree.
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
