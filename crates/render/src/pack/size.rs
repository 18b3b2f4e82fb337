//! The size of a page: how many hits it shows and how much of each, by how sure the answer is.
//!
//! An agent pays for every token of an answer and reads on only where the answer is not sure of itself.
//! So an answer that is probably right is its few lines, and one that is not is a list of places.

use lore_engine::{Confidence, SearchResponse, Sureness};

/// Maximum content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Tokens of the whole text.
    pub(super) budget: usize,
    /// Number of hits.
    pub(super) hits: usize,
    /// Lines of one hit.
    pub(super) lines: usize,
    /// Tokens of these lines.
    pub(super) tokens: usize,
    /// True if the first line of a text, which names it, precedes the lines that decide.
    pub(super) has_head: bool,
}

/// Tokens of an answer that was found.
const FOUND: usize = 250;

/// Tokens of the first line, the receipt and one place of such an answer.
const FOUND_FRAME: usize = 70;

/// A complete list: callers with the lines that call.
const LIST: Size = Size { budget: 450, hits: 12, lines: 2, tokens: 45, has_head: false };

/// A page of places that probably contain the answer.
const LIKELY: Size = Size { budget: 450, hits: 8, lines: 4, tokens: 60, has_head: false };

/// A page of places that may contain the answer.
const UNSURE: Size = Size { budget: 350, hits: 10, lines: 1, tokens: 30, has_head: false };

/// A page after the first.
const NEXT: Size = Size { budget: 500, hits: 12, lines: 4, tokens: 60, has_head: false };

impl Size {
    /// The size of the first page of an answer with this many hits, or of a later one.
    pub(super) fn of(response: &SearchResponse, hits: usize, is_first: bool) -> Size {
        if !is_first {
            return NEXT;
        }
        match &response.receipt.confidence {
            Some(Confidence {
                sureness: Sureness::Found, hits: sure, complete: Some(_), ..
            }) if *sure > MAX_FOUND => Size { hits: LIST.hits.min(*sure), ..LIST },
            Some(
                Confidence { sureness: Sureness::Found, hits: sure, .. }
                | Confidence { sureness: Sureness::Likely, hits: sure, complete: Some(_), .. },
            ) => {
                let hits = hits.min(*sure).clamp(1, MAX_FOUND);
                let tokens = (FOUND - FOUND_FRAME) / hits;
                Size { budget: FOUND, hits, lines: MAX_FOUND_LINES / hits, tokens, has_head: true }
            }
            Some(Confidence { sureness: Sureness::Unsure, .. }) => UNSURE,
            _ => LIKELY,
        }
    }

    /// Number of hits that a first page may show, whatever its size, and of a later one.
    pub(super) const MAX_HITS: [usize; 2] = [LIST.hits, NEXT.hits];

    /// The size of the first hit of a page: of an answer that was found, it is the likeliest one.
    pub(super) fn of_first(self) -> Size {
        if self.has_head && self.hits > 1 {
            Size { lines: self.lines * 3 / 2, tokens: self.tokens * 3 / 2, ..self }
        } else {
            self
        }
    }

    /// True if each hit is one line with its best line behind the place.
    pub(super) fn is_one_line(&self) -> bool {
        self.lines == 1
    }
}

/// Maximum number of hits of an answer that was found.
const MAX_FOUND: usize = 3;

/// Maximum number of lines of such an answer.
const MAX_FOUND_LINES: usize = 24;
