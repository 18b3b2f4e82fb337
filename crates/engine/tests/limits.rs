//! Tests of the limit of a search: it cuts a list and changes nothing else.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

mod common;

use std::{fs, path::Path};

use common::{Silent, Workspace};
use lore_engine::{Engine, SearchRequest};

/// The default limit.
const DEFAULT: usize = 10;

/// Smaller limits.
const SMALLER: &[usize] = &[1, 2, 3, 4, 5, 7, 9];

/// Queries of other kinds than the questions of the collection.
const OTHERS: &[&str] = &[
    "who calls reserve",
    "berth",
    "crane OR vessel",
    "path:docs berth",
    "kind:function tide",
    "how is a berth reserved for a vessel that arrives late, when all cranes of the pier are busy \
     and the tide is low",
];

fn collection() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/collections/mini")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The queries of the collection.
fn queries() -> Vec<String> {
    let text = fs::read_to_string(collection().join("queries.jsonl")).unwrap();
    let query = |line: &str| {
        let (_, rest) = line.split_once("\"query\": \"")?;
        rest.split_once('"').map(|(query, _)| query.to_owned())
    };
    text.lines().filter_map(query).collect()
}

/// Identifiers and scores of the hits.
fn hits(engine: &Engine, request: &SearchRequest, limit: usize) -> Vec<(String, u32)> {
    let response = engine.search(&request.clone().with_limit(limit), &Silent).unwrap();
    assert!(response.hits.len() <= limit);
    response.hits.into_iter().map(|hit| (hit.id, hit.score.to_bits())).collect()
}

#[test]
fn a_smaller_limit_shows_the_start_of_the_list() {
    let workspace = Workspace::new("");
    copy(&collection().join("corpus"), workspace.tree.path());
    let engine = Engine::open(workspace.config()).unwrap();
    let questions = queries();
    assert!(questions.len() > 20, "{}", questions.len());
    let step = if std::env::var_os("LORE_TEST_FULL").is_some() { 1 } else { 4 };
    let queries = questions.iter().step_by(step).map(String::as_str).chain(OTHERS.iter().copied());
    for query in queries {
        for hops in [0, 1] {
            let request = SearchRequest::new(query).with_hops(hops);
            let all = hits(&engine, &request, DEFAULT);
            for limit in SMALLER {
                let few = hits(&engine, &request, *limit);
                let expected = &all[..all.len().min(*limit)];
                assert_eq!(few, expected, "{query}, limit {limit}, hops {hops}");
            }
        }
    }
}
