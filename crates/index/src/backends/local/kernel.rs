//! Sums of products of rows with a query.

use super::quantise::row_bytes;

/// Computes the sum of products of each row with a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Runs everywhere.
    Portable,
}

impl Kernel {
    /// The fastest one that this processor runs.
    pub(super) fn detect() -> Kernel {
        Kernel::Portable
    }

    /// Writes the sum of each row, as many as `sums` has room for.
    pub(super) fn sums(self, rows: &[u8], query: &[i16], sums: &mut [i32]) {
        match self {
            Kernel::Portable => portable(rows, query, sums),
        }
    }
}

fn portable(rows: &[u8], query: &[i16], sums: &mut [i32]) {
    for (row, sum) in rows.chunks_exact(row_bytes(query.len())).zip(sums) {
        let products = row
            .iter()
            .zip(query)
            .map(|(byte, value)| i32::from(i8::from_le_bytes([*byte])) * i32::from(*value));
        *sum = products.sum();
    }
}
