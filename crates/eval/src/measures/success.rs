//! Success: what other fields call hit rate, or recall where one right result is enough.

use crate::Judged;

/// 1 if a right result stands within the cutoff.
pub(super) fn value(judged: &Judged, cutoff: usize) -> f64 {
    f64::from(u8::from(judged.first().is_some_and(|rank| rank <= cutoff)))
}
