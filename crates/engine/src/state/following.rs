//! Keeps the index of a tree up to date while it changes: by file system events, and by occasional walks
//! for changes without events. Meanwhile the answers of the same engine list the tree from its events.
//!
//! **Invariant:** while nothing changes, nothing is written, and walks are so rare that they take less
//! than a thousandth of a processor, however large the tree is.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use lore_index::IndexError;
use lore_sources::{LiveTree, StopSignal, TreeCheck, WakeReason};

use crate::{
    Engine, EngineError, Freshness, IndexMode, IndexReport, Progress,
    state::{limits::format_bytes, overlays::Overlays, refresh, storage::walk_options, views},
};

/// Time without events before the tree is walked: programs write files in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Maximum time from the first event to the walk, if events keep coming.
const MAX_QUIET_WAIT: Duration = Duration::from_secs(1);

/// Minimum pause after work, as a multiple of it: a storm of events gets at max a fifth of the time.
const PAUSE_PER_WORK: u32 = 4;

/// Minimum pause after a walk, as a multiple of its time and of the threads: walks take at max a
/// thousandth of a processor, with half of that in reserve.
const PAUSE_PER_WALK: u32 = 2_000;

/// Minimum time between walks on a file system without events; longer if walks take longer.
const WITHOUT_EVENTS: Duration = Duration::from_secs(2);

/// Maximum number of times that walks without findings double the time to the next one.
const MAX_DOUBLINGS: u32 = 4;

/// Time until the next attempt while another process is writing.
const BUSY_RETRY: Duration = Duration::from_millis(500);

/// Maximum time that older commits are read at once: calls that need new commits wait for it.
const HISTORY_STEP: Duration = Duration::from_millis(300);

/// Pause between two such steps.
const HISTORY_PAUSE: Duration = Duration::from_millis(200);

/// Time without an answer after which the files of the index are closed. The next answer opens them and
/// compares all stamps, which takes some 150 ms for 80,000 files.
const IDLE: Duration = Duration::from_mins(1);

/// Period of the write quota.
const HOUR: Duration = Duration::from_hours(1);

/// An event for the listener of [`Engine::keep_up`].
#[derive(Debug, Clone, PartialEq)]
pub enum Followed {
    /// The index was brought up to date. The first update is always reported, later ones only if something
    /// was written or deleted.
    Updated(IndexReport),
    /// A message for the user: one line without a full stop.
    Noted(String),
}

impl Engine {
    /// Keeps the index up to date until `stop`. `idle` is the minimum time between two walks while the file
    /// system reports events.
    ///
    /// # Errors
    /// When the tree cannot be read, or the index cannot be written for another reason than that another
    /// process is writing it.
    pub fn keep_up(
        &self,
        idle: Duration,
        stop: &StopSignal,
        progress: &dyn Progress,
        listener: &mut dyn FnMut(Followed),
    ) -> Result<(), EngineError> {
        let cache = views::cache_folder(&self.config);
        let options = walk_options(&self.config);
        let watcher = Arc::new(LiveTree::new(&self.config.root, &options, cache.as_deref(), stop)?);
        let _shared = Shared::start(&self.config.overlays, &watcher);
        let mut quota = Quota::new(self);
        let mut is_first = true;
        let mut pace = Pace::new(idle, self.config.threads);
        while !stop.is_stopped() {
            let started = Instant::now();
            let written = (self.config.limits.written)();
            let mut taken = refresh::commit(&self.config, IndexMode::Update, progress)?;
            let is_blocked = taken.unwritten.as_ref().is_some_and(IndexError::is_concurrent);
            let busy = match taken.unwritten.take() {
                // Work that a limit postponed waits for the next run.
                None => taken.freshness() != Freshness::Verified,
                Some(error) if error.is_concurrent() => true,
                Some(error) => return Err(error.into()),
            };
            if let Some(problem) = watcher.take_problem() {
                listener(Followed::Noted(format!(
                    "{problem}; it is checked from time to time instead"
                )));
            }
            let mut report = taken.work;
            let changes = |(written, deleted, _): &(u64, u64, u64)| written + deleted;
            let has_changed = !is_blocked && report.sources.values().map(changes).sum::<u64>() > 0;
            pace.record(started.elapsed(), has_changed, taken.check);
            if is_first || has_changed {
                report.warnings = taken.warnings;
                report.seconds = started.elapsed().as_secs_f64();
                listener(Followed::Updated(report));
            }
            if is_first {
                is_first = false;
            } else if has_changed {
                quota.spend(written, (self.config.limits.written)());
            }
            if let Some(pause) = quota.pause() {
                let limit = format_bytes(self.config.limits.idle_writes.unwrap_or(0));
                listener(Followed::Noted(format!(
                    "following `{}` wrote as much as `limits.idle-writes` allows in an hour \
                     ({limit}); it continues in {} min, and searches still see every change",
                    self.config.root.display(),
                    pause.as_secs().div_ceil(60)
                )));
                if watcher.sleep_until(Instant::now() + pause) == WakeReason::Stopped {
                    break;
                }
                continue;
            }
            match self.read_history(&watcher, stop, listener) {
                WakeReason::Stopped => break,
                WakeReason::TimedOut => {}
                WakeReason::Changed | WakeReason::Overflowed => continue,
            }
            if !pace.wait(&watcher, busy, &|| self.config.overlays.close_idle(IDLE)) {
                break;
            }
            if !busy && pace.is_walk_due() {
                watcher.check();
            }
        }
        Ok(())
    }

    /// Reads the commits that are not read yet, with pauses for the answers, until an event arrives or
    /// none are left. Like a first index, this does not count as writing while nothing changes.
    fn read_history(
        &self,
        watcher: &LiveTree,
        stop: &StopSignal,
        listener: &mut dyn FnMut(Followed),
    ) -> WakeReason {
        while self.has_older_commits() {
            match self.read_older_commits(HISTORY_STEP, &|| stop.is_stopped()) {
                Ok(read) if read.has_more => {}
                Ok(_) => break,
                Err(error) => {
                    listener(Followed::Noted(format!(
                        "could not read older commits of `{}`: {error}; the answers say how many \
                         are not read",
                        self.config.root.display()
                    )));
                    break;
                }
            }
            let pause = Instant::now() + HISTORY_PAUSE;
            match watcher.wait(pause, pause, QUIET, MAX_QUIET_WAIT) {
                WakeReason::TimedOut => {}
                reason => return reason,
            }
        }
        WakeReason::TimedOut
    }
}

/// The answers of an engine use the watched tree until this is dropped.
struct Shared<'a>(&'a Overlays);

impl<'a> Shared<'a> {
    fn start(overlays: &'a Overlays, tree: &Arc<LiveTree>) -> Shared<'a> {
        overlays.watch(Some(Arc::clone(tree)));
        Shared(overlays)
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        self.0.watch(None);
    }
}

/// Schedule of the walks.
struct Pace {
    idle: Duration,
    threads: u32,
    /// Duration of the last update, and of the last one that found nothing.
    work: Duration,
    walk: Duration,
    ended: Instant,
    /// Number of walks in a row that were started by the timer and found nothing.
    doublings: u32,
    /// The same for walks after an overflow of events.
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

    /// Notes an update.
    fn record(&mut self, time: Duration, has_changed: bool, check: TreeCheck) {
        self.ended = Instant::now();
        self.work = time;
        if has_changed {
            self.doublings = 0;
            self.overflows = 0;
            return;
        }
        if check == TreeCheck::Walked {
            self.walk = time;
        }
        match self.last {
            WakeReason::TimedOut => self.doublings = (self.doublings + 1).min(MAX_DOUBLINGS),
            WakeReason::Overflowed => self.overflows += 1,
            WakeReason::Changed | WakeReason::Stopped => {}
        }
    }

    /// Returns whether the next update has to look at every file: no event led to it.
    fn is_walk_due(&self) -> bool {
        matches!(self.last, WakeReason::TimedOut | WakeReason::Overflowed)
    }

    /// Time to the next walk without an event.
    fn time_to_next(&self, has_events: bool) -> Duration {
        let affordable = self.walk.saturating_mul(PAUSE_PER_WALK).saturating_mul(self.threads);
        if has_events {
            affordable.max(self.idle).saturating_mul(1 << self.doublings)
        } else {
            affordable.max(WITHOUT_EVENTS)
        }
    }

    /// Time to the walk after an overflow: short at first. The walk itself may cause the overflow.
    fn after_overflow(&self, between: Duration) -> Duration {
        let soon = (self.work * PAUSE_PER_WORK).max(MAX_QUIET_WAIT);
        soon.saturating_mul(1_u32.checked_shl(self.overflows * 2).unwrap_or(u32::MAX)).min(between)
    }

    /// Waits for the next walk. Returns false if following has to stop. Meanwhile calls `rest`, at the
    /// times that it returns.
    fn wait(&mut self, watcher: &LiveTree, busy: bool, rest: &dyn Fn() -> Instant) -> bool {
        let between = if busy { BUSY_RETRY } else { self.time_to_next(watcher.has_events()) };
        let mut until = self.ended + between;
        let mut has_overflowed = false;
        let earliest = self.ended + self.work * PAUSE_PER_WORK;
        let mut rest_at = rest();
        loop {
            match watcher.wait(until.min(rest_at), earliest, QUIET, MAX_QUIET_WAIT) {
                WakeReason::Stopped => return false,
                WakeReason::TimedOut if rest_at < until => rest_at = rest(),
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

/// Number of bytes that may still be written in this hour.
struct Quota {
    max: Option<u64>,
    since: Instant,
    spent: u64,
}

impl Quota {
    fn new(engine: &Engine) -> Quota {
        Quota { max: engine.config.limits.idle_writes, since: Instant::now(), spent: 0 }
    }

    /// Counts the bytes written between two measurements.
    fn spend(&mut self, before: Option<u64>, after: Option<u64>) {
        if HOUR <= self.since.elapsed() {
            self.since = Instant::now();
            self.spent = 0;
        }
        if let (Some(before), Some(after)) = (before, after) {
            self.spent += after.saturating_sub(before);
        }
    }

    /// Time during which nothing may be written.
    fn pause(&self) -> Option<Duration> {
        let is_spent = self.max.is_some_and(|max| max < self.spent);
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
            for has_events in [true, false] {
                let between = pace(60, threads as usize, walk).time_to_next(has_events);
                assert!(walk * threads * 1_000 < between, "{threads} {has_events}");
            }
        }
        assert_eq!(pace(60, 1, Duration::from_millis(1)).time_to_next(true), 60 * SECOND);
        assert_eq!(pace(60, 1, Duration::from_millis(1)).time_to_next(false), 2 * SECOND);
    }

    #[test]
    fn walks_that_find_nothing_become_rarer() {
        let mut pace = pace(60, 1, Duration::ZERO);
        pace.last = WakeReason::TimedOut;
        let mut waits = Vec::new();
        for _ in 0..6 {
            pace.record(Duration::ZERO, false, TreeCheck::Walked);
            waits.push(pace.time_to_next(true).as_secs());
        }
        assert_eq!(waits, [120, 240, 480, 960, 960, 960]);
        pace.record(Duration::ZERO, true, TreeCheck::Walked);
        assert_eq!(pace.time_to_next(true).as_secs(), 60);
    }

    #[test]
    fn overflows_caused_by_walks_become_rarer() {
        let mut pace = pace(60, 1, Duration::from_millis(10));
        pace.last = WakeReason::Overflowed;
        let between = pace.time_to_next(true);
        let mut total = Duration::ZERO;
        for _ in 0..20 {
            pace.record(Duration::from_millis(10), false, TreeCheck::Walked);
            total += pace.after_overflow(between);
        }
        assert!(15 * between < total, "{total:?}");
        pace.record(Duration::from_millis(10), true, TreeCheck::Walked);
        assert_eq!(pace.after_overflow(between), SECOND);
    }

    #[test]
    fn writes_are_limited_per_hour() {
        let mut quota = Quota { max: Some(100), since: Instant::now(), spent: 0 };
        quota.spend(Some(1_000), Some(1_100));
        assert_eq!(quota.pause(), None);
        quota.spend(Some(1_100), Some(1_101));
        assert!(quota.pause().is_some_and(|pause| SECOND * 3_540 < pause));
        // Without measurements there is no limit.
        let mut quota = Quota { max: Some(100), since: Instant::now(), spent: 0 };
        quota.spend(None, None);
        assert_eq!(quota.pause(), None);
    }
}
