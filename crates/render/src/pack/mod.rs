//! The answer that an agent is sent: few tokens, and nothing lost.
//!
//! First come the best passages with their texts, then the places of further ones, a line each, then
//! every file that holds the words of the question literally, and one line on how far all of it can
//! be trusted. Whoever gets it need not search again for what ranking may have missed: what is not
//! shown is counted, and the cursor goes on.
//!
//! The text says nothing of time: the same question to the same tree is answered with the same bytes.

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
use crate::tokens::Tokenizer;

/// Tokens of an answer, unless something else is asked for.
pub const DEFAULT_BUDGET: usize = 2_000;

/// Most tokens of an answer.
pub const MAX_TOKENS: usize = 8_000;

/// Tokens of the budget for which one passage is shown with its text.
const TOKENS_PER_BODY: usize = 400;

/// Most passages with their texts.
const MOST_BODIES: usize = 20;

/// Fewest and most tokens that the text of one passage may have; between them, two fifths of the budget.
const BODY_TOKENS: [usize; 2] = [60, 800];

/// Tokens of the budget for which the place of one further hit is named, and how many are named at
/// least and at most.
const TOKENS_PER_PLACE: usize = 50;
const PLACES: [usize; 2] = [8, 100];

/// Hits that are ranked, over all pages. Always as many: their order depends on how many are asked for,
/// and a cursor has to meet the same ones again. Of what holds the words beyond them, the list names
/// the files.
const RANKED: usize = 100;

/// Longest passage that is looked for inside of a long text, in lines.
const PASSAGE_LINES: usize = 12;

/// What is asked of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackRequest {
    /// Most tokens of the whole text.
    pub budget: usize,
    /// How they are counted.
    pub tokenizer: Tokenizer,
    /// Most hits over all pages; `None` for as many as are ranked.
    pub limit: Option<usize>,
    /// Where an earlier answer ended.
    pub cursor: Option<String>,
    /// Whether it is sent as an object, too.
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
    /// Asks the engine for everything that the answer is made of.
    pub fn apply_to(&self, request: &mut SearchRequest) {
        let first = self.cursor.as_deref().and_then(Cursor::parse).map_or(0, |one| one.offset);
        // One more tells whether anything follows.
        let last = first.saturating_add(self.bodies() + self.places() + 1);
        request.limit = RANKED;
        request.extras.described = Some(last.min(RANKED));
        request.bodies = true;
        request.snippet_lines = PASSAGE_LINES;
        request.extras.holders = true;
    }

    /// Most passages with their texts.
    fn bodies(&self) -> usize {
        (self.budget / TOKENS_PER_BODY).clamp(1, MOST_BODIES)
    }

    /// Most tokens of one text.
    fn body_tokens(&self) -> usize {
        let [least, most] = BODY_TOKENS;
        (self.budget * 2 / 5).clamp(least, most)
    }

    /// Most further places.
    fn places(&self) -> usize {
        let [least, most] = PLACES;
        (self.budget / TOKENS_PER_PLACE).clamp(least, most)
    }
}

/// An answer as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The whole text, at most as many tokens as were asked for.
    pub text: String,
    /// The same for programs, at most as many tokens as well: some clients give their model the object
    /// and not the text. `None` unless it was asked for.
    pub structured: Option<Value>,
    /// What goes on where this answer ends; `None` where nothing follows.
    pub next_cursor: Option<String>,
    /// The hits that are named, best first.
    pub shown: Vec<ShownHit>,
}

/// A hit that an answer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownHit {
    /// Its position in the response, from 0.
    pub hit: usize,
    /// How much of it is shown.
    pub how: ShownForm,
    /// Bytes of the text up to the end of what is shown of it.
    pub end: usize,
}

/// How much is shown of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownForm {
    /// All of its text.
    Body,
    /// The part of its text that answers best.
    Passage,
    /// Its place alone.
    Place,
    /// Its place, and which answer has its text.
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

/// Writes an answer. `holders` are the files that hold the words; what `memory` knows of is not sent
/// again.
///
/// # Errors
/// When not even the receipt fits.
pub fn pack(
    response: &SearchResponse,
    holders: &Holders,
    request: &PackRequest,
    memory: Option<&mut Memory>,
) -> anyhow::Result<Pack> {
    let asked = request.limit.unwrap_or(usize::MAX);
    let hits = &response.hits[..response.hits.len().min(asked)];
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
        // Who reads the object alone has no other texts than those.
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

/// What is written of one hit.
struct Piece {
    hit: usize,
    how: ShownForm,
    text: String,
}

/// An answer on its way to fit.
struct Page<'a> {
    response: &'a SearchResponse,
    request: &'a PackRequest,
    /// The hits that may be shown, those of earlier pages included.
    hits: &'a [lore_engine::Hit],
    resumed: cursor::Resumed,
    /// The number of this answer, in a session that remembers.
    answer: Option<u32>,
    /// What the memory is told of the hits with texts, in their order.
    known: Vec<Known>,
    /// The hits that are shown.
    pieces: Vec<Piece>,
    /// How many of them, from the first one, are shown with their texts.
    bodies: usize,
    /// The files with the words.
    listing: Listing,
    /// How far they are summed up, 0 for not at all.
    detail: usize,
}

impl Page<'_> {
    /// Chooses what is shown of each hit, roughly as much as fits.
    fn fill(&mut self, memory: Option<&Memory>) {
        let tokenizer = self.request.tokenizer;
        let first = self.resumed.offset;
        let listing = tokenizer.count(&self.listing.write(0));
        let frame = tokenizer.count(&self.receipt(None)) + FRAME;
        let budget = self.request.budget.saturating_sub(frame);
        // The files have a fifth for themselves, and what the hits leave.
        let mut left = budget.saturating_sub(listing.min(budget / 5));
        let mut texts = left * 2 / 3;
        let mut at = first;
        let mut whole = 0;
        while at < self.hits.len() && whole < self.request.bodies() {
            let hit = &self.hits[at];
            // The best text is cut until there is room for it; a stump of another one is worth less
            // than its place.
            let wanted = self.request.body_tokens();
            let most = wanted.min(texts.saturating_sub(HEADING) * 4 / 5);
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
        // An answer without any hit would have no cursor, and lose all of them.
        if let Some(hit) = self.hits.get(first).filter(|_| self.pieces.is_empty()) {
            self.pieces.push(Piece {
                hit: first,
                how: ShownForm::Place,
                text: span::place_line(hit),
            });
        }
    }

    /// Takes away the last hit, or of the only one its text; whether there was anything to take.
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

    /// That not even the smallest answer fits, which is this one.
    fn too_small(&self, smallest: &str) -> anyhow::Error {
        let least = self.request.tokenizer.count(smallest).next_multiple_of(50);
        let budget = self.request.budget;
        UsageError::new(format!(
            "a budget of {budget} tokens is too small: the smallest answer has more"
        ))
        .hint(format!("ask for more, for example `--budget {least}`"))
        .into()
    }

    /// The text, and where each hit ends in it. What was chosen too much is taken away: first the
    /// files are summed up, then the last hits go.
    fn fit(&mut self) -> anyhow::Result<(String, Vec<usize>)> {
        let (tokenizer, budget) = (self.request.tokenizer, self.request.budget);
        let fits = |text: &str| tokenizer.count_within(text, budget).is_some();
        let written = self.write();
        if !fits(&written.0) {
            // Each step says less than the one before.
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

    /// All of the text, and where each hit ends in it.
    fn write(&self) -> (String, Vec<usize>) {
        let mut text = String::new();
        let mut ends = Vec::with_capacity(self.pieces.len());
        if self.resumed.is_foreign {
            text.push_str(
                "the cursor is of another question or another state of the tree: from the first hit\n\n",
            );
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
            let _ = writeln!(text, "note: {}", told(warning));
        }
        text.push_str(&self.receipt(self.next_cursor(self.pieces.len()).as_deref()));
        (text, ends)
    }

    /// Why there is nothing.
    fn absence(&self) -> String {
        let mut text = String::from("nothing found");
        let Some(absence) = &self.response.absence else { return text + "\n" };
        for reason in &absence.reasons {
            text.push_str(": ");
            text.push_str(&told(reason));
        }
        text.push('\n');
        if !absence.nearest.is_empty() {
            let _ = writeln!(text, "nearest: {}", clean(&absence.nearest.join(", ")));
        }
        for sighting in absence.elsewhere.iter().flat_map(|one| &one.matches) {
            let (word, path) = (clean(&sighting.word), clean(&sighting.path));
            let _ = writeln!(text, "not searched, and holds `{word}`: {path}");
        }
        text
    }

    /// The line on how far the answer can be trusted.
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
                "no index yet: {} of {}{listed} files looked at, words alone",
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
                parts.push(format!("{} more hold a word, not ranked", total - last as u64));
            }
            None => {}
        }
        format!("[{}]\n", parts.join("; "))
    }

    /// Everything that qualifies.
    fn total(&self) -> u64 {
        self.response.receipt.total.max(self.response.hits.len() as u64)
    }

    /// What goes on after so many hits of this page.
    fn next_cursor(&self, shown: usize) -> Option<String> {
        let next = self.resumed.offset + shown;
        let is_more = next < self.hits.len() && 0 < shown;
        is_more.then(|| Cursor::at(next, &self.response.query, self.hits).to_string())
    }
}

/// What is told of the answer, in no more columns than are read: it may name what was asked.
fn told(text: &str) -> String {
    cut(&clean(text), LONGEST_TOLD)
}

/// Longest sentence that is told of an answer, in columns.
const LONGEST_TOLD: usize = 300;

/// Tokens of the line above a text.
const HEADING: usize = 25;

/// Tokens of what stands between the parts of an answer, and of the cursor.
const FRAME: usize = 40;

#[cfg(test)]
mod tests;
