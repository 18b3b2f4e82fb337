//! Answers from a storage engine that offers only what every backend must: it has no overlays and no
//! cache, and it does not repair damage that a read finds.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure is a failed test")]

mod common;

use std::path::Path;

use lore_engine::{Backend, Engine, EngineConfig, SearchRequest, default_backend};
use lore_index::{IndexError, IndexLocation, IndexVersion, Reader, Store, Writer};
use lore_schema::SourceName;

use crate::common::{Silent, Workspace};

const SHOP: &str = "\
//- /src/refund.rs
pub fn retry_refund(order: u64) -> bool {
    order > 0
}
//- /src/pool.rs
pub struct ConnectionPool;
";

/// The local backend without everything optional.
#[derive(Debug)]
struct PlainBackend;

impl Backend for PlainBackend {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn format(&self) -> u32 {
        default_backend().format()
    }

    fn open(
        &self,
        source: SourceName,
        location: &IndexLocation,
        fingerprint: &str,
    ) -> Result<Box<dyn Store>, IndexError> {
        Ok(Box::new(PlainStore(default_backend().open(source, location, fingerprint)?)))
    }

    fn erase(&self, location: &IndexLocation) -> Result<(), IndexError> {
        default_backend().erase(location)
    }
}

struct PlainStore(Box<dyn Store>);

impl Store for PlainStore {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        self.0.reader()
    }

    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError> {
        self.0.writer(base)
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        self.0.verify()
    }
}

fn config(shop: &Workspace) -> EngineConfig {
    EngineConfig { backend: &PlainBackend, ..shop.config() }
}

fn first_path(config: &EngineConfig, query: &str) -> Option<String> {
    let engine = Engine::open(config.clone()).unwrap();
    let response = engine.search(&SearchRequest::new(query), &Silent).unwrap();
    response.hits.into_iter().next().and_then(|hit| hit.path)
}

fn file_count(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { file_count(&entry.path()) } else { 1 }).sum()
}

#[test]
fn changes_are_written_at_once_without_overlays() {
    let shop = Workspace::new(SHOP);
    assert_eq!(first_path(&config(&shop), "connection pool").as_deref(), Some("src/pool.rs"));
    assert!(file_count(shop.cache.path()) > 0);
    shop.write("src/lake.rs", "pub struct Lake;\n");
    assert_eq!(first_path(&config(&shop), "lake").as_deref(), Some("src/lake.rs"));
    // The local backend reads the same files: the change was committed, not kept in memory.
    let local = EngineConfig { write: false, ..shop.config() };
    assert_eq!(first_path(&local, "lake").as_deref(), Some("src/lake.rs"));
}

#[test]
fn changes_are_kept_in_memory_if_writing_is_off() {
    let shop = Workspace::new(SHOP);
    let closed = EngineConfig { write: false, ..config(&shop) };
    assert_eq!(first_path(&closed, "connection pool").as_deref(), Some("src/pool.rs"));
    assert_eq!(file_count(shop.cache.path()), 0);
    first_path(&config(&shop), "connection pool");
    shop.write("src/lake.rs", "pub struct Lake;\n");
    assert_eq!(first_path(&closed, "lake").as_deref(), Some("src/lake.rs"));
}
