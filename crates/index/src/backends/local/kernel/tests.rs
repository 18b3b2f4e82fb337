//! Comparison of every kernel of this processor with 64-bit sums.

use proptest::prelude::*;

use super::{Kernel, Kind};
use crate::backends::local::quantise::{Probe, Rows, row_bytes};

fn exact(rows: &[u8], query: &[i16]) -> Vec<i64> {
    let row = |row: &[u8]| {
        let products = row.iter().zip(query);
        products
            .map(|(byte, value)| i64::from(i8::from_le_bytes([*byte])) * i64::from(*value))
            .sum()
    };
    rows.chunks_exact(row_bytes(query.len())).map(row).collect()
}

fn check(chunks: &[Vec<f32>], query: &[f32]) {
    let rows = Rows::new(chunks).expect("one dimension");
    let Some(probe) = Probe::new(query) else { return };
    let expected = exact(&rows.bytes, &probe.components);
    for kernel in [Kernel(Kind::Portable), Kernel::detect()] {
        let mut sums = vec![0; expected.len()];
        kernel.sums(&rows.bytes, &probe.components, &mut sums);
        let sums: Vec<i64> = sums.into_iter().map(i64::from).collect();
        assert_eq!(sums, expected, "{kernel:?} of {} components", query.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn sums_are_exact(
        (query, chunks) in (1_usize..300).prop_flat_map(|dimension| {
            let vector = || prop::collection::vec(-1.0_f32..1.0, dimension);
            (vector(), prop::collection::vec(vector(), 1..5))
        }),
    ) {
        check(&chunks, &query);
    }
}

/// The largest possible sums: all components at their limit, with one sign.
#[test]
fn sums_of_extremes_do_not_overflow() {
    for dimension in [1, 2, 15, 16, 17, 31, 33, 255, 256, 511, 1024, 4095, 4096, 70_000] {
        let level = vec![1.0_f32; dimension];
        let mut peak = vec![0.0_f32; dimension];
        peak[dimension - 1] = 1.0;
        let alternating: Vec<f32> =
            (0..dimension).map(|at| if at % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let negative = vec![-1.0_f32; dimension];
        let chunks = [level.clone(), negative, peak.clone(), alternating.clone()];
        for query in [level, peak, alternating] {
            check(&chunks, &query);
        }
    }
}
