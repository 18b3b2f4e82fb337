//! Answers from indexes in a cluster: those of the indexes on this machine.
//!
//! `LORE_OPENSEARCH_URL` names a node, such as that of `cargo xtask opensearch start`. Without it, nothing
//! is tested, and the test says so.
#![cfg(feature = "opensearch")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a failure is a failed test, and a test that is not run says so"
)]

mod common;

use std::{collections::BTreeSet, fs, path::Path};

use lore_engine::{
    ClusterAddress, ClusterLayout, Engine, EngineConfig, IndexMode, OpenSearchBackend, PatternKind,
    SearchRequest, SearchResponse, SymbolRequest, select_repositories,
};

use crate::common::{Silent, Workspace};

/// The backend for a repository of this name, in an index of this run.
fn backend(name: &str) -> Option<&'static OpenSearchBackend> {
    let Ok(node) = std::env::var("LORE_OPENSEARCH_URL") else {
        eprintln!("NOT TESTED: `LORE_OPENSEARCH_URL` names no cluster");
        return None;
    };
    let address = ClusterAddress { nodes: vec![node], ..ClusterAddress::default() };
    let layout = ClusterLayout { shards: 1, replicas: 0 };
    let index = format!("engine-{}-{name}", std::process::id());
    let backend = OpenSearchBackend::new(&address, &index, layout, Some(name)).unwrap();
    backend.create().unwrap();
    Some(Box::leak(Box::new(backend)))
}

/// Copies the sources and pages of this repository, so that the test has real texts.
fn copy(from: &Path, to: &Workspace, prefix: &str) {
    let mut entries: Vec<_> =
        fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = format!("{prefix}/{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            copy(&path, to, &name);
        } else if let Ok(text) = fs::read_to_string(&path) {
            to.write(name.trim_start_matches('/'), &text);
        }
    }
}

fn ask(engine: &Engine, query: &str, limit: usize) -> SearchResponse {
    let request = SearchRequest::new(query).with_limit(limit);
    engine.search(&request, &Silent).unwrap()
}

const QUESTIONS: [&str; 12] = [
    "how is a snapshot shared between readers",
    "where are the weights of the signals",
    "what happens when an index is damaged",
    "selection of the best documents for a query",
    "Candidate",
    "rounding of vectors to bytes",
    "lock of a writer that was killed",
    "glob patterns of paths",
    "\"inverse document frequency\"",
    "path:backends commit in parts",
    "quantise OR compress vectors -tests",
    "snapshhot of a segmentt",
];

#[test]
fn both_backends_give_the_same_hits() {
    let Some(cluster) = backend("agree") else { return };
    let tree = Workspace::new("//- /README.md\n# Two backends\n");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    copy(&crates.join("index/src"), &tree, "index");
    copy(&crates.join("schema/src"), &tree, "schema");
    copy(&crates.parent().unwrap().join("docs/concepts"), &tree, "docs");
    let local = Engine::open(tree.config()).unwrap();
    let remote = Engine::open(EngineConfig { backend: cluster, ..tree.config() }).unwrap();
    let report = remote.index(IndexMode::Update, &Silent).unwrap();
    assert!(report.totals()[0] > 90, "{report:?}");
    for query in QUESTIONS {
        let (mine, theirs) = (ask(&local, query, 100), ask(&remote, query, 100));
        assert_eq!(mine.receipt.total, theirs.receipt.total, "{query}");
        assert_eq!(mine.receipt.matched_all, theirs.receipt.matched_all, "{query}");
        let ids = |answer: &SearchResponse| -> Vec<String> {
            answer.hits.iter().map(|hit| hit.id.clone()).collect()
        };
        let (mine, theirs) = (ids(&mine), ids(&theirs));
        assert!(!mine.is_empty(), "{query}");
        let common = mine.iter().collect::<BTreeSet<_>>();
        let common = theirs.iter().filter(|id| common.contains(id)).count();
        assert!(common * 100 >= 98 * mine.len(), "{query}: {common} of {}", mine.len());
        assert_eq!(mine[..mine.len().min(10)], theirs[..theirs.len().min(10)], "{query}");
    }
}

/// The places of an answer, with their texts.
fn places(answer: &SearchResponse) -> Vec<(String, Option<u32>, String)> {
    let hits = answer.hits.iter();
    hits.map(|hit| (hit.id.clone(), hit.start_line, hit.snippet.text.clone())).collect()
}

#[test]
fn a_repository_is_searched_without_its_files() {
    let Some(cluster) = backend("stored") else { return };
    let secret = ["ghp_", "a8Zk3Lq9Vw2Xc7Bn4Mt6Ry1Pu5Ds0Fg3Hj8K"].concat();
    let tree = Workspace::new("//- /other/README.md\n# Stored\n");
    tree.write("README.md", &format!("# Stored\n\ntoken = \"{secret}\"\n"));
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    copy(&crates.join("index/src"), &tree, "index");
    copy(&crates.parent().unwrap().join("docs/concepts"), &tree, "docs");
    let missing = EngineConfig { backend: cluster, ..tree.config() };
    let refused = Engine::open_stored(missing, "stored").unwrap_err().to_string();
    assert!(refused.contains("the cluster has no repository of this name"), "{refused}");
    let local = Engine::open(tree.config()).unwrap();
    let writer = Engine::open(EngineConfig { backend: cluster, ..tree.config() }).unwrap();
    writer.index(IndexMode::Update, &Silent).unwrap();
    // Nothing of the folder is needed.
    let elsewhere = Workspace::new("//- /other.md\n# Elsewhere\n");
    let config = EngineConfig { backend: cluster, ..elsewhere.config() };
    let stored = Engine::open_stored(config.clone(), "stored").unwrap();
    for query in QUESTIONS {
        let (mine, theirs) = (ask(&local, query, 10), ask(&stored, query, 10));
        assert_eq!(places(&mine), places(&theirs), "{query}");
        assert_eq!(mine.receipt.total, theirs.receipt.total, "{query}");
        assert!(theirs.receipt.fresh.ingestion_time().is_some(), "{:?}", theirs.receipt);
    }
    let pattern = |engine: &Engine| {
        let request = SearchRequest::new("fn (open|reader)\\(").with_limit(50);
        let request = request.with_pattern(Some(PatternKind::Regex));
        places(&engine.search(&request, &Silent).unwrap())
    };
    assert_eq!(pattern(&local), pattern(&stored));
    assert!(pattern(&stored).len() > 3);
    let symbols = |engine: &Engine| {
        let filter = lore_engine::schema::Filter::default();
        let request = SymbolRequest { query: "IndexLocation".to_owned(), filter, limit: 5 };
        let hits = engine.symbols(&request, &Silent).unwrap().hits;
        hits.into_iter().map(|hit| (hit.id, hit.start_line)).collect::<Vec<_>>()
    };
    assert_eq!(symbols(&local), symbols(&stored));
    let text = |path: &str| stored.text(path).ok();
    assert_eq!(text("index/lib.rs"), local.text("index/lib.rs").ok());
    assert!(!text("README.md").unwrap().contains(&secret), "secrets are removed");
    let paths = ["other.md", "../other.md", "/etc/hostname", "index/../README.md", ""];
    assert_eq!(paths.map(text), [const { None }; 5]);
    assert!(stored.contains("index") && !stored.contains("inde"));
    assert!(stored.at("HEAD", lore_engine::Clock::default()).is_err());
    let status = stored.status().unwrap();
    let pending: u64 = status.sources.values().map(|source| source.pending).sum();
    assert_eq!(pending, 0, "{status:?}");
    // It is searched as it was last ingested.
    tree.write("index/new.rs", "pub struct Wombatling;\n");
    fs::remove_file(tree.tree.path().join("index/lib.rs")).unwrap();
    assert!(ask(&stored, "Wombatling", 3).hits.is_empty());
    writer.index(IndexMode::Update, &Silent).unwrap();
    assert_eq!(ask(&stored, "Wombatling", 3).hits[0].path.as_deref(), Some("index/new.rs"));
    assert_eq!((text("index/lib.rs"), text("index/new.rs").is_some()), (None, true));
    for name in ["../stored", "a//b", ""] {
        assert!(Engine::open_stored(config.clone(), name).is_err(), "{name}");
    }
}

#[test]
fn a_question_selects_repositories() {
    let Some(cluster) = backend("select") else { return };
    let names: Vec<String> = (0..6).map(|number| format!("team/r{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        let text =
            format!("//- /src/a.rs\n/// Common words of a numbat{number}.\npub fn common() {{}}\n");
        let tree = Workspace::new(&text);
        let backend = Box::leak(Box::new(cluster.of_repository(name)));
        let engine = Engine::open(EngineConfig { backend, ..tree.config() }).unwrap();
        engine.index(IndexMode::Update, &Silent).unwrap();
    }
    let select = |question: &str, allowed: &[String], limit| {
        select_repositories(cluster, question, allowed, limit).unwrap()
    };
    assert_eq!(select("where are numbat4 and numbat2", &names, 2).len(), 2);
    assert_eq!(select("the numbat4", &names, 2)[0], "team/r4");
    assert_eq!(select("where is pub fn common in numbat5", &names, 1), ["team/r5"]);
    assert!(!select("numbat4", &names[..4], 2).contains(&names[4]), "it is not among them");
    assert_eq!(select("common words", &names, 4).len(), 4);
    assert_eq!(select("numbat4", &names, 6), names, "all of them answer");
    assert_eq!(select("the", &names, 3), names[..3], "no word selects");
    assert_eq!(select("unknownword", &names, 3), [""; 0]);
    assert_eq!(cluster.names().unwrap(), names);
}

#[test]
fn an_edit_is_in_the_next_answer() {
    let Some(cluster) = backend("edit") else { return };
    let tree = Workspace::new("//- /src/pool.rs\npub struct ConnectionPool;\n");
    let engine = Engine::open(EngineConfig { backend: cluster, ..tree.config() }).unwrap();
    let path = |query: &str| ask(&engine, query, 3).hits.into_iter().next().and_then(|it| it.path);
    assert_eq!(path("connection pool").as_deref(), Some("src/pool.rs"));
    for number in 0..12 {
        tree.write("src/lake.rs", &format!("pub struct Lake{number}ofwombats;\n"));
        let word = format!("lake{number}ofwombats");
        assert_eq!(path(&word).as_deref(), Some("src/lake.rs"), "{word}");
    }
    fs::remove_file(tree.tree.path().join("src/lake.rs")).unwrap();
    assert_eq!(path("lake11ofwombats"), None);
    assert!(cluster.forget("edit").unwrap());
    assert!(!cluster.forget("edit").unwrap());
    // Forgotten, it is written again.
    assert_eq!(path("connection pool").as_deref(), Some("src/pool.rs"));
}

/// Sends a request to the cluster, which must succeed.
fn send(method: &str, path: &str, body: &str) {
    use std::io::{Read as _, Write as _};
    let node = std::env::var("LORE_OPENSEARCH_URL").unwrap();
    let host = node.trim_start_matches("http://");
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_point_in_time_that_the_cluster_forgot_is_opened_again() {
    let Some(cluster) = backend("points") else { return };
    let tree = Workspace::new("//- /other.md\n# Other\n");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    copy(&crates.join("index/src"), &tree, "index");
    let writer = Engine::open(EngineConfig { backend: cluster, ..tree.config() }).unwrap();
    writer.index(IndexMode::Update, &Silent).unwrap();
    let elsewhere = Workspace::new("//- /other.md\n# Elsewhere\n");
    let config = EngineConfig { backend: cluster, ..elsewhere.config() };
    let stored = Engine::open_stored(config, "points").unwrap();
    let before = QUESTIONS.map(|query| places(&ask(&stored, query, 10)));
    // Only a new answer reads rows; the earlier ones are kept in memory.
    for (query, before) in QUESTIONS.iter().zip(before) {
        send("DELETE", "/_search/point_in_time/_all", "");
        assert_eq!(places(&ask(&stored, query, 10)), before, "{query}");
        assert!(!ask(&stored, &format!("{query} once more"), 10).hits.is_empty(), "{query}");
    }
}

/// Makes the state of a source unreadable.
fn damage(name: &str, key: &str) {
    let repository = key.split('/').next().unwrap();
    let path = format!(
        "/engine-{}-{name}/_doc/{:032x}-state?routing={:016x}",
        std::process::id(),
        xxhash_rust::xxh3::xxh3_128(key.as_bytes()),
        xxhash_rust::xxh3::xxh3_64(repository.as_bytes()),
    );
    let body = format!("{{\"key\":\"{key}\",\"row\":\"state\",\"state\":{{\"begun\":7}}}}");
    send("PUT", &path, &body);
}

#[test]
fn a_damaged_state_is_replaced() {
    let Some(cluster) = backend("damaged") else { return };
    let tree = Workspace::new("//- /src/pool.rs\npub struct ConnectionPool;\n");
    let config = EngineConfig { backend: cluster, ..tree.config() };
    let engine = Engine::open(config.clone()).unwrap();
    engine.index(IndexMode::Update, &Silent).unwrap();
    damage("damaged", "damaged/code");
    let engine = Engine::open(config).unwrap();
    let found = ask(&engine, "connection pool", 3);
    assert_eq!(found.hits[0].path.as_deref(), Some("src/pool.rs"));
    engine.index(IndexMode::Rebuild, &Silent).unwrap();
    let found = ask(&engine, "connection pool", 3);
    assert_eq!((found.hits[0].path.as_deref(), found.warnings.len()), (Some("src/pool.rs"), 0));
}
