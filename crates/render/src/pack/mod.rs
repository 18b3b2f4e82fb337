//! Answers for agents: few tokens, and every hit is shown or counted.
//!
//! An answer contains the best passages with their texts, the places of further ones (one line each),
//! every file that literally contains the words of the query, and a receipt line. An agent does not
//! have to search again for matches that the ranking missed: hits that are not shown are counted, and
//! the cursor continues the answer.
//!
//! The text contains no times: the same query on the same tree gives the same bytes.

mod cursor;
mod excerpt;
pub mod fence;
mod fill;
mod memory;
mod object;
mod size;
mod span;
mod tree;
mod verdict;

use std::fmt::Write as _;

use lore_console::{
    report::UsageError,
    text::{clean, cut},
};
use lore_engine::{Freshness, Holders, SearchRequest, SearchResponse};
use serde_json::Value;

pub use self::memory::Memory;
use self::verdict::{is_complete, verdict};
use self::{cursor::Cursor, fill::Wide, memory::Known, size::Size, tree::Listing};
use crate::{
    output::{ingested, notices},
    tokens::Tokenizer,
};

/// Default maximum number of tokens of an answer whose size does not depend on how sure it is.
pub const DEFAULT_BUDGET: usize = 2_000;

/// Highest allowed maximum number of tokens of an answer.
pub const MAX_TOKENS: usize = 8_000;

/// Number of ranked hits over all pages. It is constant, because the order of hits depends on it and a
/// cursor needs the same order again. The list of files covers matches beyond these hits.
const RANKED_HITS: usize = 100;

/// Maximum number of lines of the best passage in a long text, if the caller gives a budget.
const PASSAGE_LINES: usize = 12;

/// Number of lines of the best passage otherwise: those that decide whether it answers.
const DECIDING_LINES: usize = 5;

/// Maximum number of tokens of the list of files, beyond the size of an answer.
const LISTING_TOKENS: usize = 150;

/// Tokens of the notes for which the size of an answer has room. Further ones are beyond it, so that they
/// take no places of hits.
const NOTES_TOKENS: usize = 50;

/// Maximum number of columns of a note or reason.
const MAX_NOTE_WIDTH: usize = 300;

/// The options of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackRequest {
    /// Maximum number of tokens of the whole text; `None` for a size that depends on how sure the
    /// answer is, 450 tokens or less, and 500 on later pages.
    pub budget: Option<usize>,
    /// True to list every file that contains the words. A query of one name, or a pattern, lists them
    /// anyway.
    pub lists_files: bool,
    /// The tokenizer that counts them.
    pub tokenizer: Tokenizer,
    /// Maximum number of hits over all pages; `None` for all ranked hits.
    pub limit: Option<usize>,
    /// The cursor of the previous page.
    pub cursor: Option<String>,
    /// True to return the answer as an object as well.
    pub has_object: bool,
    /// Maximum number of tokens of an answer without a budget, which may be shorter; `None` for none. The
    /// smallest answer may have more.
    pub at_most: Option<usize>,
}

impl Default for PackRequest {
    fn default() -> PackRequest {
        PackRequest {
            budget: None,
            lists_files: false,
            tokenizer: Tokenizer::O200k,
            limit: None,
            cursor: None,
            has_object: false,
            at_most: None,
        }
    }
}

impl PackRequest {
    /// Configures a search request to return everything that the answer contains.
    pub fn apply_to(&self, request: &mut SearchRequest) {
        let cursor = self.cursor.as_deref().and_then(Cursor::parse);
        let first = cursor.map_or(0, |cursor| cursor.offset);
        // One more hit shows that another page follows.
        let shown = match self.budget {
            Some(budget) => Wide(budget).bodies() + Wide(budget).places(),
            None => Size::MAX_HITS[usize::from(first > 0)],
        };
        let last = first.saturating_add(shown + 1);
        request.limit = RANKED_HITS;
        request.extras.described = Some(last.min(RANKED_HITS));
        request.bodies = true;
        request.snippet_lines = if self.budget.is_some() { PASSAGE_LINES } else { DECIDING_LINES };
        let is_name = !request.query.trim().contains(char::is_whitespace);
        request.extras.holders = self.lists_files || is_name || request.pattern.is_some();
        request.extras.judge = true;
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownHit {
    /// Its position in the response, from 0.
    pub hit: usize,
    /// The shown part of the hit.
    pub how: ShownForm,
    /// Position in bytes in the text where the hit ends.
    pub end: usize,
    /// Numbers of the shown lines in the file, ascending. Empty for a place, and if the size of the
    /// answer was given.
    pub lines: Vec<u32>,
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
/// Returns an error if even the receipt does not fit into the budget of the caller.
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
    let size = request.budget.is_none().then(|| Size::of(response, hits.len(), first == 0));
    // An answer that shows the only definition, or all edges, needs no further files.
    let confidence = response.receipt.confidence.as_ref();
    let is_whole = confidence.is_some_and(|confidence| confidence.complete.is_some());
    let is_enough = size.is_some() && is_whole && !request.lists_files;
    let has_listing = first == 0 && !is_enough;
    let mut page = Page {
        response,
        request,
        size,
        budget: 0,
        hits,
        resumed,
        answer: memory.as_deref().map(Memory::next_answer),
        known: Vec::new(),
        pieces: Vec::new(),
        bodies: 0,
        listing: if has_listing { Listing::new(holders) } else { Listing::default() },
        detail: 0,
    };
    if let Some(size) = size {
        let listing = request.tokenizer.count(&page.listing.write(0));
        let notes = request.tokenizer.count(&page.notes()).saturating_sub(NOTES_TOKENS);
        let size = Size { budget: size.budget + notes, ..size };
        let budget = size.budget + listing.min(LISTING_TOKENS);
        page.budget = request.at_most.map_or(budget, |at_most| budget.min(at_most));
        page.fill_by_size(size, memory.as_deref());
    } else {
        page.budget = request.budget.unwrap_or(DEFAULT_BUDGET);
        page.fill(memory.as_deref());
    }
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
    let shown = shown.map(|(piece, end)| ShownHit {
        hit: piece.hit,
        how: piece.how,
        end,
        lines: piece.lines.clone(),
    });
    let shown: Vec<ShownHit> = shown.collect();
    let next_cursor = page.next_cursor(page.pieces.len());
    Ok(Pack { text, structured, next_cursor, shown })
}

/// The text of one hit.
struct Piece {
    hit: usize,
    how: ShownForm,
    text: String,
    /// Numbers of the shown lines, where they have some.
    lines: Vec<u32>,
}

impl Piece {
    /// The place of a hit.
    fn place(at: usize, hit: &lore_engine::Hit) -> Piece {
        Piece { hit: at, how: ShownForm::Place, text: span::place_line(hit), lines: Vec::new() }
    }
}

/// One page of an answer, which is reduced until it fits.
struct Page<'a> {
    response: &'a SearchResponse,
    request: &'a PackRequest,
    /// The size of the page; `None` if the caller gave a budget.
    size: Option<Size>,
    /// Maximum number of tokens of the whole text.
    budget: usize,
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
    /// Removes the last hit, or the text of the only one. Returns false if nothing can be removed.
    fn shrink(&mut self) -> bool {
        match &mut self.pieces[..] {
            [] => return false,
            [only] if only.how == ShownForm::Place => return false,
            [only] => {
                *only = Piece::place(only.hit, &self.hits[only.hit]);
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
        let budget = self.budget;
        UsageError::new(format!(
            "a budget of {budget} tokens is too small: the smallest answer has more"
        ))
        .hint(format!("raise the budget, for example `--budget {least}`"))
        .into()
    }

    /// Returns the text and the end of each hit in it. If the text does not fit, the list of files is
    /// summarised first, then the last hits are removed.
    fn fit(&mut self) -> anyhow::Result<(String, Vec<usize>)> {
        let (tokenizer, budget) = (self.request.tokenizer, self.budget);
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
                // The caller cannot raise a budget that it did not give.
                return if self.size.is_some() {
                    Ok(written)
                } else {
                    Err(self.too_small(&written.0))
                };
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
        let is_sized = self.size.is_some();
        let separator = if is_sized { "\n" } else { "\n\n" };
        if self.resumed.offset == 0 || !is_sized {
            let verdict = verdict(self.response).filter(|_| is_sized && !self.hits.is_empty());
            let is_complete = verdict.is_some() && is_complete(self.response);
            let notices = notices(self.response).into_iter().filter(|_| !is_complete);
            for notice in verdict.into_iter().chain(notices) {
                text.push_str(&notice);
                text.push_str(separator);
            }
        }
        for piece in &self.pieces[..self.bodies] {
            text.push_str(&piece.text);
            ends.push(text.len());
            if !is_sized {
                text.push('\n');
            }
        }
        if !is_sized && self.bodies > 0 && self.bodies < self.pieces.len() {
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
            if self.bodies < self.pieces.len() || (is_sized && !self.pieces.is_empty()) {
                text.push('\n');
            }
            text.push_str(&listing);
        }
        text.push_str(&self.notes());
        text.push_str(&self.receipt(self.next_cursor(self.pieces.len()).as_deref()));
        (text, ends)
    }

    /// The warnings, one a line.
    fn notes(&self) -> String {
        self.response.warnings.iter().fold(String::new(), |mut notes, warning| {
            let _ = writeln!(notes, "note: {}", cut_note(warning));
            notes
        })
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
            let nearest: Vec<String> =
                absence.nearest.iter().map(|name| crate::output::near(name)).collect();
            let _ = writeln!(text, "nearest: {}", nearest.join(", "));
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
            Freshness::Ingested(_) => ingested(receipt.fresh),
            Freshness::Partial(units) if receipt.scanned.is_none() => {
                format!("{units} changed files not searched yet")
            }
            Freshness::Partial(_) => "not complete".to_owned(),
            Freshness::Stale => "not all hits could be checked".to_owned(),
        });
        if let Some(scanned) = receipt.scanned {
            let listed = if scanned.listed_all { "" } else { " or more" };
            let read = match scanned.indexed {
                0 => "all by words only".to_owned(),
                indexed => format!("{indexed} of them indexed, the others by words only"),
            };
            parts.push(format!(
                "preliminary: {} of {}{listed} files, {read}",
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
