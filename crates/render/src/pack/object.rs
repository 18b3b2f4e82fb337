//! The answer as an object, for programs and for clients that give it to their model in place of the
//! text.

use lore_engine::Freshness;
use serde_json::{Value, json};

use super::{Page, span, told};

/// How much of the answer an object holds.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Hits, from the first one.
    pieces: usize,
    /// How far the files are summed up.
    detail: usize,
    /// Of the only hit no more than its place.
    is_place: bool,
    /// No word of the files.
    is_bare: bool,
}

impl Page<'_> {
    /// As much of the answer as the budget holds: hits with their texts, then places, then the files.
    /// Keys and escapes take more tokens than the text does, so that it may end earlier; its cursor
    /// goes on where it ends. With it comes how many hits it has with their texts.
    ///
    /// # Errors
    /// When not even one hit fits.
    pub(super) fn object(&self) -> anyhow::Result<(Value, usize)> {
        let steps = self.listing.steps();
        let mut part = Part {
            pieces: self.pieces.len(),
            detail: self.detail,
            is_place: false,
            is_bare: false,
        };
        loop {
            let value = self.object_of(part);
            let written = value.to_string();
            if self.request.tokenizer.count_within(&written, self.request.budget).is_some() {
                let texts = if part.is_place { 0 } else { self.bodies.min(part.pieces) };
                return Ok((value, texts));
            }
            // Places are worth more than the names of the files, texts more than both.
            if part.detail < steps {
                part.detail += 1;
            } else if part.pieces > 1 {
                part.pieces -= 1;
            } else if part.pieces == 1 && self.bodies > 0 && !part.is_place {
                part.is_place = true;
            } else if !part.is_bare {
                part.is_bare = true;
            } else {
                return Err(self.too_small(&written));
            }
        }
    }

    fn object_of(&self, part: Part) -> Value {
        let receipt = &self.response.receipt;
        let pieces = &self.pieces[..part.pieces];
        let texts = if part.is_place { 0 } else { self.bodies.min(pieces.len()) };
        let (texts, places) = pieces.split_at(texts);
        let hits = texts.iter().enumerate().map(|(index, piece)| {
            let hit = &self.hits[piece.hit];
            json!({
                "rank": piece.hit + 1,
                "id": hit.id,
                "path": hit.path,
                "startLine": hit.start_line,
                "endLine": hit.end_line,
                "origin": hit.origin.as_str(),
                "shown": piece.how.as_str(),
                "answer": self.known.get(index).and_then(|known| known.given),
                "text": piece.text,
            })
        });
        let further = places.iter().map(|piece| {
            let place = span::place_line(&self.hits[piece.hit]);
            place.trim_end().to_owned()
        });
        let files = if part.is_bare { String::new() } else { self.listing.write(part.detail) };
        let told = |texts: &[String]| texts.iter().map(|text| told(text)).collect::<Vec<_>>();
        let absence = self.response.absence.as_ref().filter(|_| self.hits.is_empty());
        json!({
            "hits": hits.collect::<Vec<_>>(),
            "further": further.collect::<Vec<_>>(),
            "files": files.trim_end(),
            "shown": pieces.len(),
            "total": self.total(),
            "nextCursor": self.next_cursor(pieces.len()),
            "absence": absence.map(|absence| json!({
                "reasons": told(&absence.reasons),
                "nearest": absence.nearest,
            })),
            "root": receipt.root.display().to_string(),
            "tree": receipt.tree,
            "fresh": match receipt.fresh {
                Freshness::Verified => "verified".to_owned(),
                Freshness::Partial(pending) => format!("partial({pending} pending)"),
                Freshness::Stale => "stale".to_owned(),
            },
            "scanned": receipt.scanned.map(|scanned| json!({
                "files": scanned.files,
                "looked": scanned.looked,
                "listedAll": scanned.listed_all,
            })),
            "notes": told(&self.response.warnings),
        })
    }
}
