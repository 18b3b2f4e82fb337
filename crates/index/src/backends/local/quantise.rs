//! Quantisation: vectors as small integers.
//!
//! A row has one byte per component, scaled so that the largest is 127. The scale follows as a
//! number of single precision: 1 over the length of the rounded row, or 0 if there is no vector. A
//! query is rounded to two bytes per component. Compared are the directions of the rounded vectors,
//! whose cosine is exact except for one rounding at the end.

/// Maximum component of a row.
const MAX_COMPONENT: f32 = 127.0;

/// Bytes of the scale after the components of a row.
pub(super) const SCALE_BYTES: usize = 4;

/// Returns the bytes of a row of a dimension.
pub(in crate::backends) fn row_bytes(dimension: usize) -> usize {
    dimension + SCALE_BYTES
}

/// The rounded vectors of one document.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::backends) struct Rows {
    /// Number of components per row; 0 if no chunk has a vector.
    pub(in crate::backends) dimension: usize,
    /// One row per chunk, one after the other.
    pub(in crate::backends) bytes: Vec<u8>,
    /// Number of chunks that have a vector.
    pub(in crate::backends) vectors: u32,
}

impl Rows {
    /// Rounds the vectors of the chunks; `None` if their dimensions differ. A vector without a
    /// direction counts as none.
    pub(in crate::backends) fn new(chunks: &[Vec<f32>]) -> Option<Rows> {
        let dimension = chunks.iter().map(Vec::len).find(|length| *length > 0).unwrap_or(0);
        if dimension == 0 {
            return Some(Rows::default());
        }
        let bytes = Vec::with_capacity(chunks.len() * row_bytes(dimension));
        let mut rows = Rows { dimension, bytes, vectors: 0 };
        for chunk in chunks {
            if chunk.len() == rows.dimension {
                rows.vectors += u32::from(push_row(chunk, &mut rows.bytes));
            } else if chunk.is_empty() {
                push_none(rows.dimension, &mut rows.bytes);
            } else {
                return None;
            }
        }
        if rows.vectors == 0 {
            return Some(Rows::default());
        }
        Some(rows)
    }
}

fn push_none(dimension: usize, rows: &mut Vec<u8>) {
    rows.resize(rows.len() + row_bytes(dimension), 0);
}

/// Appends a row. Returns true if it has a direction.
fn push_row(vector: &[f32], rows: &mut Vec<u8>) -> bool {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    // The fold ignores NaN, so that every component is checked.
    if !(largest > 0.0 && vector.iter().all(|value| value.is_finite())) {
        push_none(vector.len(), rows);
        return false;
    }
    let mut squares = 0.0_f64;
    for value in vector {
        // Dividing first: multiplying by the inverse may overflow.
        let rounded = (value / largest * MAX_COMPONENT).round();
        squares += f64::from(rounded) * f64::from(rounded);
        #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
        let component = rounded as i8;
        rows.extend_from_slice(&component.to_le_bytes());
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounding is intended")]
    let scale = squares.sqrt().recip() as f32;
    rows.extend_from_slice(&scale.to_le_bytes());
    true
}

/// Splits a row into its components and its scale.
pub(in crate::backends) fn row_parts(row: &[u8]) -> Option<(&[u8], f32)> {
    let (components, scale) = row.split_last_chunk()?;
    Some((components, f32::from_le_bytes(*scale)))
}

/// Decodes a row to a vector of length 1; `None` if the row has no vector.
pub(in crate::backends) fn vector(row: &[u8]) -> Option<Vec<f32>> {
    let (components, scale) = row_parts(row)?;
    let value = |byte: &u8| f32::from(i8::from_le_bytes([*byte])) * scale;
    (scale > 0.0).then(|| components.iter().map(value).collect())
}

/// A rounded query, for comparison with rows.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::backends) struct Probe {
    /// The rounded components. The dot product with any row fits into 32 bits.
    pub(in crate::backends) components: Vec<i16>,
    /// 1 over the length of the rounded vector.
    scale: f64,
}

impl Probe {
    /// Rounds a query vector; `None` if it has no direction.
    pub(in crate::backends) fn new(vector: &[f32]) -> Option<Probe> {
        let values = || vector.iter().map(|value| f64::from(value.abs()));
        let (largest, sum) = (values().fold(0.0, f64::max), values().sum::<f64>());
        if !(largest > 0.0 && sum.is_finite()) {
            return None;
        }
        // Rounding adds at most 0.5 to each component.
        let room = f64::from(i32::MAX) / f64::from(MAX_COMPONENT) - vector.len() as f64 / 2.0;
        let stretch = (f64::from(i16::MAX) / largest).min(room / sum);
        #[expect(clippy::cast_possible_truncation, reason = "at most i16::MAX")]
        let components: Vec<i16> =
            vector.iter().map(|value| (f64::from(*value) * stretch).round() as i16).collect();
        let squares: f64 = components.iter().map(|value| f64::from(*value).powi(2)).sum();
        (squares > 0.0).then(|| Probe { components, scale: squares.sqrt().recip() })
    }

    /// Converts a dot product with a row to the cosine.
    pub(in crate::backends) fn similarity(&self, sum: i32, row_scale: f32) -> f32 {
        let cosine = f64::from(sum) * f64::from(row_scale) * self.scale;
        #[expect(clippy::cast_possible_truncation, reason = "rounding is intended")]
        let cosine = cosine as f32;
        cosine.clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests;
