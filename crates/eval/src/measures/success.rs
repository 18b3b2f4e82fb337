//! Success: also called hit rate, or recall if one right result is enough.

use crate::Judged;

/// 1 if a right result is within the cutoff, otherwise 0.
pub(super) fn value(judged: &Judged, cutoff: usize) -> f64 {
    f64::from(u8::from(judged.first().is_some_and(|rank| rank <= cutoff)))
}
