//! Contents of answers that do not depend on the ranking.

use serde_json::Value;

use crate::workspace::Workspace;

/// The keys of every result.
const KEYS: &[&str] = &[
    "alsoFoundIn",
    "author",
    "bm25Rank",
    "bm25Score",
    "breadcrumb",
    "category",
    "date",
    "degraded",
    "docComment",
    "endLine",
    "explanation",
    "extra",
    "format",
    "hopDepth",
    "id",
    "isMultiHop",
    "kind",
    "language",
    "links",
    "matchType",
    "matches",
    "origin",
    "path",
    "priority",
    "rank",
    "rawScore",
    "relevancePercent",
    "score",
    "semanticRank",
    "semanticScore",
    "signature",
    "snippet",
    "snippetStartLine",
    "source",
    "startLine",
    "status",
    "tags",
    "title",
    "tokenCount",
    "totalMatches",
    "via",
];

#[test]
fn every_result_has_every_key_and_its_score_is_a_sum() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["refund", "timeout", "--json", "--explain", "--limit", "50"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["query"], "refund timeout");
    let results = json["results"].as_array().expect("an array");
    assert!(results.len() >= 5, "{ran:?}");
    for (position, hit) in results.iter().enumerate() {
        let mut keys: Vec<&str> =
            hit.as_object().expect("an object").keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, KEYS);
        assert_eq!(hit["rank"], position + 1);
        let score = hit["score"].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&score), "{hit}");
        let parts = hit["explanation"].as_array().expect("an array");
        let sum: f64 = parts.iter().filter_map(|part| part["contribution"].as_f64()).sum();
        let raw = hit["rawScore"].as_f64().expect("a number");
        assert!((sum - raw).abs() < 1e-4, "{sum} is not {raw}: {hit}");
        assert_highlights(hit);
    }
    let sources: Vec<&str> = results.iter().filter_map(|hit| hit["source"].as_str()).collect();
    for source in ["code", "docs", "git", "specs", "tickets"] {
        assert!(sources.contains(&source), "{source} in {sources:?}");
    }
}

/// Highlights are ranges of characters in the text of their match.
fn assert_highlights(hit: &Value) {
    for place in hit["matches"].as_array().expect("an array") {
        let length = place["text"].as_str().expect("a text").chars().count() as u64;
        for range in place["highlights"].as_array().expect("an array") {
            let (from, to) = (range[0].as_u64(), range[1].as_u64());
            assert!(from < to && to <= Some(length), "{place}");
        }
    }
}

#[test]
fn the_next_search_sees_an_edit() {
    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    assert_eq!(workspace.run(&["refund", "--json"]).paths(), ["src/refund.rs"]);
    workspace.write("src/refund.rs", "pub fn reimburse() {}\n");
    assert_eq!(workspace.run(&["reimburse", "--json"]).paths(), ["src/refund.rs"]);
    workspace.write("src/new.rs", "pub fn reimburse_all() {}\n");
    assert_eq!(workspace.run(&["reimburse_all", "--json"]).paths()[0], "src/new.rs");
    std::fs::rename(workspace.tree().join("src/new.rs"), workspace.tree().join("src/old.rs"))
        .expect("the tree is ours");
    assert_eq!(workspace.run(&["reimburse_all", "--json"]).paths()[0], "src/old.rs");
    std::fs::remove_file(workspace.tree().join("src/old.rs")).expect("the tree is ours");
    assert!(
        !workspace.run(&["reimburse_all", "--json"]).paths().contains(&"src/old.rs".to_owned())
    );
    workspace.write(".ignore", "src/refund.rs\n");
    assert_eq!(workspace.run(&["reimburse", "--json"]).code, Some(1));
}

#[test]
fn formats_agree_on_what_was_found() {
    let workspace = Workspace::shop();
    let json = workspace.run(&["refund", "--json", "--in", "code"]);
    let paths = workspace.run(&["refund", "--format", "paths", "--in", "code"]);
    assert_eq!(paths.stdout.lines().collect::<Vec<_>>(), json.paths());
    let human = workspace.run(&["refund", "--in", "code"]);
    for path in json.paths() {
        assert!(human.stdout.contains(&path), "{path} in {human:?}");
    }
    assert!(!human.stdout.contains('\x1b'));
    let coloured = workspace.run(&["refund", "--in", "code", "--color", "always"]);
    assert!(coloured.stdout.contains("\x1b[1m"));
    let spec = workspace.run(&["spec", "refund", "--json"]);
    let hits = spec.json();
    let keys: Vec<&str> =
        hits[0].as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
    assert!(spec.stdout.starts_with('['));
}

#[test]
fn no_write_leaves_the_index_unchanged() {
    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    let ran = workspace.run(&["refund", "--json", "--no-write"]);
    assert_eq!(ran.paths(), ["src/refund.rs"]);
    assert!(!workspace.cache().exists(), "the cache must not be written");
    assert_eq!(workspace.run(&["spec", "refund"]).code, Some(0));
    assert!(!workspace.cache().exists(), "the spec floor keeps no index");
}

#[test]
fn a_named_export_is_searched() {
    let workspace = Workspace::with(&[
        ("README.md", "# Shop\n"),
        ("issues.json", "[{\"number\": 7, \"title\": \"Chargeback twice\", \"state\": \"OPEN\"}]"),
        ("lorehound.toml", "index.tickets = [\"issues.json\", \"../elsewhere.json\"]\n"),
    ]);
    let ran = workspace.run(&["chargeback", "--json", "--in", "tickets"]);
    assert_eq!(ran.json()["results"][0]["id"], "tickets:issues.json#7", "{ran:?}");
    assert!(ran.stderr.contains("ignored `"), "a missing file does not stop the search: {ran:?}");

    let outside = workspace.cache().with_file_name("more.csv");
    std::fs::write(&outside, "ID,Title,Status\nPAY-1,Chargeback again,Done\n").expect("a file");
    let ran =
        workspace.run(&["chargeback", "--in", "tickets", "--json", "--tickets", "../more.csv"]);
    let results = ran.json()["results"].as_array().map_or(0, Vec::len);
    assert_eq!(results, 2, "the flag adds to the setting: {ran:?}");
    let ran = workspace.run(&["again", "--json"]);
    assert_eq!(ran.code, Some(1), "not without the flag: {ran:?}");

    workspace.write("lorehound.toml", "index.tickets = [\"../more.csv\"]\n");
    let ran = workspace.run(&["again", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("it is outside the tree"), "{ran:?}");

    let ran = workspace.run(&["again", "--tickets", "README.md"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("issues of GitHub"), "{ran:?}");
}
