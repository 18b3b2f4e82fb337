//! Tests of the engine on real folders: answers are fresh, complete and explained.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;

use std::{collections::BTreeMap, fs, path::Path};

use lore_engine::{
    CachePlace, Embedding, Engine, EngineConfig, EngineError, Freshness, Fusion, IndexMode, Mode,
    SearchRequest, SearchResponse,
};
use lore_schema::{SkipReason, SourceName};
use proptest::prelude::*;

use common::{Silent, Workspace};

const SHOP: &str = "\
//- /src/refund.rs
/// Pays a customer back.
pub fn retry_refund(order: u64) -> bool {
    order > 0
}
//- /src/pool.rs
//! Connections wait here.
pub struct ConnectionPool {
    size: usize,
}
//- /README.md
# Shop

## Refunds

A refund is retried three times.
";

impl Workspace {
    fn search(&self, query: &str) -> SearchResponse {
        search(self.config(), query)
    }

    /// Paths of the hits, best first.
    fn paths(&self, query: &str) -> Vec<String> {
        paths(&self.search(query))
    }
}

fn request(query: &str) -> SearchRequest {
    SearchRequest::new(query).with_explain(true).with_snippet_lines(5)
}

fn search(config: EngineConfig, query: &str) -> SearchResponse {
    Engine::open(config).unwrap().search(&request(query), &Silent).unwrap()
}

fn paths(response: &SearchResponse) -> Vec<String> {
    response.hits.iter().filter_map(|hit| hit.path.clone()).collect()
}

/// Size and content of every file below a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(contents(&path));
        } else {
            files.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    files
}

#[test]
fn the_definition_comes_first_and_is_proved() {
    let shop = Workspace::new(SHOP);
    let response = shop.search("retry_refund");
    let hit = &response.hits[0];
    assert_eq!(hit.id, "code:src/refund.rs#retry_refund");
    assert_eq!((hit.start_line, hit.kind.as_str()), (Some(1), "function"));
    assert_eq!(hit.doc_comment.as_deref(), Some("Pays a customer back."));
    assert!(hit.snippet.text.contains("pub fn retry_refund"));
    assert_eq!(response.receipt.fresh, Freshness::Verified);
    assert!(shop.paths("retried refunds").contains(&"README.md".to_owned()));
}

#[test]
fn every_change_shows_in_the_next_answer() {
    let shop = Workspace::new(SHOP);
    assert!(shop.paths("zebra").is_empty());
    shop.write("src/zoo.rs", "pub fn zebra() {}\n");
    assert_eq!(shop.paths("zebra"), ["src/zoo.rs"], "new");
    shop.write("src/zoo.rs", "pub fn okapi() {}\n");
    assert!(shop.paths("zebra").is_empty(), "edited, same size");
    assert_eq!(shop.paths("okapi"), ["src/zoo.rs"], "edited");
    fs::rename(shop.tree.path().join("src/zoo.rs"), shop.tree.path().join("src/park.rs")).unwrap();
    assert_eq!(shop.paths("okapi"), ["src/park.rs"], "renamed");
    shop.write(".gitignore", "park.rs\n");
    assert!(shop.paths("okapi").is_empty(), "ignored");
    shop.write(".gitignore", "nothing\n");
    assert_eq!(shop.paths("okapi"), ["src/park.rs"], "not ignored any more");
    fs::remove_file(shop.tree.path().join("src/park.rs")).unwrap();
    assert!(shop.paths("okapi").is_empty(), "deleted");
}

#[test]
fn a_search_that_finds_nothing_changed_writes_nothing() {
    let shop = Workspace::new(SHOP);
    shop.search("refund");
    // Files that changed during the first search are compared by content once more.
    shop.search("refund");
    let before = contents(shop.cache.path());
    assert!(!before.is_empty());
    shop.search("connection");
    assert_eq!(contents(shop.cache.path()), before);
}

#[test]
fn a_search_that_may_not_write_answers_the_same() {
    let shop = Workspace::new(SHOP);
    let closed = EngineConfig { write: false, ..shop.config() };
    assert_eq!(paths(&search(closed.clone(), "pool")), ["src/pool.rs"]);
    assert!(contents(shop.cache.path()).is_empty());
    shop.search("pool");
    shop.write("src/lake.rs", "pub struct Lake;\n");
    assert_eq!(paths(&search(closed, "lake")), ["src/lake.rs"]);
}

#[test]
fn a_score_is_the_sum_of_its_parts() {
    let shop = Workspace::new(SHOP);
    let asked = shop.search("connection pool refund").hits.into_iter();
    for hit in asked.chain(shop.search("how are connections pooled").hits) {
        let explanation = hit.explanation.expect("it was requested");
        let sum: f32 = explanation.parts.iter().map(|part| part.value * part.weight).sum();
        assert!((sum - explanation.sum()).abs() < 1e-5);
        let is_inside = |value: f32, name| {
            // The difference of two curves has no range.
            (0.0..=1.0).contains(&value)
                || name == "source-curve"
                || name == "length" && (-1.0..0.0).contains(&value)
        };
        assert!(explanation.parts.iter().all(|part| is_inside(part.value, part.name)));
        assert!((0.0..=1.0).contains(&hit.score));
    }
}

#[test]
fn filters_restrict_and_change_no_score() {
    let shop = Workspace::new(SHOP);
    let all = shop.search("refund");
    let mut only = request("refund");
    only.filter.paths = vec!["src/**".to_owned()];
    let engine = Engine::open(shop.config()).unwrap();
    let filtered = engine.search(&only, &Silent).unwrap();
    assert_eq!(paths(&filtered), ["src/refund.rs"]);
    let score = |response: &SearchResponse| {
        let hit = response.hits.iter().find(|hit| hit.path.as_deref() == Some("src/refund.rs"));
        hit.expect("the file is found").score.to_bits()
    };
    assert_eq!(score(&all), score(&filtered));
}

#[test]
fn absence_is_explained_and_nothing_is_substituted() {
    let shop = Workspace::new(SHOP);
    let response = shop.search("conectionpool");
    assert!(response.hits.is_empty());
    let absence = response.absence.expect("there is no hit");
    assert_eq!(absence.nearest, ["ConnectionPool"]);
    assert_eq!(absence.reasons, ["no searched document contains the word `conectionpool`"]);
    let mut only = request("refund");
    only.filter.languages = vec!["python".to_owned()];
    let engine = Engine::open(shop.config()).unwrap();
    let absence = engine.search(&only, &Silent).unwrap().absence.expect("there is no hit");
    assert!(absence.reasons[0].contains("the filters exclude all of them"));
}

#[test]
fn words_are_inflected_in_prose_and_not_in_names() {
    let shop = Workspace::new(
        "//- /a.rs\npub fn generic() {}\n//- /b.md\n# Merging\n\nBranches are merged here.\n",
    );
    assert!(shop.paths("generically").is_empty());
    assert_eq!(shop.paths("merge"), ["b.md"]);
}

#[test]
fn bad_files_are_counted_and_stop_nothing() {
    let shop = Workspace::new(SHOP);
    fs::write(shop.tree.path().join("a.bin"), b"\0\0\0refund").unwrap();
    fs::write(shop.tree.path().join("blank.txt"), b" \n\n").unwrap();
    fs::write(shop.tree.path().join("latin.txt"), b"refund f\xfcr alle").unwrap();
    fs::write(shop.tree.path().join("huge.txt"), vec![b'x'; (1 << 20) + 1]).unwrap();
    let response = shop.search("refund");
    assert!(paths(&response).contains(&"latin.txt".to_owned()));
    let mut skipped = BTreeMap::new();
    for report in response.receipt.sources.values() {
        for (reason, count) in &report.skipped {
            *skipped.entry(*reason).or_insert(0) += count;
        }
    }
    for reason in [SkipReason::Binary, SkipReason::Empty, SkipReason::TooLarge] {
        assert_eq!(skipped.get(&reason), Some(&1), "{reason:?}");
    }
}

#[test]
fn a_damaged_cache_is_rebuilt_with_a_warning() {
    let shop = Workspace::new(SHOP);
    shop.search("refund");
    for path in contents(shop.cache.path()).keys() {
        fs::write(path, b"rubbish").unwrap();
    }
    let response = shop.search("refund");
    assert_eq!(paths(&response)[0], "src/refund.rs");
    assert!(
        response.warnings.iter().any(|line| line.contains("rebuilt")),
        "{:?}",
        response.warnings
    );
    assert!(shop.search("refund").warnings.is_empty());
}

#[test]
fn a_cache_that_cannot_be_created_is_a_warning() {
    let shop = Workspace::new(SHOP);
    let file = shop.cache.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let config = EngineConfig { cache: CachePlace::Folder(file), ..shop.config() };
    let response = search(config, "refund");
    assert_eq!(paths(&response)[0], "src/refund.rs");
    assert!(
        response.warnings.iter().any(|line| line.contains("memory")),
        "{:?}",
        response.warnings
    );
}

#[test]
fn empty_queries_and_empty_trees() {
    let shop = Workspace::new("");
    let engine = Engine::open(shop.config()).unwrap();
    for query in ["", "  ", "!!! ---"] {
        let answer = engine.search(&request(query), &Silent);
        assert!(matches!(answer, Err(EngineError::EmptyQuery)), "{query:?}");
    }
    let absence = shop.search("refund").absence.expect("there is no hit");
    assert_eq!(absence.reasons, ["there are no documents to search"]);
    let missing = EngineConfig { root: shop.tree.path().join("missing"), ..shop.config() };
    assert!(matches!(Engine::open(missing), Err(EngineError::Root { .. })));
}

#[test]
fn a_rebuild_changes_no_answer() {
    let shop = Workspace::new(SHOP);
    let before = shop.search("refund connection");
    let engine = Engine::open(shop.config()).unwrap();
    let report = engine.index(IndexMode::Rebuild, &Silent).unwrap();
    assert!(report.warnings.is_empty());
    assert_eq!(report.sources[&SourceName::Code].0, 2, "both files were read again");
    assert_eq!(shop.search("refund connection").hits, before.hits);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// An index is a cache: after any edits the answer equals that of a rebuilt index.
    #[test]
    fn edits_and_rebuild_agree(edits in prop::collection::vec((0..6_usize, 0..5_usize), 1..12)) {
        const TEXTS: &[&str] = &[
            "pub fn refund(order: u64) {}\n",
            "// a connection to the ledger\npub struct Ledger;\n",
            "pub fn retry() { refund(1); }\n\npub fn ledger() { retry(); }\n",
            "# Ledger\n\nA refund is booked twice.\n",
        ];
        let shop = Workspace::new(SHOP);
        for (file, text) in edits {
            let path = format!("src/f{file}.{}", if file % 2 == 0 { "rs" } else { "md" });
            match TEXTS.get(text) {
                Some(text) => shop.write(&path, text),
                None => drop(fs::remove_file(shop.tree.path().join(&path))),
            }
            shop.search("ledger");
        }
        let fresh = EngineConfig { cache: CachePlace::Memory, ..shop.config() };
        for query in ["refund", "retry ledger", "connection pool", "Ledger"] {
            let (with, without) = (shop.search(query), search(fresh.clone(), query));
            let ids = |response: &SearchResponse| -> Vec<String> {
                response.hits.iter().map(|hit| hit.id.clone()).collect()
            };
            prop_assert_eq!(ids(&with), ids(&without));
            for (left, right) in with.hits.iter().zip(&without.hits) {
                prop_assert!((left.score - right.score).abs() < 1e-6);
            }
        }
    }
}

/// A tree with a file that has the meaning of the query in other words.
const MEANING: &str = include_str!("fixtures/meaning.txt");

fn in_mode(mode: Mode, query: &str) -> SearchRequest {
    request(query).with_mode(mode)
}

#[test]
fn meaning_finds_files_without_the_words() {
    let workspace = Workspace::new(MEANING);
    let engine = Engine::open(workspace.config()).unwrap();
    let query = "purging stale documents from directories";
    let lexical = engine.search(&in_mode(Mode::Lexical, query), &Silent).unwrap();
    assert_eq!(paths(&lexical), [""; 0], "no file contains a word of it");
    assert_eq!(lexical.receipt.semantic, "off");
    let semantic = engine.search(&in_mode(Mode::Semantic, query), &Silent).unwrap();
    assert_eq!(paths(&semantic)[0], "src/background.rs");
    assert_eq!(semantic.receipt.semantic, "embedded");
    let first = &semantic.hits[0];
    assert_eq!((first.match_type, first.semantic_rank), ("semantic", Some(1)));
    assert!(first.bm25_rank.is_none());
    // More similar hits come first, and the score is the similarity.
    let similarities: Vec<f32> =
        semantic.hits.iter().filter_map(|hit| hit.semantic_score).collect();
    assert_eq!(similarities.len(), semantic.hits.len());
    assert!(similarities.is_sorted_by(|left, right| left >= right), "{similarities:?}");
    assert!(
        semantic
            .hits
            .iter()
            .zip(&similarities)
            .all(|(hit, similarity)| (hit.score - similarity).abs() < 1e-3)
    );
    // The minimum similarity excludes less similar documents.
    let mut near = in_mode(Mode::Semantic, query);
    near.min_similarity = Some(first.semantic_score.unwrap() - 0.001);
    let near = engine.search(&near, &Silent).unwrap();
    assert_eq!(paths(&near), ["src/background.rs"]);
    assert_eq!(near.receipt.total, 1);
    let mut nothing = in_mode(Mode::Hybrid, query);
    nothing.min_similarity = Some(0.99);
    let nothing = engine.search(&nothing, &Silent).unwrap();
    assert_eq!((paths(&nothing), nothing.receipt.total), (vec![], 0));
    let reasons = nothing.absence.expect("there is no hit").reasons;
    assert!(reasons[0].starts_with("the nearest document has a similarity of 0."), "{reasons:?}");
    let unknown = engine.search(&in_mode(Mode::Semantic, "日本語"), &Silent).unwrap();
    let reasons = unknown.absence.expect("there is no hit").reasons;
    assert_eq!(reasons, ["the embedding model has no vector for any word of the query"]);
}

#[test]
fn a_minimum_similarity_changes_no_score() {
    let shop = Workspace::new(SHOP);
    let engine = Engine::open(shop.config()).unwrap();
    let all = engine.search(&request("connections wait to be paid back"), &Silent).unwrap();
    let similarities = all.hits.iter().filter_map(|hit| hit.semantic_score);
    let least = similarities.clone().fold(1.0, f32::min) + 1e-4;
    let mut only = request("connections wait to be paid back");
    only.min_similarity = Some(least);
    let near = engine.search(&only, &Silent).unwrap();
    assert!(near.hits.len() < all.hits.len() && !near.hits.is_empty(), "{least}");
    for hit in &near.hits {
        let same = all.hits.iter().find(|other| other.id == hit.id).expect("it was found before");
        assert_eq!(hit.score.to_bits(), same.score.to_bits());
    }
}

#[test]
fn weights_decide_between_words_and_meaning() {
    let workspace = Workspace::new(
        "//- /src/words.rs\n/// Purging, stale and directories are words here.\npub fn glossary() {}\n\
         //- /src/meaning.rs\n/// Deletes old temporary files in a folder, stale or not.\n\
         pub fn delete_old_files() { remove_file(old); clean_folder(path); }\n",
    );
    let engine = Engine::open(workspace.config()).unwrap();
    let first = |fusion: Fusion| {
        let mut asked = in_mode(Mode::Hybrid, "purging stale files from directories");
        asked.fusion = fusion;
        paths(&engine.search(&asked, &Silent).unwrap()).remove(0)
    };
    let words = Fusion { semantic_weight: 0.0, bm25_weight: 1.0, ..Fusion::default() };
    let meaning = Fusion { semantic_weight: 1.0, bm25_weight: 0.0, ..Fusion::default() };
    assert_eq!(first(words), "src/words.rs");
    assert_eq!(first(meaning), "src/meaning.rs");
}

#[test]
fn without_an_embedding_words_decide_with_a_warning() {
    let workspace = Workspace::new(MEANING);
    let config = EngineConfig { embedding: Embedding::Off, ..workspace.config() };
    let engine = Engine::open(config).unwrap();
    let mut asked = in_mode(Mode::Semantic, "delete old files");
    asked.min_similarity = Some(0.9);
    let response = engine.search(&asked, &Silent).unwrap();
    assert_eq!(paths(&response), ["src/background.rs"]);
    assert_eq!(response.receipt.semantic, "off");
    assert_eq!(response.warnings.len(), 2, "{:?}", response.warnings);
}

#[test]
fn files_with_one_document_have_a_source() {
    let workspace = Workspace::new(SHOP);
    let ticket = |id: &str| format!(r#"{{"id":"{id}","title":"Pay back","status":"open"}}"#);
    let tickets = format!("{}\n{}\n", ticket("sh-1"), ticket("sh-2"));
    workspace.write(".beads/issues.jsonl", &tickets);
    workspace.write("logo.bin", "\0\u{1}");
    let asked = ["src/pool.rs", "README.md", ".beads/issues.jsonl", "logo.bin", "src/none.rs"];
    let engine = Engine::open(workspace.config()).unwrap();
    let sources = engine.sources_of(&asked.map(str::to_owned), &Silent).unwrap();
    let expected = [("README.md", SourceName::Docs), ("src/pool.rs", SourceName::Code)];
    assert_eq!(sources, expected.map(|(path, source)| (path.to_owned(), source)).into());
    assert!(lore_engine::is_lock_file("web/package-lock.json"));
    assert!(!lore_engine::is_lock_file("src/lock.rs"));
}

// prose: data begins
const NOTES: &str = "\
//- /docs/specs/login/spec.md
# Login

## Token rotation

Tokens are replaced every hour. Whoever holds an old one is asked to sign in.
//- /docs/specs/login/plan.md
# Plan

## Steps

Token rotation comes first. Tokens are replaced by a job that runs each hour.
//- /docs/specs/audit.md
# Audit

## Log

Every token rotation is written to the log of the audit.
//- /docs/README.md
# Documents

## Contents

Specs of this project.
";
// prose: data ends

#[test]
fn headings_and_neighbouring_files_set_the_signals_of_prose() {
    let notes = Workspace::new(NOTES);
    let response = notes.search("token rotation");
    let part = |path: &str, name: &str| {
        let hit = response.hits.iter().find(|hit| hit.path.as_deref() == Some(path)).unwrap();
        let parts = &hit.explanation.as_ref().unwrap().parts;
        parts.iter().find(|part| part.name == name).unwrap().value
    };
    let cases = [
        // The whole query is a heading, and the file is the main one of its folder.
        ("docs/specs/login/spec.md", 1.0, 0.0),
        // It is beside the spec of the folder.
        ("docs/specs/login/plan.md", 0.0, 1.0),
        // `docs/specs` has no main file.
        ("docs/specs/audit.md", 0.0, 0.0),
    ];
    for (path, heading, detail) in cases {
        assert!((part(path, "heading") - heading).abs() < 1e-6, "heading of {path}");
        assert!((part(path, "detail") - detail).abs() < 1e-6, "detail of {path}");
    }
    assert_eq!(paths(&response)[0], "docs/specs/login/spec.md");
}

#[test]
fn code_has_no_headings_and_no_details() {
    let shop = Workspace::new(SHOP);
    shop.write("src/README.md", "# Sources\n\nRefunds and the pool.\n");
    let response = shop.search("retry refund");
    let code = response.hits.iter().filter(|hit| hit.source == SourceName::Code);
    for hit in code {
        for name in ["heading", "detail"] {
            let parts = &hit.explanation.as_ref().unwrap().parts;
            let part = parts.iter().find(|part| part.name == name).unwrap();
            assert!(part.value <= 0.0, "{name} of {}", hit.id);
        }
    }
    assert!(response.hits.iter().any(|hit| hit.source == SourceName::Code));
}

#[test]
fn rules_that_exclude_every_file_are_reported() {
    let workspace = Workspace::new(SHOP);
    workspace.write(".gitignore", "/*\n");
    let response = workspace.search("refund");
    assert!(response.hits.is_empty());
    let has_warning = |response: &SearchResponse| {
        response.warnings.iter().any(|warning| warning.contains("excludes all of"))
    };
    assert!(has_warning(&response), "{:?}", response.warnings);
    // The remedy in the warning.
    workspace.write(".loreignore", "!/*\n");
    let response = workspace.search("refund");
    assert!(!response.hits.is_empty() && !has_warning(&response), "{:?}", response.warnings);
}
