//! The last comparison of an index with its tree, as monitoring reports it: nothing is read for it.

use std::time::Duration;

use crate::Engine;

/// State of an index at its last comparison with the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastCheck {
    /// Time since the start of the last listing of the tree.
    pub age: Duration,
    /// True if the tree is watched and the system reports every change, so that the next answer needs no walk.
    pub is_watched: bool,
    /// Number of documents of all sources; `None` if no index was compared yet.
    pub documents: Option<u64>,
}

impl Engine {
    /// Returns the last comparison by this engine; `None` before the first one.
    pub fn last_check(&self) -> Option<LastCheck> {
        let walks = self.config.overlays.walks();
        Some(LastCheck {
            age: walks.last_listing()?.elapsed(),
            is_watched: walks.has_events(),
            documents: self.config.overlays.documents(),
        })
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test writes the tree that it indexes")]
mod tests {
    use crate::{CachePlace, Engine, EngineConfig, IndexMode, testing::in_memory};

    #[test]
    fn the_last_check_counts_documents_without_reading_anything() {
        let folder = tempfile::tempdir().expect("a new folder");
        let tree = folder.path().join("tree");
        std::fs::create_dir(&tree).expect("a new folder");
        std::fs::write(tree.join("a.rs"), "fn refund() {}\n").expect("a new file");
        let cache = CachePlace::Folder(folder.path().join("cache"));
        let engine = Engine::open(EngineConfig { cache, ..in_memory(&tree, 1) }).expect("a tree");
        assert_eq!(engine.last_check(), None);
        engine.index(IndexMode::Update, &()).expect("an index");
        let check = engine.last_check().expect("the tree was listed");
        assert_eq!((check.documents, check.is_watched), (Some(1), false));
        std::fs::write(tree.join("b.rs"), "fn other() {}\n").expect("a new file");
        assert_eq!(engine.last_check().and_then(|check| check.documents), Some(1));
    }
}
