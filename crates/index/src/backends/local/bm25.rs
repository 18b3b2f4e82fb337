//! BM25 of one group of forms in one field, by Robertson and Zaragoza ("The Probabilistic Relevance
//! Framework: BM25 and Beyond", 2009), with the idf that is never negative.

use lore_schema::{Field, Level};
use tantivy::fieldnorm::FieldNormReader;

use super::state::Totals;

/// Saturation of the term frequency; lower values saturate earlier.
const K1: f32 = 1.2;
/// Strength of the length normalisation, 0.0 to 1.0.
const B: f32 = 0.75;

/// The parts of the score that are the same for all rows.
#[derive(Debug)]
pub(super) struct Bm25 {
    /// Inverse document frequency of the group, at least 0.0.
    pub(super) idf: f32,
    /// Length normalisation by the byte that encodes the length.
    norms: [f32; 256],
}

impl Bm25 {
    /// Returns the scorer of a group that occurs in `frequency` rows.
    pub(super) fn new(totals: &Totals, field: Field, frequency: u64) -> Bm25 {
        let rows = match field.level() {
            Level::Chunk => totals.chunks,
            Level::Document => totals.documents,
        };
        let average = single(totals.tokens[field.index()] as f64 / rows as f64);
        let (rows, frequency) = (rows as f64, frequency as f64);
        let idf = single((1.0 + (rows - frequency + 0.5) / (frequency + 0.5)).ln());
        let norms = std::array::from_fn(|id| {
            let length = FieldNormReader::id_to_fieldnorm(u8::try_from(id).unwrap_or(u8::MAX));
            K1 * (1.0 - B + B * length as f32 / average)
        });
        Bm25 { idf, norms }
    }

    /// Score of a row with this term frequency, in a field whose length this byte encodes.
    pub(super) fn score(&self, frequency: f32, length: u8) -> f32 {
        self.idf * frequency * (K1 + 1.0) / (frequency + self.norms[usize::from(length)])
    }
}

/// Rounds to single precision. Counts are exact in double precision; scores need not be.
#[expect(clippy::cast_possible_truncation, reason = "rounding is intended")]
fn single(value: f64) -> f32 {
    value as f32
}
