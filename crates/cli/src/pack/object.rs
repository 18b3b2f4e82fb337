//! The answer as an object, for programs and for clients that give it to their model in place of the
//! text.

use lore_engine::Freshness;
use serde_json::{Value, json};

use super::{Page, Piece};

impl Page<'_> {
    /// As much of the answer as the budget holds: hits with their texts, then places, then the files.
    /// Keys and escapes take more tokens than the text does, so that it may end earlier; its cursor
    /// goes on where it ends.
    pub(super) fn object(&self) -> Value {
        let fits = |value: &Value| {
            let written = value.to_string();
            self.request.tokenizer.count_within(&written, self.request.budget).is_some()
        };
        let mut pieces = self.pieces.len();
        let mut detail = self.detail;
        loop {
            let value = self.object_of(&self.pieces[..pieces], detail);
            if fits(&value) || pieces == 0 && self.listing.steps() <= detail {
                return value;
            }
            // Places are worth more than the names of the files, texts more than both.
            if detail < self.listing.steps() {
                detail += 1;
            } else {
                pieces -= 1;
            }
        }
    }

    fn object_of(&self, pieces: &[Piece], detail: usize) -> Value {
        let receipt = &self.response.receipt;
        let (texts, places) = pieces.split_at(self.bodies.min(pieces.len()));
        let hits = texts.iter().enumerate().map(|(index, piece)| {
            let hit = &self.hits[piece.hit];
            json!({
                "rank": piece.hit + 1,
                "id": hit.id,
                "path": hit.path,
                "startLine": hit.start_line,
                "endLine": hit.end_line,
                "shown": piece.how.as_str(),
                "answer": self.known.get(index).and_then(|known| known.given),
                "text": piece.text,
            })
        });
        let absence = self.response.absence.as_ref().filter(|_| self.hits.is_empty());
        json!({
            "hits": hits.collect::<Vec<_>>(),
            "further": places.iter().map(|piece| piece.text.trim_end()).collect::<Vec<_>>(),
            "files": self.listing.write(detail).trim_end(),
            "shown": pieces.len(),
            "total": self.total(),
            "nextCursor": self.next_cursor(pieces.len()),
            "absence": absence.map(|absence| json!({
                "reasons": absence.reasons,
                "nearest": absence.nearest,
            })),
            "root": receipt.root.display().to_string(),
            "tree": receipt.tree,
            "fresh": match receipt.fresh {
                Freshness::Verified => "verified".to_owned(),
                Freshness::Partial(pending) => format!("partial({pending} pending)"),
            },
            "scanned": receipt.scanned.map(|scanned| json!({
                "files": scanned.files,
                "looked": scanned.looked,
                "listedAll": scanned.listed_all,
            })),
            "notes": self.response.warnings,
        })
    }
}
