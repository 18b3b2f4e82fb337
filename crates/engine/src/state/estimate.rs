//! Estimate of an index run, from a walk of the tree: nothing is read or written.
//!
//! The model is linear in the bytes of the files that have to be read. Its constants are those of a first
//! index of Linux 6.1 (78,311 files) with the built-in model; `docs/concepts/reliability.md` has the runs.

use std::{collections::BTreeMap, time::Duration};

use lore_schema::SourceName;
use lore_sources::{SOURCES, Workload};

use crate::{
    Embedding, EngineConfig, EngineError, IndexMode,
    state::{views::cache_folder, workload::unread},
};

/// Bytes per second and thread of a release build.
const BYTES_PER_SECOND: u64 = 4_000_000;

/// Number of threads beyond which the writer limits a run, not the reading.
const MAX_THREADS: u64 = 6;

/// Seconds of every run: the program, the walk and the commits.
const MIN_SECONDS: f64 = 0.3;

/// Bytes on disk for a hundred bytes of files: for words, and for vectors in addition.
const WORDS_PERCENT: u64 = 53;
const VECTORS_PERCENT: u64 = 28;

/// Bytes of memory of a run that reads little: the program, the model and the parsers.
const BASE_MEMORY: u64 = 120 << 20;

/// Bytes of memory for a hundred bytes of files that have to be read, until the buffers are full.
const MEMORY_PERCENT: u64 = 400;
const MAX_BUFFERS: u64 = 560 << 20;

/// Bytes of memory for each file of the tree.
const MEMORY_PER_FILE: u64 = 600;

/// Work that an index run would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexEstimate {
    /// By source: all files, and those that have to be read.
    pub sources: BTreeMap<SourceName, (Workload, Workload)>,
    /// Number of threads that read.
    pub threads: u64,
    /// True if vectors are computed, too.
    pub has_vectors: bool,
}

/// The costs that are expected of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexCosts {
    /// Bytes per second.
    pub bytes_per_second: u64,
    /// Time until everything but older commits is in the index.
    pub time: Duration,
    /// Bytes of memory at most, without mapped files.
    pub memory: u64,
    /// Bytes of the finished index that are new on the disk.
    pub disk: u64,
}

impl IndexEstimate {
    /// All files, and those that have to be read.
    pub fn total(&self) -> (Workload, Workload) {
        let (mut all, mut unread) = (Workload::default(), Workload::default());
        for (files, left) in self.sources.values() {
            all += *files;
            unread += *left;
        }
        (all, unread)
    }

    /// Returns the expected costs; `rate` is that of an earlier run in bytes per second, in place of the
    /// model's.
    pub fn costs(&self, rate: Option<u64>) -> IndexCosts {
        let (all, unread) = self.total();
        let bytes_per_second = rate.unwrap_or_else(|| usual_rate(self.threads)).max(1);
        let percent = WORDS_PERCENT + if self.has_vectors { VECTORS_PERCENT } else { 0 };
        let buffers = (unread.bytes / 100 * MEMORY_PERCENT).min(MAX_BUFFERS);
        IndexCosts {
            bytes_per_second,
            time: time_for(unread.bytes, bytes_per_second),
            memory: BASE_MEMORY + buffers + all.units * MEMORY_PER_FILE,
            disk: unread.bytes / 100 * percent,
        }
    }
}

/// Returns the bytes per second of the model.
fn usual_rate(threads: u64) -> u64 {
    BYTES_PER_SECOND * threads.clamp(1, MAX_THREADS)
}

/// Returns the time of a run that reads so many bytes.
fn time_for(bytes: u64, bytes_per_second: u64) -> Duration {
    Duration::from_secs_f64(bytes as f64 / bytes_per_second as f64 + MIN_SECONDS)
}

/// Returns the expected time of a run that reads so many bytes.
pub(crate) fn expected_time(config: &EngineConfig, bytes: u64) -> Duration {
    time_for(bytes, usual_rate(config.threads as u64))
}

/// Estimates a run. Lists the tree, and opens no file of it.
pub(crate) fn estimate(
    config: &EngineConfig,
    mode: IndexMode,
) -> Result<IndexEstimate, EngineError> {
    let (tree, _) = config.overlays.walks().take(config)?;
    let folder = cache_folder(config);
    let mut sources = BTreeMap::new();
    for name in SOURCES.iter().map(|source| source.name()) {
        let left = |all| unread(config, folder.as_deref(), &tree, name, all);
        if let (Some(all), Some(unread)) = (left(true), left(mode == IndexMode::Rebuild)) {
            sources.insert(name, (all, unread));
        }
    }
    let threads = config.threads as u64;
    Ok(IndexEstimate { sources, threads, has_vectors: config.embedding != Embedding::Off })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: u64) -> IndexEstimate {
        let files = Workload { units: bytes / 10_000, bytes };
        let sources = BTreeMap::from([(SourceName::Code, (files, files))]);
        IndexEstimate { sources, threads: 2, has_vectors: true }
    }

    #[test]
    fn costs_grow_with_the_files() {
        let (small, large) = (of(1_000_000).costs(None), of(1_000_000_000).costs(None));
        assert!(small.time < Duration::from_secs(1));
        assert_eq!(large.time.as_secs(), 125);
        assert_eq!((small.disk, large.disk), (810_000, 810_000_000));
        assert!(small.memory < large.memory);
        let words = IndexEstimate { has_vectors: false, ..of(1_000_000_000) };
        assert_eq!(words.costs(None).disk, 530_000_000);
    }

    #[test]
    fn the_rate_of_an_earlier_run_replaces_that_of_the_model() {
        let costs = of(1_000_000_000).costs(Some(20_000_000));
        assert_eq!((costs.bytes_per_second, costs.time.as_secs()), (20_000_000, 50));
    }
}
