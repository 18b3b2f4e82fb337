//! Selects the hits of a page and how much of each is shown, by estimated sizes.

use super::{
    Page, Piece, ShownForm,
    excerpt::Excerpt,
    memory::{Known, Memory},
    size::Size,
    span::{self, Body},
};

/// Tokens of the budget per passage with its text.
const TOKENS_PER_BODY: usize = 400;

/// Maximum number of passages with their texts.
const MAX_BODIES: usize = 20;

/// Minimum and maximum number of tokens of one passage; between them, it is two fifths of the budget.
const BODY_TOKENS: [usize; 2] = [60, 800];

/// Tokens of the budget per further hit shown as a place.
const TOKENS_PER_PLACE: usize = 50;

/// Minimum and maximum number of further hits shown as places.
const PLACES: [usize; 2] = [8, 100];

/// Tokens reserved for the line above a text.
const HEADING_TOKENS: usize = 25;

/// Tokens reserved for the separators between the parts of an answer, and for the cursor.
const FRAME_TOKENS: usize = 40;

/// Tokens of the range of hits and the cursor in the receipt.
const CURSOR_TOKENS: usize = 25;

/// An answer of a given number of tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide(pub(super) usize);

impl Wide {
    /// Maximum number of passages with their texts.
    pub(super) fn bodies(self) -> usize {
        (self.0 / TOKENS_PER_BODY).clamp(1, MAX_BODIES)
    }

    /// Maximum number of tokens of one text.
    pub(super) fn body_tokens(self) -> usize {
        let [least, most] = BODY_TOKENS;
        (self.0 * 2 / 5).clamp(least, most)
    }

    /// Maximum number of further places.
    pub(super) fn places(self) -> usize {
        let [least, most] = PLACES;
        (self.0 / TOKENS_PER_PLACE).clamp(least, most)
    }
}

impl Page<'_> {
    /// Selects the hits and their texts by estimated sizes; [`Page::fit`] corrects the selection.
    pub(super) fn fill(&mut self, memory: Option<&Memory>) {
        let tokenizer = self.request.tokenizer;
        let first = self.resumed.offset;
        let listing = tokenizer.count(&self.listing.write(0));
        let frame = tokenizer.count(&self.receipt(None)) + FRAME_TOKENS;
        let wide = Wide(self.budget);
        let budget = self.budget.saturating_sub(frame);
        // The list of files gets up to a fifth of the budget, and what the hits do not use.
        let mut left = budget.saturating_sub(listing.min(budget / 5));
        let mut texts = left * 2 / 3;
        let mut at = first;
        let mut whole = 0;
        while at < self.hits.len() && whole < wide.bodies() {
            let hit = &self.hits[at];
            // The best text is cut until it fits. A very short part of another text is less useful
            // than its place.
            let wanted = wide.body_tokens();
            let most = wanted.min(texts.saturating_sub(HEADING_TOKENS) * 4 / 5);
            if at > first && most < wanted / 3 {
                break;
            }
            let body = Body::of(hit, most, tokenizer);
            let known = memory.map_or_else(Known::default, |memory| memory.known(hit, &body.text));
            let (how, text) = if let Some(answer) = known.given {
                (ShownForm::Reference, span::reference(hit, answer))
            } else {
                let how = if body.is_whole { ShownForm::Body } else { ShownForm::Passage };
                (how, span::with_body(hit, &body, known.changed))
            };
            let tokens = tokenizer.count(&text);
            if tokens > texts {
                break;
            }
            whole += usize::from(how != ShownForm::Reference);
            texts -= tokens;
            left = left.saturating_sub(tokens);
            self.pieces.push(Piece { hit: at, how, text, lines: Vec::new() });
            self.known.push(known);
            at += 1;
        }
        self.bodies = self.pieces.len();
        let places = wide.places();
        for (at, hit) in self.hits.iter().enumerate().skip(at).take(places) {
            let piece = Piece::place(at, hit);
            let tokens = tokenizer.count(&piece.text);
            if tokens > left {
                break;
            }
            left -= tokens;
            self.pieces.push(piece);
        }
        self.add_first_place();
    }

    /// Selects the hits and their lines for a size. [`Page::fit`] removes the last ones if they are
    /// too many.
    pub(super) fn fill_by_size(&mut self, size: Size, memory: Option<&Memory>) {
        let tokenizer = self.request.tokenizer;
        let first = self.resumed.offset;
        let listing = std::mem::take(&mut self.listing);
        let frame = tokenizer.count(&self.write().0) + CURSOR_TOKENS;
        self.listing = listing;
        let mut left = size.budget.saturating_sub(frame);
        for (at, hit) in self.hits.iter().enumerate().skip(first).take(size.hits) {
            let (piece, known) = if size.is_one_line() {
                let line = Excerpt::best_line(hit).and_then(|(number, _)| number);
                let text = span::with_best_line(hit);
                let lines = line.into_iter().collect();
                (Piece { hit: at, how: ShownForm::Place, text, lines }, None)
            } else {
                let size = if at == first { size.of_first() } else { size };
                let excerpt = Excerpt::of(hit, size, tokenizer);
                let known =
                    memory.map_or_else(Known::default, |memory| memory.known(hit, &excerpt.text));
                let given = known.given.filter(|_| !excerpt.text.is_empty());
                let piece = if let Some(answer) = given {
                    let text = span::reference(hit, answer);
                    Piece { hit: at, how: ShownForm::Reference, text, lines: Vec::new() }
                } else {
                    let text = span::with_excerpt(hit, &excerpt, known.changed);
                    Piece { hit: at, how: ShownForm::Passage, text, lines: excerpt.numbers }
                };
                (piece, Some(known))
            };
            let tokens = tokenizer.count(&piece.text);
            if tokens > left {
                break;
            }
            left -= tokens;
            self.pieces.push(piece);
            self.known.extend(known);
        }
        self.bodies = self.known.len();
        self.add_first_place();
    }

    /// Adds the place of the first hit if there is none: without any hit, the answer would have no
    /// cursor, and the other hits would be lost.
    fn add_first_place(&mut self) {
        let first = self.resumed.offset;
        if let Some(hit) = self.hits.get(first).filter(|_| self.pieces.is_empty()) {
            self.pieces.push(Piece::place(first, hit));
        }
    }
}
