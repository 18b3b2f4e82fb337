//! Tests of overlays: changes since the last commit are searched from memory. The answers equal those of
//! a rebuilt index, and only large changes are written, after the answer.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use lore_engine::{
    CachePlace, Engine, EngineConfig, Freshness, IndexMode, Mode, Overlays, Progress,
    SearchRequest, SearchResponse,
};
use lore_schema::SourceName;
use proptest::prelude::*;

use crate::common::{Silent, Workspace};

const SHOP: &str = "\
//- /src/refund.rs
/// Pays a customer back.
pub fn retry_refund(order: u64) -> bool {
    order > 0
}
//- /src/pool.rs
/// Keeps connections open.
pub struct ConnectionPool;
//- /docs/refunds.md
# Refunds

A refund is paid twice when the gateway answers late.
//- /specs/001-ledger/README.md
---
status: planned
---
# Ledger

Every refund is booked in the ledger.
";

/// Number of changed documents that is committed.
const MANY: usize = 201;

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(contents(&path));
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    files
}

fn ask(engine: &Engine, query: &str) -> SearchResponse {
    engine.search(&SearchRequest::new(query), &Silent).unwrap()
}

fn paths(response: &SearchResponse) -> Vec<&str> {
    response.hits.iter().filter_map(|hit| hit.path.as_deref()).collect()
}

fn indexed() -> (Workspace, Engine) {
    let shop = Workspace::new(SHOP);
    let engine = Engine::open(shop.config()).unwrap();
    engine.index(IndexMode::Update, &Silent).unwrap();
    (shop, engine)
}

fn pending(engine: &Engine) -> u64 {
    engine.status().unwrap().sources.values().map(|source| source.pending).sum()
}

#[test]
fn changes_are_searched_and_nothing_is_written() {
    let (shop, engine) = indexed();
    let before = contents(shop.cache.path());
    assert!(!before.is_empty());
    shop.write("src/zoo.rs", "pub fn zebra() {}\n");
    shop.write("src/refund.rs", "pub fn okapi() {}\n");
    fs::remove_file(shop.tree.path().join("docs/refunds.md")).unwrap();
    for _ in 0..2 {
        for (query, expected) in [
            ("zebra", &["src/zoo.rs"][..]),
            ("okapi", &["src/refund.rs"]),
            ("retry_refund", &[]),
            ("gateway", &[]),
        ] {
            let response = ask(&engine, query);
            assert_eq!(paths(&response), expected, "{query}");
            assert_eq!(response.receipt.fresh, Freshness::Verified, "{query}");
        }
        assert!(engine.settle().is_empty());
    }
    assert_eq!(contents(shop.cache.path()), before);
    drop(engine);
    assert_eq!(contents(shop.cache.path()), before);
    // An undone change needs no overlay.
    let engine = Engine::open(shop.config()).unwrap();
    fs::remove_file(shop.tree.path().join("src/zoo.rs")).unwrap();
    assert!(ask(&engine, "zebra").hits.is_empty());
    assert_eq!(contents(shop.cache.path()), before);
}

#[test]
fn a_first_index_is_answered_from_and_then_written() {
    let shop = Workspace::new(SHOP);
    let engine = Engine::open(shop.config()).unwrap();
    assert_eq!(paths(&ask(&engine, "retry_refund")), ["src/refund.rs"]);
    assert!(contents(shop.cache.path()).is_empty(), "the answer comes first");
    assert!(engine.settle().is_empty());
    let written = contents(shop.cache.path());
    assert!(!written.is_empty());
    assert_eq!(pending(&engine), 0);
    assert_eq!(paths(&ask(&engine, "retry_refund")), ["src/refund.rs"]);
    drop(engine);
    assert_eq!(contents(shop.cache.path()), written);
}

#[test]
fn an_overlay_past_its_limit_is_answered_from_and_then_written() {
    let (shop, engine) = indexed();
    let before = contents(shop.cache.path());
    for number in 0..MANY {
        shop.write(&format!("src/many/part{number}.rs"), "pub fn manifold() {}\n");
    }
    let response = ask(&engine, "manifold");
    assert_eq!((response.receipt.total, response.receipt.fresh), (201, Freshness::Verified));
    assert_eq!(contents(shop.cache.path()), before, "the answer comes first");
    assert!(engine.settle().is_empty());
    assert_ne!(contents(shop.cache.path()), before);
    assert_eq!(pending(&engine), 0);
    assert_eq!(ask(&engine, "manifold").receipt.total, 201);
    assert!(engine.check().unwrap().problems.is_empty());
}

#[test]
fn a_search_that_may_not_write_never_does() {
    let (shop, engine) = indexed();
    drop(engine);
    let before = contents(shop.cache.path());
    for number in 0..MANY {
        shop.write(&format!("src/many/part{number}.rs"), "pub fn manifold() {}\n");
    }
    let closed = Engine::open(EngineConfig { write: false, ..shop.config() }).unwrap();
    assert_eq!(ask(&closed, "manifold").receipt.total, 201);
    assert!(closed.settle().is_empty());
    assert!(closed.index(IndexMode::Update, &Silent).is_err(), "an explicit index run fails");
    drop(closed);
    assert_eq!(contents(shop.cache.path()), before);
}

/// Takes the locks of all writers.
fn locked(folder: &Path) -> Vec<fs::File> {
    let is_lock = |path: &PathBuf| path.ends_with(".lorehound-writer.lock");
    let locks: Vec<fs::File> = contents(folder)
        .into_keys()
        .filter(is_lock)
        .map(|path| {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.try_lock().unwrap();
            file
        })
        .collect();
    assert!(!locks.is_empty());
    locks
}

#[test]
fn no_search_waits_for_a_writer() {
    let (shop, engine) = indexed();
    let locks = locked(shop.cache.path());
    let before = contents(shop.cache.path());
    for number in 0..MANY {
        shop.write(&format!("src/many/part{number}.rs"), "pub fn manifold() {}\n");
    }
    for engine in [&engine, &Engine::open(shop.config()).unwrap()] {
        let response = ask(engine, "manifold");
        assert_eq!((response.receipt.total, response.receipt.fresh), (201, Freshness::Verified));
        assert!(engine.settle().is_empty(), "a busy writer is no reason for a warning");
    }
    assert_eq!(contents(shop.cache.path()), before);
    drop(locks);
    assert!(engine.settle().is_empty());
    assert_ne!(contents(shop.cache.path()), before);
    assert_eq!(pending(&engine), 0);
}

/// Counts the units that are read.
#[derive(Default)]
struct Reads(AtomicU64);

impl Progress for Reads {
    fn advance(&self, _: SourceName, _: u64, known: u64) {
        self.0.fetch_max(known, Ordering::Relaxed);
    }

    fn note(&self, _: &str) {}
}

#[test]
fn an_engine_reads_a_changed_file_once() {
    let (shop, engine) = indexed();
    shop.write("src/zoo.rs", "pub fn zebra() {}\n");
    let reads = |engine: &Engine| {
        let reads = Reads::default();
        engine.search(&SearchRequest::new("zebra"), &reads).unwrap();
        reads.0.into_inner()
    };
    assert_eq!(reads(&engine), 1);
    assert_eq!(reads(&engine), 0);
    shop.write("src/park.rs", "pub fn zebra_park() {}\n");
    assert_eq!(reads(&engine), 1);
    assert_eq!(paths(&ask(&engine, "zebra")).len(), 2);
    // Another engine commits: the overlay has lost its base.
    Engine::open(shop.config()).unwrap().index(IndexMode::Update, &Silent).unwrap();
    assert_eq!(reads(&engine), 0);
    assert_eq!(paths(&ask(&engine, "zebra")).len(), 2);
}

const TEXTS: &[&str] = &[
    "pub fn refund(order: u64) {}\n",
    "// a connection to the ledger\npub struct Ledger;\n",
    "pub fn retry() { refund(1); }\n\npub fn ledger() { retry(); }\n",
    "# Ledger\n\nA refund is booked twice.\n",
    "---\nstatus: done\n---\n# Connections\n\nThe pool keeps connections to the gateway.\n",
];

#[derive(Debug, Clone)]
enum Edit {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    /// Gives every file one of two contents or none, as a switch between branches does.
    Switch(bool),
    Index,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        6 => (0..9_usize, 0..TEXTS.len()).prop_map(|(file, text)| Edit::Write(file, text)),
        2 => (0..9_usize).prop_map(Edit::Remove),
        2 => (0..9_usize, 0..9_usize).prop_map(|(from, to)| Edit::Rename(from, to)),
        2 => any::<bool>().prop_map(Edit::Switch),
        2 => Just(Edit::Index),
    ];
    prop::collection::vec(edit, 1..14)
}

fn path(file: usize) -> String {
    match file % 3 {
        0 => format!("src/f{file}.rs"),
        1 => format!("docs/f{file}.md"),
        _ => format!("specs/00{file}-feature/README.md"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// An index is a cache: with any base and overlay, the answer equals that of a rebuilt index.
    #[test]
    fn base_and_overlay_answer_as_a_rebuilt_index(edits in edits()) {
        let (shop, lasting) = indexed();
        let at = |file: usize| shop.tree.path().join(path(file));
        for (number, edit) in edits.iter().enumerate() {
            match edit {
                Edit::Write(file, text) => shop.write(&path(*file), TEXTS[*text]),
                Edit::Remove(file) => drop(fs::remove_file(at(*file))),
                Edit::Rename(from, to) => {
                    fs::create_dir_all(at(*to).parent().unwrap()).unwrap();
                    drop(fs::rename(at(*from), at(*to)));
                }
                Edit::Switch(is_second) => {
                    for file in 0..9 {
                        match (file + usize::from(*is_second)) % 4 {
                            0 => drop(fs::remove_file(at(file))),
                            text => shop.write(&path(file), TEXTS[text]),
                        }
                    }
                }
                Edit::Index => {
                    let other = Engine::open(shop.config()).unwrap();
                    other.index(IndexMode::Update, &Silent).unwrap();
                }
            }
            // Some overlays continue from the last one by several changes at once.
            if number % 2 == 0 {
                ask(&lasting, "ledger");
            }
        }
        let memory = EngineConfig {
            cache: CachePlace::Memory,
            overlays: Overlays::default(),
            ..shop.config()
        };
        let rebuilt = Engine::open(memory).unwrap();
        let next = Engine::open(shop.config()).unwrap();
        for mode in [Mode::Lexical, Mode::Semantic, Mode::Hybrid] {
            for query in ["refund", "retry ledger", "connection pool", "booked \"twice\""] {
                let request = SearchRequest::new(query).with_mode(mode);
                let expected = rebuilt.search(&request, &Silent).unwrap();
                for engine in [&lasting, &next] {
                    let found = engine.search(&request, &Silent).unwrap();
                    let ids = |response: &SearchResponse| -> Vec<String> {
                        response.hits.iter().map(|hit| hit.id.clone()).collect()
                    };
                    prop_assert_eq!(ids(&found), ids(&expected), "{:?} {}", mode, query);
                    prop_assert_eq!(found.receipt.total, expected.receipt.total);
                    prop_assert_eq!(found.receipt.fresh, Freshness::Verified);
                    for (left, right) in found.hits.iter().zip(&expected.hits) {
                        prop_assert_eq!(left.score.to_bits(), right.score.to_bits());
                    }
                }
            }
        }
    }
}
