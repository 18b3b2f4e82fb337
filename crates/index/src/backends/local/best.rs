//! The best of what is offered one by one, without keeping all of it.

/// What is ranked by a number.
pub(super) trait Scored {
    /// The more, the better.
    fn score(&self) -> f32;
}

/// So many are kept at least before the best of them are told; few in a build for tests, whose trees
/// are small.
const ROOM: usize = if cfg!(debug_assertions) { 2 } else { 64 };

/// The best of those that were offered, all that tie with the last one among them, and some more.
#[derive(Debug)]
pub(super) struct Best<T> {
    limit: usize,
    /// Nobody below it is among the best.
    least: f32,
    /// So many are kept before they are compared.
    room: usize,
    kept: Vec<T>,
}

impl<T: Scored> Best<T> {
    /// At most so many, ties apart.
    pub(super) fn new(limit: usize) -> Best<T> {
        let room = limit.saturating_mul(2).max(ROOM);
        Best { limit, least: f32::NEG_INFINITY, room, kept: Vec::new() }
    }

    /// Nobody below it is among the best of those that were offered.
    pub(super) fn least(&self) -> f32 {
        self.least
    }

    /// Looks at one more.
    pub(super) fn offer(&mut self, one: T) {
        if one.score() >= self.least {
            self.kept.push(one);
            if self.kept.len() >= self.room {
                self.narrow();
                // Any number may tie with the last one.
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
            self.least = self.kept.select_nth_unstable_by(last, falling).1.score();
            self.kept.retain(|one| one.score() >= self.least);
        }
    }

    /// The best and those that tie with the last of them, in no order.
    pub(super) fn into_kept(mut self) -> Vec<T> {
        self.narrow();
        self.kept
    }
}
