//! The published rule of points.

/// The text contains the query literally.
pub(super) const PHRASE: f64 = 50.0;

/// The title contains the query or all of its words; once more for a heading.
pub(super) const TITLE: f64 = 30.0;

/// For each query word in the best window, if it contains at least two.
pub(super) const NEAR_WORD: f64 = 10.0;

/// Words of a window.
pub(super) const WINDOW: usize = 5;

/// A completed ticket.
pub(super) const COMPLETED: f64 = 10.0;

/// Points for a change today; five less for every day since.
const RECENT: f64 = 30.0;
const RECENT_A_DAY: f64 = 5.0;

const SECONDS_A_DAY: i64 = 86_400;

/// Points for the age of a document.
pub(super) fn recency(updated: Option<i64>, now: i64) -> f64 {
    updated.map_or(0.0, |updated| {
        let days = now.saturating_sub(updated).max(0) / SECONDS_A_DAY;
        (RECENT - RECENT_A_DAY * days as f64).max(0.0)
    })
}

/// Maximum number of query words in one window of a text, and the offset of the first of them.
/// `words` are the words of the text in order: a bit set of the query words that each matches, and
/// its offset.
pub(super) fn best_window(words: &[(u64, usize)]) -> (u32, usize) {
    let mut best = (0, 0);
    for (start, (first, offset)) in words.iter().enumerate().filter(|(_, (bits, _))| *bits != 0) {
        let window = &words[start..words.len().min(start + WINDOW)];
        let count = window.iter().fold(*first, |all, (bits, _)| all | bits).count_ones();
        if best.0 < count {
            best = (count, *offset);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fade_by_the_day() {
        let day = |days: i64| recency(Some(1_000_000_000 - days * SECONDS_A_DAY), 1_000_000_000);
        let expected = [30.0, 25.0, 20.0, 15.0, 10.0, 5.0, 0.0, 0.0];
        for (days, expected) in (0..).zip(expected) {
            assert!((day(days) - expected).abs() < 1e-9, "{days}");
        }
        assert!((day(-3) - 30.0).abs() < 1e-9, "a date to come is today");
        assert!(recency(None, 1_000_000_000).abs() < 1e-9);
    }

    #[test]
    fn a_window_is_five_words() {
        assert_eq!(best_window(&[(1, 0), (0, 2), (0, 4), (0, 6), (2, 8)]), (2, 0));
        assert_eq!(best_window(&[(1, 0), (0, 2), (0, 4), (0, 6), (0, 8), (2, 10)]), (1, 0));
        assert_eq!(best_window(&[(0, 0), (1, 3), (1, 5), (4, 7)]), (2, 3), "each word once");
        assert_eq!(best_window(&[]), (0, 0));
    }
}
