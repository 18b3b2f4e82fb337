//! Answers for agents: few tokens, and every hit is shown or counted.
//!
//! An answer contains the best passages with their texts, the places of further ones (one line each),
//! every file that literally contains the words of the query, and a receipt line. An agent does not
//! have to search again for matches that the ranking missed: hits that are not shown are counted, and
//! the cursor continues the answer.
//!
//! The text contains no times: the same query on the same tree gives the same bytes.

mod cursor;
pub mod fence;
mod memory;
mod object;
mod span;
mod tree;

use std::fmt::Write as _;

use lore_console::{
    report::UsageError,
    text::{clean, cut},
};
use lore_engine::{Freshness, Holders, SearchRequest, SearchResponse};
use serde_json::Value;

pub use self::memory::Memory;
use self::{cursor::Cursor, memory::Known, span::Body, tree::Listing};
use crate::{output::notices, tokens::Tokenizer};

/// Default maximum number of tokens of an answer.
pub const DEFAULT_BUDGET: usize = 2_000;

/// Highest allowed maximum number of tokens of an answer.
pub const MAX_TOKENS: usize = 8_000;

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

/// Number of ranked hits over all pages. It is constant, because the order of hits depends on it and a
/// cursor needs the same order again. The list of files covers matches beyond these hits.
const RANKED_HITS: usize = 100;

/// Maximum number of lines of the best passage in a long text.
const PASSAGE_LINES: usize = 12;

/// Tokens reserved for the line above a text.
const HEADING_TOKENS: usize = 25;

/// Tokens reserved for the separators between the parts of an answer, and for the cursor.
const FRAME_TOKENS: usize = 40;

/// Maximum number of columns of a note or reason.
const MAX_NOTE_WIDTH: usize = 300;

/// The options of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackRequest {
    /// Maximum number of tokens of the whole text.
    pub budget: usize,
    /// The tokenizer that counts them.
    pub tokenizer: Tokenizer,
    /// Maximum number of hits over all pages; `None` for all ranked hits.
    pub limit: Option<usize>,
    /// The cursor of the previous page.
    pub cursor: Option<String>,
    /// True to return the answer as an object as well.
    pub has_object: bool,
}

impl Default for PackRequest {
    fn default() -> PackRequest {
        PackRequest {
            budget: DEFAULT_BUDGET,
            tokenizer: Tokenizer::O200k,
            limit: None,
            cursor: None,
            has_object: false,
        }
    }
}

impl PackRequest {
    /// Configures a search request to return everything that the answer contains.
    pub fn apply_to(&self, request: &mut SearchRequest) {
        let cursor = self.cursor.as_deref().and_then(Cursor::parse);
        let first = cursor.map_or(0, |cursor| cursor.offset);
        // One more hit shows that another page follows.
        let last = first.saturating_add(self.bodies() + self.places() + 1);
        request.limit = RANKED_HITS;
        request.extras.described = Some(last.min(RANKED_HITS));
        request.bodies = true;
        request.snippet_lines = PASSAGE_LINES;
        request.extras.holders = true;
    }

    /// Maximum number of passages with their texts.
    fn bodies(&self) -> usize {
        (self.budget / TOKENS_PER_BODY).clamp(1, MAX_BODIES)
    }

    /// Maximum number of tokens of one text.
    fn body_tokens(&self) -> usize {
        let [least, most] = BODY_TOKENS;
        (self.budget * 2 / 5).clamp(least, most)
    }

    /// Maximum number of further places.
    fn places(&self) -> usize {
        let [least, most] = PLACES;
        (self.budget / TOKENS_PER_PLACE).clamp(least, most)
    }
}

/// An answer for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The whole text, within the budget.
    pub text: String,
    /// The answer as an object, also within the budget: some clients give their model the object
    /// instead of the text. `None` unless requested.
    pub structured: Option<Value>,
    /// The cursor of the next page; `None` on the last page.
    pub next_cursor: Option<String>,
    /// The shown hits, best first.
    pub shown: Vec<ShownHit>,
}

/// A hit that an answer shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownHit {
    /// Its position in the response, from 0.
    pub hit: usize,
    /// The shown part of the hit.
    pub how: ShownForm,
    /// Position in bytes in the text where the hit ends.
    pub end: usize,
}

/// The part of a hit that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownForm {
    /// The whole text.
    Body,
    /// A part of the text with the best passage.
    Passage,
    /// The place only.
    Place,
    /// The place and the earlier answer that contains the text.
    Reference,
}

impl ShownForm {
    /// The name in the structured answer.
    fn as_str(self) -> &'static str {
        match self {
            ShownForm::Body => "body",
            ShownForm::Passage => "passage",
            ShownForm::Place => "place",
            ShownForm::Reference => "reference",
        }
    }
}

/// Writes an answer. `holders` are the files that contain the words; texts in `memory` are not sent
/// again.
///
/// # Errors
/// Returns an error if even the receipt does not fit.
pub fn pack(
    response: &SearchResponse,
    holders: &Holders,
    request: &PackRequest,
    memory: Option<&mut Memory>,
) -> anyhow::Result<Pack> {
    let limit = request.limit.unwrap_or(usize::MAX);
    let hits = &response.hits[..response.hits.len().min(limit)];
    let resumed = cursor::resume(request.cursor.as_deref(), &response.query, hits);
    let first = resumed.offset;
    let mut page = Page {
        response,
        request,
        hits,
        resumed,
        answer: memory.as_deref().map(Memory::next_answer),
        known: Vec::new(),
        pieces: Vec::new(),
        bodies: 0,
        listing: if first == 0 { Listing::new(holders) } else { Listing::default() },
        detail: 0,
    };
    page.fill(memory.as_deref());
    let (text, ends) = page.fit()?;
    let (structured, in_both) = if request.has_object {
        let (object, texts) = page.object()?;
        (Some(object), texts)
    } else {
        (None, page.bodies)
    };
    if let Some(memory) = memory {
        // A client may read only the object, so texts that it lacks do not count as sent.
        let sent = page.pieces[..in_both].iter().zip(&page.known);
        let sent: Vec<_> = sent.map(|(piece, known)| (&hits[piece.hit], known)).collect();
        memory.note(&sent);
    }
    let shown = page.pieces.iter().zip(ends);
    let shown: Vec<ShownHit> =
        shown.map(|(piece, end)| ShownHit { hit: piece.hit, how: piece.how, end }).collect();
    let next_cursor = page.next_cursor(page.pieces.len());
    Ok(Pack { text, structured, next_cursor, shown })
}

/// The text of one hit.
struct Piece {
    hit: usize,
    how: ShownForm,
    text: String,
}

/// One page of an answer, which is reduced until it fits.
struct Page<'a> {
    response: &'a SearchResponse,
    request: &'a PackRequest,
    /// The hits that may be shown, including those of earlier pages.
    hits: &'a [lore_engine::Hit],
    resumed: cursor::Resumed,
    /// The number of this answer, in a session with a memory.
    answer: Option<u32>,
    /// The memory's entries for the hits with texts, in their order.
    known: Vec<Known>,
    /// The shown hits.
    pieces: Vec<Piece>,
    /// Number of hits shown with their texts; they are the first ones.
    bodies: usize,
    /// The files that contain the words.
    listing: Listing,
    /// The step of [`Listing::write`].
    detail: usize,
}

impl Page<'_> {
    /// Selects the hits and their texts by estimated sizes; [`Page::fit`] corrects the selection.
    fn fill(&mut self, memory: Option<&Memory>) {
        let tokenizer = self.request.tokenizer;
        let first = self.resumed.offset;
        let listing = tokenizer.count(&self.listing.write(0));
        let frame = tokenizer.count(&self.receipt(None)) + FRAME_TOKENS;
        let budget = self.request.budget.saturating_sub(frame);
        // The list of files gets up to a fifth of the budget, and what the hits do not use.
        let mut left = budget.saturating_sub(listing.min(budget / 5));
        let mut texts = left * 2 / 3;
        let mut at = first;
        let mut whole = 0;
        while at < self.hits.len() && whole < self.request.bodies() {
            let hit = &self.hits[at];
            // The best text is cut until it fits. A very short part of another text is less useful
            // than its place.
            let wanted = self.request.body_tokens();
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
            self.pieces.push(Piece { hit: at, how, text });
            self.known.push(known);
            at += 1;
        }
        self.bodies = self.pieces.len();
        let places = self.request.places();
        for (at, hit) in self.hits.iter().enumerate().skip(at).take(places) {
            let text = span::place_line(hit);
            let tokens = tokenizer.count(&text);
            if tokens > left {
                break;
            }
            left -= tokens;
            self.pieces.push(Piece { hit: at, how: ShownForm::Place, text });
        }
        // Without any hit, the answer would have no cursor, and the other hits would be lost.
        if let Some(hit) = self.hits.get(first).filter(|_| self.pieces.is_empty()) {
            self.pieces.push(Piece {
                hit: first,
                how: ShownForm::Place,
                text: span::place_line(hit),
            });
        }
    }

    /// Removes the last hit, or the text of the only one. Returns false if nothing can be removed.
    fn shrink(&mut self) -> bool {
        match &mut self.pieces[..] {
            [] => return false,
            [only] if only.how == ShownForm::Place => return false,
            [only] => {
                only.how = ShownForm::Place;
                only.text = span::place_line(&self.hits[only.hit]);
                self.bodies = 0;
            }
            _ => {
                self.pieces.pop();
                self.bodies = self.bodies.min(self.pieces.len());
            }
        }
        self.known.truncate(self.bodies);
        true
    }

    /// The error for a budget into which not even `smallest` fits.
    fn too_small(&self, smallest: &str) -> anyhow::Error {
        let least = self.request.tokenizer.count(smallest).next_multiple_of(50);
        let budget = self.request.budget;
        UsageError::new(format!(
            "a budget of {budget} tokens is too small: the smallest answer has more"
        ))
        .hint(format!("raise the budget, for example `--budget {least}`"))
        .into()
    }

    /// Returns the text and the end of each hit in it. If the text does not fit, the list of files is
    /// summarised first, then the last hits are removed.
    fn fit(&mut self) -> anyhow::Result<(String, Vec<usize>)> {
        let (tokenizer, budget) = (self.request.tokenizer, self.request.budget);
        let fits = |text: &str| tokenizer.count_within(text, budget).is_some();
        let written = self.write();
        if !fits(&written.0) {
            // Each step is shorter than the previous one.
            let (mut low, mut high) = (1, self.listing.steps());
            while low < high {
                self.detail = usize::midpoint(low, high);
                if fits(&self.write().0) {
                    high = self.detail;
                } else {
                    low = self.detail + 1;
                }
            }
            self.detail = low.min(self.listing.steps());
        }
        loop {
            let written = self.write();
            if fits(&written.0) {
                return Ok(written);
            }
            if self.detail < self.listing.steps() {
                self.detail += 1;
                continue;
            }
            if !self.shrink() {
                return Err(self.too_small(&written.0));
            }
        }
    }

    /// The whole text, and the end of each hit in it.
    fn write(&self) -> (String, Vec<usize>) {
        let mut text = String::new();
        let mut ends = Vec::with_capacity(self.pieces.len());
        if self.resumed.is_foreign {
            text.push_str(
                "the cursor is of another query or another state of the tree: starting at the first hit\n\n",
            );
        }
        for notice in notices(self.response) {
            text.push_str(&notice);
            text.push_str("\n\n");
        }
        for piece in &self.pieces[..self.bodies] {
            text.push_str(&piece.text);
            ends.push(text.len());
            text.push('\n');
        }
        if self.bodies > 0 && self.bodies < self.pieces.len() {
            text.push_str("further, best first:\n");
        }
        for piece in &self.pieces[self.bodies..] {
            text.push_str(&piece.text);
            ends.push(text.len());
        }
        if self.hits.is_empty() {
            text.push_str(&self.absence());
        }
        let listing = self.listing.write(self.detail);
        if !listing.is_empty() {
            if self.bodies < self.pieces.len() {
                text.push('\n');
            }
            text.push_str(&listing);
        }
        for warning in &self.response.warnings {
            let _ = writeln!(text, "note: {}", cut_note(warning));
        }
        text.push_str(&self.receipt(self.next_cursor(self.pieces.len()).as_deref()));
        (text, ends)
    }

    /// The reasons why nothing was found.
    fn absence(&self) -> String {
        let mut text = String::from("nothing found");
        let Some(absence) = &self.response.absence else { return text + "\n" };
        for reason in &absence.reasons {
            text.push_str(": ");
            text.push_str(&cut_note(reason));
        }
        text.push('\n');
        if !absence.nearest.is_empty() {
            let _ = writeln!(text, "nearest: {}", clean(&absence.nearest.join(", ")));
        }
        for found in absence.elsewhere.iter().flat_map(|elsewhere| &elsewhere.matches) {
            let (word, path) = (clean(&found.word), clean(&found.path));
            let _ = writeln!(text, "not searched, but contains `{word}`: {path}");
        }
        text
    }

    /// The last line: freshness, the number of hits and the cursor.
    fn receipt(&self, next: Option<&str>) -> String {
        let receipt = &self.response.receipt;
        let mut parts = Vec::new();
        let tree = receipt.tree.as_ref().map(|tree| format!(" {tree}")).unwrap_or_default();
        parts.push(match receipt.fresh {
            Freshness::Verified => format!("fresh{tree}"),
            Freshness::Partial(units) if receipt.scanned.is_none() => {
                format!("{units} changed files not searched yet")
            }
            Freshness::Partial(_) => "not complete".to_owned(),
            Freshness::Stale => "not all hits could be checked".to_owned(),
        });
        if let Some(scanned) = receipt.scanned {
            let listed = if scanned.listed_all { "" } else { " or more" };
            parts.push(format!(
                "no index yet: {} of {}{listed} files searched, by words only",
                scanned.looked, scanned.files
            ));
        }
        if let Some(answer) = self.answer {
            parts.push(format!("answer {answer}"));
        }
        let first = self.resumed.offset;
        let total = self.total();
        let last = first + self.pieces.len();
        if last > 0 {
            parts.push(format!("hits {}-{last} of {total}", first + 1));
        }
        match next {
            Some(next) => parts.push(format!("next: cursor {next}")),
            None if (last as u64) < total && self.request.limit.is_none() => {
                parts.push(format!("{} more contain a word, not ranked", total - last as u64));
            }
            None => {}
        }
        format!("[{}]\n", parts.join("; "))
    }

    /// Number of all matching hits.
    fn total(&self) -> u64 {
        self.response.receipt.total.max(self.response.hits.len() as u64)
    }

    /// The cursor after `shown` hits of this page; `None` if no hit follows.
    fn next_cursor(&self, shown: usize) -> Option<String> {
        let next = self.resumed.offset + shown;
        let has_next = next < self.hits.len() && 0 < shown;
        has_next.then(|| Cursor::at(next, &self.response.query, self.hits).to_string())
    }
}

/// A note or reason, cut to [`MAX_NOTE_WIDTH`]: it may contain a long query.
fn cut_note(text: &str) -> String {
    cut(&clean(text), MAX_NOTE_WIDTH)
}

#[cfg(test)]
mod tests;
