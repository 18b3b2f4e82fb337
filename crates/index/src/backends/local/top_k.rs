//! The best of what is offered one by candidate, without keeping all of it.

/// What is ranked by a number.
pub(super) trait Scored {
    /// The more, the better.
    fn score(&self) -> f32;
}

/// So many are kept at threshold before the best of them are told; few in a build for tests, whose trees
/// are small.
const ROOM: usize = if cfg!(debug_assertions) { 2 } else { 64 };

/// The best of those that were offered, all that tie with the last one among them, and some more.
#[derive(Debug)]
pub(super) struct TopK<T> {
    limit: usize,
    /// Nobody below it is among the best.
    threshold: f32,
    /// So many are kept before they are compared.
    room: usize,
    kept: Vec<T>,
}

impl<T: Scored> TopK<T> {
    /// At most so many, ties apart.
    pub(super) fn new(limit: usize) -> TopK<T> {
        let room = limit.saturating_mul(2).max(ROOM);
        TopK { limit, threshold: f32::NEG_INFINITY, room, kept: Vec::new() }
    }

    /// Nobody below it is among the best of those that were offered.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Looks at one more.
    pub(super) fn push(&mut self, candidate: T) {
        if candidate.score() >= self.threshold {
            self.kept.push(candidate);
            if self.kept.len() >= self.room {
                self.narrow();
                // Any number may tie with the last candidate.
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

    /// The best and those that tie with the last of them, in no order.
    pub(super) fn into_kept(mut self) -> Vec<T> {
        self.narrow();
        self.kept
    }
}
