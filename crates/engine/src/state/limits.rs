//! What an engine may use, and who gives way first.
//!
//! A limit is looked at where something is about to be used, by the pass that would break it. What the
//! process uses is measured by functions of the caller, so that this crate asks no system.

use std::{
    fmt,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// What an engine may use.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Bytes of memory for indexing and searching, those of mapped files apart.
    pub memory: Option<u64>,
    /// Bytes on disk of the indexes of all repositories together.
    pub disk: Option<u64>,
    /// Bytes in an hour that may be written without a question, while a tree is followed.
    pub idle_writes: Option<u64>,
    /// Bytes of memory that the process has now, where that can be told.
    pub used_memory: fn() -> Option<u64>,
    /// Bytes that the process has written so far, where that can be told.
    pub written: fn() -> Option<u64>,
}

impl Limits {
    /// Everything is allowed, and nothing measured.
    pub fn none() -> Limits {
        Limits {
            memory: None,
            disk: None,
            idle_writes: None,
            used_memory: || None,
            written: || None,
        }
    }

    /// Hits that the memory allows to ask for.
    pub(crate) fn most_hits(&self) -> usize {
        let most = self.memory.map_or(u64::MAX, |memory| memory / 2 / BYTES_OF_CANDIDATE);
        usize::try_from(most).unwrap_or(usize::MAX).max(LEAST_HITS)
    }

    /// Bytes that a writer may keep in memory.
    pub(crate) fn buffers(&self) -> Option<u64> {
        let left = self.memory?.saturating_sub((self.used_memory)().unwrap_or(0));
        Some(left / 3)
    }

    /// The same, but for the disk: of what stays in memory.
    pub(crate) fn of_memory(&self) -> Limits {
        Limits { disk: None, ..*self }
    }

    /// Whether words of texts of so many bytes have no room beside an index, whose bytes are asked for
    /// where there is a limit.
    pub(crate) fn refuses_words(&self, bytes: impl Fn() -> u64, text: u64) -> bool {
        self.disk.is_some_and(|disk| disk < bytes() + share(text, WORDS_PERCENT))
    }

    /// Whether an index with so many bytes has no room for vectors of texts of so many bytes.
    pub(crate) fn refuses_vectors(&self, bytes: u64, text: u64) -> bool {
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

/// Bytes that a candidate with its passages takes while it is ranked, generously.
const BYTES_OF_CANDIDATE: u64 = 4 << 10;

/// Hits that are always allowed.
const LEAST_HITS: usize = 100;

/// Bytes of index for a hundred bytes of text: of words, and of vectors beside them. Large
/// trees come to 53 and 28; what is on disk is measured before the next run.
const WORDS_PERCENT: u64 = 55;
const VECTORS_PERCENT: u64 = 35;

/// Units that are written in any case, so that every run comes further.
const LEAST_UNITS: u64 = 64;

/// Jobs after which it is looked again, and the bytes of text after which it is earlier.
const JOBS_BETWEEN: u64 = 16;
const BYTES_BETWEEN: u64 = 1 << 20;

/// How long a pass waits for its own queue before it gives way.
const PATIENCE: Duration = Duration::from_secs(2);

fn share(text: u64, percent: u64) -> u64 {
    text / 100 * percent
}

/// What a limit asks of the pass that would break it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Go on.
    Nothing,
    /// Leave the rest for a later run.
    Stop,
    /// Nothing of this has room on the disk.
    Abandon,
}

/// What gave way to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concession {
    /// Vectors, for memory: they are made once the words are written.
    VectorsForMemory,
    /// Vectors, for disk.
    VectorsForDisk,
    /// Units that were not read.
    Units,
    /// The whole index.
    Index,
}

/// Looks after the limits while one source is indexed.
pub(crate) struct Guard<'a> {
    limits: Limits,
    /// Tells the bytes that the indexes of the tree have on disk already; asked once.
    measure: &'a (dyn Fn() -> u64 + Sync),
    on_disk: OnceLock<u64>,
    /// Whether vectors are put off: of memory, and of disk.
    puts_off: AtomicBool,
    /// Jobs and bytes of text since it was last looked.
    jobs: AtomicU64,
    bytes: AtomicU64,
    told: Mutex<Vec<Concession>>,
}

impl Guard<'_> {
    pub(crate) fn new(limits: Limits, measure: &(dyn Fn() -> u64 + Sync)) -> Guard<'_> {
        Guard {
            limits,
            measure,
            on_disk: OnceLock::new(),
            puts_off: AtomicBool::new(false),
            jobs: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            told: Mutex::default(),
        }
    }

    /// Whether vectors are made now, or later.
    pub(crate) fn embeds(&self) -> bool {
        !self.puts_off.load(Ordering::Relaxed)
    }

    /// Looks before one more unit with so much text is written. `written` units and `text` bytes were
    /// given to the workers so far; `waiting` says how many units they have not done.
    pub(crate) fn admit(
        &self,
        unit: u64,
        written: u64,
        text: u64,
        waiting: &dyn Fn() -> u64,
    ) -> Demand {
        if let Some(disk) = self.limits.disk {
            let text = text + unit;
            let words = self.on_disk.get_or_init(self.measure) + share(text, WORDS_PERCENT);
            if disk < words {
                self.tell(Concession::Index);
                return Demand::Abandon;
            }
            if disk < words + share(text, VECTORS_PERCENT) && self.embeds() {
                self.puts_off.store(true, Ordering::Relaxed);
                self.tell(Concession::VectorsForDisk);
            }
        }
        let Some(memory) = self.limits.memory else { return Demand::Nothing };
        let jobs = self.jobs.fetch_add(1, Ordering::Relaxed) + 1;
        let bytes = self.bytes.fetch_add(unit, Ordering::Relaxed) + unit;
        if jobs < JOBS_BETWEEN && bytes < BYTES_BETWEEN {
            return Demand::Nothing;
        }
        self.jobs.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        let used = || (self.limits.used_memory)().unwrap_or(0);
        if used() <= memory / 4 * 3 {
            return Demand::Nothing;
        }
        if self.embeds() {
            self.puts_off.store(true, Ordering::Relaxed);
            self.tell(Concession::VectorsForMemory);
        }
        // The queue shrinks to nothing before the next one enters.
        let started = Instant::now();
        while waiting() > 0 && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(2));
        }
        if written < LEAST_UNITS || used() <= memory {
            return Demand::Nothing;
        }
        self.tell(Concession::Units);
        Demand::Stop
    }

    fn tell(&self, what: Concession) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.contains(&what) {
            told.push(what);
        }
    }

    /// What gave way, in the order in which it did.
    pub(crate) fn told(&self) -> Vec<Concession> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Bytes in a unit that leaves few digits.
pub(crate) fn in_words(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Concession::{Index, Units, VectorsForDisk, VectorsForMemory};

    fn guard(limits: Limits) -> Guard<'static> {
        Guard::new(limits, &|| 0)
    }

    /// Demands for units of 1 MiB, of which each is looked at.
    fn demands(guard: &Guard<'_>, first: u64, units: u64) -> Vec<Demand> {
        let unit = BYTES_BETWEEN;
        (first..first + units).map(|at| guard.admit(unit, at, at * unit, &|| 0)).collect()
    }

    #[test]
    fn without_limits_nothing_gives_way() {
        let guard = guard(Limits::none());
        assert!(demands(&guard, 0, 100).iter().all(|one| *one == Demand::Nothing));
        assert!(guard.embeds());
        assert_eq!(guard.told(), []);
    }

    #[test]
    fn memory_puts_vectors_off_and_then_stops() {
        let tight = Limits { memory: Some(100), used_memory: || Some(80), ..Limits::none() };
        let guard = guard(tight);
        assert!(demands(&guard, 0, 100).iter().all(|one| *one == Demand::Nothing));
        assert!(!guard.embeds());
        assert_eq!(guard.told(), [VectorsForMemory]);

        let over = Limits { used_memory: || Some(101), ..tight };
        let guard = self::guard(over);
        // Every run comes a little further.
        assert!(demands(&guard, 0, LEAST_UNITS).iter().all(|one| *one == Demand::Nothing));
        assert_eq!(demands(&guard, LEAST_UNITS, 1), [Demand::Stop]);
        assert_eq!(guard.told(), [VectorsForMemory, Units]);
    }

    #[test]
    fn disk_puts_vectors_off_and_then_has_no_room() {
        // 100 MiB of text come to 55 of words and 35 of vectors.
        let limits = Limits { disk: Some(70 << 20), ..Limits::none() };
        let guard = guard(limits);
        assert_eq!(guard.admit(70 << 20, 0, 0, &|| 0), Demand::Nothing);
        assert!(guard.embeds());
        assert_eq!(guard.admit(30 << 20, 1, 70 << 20, &|| 0), Demand::Nothing);
        assert!(!guard.embeds());
        assert_eq!(guard.admit(30 << 20, 2, 100 << 20, &|| 0), Demand::Abandon);
        assert_eq!(guard.told(), [VectorsForDisk, Index]);
        assert!(limits.refuses_vectors(60 << 20, 100 << 20));
        assert!(!limits.refuses_vectors(30 << 20, 100 << 20));
    }

    #[test]
    fn memory_bounds_buffers_and_hits() {
        let limits =
            Limits { memory: Some(64 << 20), used_memory: || Some(4 << 20), ..Limits::none() };
        assert_eq!(limits.buffers(), Some(20 << 20));
        assert_eq!(limits.most_hits(), 8192);
        assert_eq!(Limits::none().most_hits(), usize::MAX);
        assert_eq!(Limits::none().buffers(), None);
    }
}
