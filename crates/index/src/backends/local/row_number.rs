//! The number of a row inside a reader: its segment in the upper half, its row there in the lower.

/// Returns the number of a row of a segment.
pub(super) fn row_number(segment: usize, row: u32) -> u64 {
    (segment as u64) << 32 | u64::from(row)
}

/// Returns the segment and the row of a number.
pub(super) fn segment_and_row(number: u64) -> (usize, u32) {
    let row = u32::try_from(number & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (usize::try_from(number >> 32).unwrap_or(usize::MAX), row)
}
