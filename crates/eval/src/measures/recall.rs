//! Recall.

use crate::Judged;

/// Share of the targets that are covered within the cutoff.
pub(super) fn value(judged: &Judged, cutoff: usize) -> f64 {
    let found = judged.ranks.iter().flatten().filter(|rank| **rank <= cutoff).count();
    found as f64 / judged.ranks.len() as f64
}
