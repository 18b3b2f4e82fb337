//! Selection of the best candidates of a stream, without keeping all of them.

/// A candidate with a score.
pub(super) trait Scored {
    /// Score; higher is better.
    fn score(&self) -> f32;
}

/// Minimum number of candidates that are kept before the best of them are selected. Small in debug
/// builds, so that tests with few documents cover the selection.
const MIN_ROOM: usize = if cfg!(debug_assertions) { 2 } else { 64 };

/// The best candidates so far, all that tie with the last of them, and some more.
#[derive(Debug)]
pub(super) struct TopK<T> {
    limit: usize,
    /// Candidates below this score are not among the best.
    threshold: f32,
    /// Number of kept candidates that triggers a selection.
    room: usize,
    kept: Vec<T>,
}

impl<T: Scored> TopK<T> {
    /// Returns an empty selection of `limit` candidates, plus ties.
    pub(super) fn new(limit: usize) -> TopK<T> {
        let room = limit.saturating_mul(2).max(MIN_ROOM);
        TopK { limit, threshold: f32::NEG_INFINITY, room, kept: Vec::new() }
    }

    /// Score below which no candidate is among the best.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Adds a candidate.
    pub(super) fn push(&mut self, candidate: T) {
        if candidate.score() >= self.threshold {
            self.kept.push(candidate);
            if self.kept.len() >= self.room {
                self.narrow();
                // Any number of candidates may tie with the last one.
                self.room = self.room.max(self.kept.len() * 2);
            }
        }
    }

    fn narrow(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else {
            self.kept.clear();
            return;
        };
        if last < self.kept.len() {
            let falling = |left: &T, right: &T| right.score().total_cmp(&left.score());
            self.threshold = self.kept.select_nth_unstable_by(last, falling).1.score();
            self.kept.retain(|candidate| candidate.score() >= self.threshold);
        }
    }

    /// Returns the best candidates and those that tie with the last of them, unsorted.
    pub(super) fn into_kept(mut self) -> Vec<T> {
        self.narrow();
        self.kept
    }
}
