//! Bounds of the rounding error.

use proptest::prelude::*;

use super::{Probe, Rows, row_parts, vector};

/// The cosine without any rounding.
fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let product = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    product(left, right) / (product(left, left) * product(right, right)).sqrt()
}

fn similarity(row: &[u8], query: &[f32]) -> f32 {
    let probe = Probe::new(query).expect("a direction");
    let (components, scale) = row_parts(row).expect("a row");
    let sum = components
        .iter()
        .zip(&probe.components)
        .map(|(byte, value)| i32::from(i8::from_le_bytes([*byte])) * i32::from(*value))
        .sum();
    probe.similarity(sum, scale)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// A component of a row is off by at most 1/254 of the largest one. The angle is off by at most
    /// the length of all these errors together, doubled because the length changes as well.
    #[test]
    fn rounding_stays_within_its_bounds(
        (query, chunk) in (1_usize..300).prop_flat_map(|dimension| {
            let vector = || prop::collection::vec(-1.0_f32..1.0, dimension);
            (vector(), vector())
        }),
        stretch in prop::sample::select(&[1e-30_f32, 0.01, 1.0, 1e30][..]),
    ) {
        let chunk: Vec<f32> = chunk.iter().map(|value| value * stretch).collect();
        let rows = Rows::new(std::slice::from_ref(&chunk)).expect("one dimension");
        let (Some(_), 1) = (Probe::new(&query), rows.vectors) else { return Ok(()) };
        let largest = chunk.iter().fold(0.0_f64, |max, value| max.max(f64::from(value.abs())));
        let length = chunk.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        let bound = 2.0 * (chunk.len() as f64).sqrt() * largest / 254.0 / length + 1e-3;
        let found = f64::from(similarity(&rows.bytes, &query));
        prop_assert!((found - cosine(&query, &chunk)).abs() <= bound, "{found} within {bound}");
        // The decoded vector has length 1 and is most similar to its own row.
        let back = vector(&rows.bytes).expect("a vector");
        let length: f32 = back.iter().map(|value| value * value).sum();
        prop_assert!((length - 1.0).abs() < 1e-5);
        prop_assert!(similarity(&rows.bytes, &back) > 0.9999);
    }
}

#[test]
fn vectors_without_direction_are_dropped() {
    for chunk in [vec![0.0; 3], vec![f32::NAN, 1.0, 1.0], vec![f32::INFINITY, 0.0, 0.0]] {
        assert_eq!(Rows::new(std::slice::from_ref(&chunk)), Some(Rows::default()));
        assert_eq!(Probe::new(&chunk), None);
    }
    let rows = Rows::new(&[vec![1.0, 0.0], vec![], vec![0.0, 0.0]]).expect("one dimension");
    assert_eq!((rows.vectors, rows.bytes.len()), (1, 3 * 6));
    assert_eq!(vector(&rows.bytes[..6]), Some(vec![1.0, 0.0]));
    assert_eq!(vector(&rows.bytes[6..12]), None);
    assert_eq!(Rows::new(&[vec![1.0], vec![1.0, 0.0]]), None);
    assert_eq!(Rows::new(&[]), Some(Rows::default()));
}
