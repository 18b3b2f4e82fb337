//! Helpers for the unit tests of this crate.

use std::path::Path;

use lore_schema::SourceName;

use crate::{
    CachePlace, Embedding, EngineConfig, Limits, Overlays, Parsers, Progress, RankingConfig,
    Secrets,
};

/// Ignores progress.
pub(crate) struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}
    fn note(&self, _: &str) {}
}

/// Returns settings of an engine that keeps its index in memory and uses this number of threads.
pub(crate) fn in_memory(root: &Path, threads: usize) -> EngineConfig {
    EngineConfig {
        root: root.to_owned(),
        at: None,
        backend: lore_index::default_backend(),
        cache: CachePlace::Memory,
        write: true,
        hidden: true,
        max_file_size: 1 << 20,
        commits: None,
        exports: Vec::new(),
        custom: crate::CustomSources::none(),
        secrets: Secrets::Redacted,
        threads,
        ranking: RankingConfig::default(),
        embedding: Embedding::Embedded,
        parsers: Parsers::in_process(),
        overlays: Overlays::default(),
        limits: Limits::none(),
    }
}
