//! Resource limits of an engine, and the order in which work is reduced to stay within them.
//!
//! A limit is checked before the work that would exceed it. Functions of the caller measure what the
//! process uses, so that this crate makes no system calls for it.

use std::{
    fmt,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Resource limits of an engine.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Bytes of memory for indexing and searching, without mapped files.
    pub memory: Option<u64>,
    /// Bytes on disk of the indexes of all repositories together.
    pub disk: Option<u64>,
    /// Bytes per hour that may be written while a tree is followed.
    pub idle_writes: Option<u64>,
    /// Returns the bytes of memory that the process uses now, if they can be measured.
    pub used_memory: fn() -> Option<u64>,
    /// Returns the bytes that the process has written so far, if they can be measured.
    pub written: fn() -> Option<u64>,
}

impl Limits {
    /// Limits that allow everything and measure nothing.
    pub fn none() -> Limits {
        Limits {
            memory: None,
            disk: None,
            idle_writes: None,
            used_memory: || None,
            written: || None,
        }
    }

    /// Maximum number of hits that fit into the memory.
    pub(crate) fn max_hits(&self) -> usize {
        let max = self.memory.map_or(u64::MAX, |memory| memory / 2 / BYTES_PER_CANDIDATE);
        usize::try_from(max).unwrap_or(usize::MAX).max(MIN_HITS)
    }

    /// Bytes that a writer may keep in memory.
    pub(crate) fn writer_memory(&self) -> Option<u64> {
        let left = self.memory?.saturating_sub((self.used_memory)().unwrap_or(0));
        Some(left / 3)
    }

    /// The same limits without that of the disk, for indexes in memory.
    pub(crate) fn without_disk(&self) -> Limits {
        Limits { disk: None, ..*self }
    }

    /// Returns true if the words of `text` bytes of text have no room beside an index of the given size.
    /// The size is only computed if there is a limit.
    pub(crate) fn lacks_room_for_words(&self, bytes: impl Fn() -> u64, text: u64) -> bool {
        self.disk.is_some_and(|disk| disk < bytes() + share(text, WORDS_PERCENT))
    }

    /// Returns true if an index of `bytes` has no room for the vectors of `text` bytes of text.
    pub(crate) fn lacks_room_for_vectors(&self, bytes: u64, text: u64) -> bool {
        self.disk.is_some_and(|disk| disk < bytes + share(text, VECTORS_PERCENT))
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Limits")
            .field("memory", &self.memory)
            .field("disk", &self.disk)
            .field("idle_writes", &self.idle_writes)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Limits {
    fn eq(&self, other: &Limits) -> bool {
        (self.memory, self.disk, self.idle_writes) == (other.memory, other.disk, other.idle_writes)
    }
}

/// Upper estimate of the bytes that a candidate with its passages takes while it is ranked.
const BYTES_PER_CANDIDATE: u64 = 4 << 10;

/// Number of hits that are always allowed.
const MIN_HITS: usize = 100;

/// Bytes of index for a hundred bytes of text: for words, and for vectors in addition. Large trees
/// measure 53 and 28. The real size on disk is measured before the next run.
const WORDS_PERCENT: u64 = 55;
const VECTORS_PERCENT: u64 = 35;

/// Minimum number of units that each run writes, so that every run makes progress.
const MIN_UNITS: u64 = 64;

/// Memory is checked again after this many jobs or bytes of text.
const JOBS_BETWEEN_CHECKS: u64 = 16;
const BYTES_BETWEEN_CHECKS: u64 = 1 << 20;

/// Maximum time that an update waits for its own queue to empty before it postpones units.
const MAX_QUEUE_WAIT: Duration = Duration::from_secs(2);

fn share(text: u64, percent: u64) -> u64 {
    text / 100 * percent
}

/// Decision of the limits about a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Index the unit.
    Admit,
    /// Leave this unit and the rest for a later run.
    Postpone,
    /// Stop: the index has no room on the disk.
    Abandon,
}

/// Work that was reduced to stay within a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Degradation {
    /// Vectors are postponed until the words are written, because of the memory limit.
    VectorsPostponed,
    /// Vectors are omitted, because of the disk limit.
    VectorsOmitted,
    /// Units are left for a later run.
    UnitsPostponed,
    /// The index is not written at all.
    IndexRejected,
}

/// Checks the limits while one source is indexed.
pub(crate) struct ResourceMonitor<'a> {
    limits: Limits,
    /// Returns the bytes that the indexes of the tree take on disk; called once.
    measure: &'a (dyn Fn() -> u64 + Sync),
    on_disk: OnceLock<u64>,
    /// True if vectors are postponed or omitted.
    are_vectors_off: AtomicBool,
    /// Number of jobs and bytes of text since the last check.
    jobs: AtomicU64,
    bytes: AtomicU64,
    reductions: Mutex<Vec<Degradation>>,
}

impl ResourceMonitor<'_> {
    pub(crate) fn new(limits: Limits, measure: &(dyn Fn() -> u64 + Sync)) -> ResourceMonitor<'_> {
        ResourceMonitor {
            limits,
            measure,
            on_disk: OnceLock::new(),
            are_vectors_off: AtomicBool::new(false),
            jobs: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            reductions: Mutex::default(),
        }
    }

    /// Returns true unless vectors are postponed or omitted.
    pub(crate) fn may_embed(&self) -> bool {
        !self.are_vectors_off.load(Ordering::Relaxed)
    }

    /// Checks the limits before a unit with so many bytes of text is indexed. `written` units and `text`
    /// bytes were sent to the workers so far; `waiting` returns the number of units that they have not done.
    pub(crate) fn admit(
        &self,
        unit: u64,
        written: u64,
        text: u64,
        waiting: &dyn Fn() -> u64,
    ) -> Admission {
        if let Some(disk) = self.limits.disk {
            let text = text + unit;
            let words = self.on_disk.get_or_init(self.measure) + share(text, WORDS_PERCENT);
            if disk < words {
                self.record(Degradation::IndexRejected);
                return Admission::Abandon;
            }
            if disk < words + share(text, VECTORS_PERCENT) && self.may_embed() {
                self.are_vectors_off.store(true, Ordering::Relaxed);
                self.record(Degradation::VectorsOmitted);
            }
        }
        let Some(memory) = self.limits.memory else { return Admission::Admit };
        let jobs = self.jobs.fetch_add(1, Ordering::Relaxed) + 1;
        let bytes = self.bytes.fetch_add(unit, Ordering::Relaxed) + unit;
        if jobs < JOBS_BETWEEN_CHECKS && bytes < BYTES_BETWEEN_CHECKS {
            return Admission::Admit;
        }
        self.jobs.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        let used = || (self.limits.used_memory)().unwrap_or(0);
        if used() <= memory / 4 * 3 {
            return Admission::Admit;
        }
        if self.may_embed() {
            self.are_vectors_off.store(true, Ordering::Relaxed);
            self.record(Degradation::VectorsPostponed);
        }
        // Wait until the queue is empty before the next unit is added.
        let started = Instant::now();
        while waiting() > 0 && started.elapsed() < MAX_QUEUE_WAIT {
            thread::sleep(Duration::from_millis(2));
        }
        if written < MIN_UNITS || used() <= memory {
            return Admission::Admit;
        }
        self.record(Degradation::UnitsPostponed);
        Admission::Postpone
    }

    fn record(&self, degradation: Degradation) {
        let mut reductions = self.reductions.lock().unwrap_or_else(PoisonError::into_inner);
        if !reductions.contains(&degradation) {
            reductions.push(degradation);
        }
    }

    /// Returns the reductions, in the order in which they happened.
    pub(crate) fn degradations(&self) -> Vec<Degradation> {
        self.reductions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Formats a number of bytes in a unit that leaves few digits.
pub(crate) fn format_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Degradation::{IndexRejected, UnitsPostponed, VectorsOmitted, VectorsPostponed};

    fn monitor(limits: Limits) -> ResourceMonitor<'static> {
        ResourceMonitor::new(limits, &|| 0)
    }

    /// Decisions about units of 1 MiB, each of which is checked.
    fn admissions(monitor: &ResourceMonitor<'_>, first: u64, units: u64) -> Vec<Admission> {
        let unit = BYTES_BETWEEN_CHECKS;
        (first..first + units).map(|at| monitor.admit(unit, at, at * unit, &|| 0)).collect()
    }

    #[test]
    fn without_limits_nothing_is_reduced() {
        let monitor = monitor(Limits::none());
        assert!(
            admissions(&monitor, 0, 100).iter().all(|admission| *admission == Admission::Admit)
        );
        assert!(monitor.may_embed());
        assert_eq!(monitor.degradations(), []);
    }

    #[test]
    fn the_memory_limit_postpones_vectors_and_then_units() {
        let tight = Limits { memory: Some(100), used_memory: || Some(80), ..Limits::none() };
        let monitor = monitor(tight);
        assert!(
            admissions(&monitor, 0, 100).iter().all(|admission| *admission == Admission::Admit)
        );
        assert!(!monitor.may_embed());
        assert_eq!(monitor.degradations(), [VectorsPostponed]);

        let over = Limits { used_memory: || Some(101), ..tight };
        let monitor = self::monitor(over);
        // Every run makes some progress.
        assert!(
            admissions(&monitor, 0, MIN_UNITS)
                .iter()
                .all(|admission| *admission == Admission::Admit)
        );
        assert_eq!(admissions(&monitor, MIN_UNITS, 1), [Admission::Postpone]);
        assert_eq!(monitor.degradations(), [VectorsPostponed, UnitsPostponed]);
    }

    #[test]
    fn the_disk_limit_omits_vectors_and_then_rejects_the_index() {
        // 100 MiB of text need 55 MiB for words and 35 MiB for vectors.
        let limits = Limits { disk: Some(70 << 20), ..Limits::none() };
        let monitor = monitor(limits);
        assert_eq!(monitor.admit(70 << 20, 0, 0, &|| 0), Admission::Admit);
        assert!(monitor.may_embed());
        assert_eq!(monitor.admit(30 << 20, 1, 70 << 20, &|| 0), Admission::Admit);
        assert!(!monitor.may_embed());
        assert_eq!(monitor.admit(30 << 20, 2, 100 << 20, &|| 0), Admission::Abandon);
        assert_eq!(monitor.degradations(), [VectorsOmitted, IndexRejected]);
        assert!(limits.lacks_room_for_vectors(60 << 20, 100 << 20));
        assert!(!limits.lacks_room_for_vectors(30 << 20, 100 << 20));
    }

    #[test]
    fn the_memory_limit_bounds_writers_and_hits() {
        let limits =
            Limits { memory: Some(64 << 20), used_memory: || Some(4 << 20), ..Limits::none() };
        assert_eq!(limits.writer_memory(), Some(20 << 20));
        assert_eq!(limits.max_hits(), 8192);
        assert_eq!(Limits::none().max_hits(), usize::MAX);
        assert_eq!(Limits::none().writer_memory(), None);
    }
}
