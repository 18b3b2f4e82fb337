//! Growth of costs with the size of a tree.

use lore_engine::Mode;

use super::measure::Measured;

/// Minimum number of chunks of a compared tree. In smaller trees, opening and starting dominate.
const MIN_CHUNKS: u64 = 10_000;

/// Growth of costs over the measured sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Growth {
    /// Chunks of the smallest and the largest compared tree.
    pub(crate) range: (u64, u64),
    /// Largest deviation of the indexing time per chunk from that of the smallest tree, as a share;
    /// above 0 if larger trees take longer.
    pub(crate) index: f64,
    /// Factor by which the median time of a lexical answer grows in a tree of a hundred times the
    /// size, from the smallest and the largest tree.
    pub(crate) lexical: f64,
}

/// Computes the growth; `None` with fewer than two sizes.
pub(crate) fn growth(sizes: &[Measured]) -> Option<Growth> {
    let enough = sizes.iter().filter(|size| size.wanted >= MIN_CHUNKS).count() >= 2;
    let mut compared: Vec<&Measured> =
        sizes.iter().filter(|size| !enough || size.wanted >= MIN_CHUNKS).collect();
    compared.sort_by_key(|size| size.chunks);
    let [first, .., last] = compared.as_slice() else { return None };
    let difference = |size: &&Measured| size.per_chunk() / first.per_chunk() - 1.0;
    let index = compared.iter().map(difference).max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let median = |size: &Measured| size.times(Mode::Lexical).map(|times| times.p50);
    let steps = (last.chunks as f64 / first.chunks.max(1) as f64).log(100.0);
    let lexical = (median(last)? / median(first)?.max(1e-6)).powf(1.0 / steps);
    Some(Growth { range: (first.chunks, last.chunks), index, lexical })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::measure::Times;

    fn size(chunks: u64, index_seconds: f64, p50: f64) -> Measured {
        Measured {
            wanted: chunks,
            chunks,
            files: 1,
            text_bytes: 1,
            index_bytes: 1,
            generate_seconds: 0.0,
            index_seconds,
            index_memory: None,
            search_memory: None,
            answers: vec![Times { mode: Mode::Lexical, answers: 1, p50, p99: p50 }],
        }
    }

    #[test]
    fn growth_is_reported_from_ten_thousand_chunks() {
        let sizes = [size(1_000, 9.0, 0.1), size(10_000, 10.0, 1.0), size(1_000_000, 900.0, 5.0)];
        let growth = growth(&sizes).expect("three sizes");
        assert_eq!(growth.range, (10_000, 1_000_000));
        assert!((growth.index + 0.1).abs() < 1e-9, "{growth:?}");
        assert!((growth.lexical - 5.0).abs() < 1e-9, "{growth:?}");
    }

    #[test]
    fn a_factor_of_ten_counts_as_half_of_the_way() {
        let sizes = [size(10_000, 10.0, 1.0), size(100_000, 120.0, 2.0)];
        let growth = growth(&sizes).expect("two sizes");
        assert!((growth.index - 0.2).abs() < 1e-9, "{growth:?}");
        assert!((growth.lexical - 4.0).abs() < 1e-9, "{growth:?}");
    }

    #[test]
    fn one_size_grows_nowhere() {
        assert_eq!(growth(&[size(10_000, 1.0, 1.0)]), None);
        assert_eq!(growth(&[]), None);
    }
}
