//! Tidal windows: when a deep vessel can cross the bar.

/// A time with enough water, in minutes since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TidalWindow {
    pub opens: i64,
    pub closes: i64,
    /// Deepest draught that passes, in centimetres.
    pub draught: u32,
}

impl TidalWindow {
    /// Whether a vessel of this draught can pass at this minute.
    pub fn admits(&self, draught: u32, minute: i64) -> bool {
        draught <= self.draught && self.opens <= minute && minute < self.closes
    }
}

/// Merges windows that touch, keeping the shallower limit. Forecasts arrive in overlapping pieces.
pub fn merge_windows(mut windows: Vec<TidalWindow>) -> Vec<TidalWindow> {
    windows.sort_by_key(|window| window.opens);
    let mut merged: Vec<TidalWindow> = Vec::new();
    for window in windows {
        match merged.last_mut() {
            Some(last) if window.opens <= last.closes => {
                last.closes = last.closes.max(window.closes);
                last.draught = last.draught.min(window.draught);
            }
            _ => merged.push(window),
        }
    }
    merged
}
