//! The answer as a JSON object, for programs and for clients that pass it to their model instead of
//! the text.

use serde_json::Value;

use super::{Page, cut_note, verdict::verdict};
use crate::{
    output::notices,
    wire::agent::{SearchAnswer, SearchAnswerAbsence, SearchAnswerHit, SearchAnswerScan},
};

/// The part of the answer that an object contains.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Number of hits.
    pieces: usize,
    /// The step of [`super::Listing::write`].
    detail: usize,
    /// True if the only hit is reduced to its place.
    is_place: bool,
    /// True if the list of files is omitted.
    is_bare: bool,
}

impl Page<'_> {
    /// Returns as much of the answer as fits into the budget (hits with their texts, then places, then
    /// the files), and the number of hits with their texts.
    ///
    /// Keys and escapes take additional tokens, so the object may end earlier than the text. Its cursor
    /// continues at its own end.
    ///
    /// # Errors
    /// Returns an error if not even one hit fits.
    pub(super) fn object(&self) -> anyhow::Result<(Value, usize)> {
        let steps = self.listing.steps();
        let mut part = Part {
            pieces: self.pieces.len(),
            detail: self.detail,
            is_place: false,
            is_bare: false,
        };
        loop {
            let value = serde_json::to_value(self.object_of(part))?;
            let written = value.to_string();
            if self.request.tokenizer.count_within(&written, self.object_budget()).is_some() {
                let texts = if part.is_place { 0 } else { self.bodies.min(part.pieces) };
                return Ok((value, texts));
            }
            // Texts are more useful than places, and places more useful than file names.
            if part.detail < steps {
                part.detail += 1;
            } else if part.pieces > 1 {
                part.pieces -= 1;
            } else if part.pieces == 1 && self.bodies > 0 && !part.is_place {
                part.is_place = true;
            } else if !part.is_bare {
                part.is_bare = true;
            } else if self.size.is_some() {
                // The caller cannot raise a budget that it did not give.
                return Ok((value, 0));
            } else {
                return Err(self.too_small(&written));
            }
        }
    }

    /// Maximum number of tokens of the object. Keys and escapes take about as much as the texts of a
    /// small answer.
    fn object_budget(&self) -> usize {
        self.request.budget.unwrap_or(self.budget * 2)
    }

    fn object_of(&self, part: Part) -> SearchAnswer<'_> {
        let receipt = &self.response.receipt;
        let pieces = &self.pieces[..part.pieces];
        let texts = if part.is_place { 0 } else { self.bodies.min(pieces.len()) };
        let (texts, places) = pieces.split_at(texts);
        let hits = texts.iter().enumerate().map(|(index, piece)| {
            let hit = &self.hits[piece.hit];
            SearchAnswerHit {
                rank: piece.hit + 1,
                id: &hit.id,
                path: hit.path.as_deref(),
                start_line: hit.start_line,
                end_line: hit.end_line,
                origin: hit.origin.as_str(),
                shown: piece.how.as_str(),
                answer: self.known.get(index).and_then(|known| known.given),
                text: &piece.text,
            }
        });
        let further = places.iter().map(|piece| piece.text.trim_end().to_owned());
        let files = if part.is_bare { String::new() } else { self.listing.write(part.detail) };
        let notes = |texts: &[String]| texts.iter().map(|text| cut_note(text)).collect::<Vec<_>>();
        let absence = self.response.absence.as_ref().filter(|_| self.hits.is_empty());
        SearchAnswer {
            verdict: self.size.and_then(|_| verdict(self.response)),
            hits: hits.collect(),
            further: further.collect(),
            files: files.trim_end().to_owned(),
            shown: pieces.len(),
            total: self.total(),
            next_cursor: self.next_cursor(pieces.len()),
            absence: absence.map(|absence| SearchAnswerAbsence {
                reasons: notes(&absence.reasons),
                nearest: &absence.nearest,
            }),
            root: receipt.root.display().to_string(),
            tree: receipt.tree.as_deref(),
            fresh: receipt.fresh.to_string(),
            scanned: receipt.scanned.map(|scanned| SearchAnswerScan {
                files: scanned.files,
                looked: scanned.looked,
                indexed: scanned.indexed,
                listed_all: scanned.listed_all,
            }),
            notes: {
                let mut above = notices(self.response);
                above.extend(notes(&self.response.warnings));
                above
            },
            others: Vec::new(),
        }
    }
}
