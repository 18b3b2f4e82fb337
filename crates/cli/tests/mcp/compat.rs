//! The tools of other systems: their names, arguments and shapes.

use serde_json::{Value, json};

use crate::{
    client::{Client, text},
    workspace::Workspace,
};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn tools_of_other_systems_are_opt_in_and_in_a_fixed_order() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "swift,spex,semtree,lean"]);
    let expected = [
        "lore_search",
        "read",
        "trace",
        "context",
        "search",
        "index_project",
        "get_context",
        "search_symbols",
        "search_specs",
        "index_codebase",
        "check_indexing_status",
        "search_code",
        "search_docs",
        "code_research",
        "parse_tree",
    ];
    assert_eq!(client.tools(), expected);
    let ran = workspace.run(&["mcp", "--mcp-compat", "other"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("lean, semtree, spex, swift"), "{ran:?}");
}

#[test]
fn lean_returns_its_own_object() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "lean"]);
    let found = client.object("search", &json!({"query": "refund"}));
    assert_eq!(keys(&found), ["results", "metadata"]);
    assert_eq!(
        keys(&found["metadata"]),
        ["totalResults", "searchTime", "query", "filters", "specsSearched"]
    );
    assert_eq!(found["metadata"]["filters"], json!({}));
    let first = &found["results"][0];
    assert_eq!(keys(first), ["spec", "score", "totalMatches", "matches"]);
    assert_eq!(first["spec"]["name"], "refunds");
    assert!(first["matches"][0]["highlights"].is_array());
    // The tool has no `match`, so a remedy with it names the tool that does.
    let message = client.rejection("search", &json!({"query": "\"refund"}));
    assert!(message.contains("{\"match\": \"literal\"} in `lore_search`"), "{message}");
    let found = client.object("search", &json!({"query": "refund", "status": "no-such-status"}));
    assert_eq!(found["metadata"]["filters"], json!({"status": "no-such-status"}));
    assert_eq!(found["results"], json!([]));
    client.rejection("search", &json!({"query": " "}));
    // The tool `search` of lore is still offered, under another name.
    let found = client.object("lore_search", &json!({"query": "retry a refund"}));
    assert_eq!(found["hits"][0]["path"], "src/refund.rs");
}

#[test]
fn semtree_returns_its_own_list() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "semtree"]);
    let result = client.call("search_symbols", &json!({"query": "retry_refund"}));
    let list: Value = serde_json::from_str(text(&result)).expect("JSON");
    assert_eq!(
        keys(&list[0]),
        [
            "name",
            "kind",
            "file",
            "line",
            "signature",
            "docstring",
            "score",
            "line_start",
            "line_end",
            "git_author",
            "git_date",
            "match_source",
        ]
    );
    assert_eq!(list[0]["name"], "retry_refund");
    assert_eq!(list[0]["match_source"], "exact");
    assert_eq!(result["structuredContent"]["results"], list);
}

#[test]
fn spex_answers_like_its_command() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "spex"]);
    for query in ["refund", "never larger than the payment", "xyzzy_42"] {
        let result = client.call("search_specs", &json!({"query": query}));
        let list: Value = serde_json::from_str(text(&result)).expect("JSON");
        assert_eq!(result["structuredContent"]["results"], list);
        let command = workspace.run(&["search", query, "--as", "spex", "--json"]);
        assert_eq!(list, command.json(), "{query}");
    }
    let first = client.object("search_specs", &json!({"query": "refund", "limit": 1}));
    assert_eq!(keys(&first["results"][0]), ["id", "title", "path", "score", "snippet"]);
}

#[test]
fn semtree_indexes_and_gathers_context() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "semtree"]);
    let counted = client.call("index_project", &json!({"force": true}));
    let counted: Value = serde_json::from_str(text(&counted)).expect("JSON");
    assert_eq!(
        keys(&counted),
        [
            "status",
            "root",
            "total_files",
            "new_files",
            "updated_files",
            "skipped_files",
            "total_symbols",
            "elapsed_seconds",
            "errors",
        ]
    );
    assert_eq!(counted["status"], "ok");
    assert!(counted["total_symbols"].as_u64().is_some_and(|count| 2 < count), "{counted}");
    let task = json!({"query": "fix the retry of a refund", "token_budget": 2000});
    let result = client.call("get_context", &task);
    assert!(text(&result).contains("retry_refund"), "{result}");
    let task = json!({"query": "explain it", "file": "src/refund.rs", "level": 2});
    assert!(text(&client.call("get_context", &task)).contains("src/refund.rs"));
    client.rejection("get_context", &json!({"query": "x", "file": "src/no.rs"}));
}

#[test]
fn semtree_names_the_last_commit_of_a_file() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "semtree"]);
    let found = client.object("search_symbols", &json!({"query": "retry_refund"}));
    let first = &found["results"][0];
    assert_eq!(first["git_author"], "Ada Lovelace", "{first}");
    let date = first["git_date"].as_str().expect("a date");
    assert!(date.starts_with("202") && date.ends_with('Z'), "{date}");
}

#[test]
fn swift_takes_every_argument_of_a_search() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "swift"]);
    let mut ask = |more: Value| -> Value {
        let mut arguments = json!({"query": "retry a refund", "format": "json", "limit": 5});
        let fields = arguments.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        let result = client.call("search_code", &arguments);
        serde_json::from_str(text(&result)).expect("JSON")
    };
    let first = ask(json!({}))["results"][0].clone();
    for key in ["score", "match_type", "highlights", "bm25_score", "is_multi_hop", "hop_depth"] {
        assert!(!first[key].is_null(), "{key}: {first}");
    }
    let without = ask(json!({"exclude_filter": "src/refund.rs"}));
    assert!(!without.to_string().contains("src/refund.rs"), "{without}");
    let deep = ask(json!({"depth": 1, "min_similarity": 0.0}));
    assert!(deep["results"].as_array().is_some_and(|hits| !hits.is_empty()), "{deep}");
    let once = ask(json!({"follow_ups": true}));
    assert!(once["follow_ups"][0]["query"].is_string(), "{once}");
    assert_eq!(ask(json!({"follow_ups": true}))["follow_ups"], once["follow_ups"]);
    assert!(ask(json!({}))["follow_ups"].is_null());
}

#[test]
fn swift_kinds_are_those_of_its_language() {
    let source = "public protocol Store {}\n\nactor Disk: Store {\n    func save() {}\n}\n\n\
                  class Memory: Store {}\n\nextension Memory {\n    func drop() {}\n}\n";
    let workspace = Workspace::with(&[("Sources/Store.swift", source)]);
    let mut client = Client::greet(&workspace, &["--mcp-compat", "swift"]);
    let mut list = |kinds: &str| -> Vec<String> {
        let path = "Sources/Store.swift";
        let arguments = json!({"path": path, "kind_filter": kinds, "format": "json"});
        let result = client.call("parse_tree", &arguments);
        let tree: Value = serde_json::from_str(text(&result)).unwrap_or_default();
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let show = |node: &Value| format!("{} {}", node["kind"], node["name"]).replace('"', "");
        nodes.iter().map(show).collect()
    };
    assert_eq!(list("protocol"), ["protocol Store"]);
    assert_eq!(list("interface"), ["protocol Store"]);
    assert_eq!(list("actor"), ["actor Disk"]);
    assert_eq!(list("extension"), ["extension Memory"]);
    assert_eq!(list("class"), ["actor Disk", "class Memory"]);
}

#[test]
fn swift_returns_its_own_formats() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "swift"]);
    let mut answer = |tool: &str, arguments: Value| {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        text(&result).to_owned()
    };
    let code =
        answer("search_code", json!({"query": "retry a refund", "format": "json", "limit": 3}));
    let code: Value = serde_json::from_str(&code).expect("JSON");
    assert_eq!(keys(&code), ["query", "result_count", "results"]);
    let first = &code["results"][0];
    for key in [
        "id",
        "path",
        "start_line",
        "end_line",
        "kind",
        "symbols",
        "content",
        "token_count",
        "language",
        "relevance_percent",
    ] {
        assert!(!first[key].is_null(), "{key}: {first}");
    }
    assert_eq!(first["path"], "src/refund.rs");
    let toon = answer("search_code", json!({"query": "retry a refund"}));
    assert!(toon.starts_with("search{q,n}:\n"), "{toon}");
    let folder =
        answer("search_code", json!({"query": "refund", "path": "tests", "format": "json"}));
    let folder: Value = serde_json::from_str(&folder).expect("JSON");
    assert_eq!(folder["result_count"], 1, "{folder}");
    let docs = answer("search_docs", json!({"query": "bank"}));
    assert!(docs.starts_with("docs_search{q,n}:\n"), "{docs}");
    let research = answer("code_research", json!({"query": "callers of refund", "depth": 1}));
    let research: Value = serde_json::from_str(&research).expect("JSON");
    assert_eq!(
        keys(&research),
        ["query", "depth", "focus", "analysis", "result_count", "references", "related_topics"]
    );
    assert_eq!(
        keys(&research["references"][0]),
        ["path", "symbol", "kind", "relationship", "hop_level"]
    );
    let tree = answer("parse_tree", json!({"path": "src/refund.rs", "format": "json"}));
    let tree: Value = serde_json::from_str(&tree).expect("JSON");
    assert_eq!(keys(&tree), ["nodes", "totalNodes", "maxDepth", "path", "language"]);
    let started = answer("index_codebase", json!({"path": workspace.tree(), "force": true}));
    let started: Value = serde_json::from_str(&started).expect("JSON");
    assert_eq!(keys(&started), ["task_id", "status", "estimated_files", "message"]);
    let state = answer("check_indexing_status", json!({"task_id": started["task_id"]}));
    let state: Value = serde_json::from_str(&state).expect("JSON");
    assert_eq!(state["status"], "completed", "{state}");
    let waited = answer("index_codebase", json!({"path": ".", "async": false}));
    let waited: Value = serde_json::from_str(&waited).expect("JSON");
    assert_eq!(waited["forced"], false);
}

#[test]
fn paths_outside_the_roots_are_rejected() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &["--mcp-compat", "swift"]);
    for (tool, arguments) in [
        ("index_codebase", json!({"path": "/etc"})),
        ("search_code", json!({"query": "root", "path": "/etc"})),
        ("search_docs", json!({"query": "root", "path": "../"})),
        ("code_research", json!({"query": "root", "path": "/"})),
        ("parse_tree", json!({"path": "/etc/passwd"})),
    ] {
        let message = client.rejection(tool, &arguments);
        assert!(message.contains("is outside the tree"), "{tool}: {message}");
    }
    for arguments in [
        json!({"query": ""}),
        json!({"query": "a", "limit": 0}),
        json!({"query": "a", "semantic_weight": 1.5}),
    ] {
        client.rejection("search_code", &arguments);
    }
    let message = client.rejection("check_indexing_status", &json!({"task_id": "other"}));
    assert!(message.starts_with("there is no task `other`"), "{message}");
}
