//! `--as lean` and `--as sage` from the command line: streams, exit codes and defaults.

use serde_json::Value;

use crate::workspace::Workspace;

fn harbour() -> Workspace {
    Workspace::with(&[
        (
            "specs/001-crane-booking/README.md",
            "---\nstatus: in-progress\ncreated: '2025-11-02'\ntags: [crane, harbour]\n\
             priority: high\n---\n\n# Crane booking\n\n> **Status**: in-progress\n\nA berth books \
             its crane.\n",
        ),
        ("specs/001-crane-booking/TESTING.md", "# Testing\n\nA dummy load of concrete.\n"),
        (
            "specs/archived/002-old-crane/README.md",
            "---\nstatus: archived\ncreated: '2024-01-02'\n---\n\n# Old crane\n\nRust.\n",
        ),
        (".sage/agent/tides.md", "# Tides\n\nThe spring tide lifts the crane.\n"),
        (
            ".sage/tickets/index.json",
            "{\"tickets\": [{\"id\": \"T-1\", \"title\": \"Spring tide table\", \"state\": \
             \"COMPLETED\", \"notes\": \"Moon [phases] matter.\"}]}",
        ),
    ])
}

fn paths(json: &Value) -> Vec<&str> {
    let results = json["results"].as_array().expect("an array");
    results.iter().filter_map(|hit| hit["spec"]["path"].as_str().or(hit["path"].as_str())).collect()
}

#[test]
fn lean_prints_only_its_object_on_stdout() {
    let workspace = harbour();
    let ran = workspace.run(&["search", "crane", "--as", "lean", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let json = ran.json();
    assert_eq!(paths(&json), ["specs/001-crane-booking", "specs/archived/002-old-crane"]);
    assert_eq!(json["metadata"]["specsSearched"], 2);
    assert_eq!(json["metadata"]["filters"], serde_json::json!({}));
    assert!(!workspace.cache().exists(), "no index is kept");
    let inner = workspace.run(&["search", "booking concrete", "--as", "lean", "--json"]).json();
    assert_eq!(inner["results"][0]["matches"].as_array().map(Vec::len), Some(3), "{inner}");
    let only = ["search", "crane", "--as", "lean", "--json", "--archived", "only"];
    assert_eq!(paths(&workspace.run(&only).json()), ["specs/archived/002-old-crane"]);
    let none = ["search", "crane", "--as", "lean", "--json", "--status", "planned"];
    assert_eq!(workspace.run(&none).json()["metadata"]["filters"]["status"], "planned");
}

#[test]
fn lean_prints_partial_matches_on_stderr() {
    let workspace = harbour();
    let ran = workspace.run(&["search", "crane submarine", "--as", "lean"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("🔍 Found 0 specs (searched 2 specs in "), "{ran:?}");
    assert!(ran.stderr.contains("001-crane-booking"), "{ran:?}");
    assert!(ran.stderr.contains("lacks `submarine`"), "{ran:?}");
    let strict = workspace.run(&["search", "crane submarine", "--as", "lean", "--strict"]);
    assert_eq!(strict.stderr, "", "{strict:?}");
    let typo = workspace.run(&["search", "bokking", "--as", "lean"]);
    assert!(typo.stderr.contains("did you mean `booking`?"), "{typo:?}");
    for query in ["crane AND", "tag:", "(crane", "\"crane", " "] {
        let ran = workspace.run(&["search", query, "--as", "lean"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    }
    let unknown = workspace.run(&["search", "foo:bar", "--as", "lean"]);
    assert!(unknown.code == Some(0) && unknown.stderr.contains("warning"), "{unknown:?}");
}

#[test]
fn sage_groups_hits_by_source() {
    let workspace = harbour();
    let ran = workspace.run(&["search", "spring tide", "--as", "sage"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("📋 Tickets (1 match):\n  1. T-1: Spring tide table\n"), "{ran:?}");
    assert!(
        ran.stdout.contains("📚 Documentation (1 match):\n  2. .sage/agent/tides.md:"),
        "{ran:?}"
    );
    let json = ["search", "spring tide", "--as", "sage", "--json", "--source", "docs,git"];
    let json = workspace.run(&json).json();
    assert_eq!(paths(&json), [".sage/agent/tides.md"]);
    assert_eq!(json["total_results"], 1);
    let notes = workspace.run(&["search", "Moon [phases]", "--as", "sage", "--json"]).json();
    assert_eq!(notes["results"][0]["field"], "notes", "{notes}");
    let wrong = workspace.run(&["search", "x", "--as", "sage", "--source", "ticket"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("agent, docs, git"), "{wrong:?}");
    let regex = workspace.run(&["search", "[", "--as", "sage", "--regex"]);
    assert_eq!((regex.code, regex.stdout.as_str()), (Some(2), ""), "{regex:?}");
    let empty = workspace.run(&["search", "tide", "--as", "sage", "--source", "patterns"]);
    assert_eq!(empty.code, Some(0), "{empty:?}");
    assert!(empty.stderr.contains(".sage/agent/examples"), "{empty:?}");
}

#[test]
fn the_sage_index_file_is_written_and_never_searched() {
    let workspace = harbour();
    for flags in [
        &["index", "--sage"][..],
        &["index", "--sage", "--rebuild"],
        &["index", "--sage", "--rebuild-index"],
        &["index", "--sage", "--update-index"],
        &["search", "--as", "sage", "--rebuild-index"],
        &["search", "--as", "sage", "--update-index"],
    ] {
        let ran = workspace.run(flags);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        assert!(ran.stdout.ends_with(" documents to .sage/search-index.json\n"), "{ran:?}");
    }
    let file = workspace.tree().join(".sage/search-index.json");
    std::fs::remove_file(&file).expect("the file is there");
    let both = ["search", "concrete", "--as", "sage", "--json", "--update-index"];
    assert_eq!(paths(&workspace.run(&both).json()), ["specs/001-crane-booking/TESTING.md"]);
    let foreign = workspace.run(&["search", "concrete", "--as", "lean", "--rebuild-index"]);
    assert_eq!(foreign.code, Some(2), "{foreign:?}");
    let text = std::fs::read_to_string(&file).expect("the file is there");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["version"], "1.0");
    assert_eq!(json["sources"]["tickets"]["count"], 1);
    assert_eq!(json["sources"]["specs"]["files"], 3);
    assert_eq!(json["sources"]["agent_docs"]["files"], 1);
    assert_eq!(json["index"]["documents"], 5);
    assert!(json["index"]["terms"].as_u64().is_some_and(|terms| 10 < terms), "{json}");
    let left: Vec<_> = std::fs::read_dir(file.parent().expect("a folder"))
        .expect("it can be listed")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.contains("search-index"))
        .collect();
    assert_eq!(left, ["search-index.json"]);
    let found = workspace.run(&["search", "concrete", "--as", "sage", "--json"]).json();
    assert_eq!(paths(&found), ["specs/001-crane-booking/TESTING.md"]);
}

#[test]
fn an_index_of_sage_is_read_where_the_user_names_it() {
    let workspace = harbour();
    let index = "{\"tickets\": {\"B-9\": {\"title\": \"Buoy lamp\", \"state\": \"OPEN\"}}}";
    workspace.write("../elsewhere/index.json", index);
    let titles = |file: &str, query: &str| -> Vec<String> {
        let ran = workspace.run(&["search", query, "--in", "tickets", "--tickets", file, "--json"]);
        let json = ran.json();
        let hits = json["results"].as_array().cloned().unwrap_or_default();
        hits.iter().filter_map(|hit| hit["title"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(titles("../elsewhere/index.json", "lamp"), ["Buoy lamp"]);
    // The index of the tree is read once.
    assert_eq!(titles(".sage/tickets/index.json", "tide"), ["Spring tide table"]);
}
