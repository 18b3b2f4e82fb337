//! Reciprocal rank.

use crate::Judged;

/// One divided by the rank of the first right result, 0 if there is none within the cutoff.
pub(super) fn value(judged: &Judged, cutoff: usize) -> f64 {
    judged.first().filter(|rank| *rank <= cutoff).map_or(0.0, |rank| 1.0 / rank as f64)
}
