//! Normalised discounted cumulative gain with gains of 0 and 1.

use std::collections::BTreeSet;

use crate::Judged;

/// Each rank at which a target is first covered gains `1 / log2(rank + 1)`, once, regardless of the
/// number of targets it covers; the sum is divided by that of a perfect order.
pub(super) fn value(judged: &Judged, cutoff: usize) -> f64 {
    let ranks: BTreeSet<usize> =
        judged.ranks.iter().flatten().filter(|rank| **rank <= cutoff).copied().collect();
    // An empty sum of floating-point numbers is -0.0.
    let gained = ranks.into_iter().map(discount).fold(0.0, |sum, gain| sum + gain);
    let ideal: f64 = (1..=judged.ranks.len().min(cutoff)).map(discount).sum();
    gained / ideal
}

fn discount(rank: usize) -> f64 {
    1.0 / (rank as f64 + 1.0).log2()
}
