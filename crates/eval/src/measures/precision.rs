//! Precision.

use crate::Judged;

/// Share of the first results that are right. A short answer is judged by the whole cutoff, since
/// empty ranks are useless; without a cutoff, by its own length.
pub(super) fn value(judged: &Judged, cutoff: usize) -> f64 {
    let places = if cutoff == usize::MAX { judged.right.len() } else { cutoff };
    let right = judged.right.iter().take(cutoff).filter(|right| **right).count();
    right as f64 / places.max(1) as f64
}
