//! Queries of any length: they are cut or refused before they are read, and say so.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

use std::time::{Duration, Instant};

use common::{Silent, Workspace};
use lore_engine::{Engine, EngineError, PatternKind, SearchRequest};

mod common;

/// Time limit of one query in a debug build on a busy machine. Uncut, the queries below take
/// minutes.
const MAX_TIME: Duration = Duration::from_secs(30);

const FIXTURE: &str = "\
//- /src/refund.rs
/// Pays money back.
pub fn refund() {}
";

#[test]
fn long_queries_are_cut() {
    let workspace = Workspace::new(FIXTURE);
    let engine = Engine::open(workspace.config()).unwrap();
    for part in ["\"refund money\" ", "refund~ ", "-money ", "path:src ", "refund OR ", "re* "] {
        let query = format!("refund {}", part.repeat(1_000_000 / part.len()));
        let started = Instant::now();
        let response = engine.search(&SearchRequest::new(query.clone()), &Silent);
        assert!(started.elapsed() < MAX_TIME, "{part:?}: {:?}", started.elapsed());
        let response = response.unwrap_or_else(|error| panic!("{part:?}: {error}"));
        let warning = format!("the query has {} bytes: only the first ", query.len());
        let is_said = response.warnings.iter().any(|text| text.starts_with(&warning));
        assert!(is_said, "{part:?}: {:?}", response.warnings);
    }
    // A query of characters of several bytes, without a space.
    let query = "é".repeat(100_001);
    assert!(engine.search(&SearchRequest::new(query), &Silent).is_ok());
}

#[test]
fn long_patterns_are_refused() {
    let workspace = Workspace::new(FIXTURE);
    workspace.write("src/long.txt", &"ab".repeat(4_096));
    let engine = Engine::open(workspace.config()).unwrap();
    let request = |text: String, kind: PatternKind| SearchRequest::new(text).with_pattern(kind);
    let found = engine.search(&request("ab".repeat(4_096), PatternKind::Literal), &Silent);
    assert_eq!(found.unwrap().hits.len(), 1, "the longest text is searched");
    for (text, kind, max) in [
        ("ab".repeat(32_000), PatternKind::Literal, "8192"),
        ("é".repeat(4_097), PatternKind::Literal, "8192"),
        ("a|".repeat(40_000), PatternKind::Regex, "65536"),
    ] {
        let started = Instant::now();
        let refused = engine.search(&request(text, kind), &Silent);
        assert!(started.elapsed() < MAX_TIME, "{:?}", started.elapsed());
        let Err(EngineError::Query(error)) = refused else { panic!("{refused:?}") };
        assert!(error.message.contains(max), "{}", error.message);
        assert!(error.query.len() < 100 && !error.hint.is_empty(), "{error:?}");
    }
}
