//! Helpers for the unit tests of this crate.

use std::path::Path;

use lore_schema::SourceName;

use crate::{EngineConfig, Progress};

/// Ignores progress.
pub(crate) struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}
    fn note(&self, _: &str) {}
}

/// Returns settings of an engine that keeps its index in memory and uses this number of threads.
pub(crate) fn in_memory(root: &Path, threads: usize) -> EngineConfig {
    EngineConfig { commits: None, threads, ..EngineConfig::new(root) }
}
