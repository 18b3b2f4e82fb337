//! Tests of answers without an index: they keep the time limit, report what was not seen, and write
//! nothing.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

mod common;

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use lore_engine::{
    CachePlace, Engine, EngineConfig, EngineError, Extras, Freshness, Mode, Scanned, SearchRequest,
    SearchResponse,
};
use lore_schema::{Filter, SourceName};

use common::{Silent, Workspace};

const SHOP: &str = "\
//- /src/refund.rs
/// Pays a customer back.
pub fn retry_refund(order: u64) -> bool {
    order > 0
}

pub fn other() {}
//- /src/pool.rs
//! Connections wait here.
pub struct ConnectionPool {
    size: usize,
}
//- /src/main.py
from pool import ConnectionPool
pool = ConnectionPool()
//- /tests/refund.rs
fn refunds() { retry_refund(1); retry_refund(2); retry_refund(3); }
//- /README.md
# Shop

## Refunds

A refund is retried three times.
";

const LONG: Duration = Duration::from_mins(1);

fn request(query: &str) -> SearchRequest {
    SearchRequest::new(query)
        .with_bodies(true)
        .with_extras(Extras { holders: true, ..Extras::default() })
}

fn ask(workspace: &Workspace, request: &SearchRequest) -> Result<SearchResponse, EngineError> {
    Engine::open(workspace.config()).unwrap().live(request, LONG, &|| false)
}

fn paths(response: &SearchResponse) -> Vec<&str> {
    response.hits.iter().filter_map(|hit| hit.path.as_deref()).collect()
}

#[test]
fn a_definition_comes_first_with_its_span() {
    let shop = Workspace::new(SHOP);
    let response = ask(&shop, &request("retry_refund")).unwrap();
    let hit = &response.hits[0];
    assert_eq!(hit.id, "code:src/refund.rs#retry_refund");
    assert_eq!((hit.start_line, hit.end_line), (Some(1), Some(4)));
    assert!(hit.body.as_ref().unwrap().text.contains("order > 0"));
    assert_eq!(hit.rank, 1);
    assert!(paths(&response).contains(&"tests/refund.rs"));

    let response = ask(&shop, &request("retry_refunds_later")).unwrap();
    assert!(response.hits.is_empty(), "a name that is not there has no relatives");
    assert_eq!(response.absence.unwrap().unknown_words, ["retry_refunds_later"]);

    let response = ask(&shop, &request("connection pool")).unwrap();
    assert_eq!(paths(&response)[0], "src/pool.rs");
    let response = ask(&shop, &request("how is a refund retried")).unwrap();
    assert!(paths(&response).contains(&"README.md"), "an inflected form is found");
}

#[test]
fn the_receipt_reports_the_scan_and_nothing_is_written() {
    let shop = Workspace::new(SHOP);
    let response = ask(&shop, &request("refund")).unwrap();
    let receipt = &response.receipt;
    assert_eq!(
        receipt.scanned,
        Some(Scanned { files: 5, looked: 5, indexed: 0, listed_all: true })
    );
    assert_eq!(receipt.fresh, Freshness::Verified);
    assert_eq!(receipt.semantic, "off");
    assert!(receipt.semantic_fallback.is_some());
    assert_eq!(receipt.sources[&SourceName::Docs].documents, 1);
    assert!(response.warnings[0].contains("5 of 5 files"), "{:?}", response.warnings);
    assert_eq!(fs::read_dir(shop.cache.path()).unwrap().count(), 0);

    let holders = response.holders.unwrap();
    let held: Vec<(&str, u64)> =
        holders.files.iter().map(|file| (file.path.as_str(), file.places)).collect();
    assert_eq!(held, [("src/refund.rs", 1), ("tests/refund.rs", 1), ("README.md", 2)]);
    assert_eq!((holders.unit, holders.unseen), ("line", 0));
}

#[test]
fn the_same_tree_gives_the_same_answer_on_any_number_of_threads() {
    let shop = Workspace::new(SHOP);
    for at in 0..200 {
        shop.write(
            &format!("many/file{at:03}.rs"),
            &format!("fn refund_{at}() {{ refund({at}) }}\n"),
        );
    }
    let ask = |threads: usize| {
        let config = EngineConfig { threads, ..shop.config() };
        let request = request("refund").with_limit(30);
        let mut response = Engine::open(config).unwrap().live(&request, LONG, &|| false).unwrap();
        response.receipt.elapsed_ms = 0.0;
        response
    };
    let single = ask(1);
    assert_eq!(single.hits.len(), 30);
    assert_eq!(single.receipt.total, 203);
    assert_eq!(single, ask(4));
    assert_eq!(single, ask(3));
}

#[test]
fn an_expired_time_limit_is_reported() {
    let shop = Workspace::new(SHOP);
    for at in 0..3_000 {
        shop.write(&format!("many/{}/file{at}.rs", at % 40), "fn nothing() {}\n");
    }
    shop.write("many/refund.rs", "fn refund() {}\n");
    let engine = Engine::open(shop.config()).unwrap();
    // Stops after a number of calls: the tree is listed by then, and a few files are scanned.
    let asked = AtomicUsize::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::Relaxed) > 60;
    let response = engine.live(&request("refund"), LONG, &cancelled).unwrap();
    let scanned = response.receipt.scanned.unwrap();
    assert!(scanned.listed_all && scanned.looked > 0 && scanned.looked < scanned.files);
    let unseen = scanned.files - scanned.looked;
    assert_eq!(response.receipt.fresh, Freshness::Partial(unseen));
    assert_eq!(response.holders.as_ref().unwrap().unseen, unseen);
    assert!(!response.receipt.exhaustive);
    assert!(paths(&response).contains(&"many/refund.rs"), "paths with words are looked at first");

    let response = engine.live(&request("refund"), Duration::ZERO, &|| false).unwrap();
    assert!(response.hits.is_empty());
    assert!(!response.receipt.scanned.unwrap().listed_all);
    assert!(matches!(response.receipt.fresh, Freshness::Partial(1..)));
    assert!(response.holders.unwrap().unseen > 0);

    let started = Instant::now();
    engine.live(&request("refund"), Duration::from_millis(100), &|| false).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "a busy machine is slow, not endless");
}

#[test]
fn filters_are_applied_or_rejected() {
    let shop = Workspace::new(SHOP);
    let filtered = |filter: Filter| ask(&shop, &request("refund pool").with_filter(filter));
    let shown = |filter: Filter| {
        let response = filtered(filter).unwrap();
        let mut paths: Vec<String> = paths(&response).iter().map(|&path| path.into()).collect();
        paths.sort_unstable();
        paths
    };
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let of = Filter { paths: texts(&["src/**"]), ..Filter::default() };
    assert_eq!(shown(of), ["src/main.py", "src/pool.rs", "src/refund.rs"]);
    let of = Filter { excludes: texts(&["src"]), ..Filter::default() };
    assert_eq!(shown(of), ["README.md", "tests/refund.rs"]);
    let of = Filter { languages: texts(&["python"]), ..Filter::default() };
    assert_eq!(shown(of), ["src/main.py"]);
    let of = Filter { sources: vec![SourceName::Docs], ..Filter::default() };
    assert_eq!(shown(of), ["README.md"]);
    let of = Filter { without: vec![lore_schema::Category::Test], ..Filter::default() };
    assert!(!shown(of).contains(&"tests/refund.rs".to_owned()));

    let refused = [
        Filter { kinds: texts(&["function"]), ..Filter::default() },
        Filter { since: Some(0), ..Filter::default() },
        Filter { sources: vec![SourceName::Git, SourceName::Tickets], ..Filter::default() },
    ];
    for filter in refused {
        let error = filtered(filter.clone()).unwrap_err();
        assert!(matches!(error, EngineError::NeedsIndex { .. }), "{filter:?}: {error}");
    }
    let semantic = request("refund").with_mode(Mode::Semantic);
    assert!(matches!(ask(&shop, &semantic), Err(EngineError::NeedsIndex { .. })));
    assert!(matches!(ask(&shop, &request("refund -pool")), Err(EngineError::NeedsIndex { .. })));
    assert!(matches!(ask(&shop, &request("  ")), Err(EngineError::EmptyQuery)));

    let response = ask(&shop, &request("\"retried three times\"")).unwrap();
    assert_eq!(paths(&response), ["README.md"], "a phrase must hold");
    let response = ask(&shop, &request("zebra")).unwrap();
    let absence = response.absence.unwrap();
    assert_eq!(absence.unknown_words, ["zebra"]);
    assert!(absence.reasons[0].contains("none of the 5 files"), "{:?}", absence.reasons);
}

#[test]
fn holders_from_the_index_list_every_file() {
    let shop = Workspace::new(SHOP);
    shop.write("src/poetry.rs", "fn poetry() {}\n");
    shop.write("src/retrying.rs", "fn retrying() { other_words() }\n");
    let engine = Engine::open(EngineConfig { cache: CachePlace::Memory, ..shop.config() }).unwrap();
    let response = engine.search(&request("retry refund").with_limit(1), &Silent).unwrap();
    assert_eq!(response.hits.len(), 1);
    let holders = response.holders.unwrap();
    let held: Vec<(&str, u32)> =
        holders.files.iter().map(|file| (file.path.as_str(), file.words)).collect();
    assert_eq!(
        held,
        [("src/refund.rs", 2), ("src/retrying.rs", 1), ("tests/refund.rs", 2), ("README.md", 1)],
        "whatever is shown; `retried` is not `retry`, and `poetry` holds no part of it"
    );
    let words: Vec<(&str, u64)> =
        holders.words.iter().map(|held| (held.word.as_str(), held.documents)).collect();
    assert_eq!(words, [("retry", 3), ("refund", 3)]);

    let narrow = Filter { paths: vec!["tests/**".to_owned()], ..Filter::default() };
    let narrow = request("refund").with_filter(narrow);
    let holders = engine.search(&narrow, &Silent).unwrap().holders.unwrap();
    assert_eq!(holders.files.len(), 1, "filters hold");
    let plain = SearchRequest::new("refund");
    assert_eq!(engine.search(&plain, &Silent).unwrap().holders, None, "only on demand");
}
