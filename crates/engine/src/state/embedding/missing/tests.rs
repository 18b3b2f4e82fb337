//! Tests of embedding while another process writes.
#![expect(clippy::disallowed_methods, reason = "tests make folders")]

use std::sync::atomic::{AtomicUsize, Ordering};

use lore_index::{IndexLocation, IndexVersion, Reader, Store, Writer, default_backend};
use lore_schema::SourceName;
use lore_sources::{SOURCES, WalkOptions};
use lore_text::StaticEmbedder;

use super::*;
use crate::{
    Embedding, EngineConfig, Limits,
    state::{
        ingest::{UpdateOptions, update},
        storage::{fingerprint, walk_options},
    },
    testing::{Silent, in_memory},
};

/// A store whose writer is busy for this many attempts.
struct Busy {
    store: Box<dyn Store>,
    tries: AtomicUsize,
}

impl Store for Busy {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        self.store.reader()
    }

    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError> {
        let left = |tries: usize| tries.checked_sub(1);
        match self.tries.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left) {
            Ok(_) => Err(IndexError::Busy { path: "index".into() }),
            Err(_) => self.store.writer(base),
        }
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        self.store.verify()
    }
}

#[test]
fn another_writer_is_waited_for_with_a_limit() {
    let folder = tempfile::TempDir::new().expect("a new folder");
    std::fs::write(folder.path().join("a.rs"), "pub fn save() {}\n").expect("a new file");
    let config = EngineConfig { embedding: Embedding::Off, ..in_memory(folder.path(), 1) };
    let options: WalkOptions = walk_options(&config);
    let tree = Tree::walk(folder.path(), &options).expect("a tree");
    let code = SOURCES.iter().find(|source| source.name() == SourceName::Code).expect("one");
    let store = default_backend()
        .open(SourceName::Code, &IndexLocation::Memory, &fingerprint())
        .expect("a new index");
    let reader = store.reader().expect("a reader");
    let options = UpdateOptions {
        limits: Limits::none(),
        max_unwritten_stamps: 0,
        interval: None,
        folder: None,
        size: &|| 0,
        only: None,
        writes_anyway: false,
        is_import: false,
        totals: None,
    };
    update(*code, &tree, store.as_ref(), reader.as_ref(), &config, &options, &Silent)
        .expect("it is read");
    let busy = Busy { store, tries: AtomicUsize::new(1000) };
    let embedder = StaticEmbedder::builtin();
    let keep = [embedder.fingerprint()];
    let embed = || embed_missing(*code, &tree, &busy, embedder, &keep, &config.parsers, &Silent);
    let embedded = embed();
    assert!(matches!(embedded.failure, Some(Failure::Index(IndexError::Busy { .. }))));
    assert_eq!(embedded.documents, 0);
    busy.tries.store(2, Ordering::SeqCst);
    let embedded = embed();
    assert!(embedded.failure.is_none());
    assert_eq!(embedded.documents, 1);
}
