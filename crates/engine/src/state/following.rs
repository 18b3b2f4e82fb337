//! Keeps the index of a tree up to date while it changes: by what the file system tells, and by walks
//! now and then for what it does not tell.
//!
//! **Invariant:** while nothing changes, nothing is written, and walks are so rare that they take less
//! than a thousandth of a processor however large the tree is.

use std::time::{Duration, Instant};

use lore_index::IndexError;
use lore_sources::{StopSignal, WakeReason, Watcher};

use crate::{
    Engine, EngineError, Freshness, IndexMode, IndexReport, Progress,
    state::{limits::in_words, refresh, views},
};

/// Silence after an event before the tree is looked at: programs write files in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Longest wait where the silence does not come.
const LONGEST: Duration = Duration::from_secs(1);

/// A storm of events gets at most a fifth of the time.
const PAUSE_PER_WORK: u32 = 4;

/// Times that a walk took which pass until the next one, for each thread: a thousandth of a processor
/// and half of that again in reserve.
const PAUSE_PER_WALK: u32 = 2_000;

/// Time between walks where the system tells nothing; longer on trees that take longer.
const WITHOUT_EVENTS: Duration = Duration::from_secs(2);

/// Walks that find nothing double the time to the next one, up to so many times.
const MOST_DOUBLINGS: u32 = 4;

/// After how long it is looked again whether somebody else has finished to write.
const BUSY: Duration = Duration::from_millis(500);

/// The time in which so many bytes may be written.
const HOUR: Duration = Duration::from_hours(1);

/// What whoever follows a tree hears.
#[derive(Debug, Clone, PartialEq)]
pub enum Followed {
    /// The index was brought up to date. The first one comes in any case, later ones where something
    /// was written or deleted.
    Updated(IndexReport),
    /// Something that the user should know, one line without a dot.
    Noted(String),
}

impl Engine {
    /// Keeps the index up to date until `stop`. `idle` is the time between two walks while events are
    /// told of, at least.
    ///
    /// # Errors
    /// When the tree cannot be read, or the index cannot be written for another reason than that
    /// somebody else writes it.
    pub fn keep_up(
        &self,
        idle: Duration,
        stop: &StopSignal,
        progress: &dyn Progress,
        hear: &mut dyn FnMut(Followed),
    ) -> Result<(), EngineError> {
        let cache = views::cache_folder(&self.config);
        let mut watcher = Watcher::new(&self.config.root, cache.as_deref(), stop);
        let mut quota = Quota::new(self);
        let mut is_first = true;
        let mut pace = Pace::new(idle, self.config.threads);
        while !stop.is_stopped() {
            let started = Instant::now();
            let written = (self.config.limits.written)();
            let mut taken = refresh::commit(&self.config, IndexMode::Update, progress)?;
            let is_blocked =
                matches!(taken.unwritten, Some(IndexError::Busy { .. } | IndexError::Moved { .. }));
            let busy = match taken.unwritten.take() {
                // What a limit has left for the next run is for the next run.
                None => taken.freshness() != Freshness::Verified,
                Some(IndexError::Busy { .. } | IndexError::Moved { .. }) => true,
                Some(error) => return Err(error.into()),
            };
            let is_new = watcher.update(&taken.tree);
            if let Some(problem) = watcher.take_problem() {
                hear(Followed::Noted(format!(
                    "{problem}; it is looked through now and then instead"
                )));
            }
            let mut report = taken.work;
            let changes = |(written, deleted, _): &(u64, u64, u64)| written + deleted;
            let has_changed = !is_blocked && report.sources.values().map(changes).sum::<u64>() > 0;
            pace.worked(started.elapsed(), has_changed);
            if is_first || has_changed {
                report.warnings = taken.warnings;
                report.seconds = started.elapsed().as_secs_f64();
                hear(Followed::Updated(report));
            }
            if is_first {
                is_first = false;
            } else if has_changed {
                quota.spend(written, (self.config.limits.written)());
            }
            // What happened in folders between the walk and the watch was not heard.
            if is_new {
                continue;
            }
            if let Some(pause) = quota.pause() {
                let limit = in_words(self.config.limits.idle_writes.unwrap_or(0));
                hear(Followed::Noted(format!(
                    "following `{}` wrote as much as `limits.idle-writes` allows in an hour \
                     ({limit}); it goes on in {} min, and searches go on as ever",
                    self.config.root.display(),
                    pause.as_secs().div_ceil(60)
                )));
                if watcher.sleep_until(Instant::now() + pause) == WakeReason::Stopped {
                    break;
                }
                continue;
            }
            if !pace.wait(&watcher, busy) {
                break;
            }
        }
        Ok(())
    }
}

/// When the tree is looked at next.
struct Pace {
    idle: Duration,
    threads: u32,
    /// How long the last look took, and the last one that found nothing.
    work: Duration,
    walk: Duration,
    ended: Instant,
    /// Looks without an event in a row that found nothing.
    doublings: u32,
    /// The same for those after an overflow.
    overflows: u32,
    last: WakeReason,
}

impl Pace {
    fn new(idle: Duration, threads: usize) -> Pace {
        Pace {
            idle,
            threads: u32::try_from(threads).unwrap_or(u32::MAX).max(1),
            work: Duration::ZERO,
            walk: Duration::ZERO,
            ended: Instant::now(),
            doublings: 0,
            overflows: 0,
            last: WakeReason::Changed,
        }
    }

    /// Takes note of a look at the tree.
    fn worked(&mut self, time: Duration, has_changed: bool) {
        self.ended = Instant::now();
        self.work = time;
        if has_changed {
            self.doublings = 0;
            self.overflows = 0;
            return;
        }
        self.walk = time;
        match self.last {
            WakeReason::TimedOut => self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS),
            WakeReason::Overflowed => self.overflows += 1,
            WakeReason::Changed | WakeReason::Stopped => {}
        }
    }

    /// Time to the next walk without an event.
    fn between(&self, is_whole: bool) -> Duration {
        let affordable = self.walk.saturating_mul(PAUSE_PER_WALK).saturating_mul(self.threads);
        if is_whole {
            affordable.max(self.idle).saturating_mul(1 << self.doublings)
        } else {
            affordable.max(WITHOUT_EVENTS)
        }
    }

    /// Time to the walk after an overflow: soon at first. A walk itself may be what overflows.
    fn after_overflow(&self, between: Duration) -> Duration {
        let soon = (self.work * PAUSE_PER_WORK).max(LONGEST);
        soon.saturating_mul(1_u32.checked_shl(self.overflows * 2).unwrap_or(u32::MAX)).min(between)
    }

    /// Waits until it is time. Returns false when it is to end.
    fn wait(&mut self, watcher: &Watcher, busy: bool) -> bool {
        let between = if busy { BUSY } else { self.between(watcher.is_complete()) };
        let mut until = self.ended + between;
        let mut has_overflowed = false;
        let earliest = self.ended + self.work * PAUSE_PER_WORK;
        loop {
            match watcher.wait(until, earliest, QUIET, LONGEST) {
                WakeReason::Stopped => return false,
                WakeReason::Overflowed => {
                    has_overflowed = true;
                    until = until.min(self.ended + self.after_overflow(between));
                }
                WakeReason::TimedOut if has_overflowed => {
                    self.last = WakeReason::Overflowed;
                    return true;
                }
                wake => {
                    self.last = wake;
                    return true;
                }
            }
        }
    }
}

/// Bytes that may still be written in this hour.
struct Quota {
    most: Option<u64>,
    since: Instant,
    spent: u64,
}

impl Quota {
    fn new(engine: &Engine) -> Quota {
        Quota { most: engine.config.limits.idle_writes, since: Instant::now(), spent: 0 }
    }

    /// Counts what was written between two measurements.
    fn spend(&mut self, before: Option<u64>, after: Option<u64>) {
        if HOUR <= self.since.elapsed() {
            self.since = Instant::now();
            self.spent = 0;
        }
        if let (Some(before), Some(after)) = (before, after) {
            self.spent += after.saturating_sub(before);
        }
    }

    /// How long nothing may be written any more.
    fn pause(&self) -> Option<Duration> {
        let is_spent = self.most.is_some_and(|most| most < self.spent);
        is_spent.then(|| HOUR.saturating_sub(self.since.elapsed())).filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn pace(idle: u64, threads: usize, walk: Duration) -> Pace {
        Pace { walk, work: walk, ..Pace::new(SECOND * u32::try_from(idle).unwrap(), threads) }
    }

    #[test]
    fn walks_take_less_than_a_thousandth_of_a_processor() {
        let walk = Duration::from_millis(150);
        for threads in [1_u32, 2, 16] {
            for is_whole in [true, false] {
                let between = pace(60, threads as usize, walk).between(is_whole);
                assert!(walk * threads * 1_000 < between, "{threads} {is_whole}");
            }
        }
        assert_eq!(pace(60, 1, Duration::from_millis(1)).between(true), 60 * SECOND);
        assert_eq!(pace(60, 1, Duration::from_millis(1)).between(false), 2 * SECOND);
    }

    #[test]
    fn walks_that_find_nothing_become_rarer() {
        let mut pace = pace(60, 1, Duration::ZERO);
        pace.last = WakeReason::TimedOut;
        let mut waits = Vec::new();
        for _ in 0..6 {
            pace.worked(Duration::ZERO, false);
            waits.push(pace.between(true).as_secs());
        }
        assert_eq!(waits, [120, 240, 480, 960, 960, 960]);
        pace.worked(Duration::ZERO, true);
        assert_eq!(pace.between(true).as_secs(), 60);
    }

    #[test]
    fn overflows_of_its_own_walks_do_not_keep_it_walking() {
        let mut pace = pace(60, 1, Duration::from_millis(10));
        pace.last = WakeReason::Overflowed;
        let between = pace.between(true);
        let mut total = Duration::ZERO;
        for _ in 0..20 {
            pace.worked(Duration::from_millis(10), false);
            total += pace.after_overflow(between);
        }
        assert!(15 * between < total, "{total:?}");
        pace.worked(Duration::from_millis(10), true);
        assert_eq!(pace.after_overflow(between), SECOND);
    }

    #[test]
    fn an_hour_has_so_many_bytes() {
        let mut quota = Quota { most: Some(100), since: Instant::now(), spent: 0 };
        quota.spend(Some(1_000), Some(1_100));
        assert_eq!(quota.pause(), None);
        quota.spend(Some(1_100), Some(1_101));
        assert!(quota.pause().is_some_and(|pause| SECOND * 3_540 < pause));
        // What cannot be measured is not limited.
        let mut quota = Quota { most: Some(100), since: Instant::now(), spent: 0 };
        quota.spend(None, None);
        assert_eq!(quota.pause(), None);
    }
}
