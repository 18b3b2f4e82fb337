//! A temporary tree and cache for a test, and engine settings for them.

use std::fs;

use lore_engine::{CachePlace, Embedding, EngineConfig, Overlays, Progress, RankingConfig};
use lore_schema::{SourceName, testing};
use tempfile::TempDir;

/// Ignores progress.
pub(crate) struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}
    fn note(&self, _: &str) {}
}

/// A temporary tree and cache.
pub(crate) struct Workspace {
    pub(crate) tree: TempDir,
    pub(crate) cache: TempDir,
    pub(crate) embedding: Embedding,
}

impl Workspace {
    /// Creates a tree with the files of a fixture.
    pub(crate) fn new(fixture: &str) -> Workspace {
        let workspace = Workspace {
            tree: TempDir::new().unwrap(),
            cache: TempDir::new().unwrap(),
            embedding: Embedding::Embedded,
        };
        for (path, text) in testing::files(fixture) {
            workspace.write(path, text);
        }
        workspace
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.tree.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Returns engine settings for it.
    pub(crate) fn config(&self) -> EngineConfig {
        EngineConfig {
            root: self.tree.path().to_owned(),
            cache: CachePlace::Folder(self.cache.path().to_owned()),
            at: None,
            stored: None,
            backend: lore_engine::default_backend(),
            write: true,
            hidden: true,
            max_file_size: 1 << 20,
            commits: Some(100),
            exports: Vec::new(),
            custom: lore_engine::CustomSources::none(),
            threads: 2,
            secrets: lore_engine::Secrets::Redacted,
            ranking: RankingConfig::default(),
            embedding: self.embedding.clone(),
            parsers: lore_engine::Parsers::in_process(),
            overlays: Overlays::default(),
            limits: lore_engine::Limits::none(),
            commit_interval: std::time::Duration::from_secs(6),
        }
    }
}
