//! Answers and rejections of each tool and resource.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::{Client, text},
    workspace::Workspace,
};

#[test]
fn a_search_answers_with_text_totals_and_a_cursor() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let first = client.call("search", &json!({"query": "retry a refund"}));
    let object = &first["structuredContent"];
    assert_eq!(object["hits"][0]["id"], "code:src/refund.rs#Refunds.retry_refund");
    assert_eq!(object["fresh"], "verified");
    assert_eq!(object["absence"], Value::Null);
    let place = "\nsrc/refund.rs:35-47 method Refunds > retry_refund\n35:";
    assert!(text(&first).starts_with("found") && text(&first).contains(place), "{first}");
    assert!(!text(&first).contains("every file with the words"), "{first}");
    let listed = client.call("search", &json!({"query": "retry a refund", "all": true}));
    assert!(text(&listed).contains("every file with the words (retry "), "{listed}");
    let limited = client.object("search", &json!({"query": "retry a refund", "limit": 2}));
    assert_eq!(limited["shown"], 2);

    // All parts together contain each hit once, in order.
    let total = object["total"].as_u64().expect("a number");
    let mut client = Client::greet(&workspace, &["--no-dedup"]);
    let (mut hits, mut cursor, mut parts) = (Vec::new(), Value::Null, 0);
    loop {
        let arguments = json!({"query": "retry a refund", "max_tokens": 300, "cursor": cursor});
        let part = client.object("search", &arguments);
        let texts = part["hits"].as_array().expect("hits").iter().map(|hit| hit["text"].clone());
        let further = part["further"].as_array().expect("places").clone();
        let first_line = |value: &Value| {
            value.as_str().and_then(|text| text.lines().next()).unwrap_or_default().to_owned()
        };
        hits.extend(texts.chain(further).map(|value| first_line(&value)));
        cursor = part["nextCursor"].clone();
        parts += 1;
        if cursor.is_null() {
            break;
        }
        assert!(parts < 100, "it never ends");
    }
    let whole = client.object("search", &json!({"query": "retry a refund", "max_tokens": 8_000}));
    assert_eq!(hits.len() as u64, whole["shown"].as_u64().expect("a number"), "{hits:?}");
    assert!(parts > 1 && hits.len() as u64 <= total, "{parts} parts, {total}: {hits:?}");
    hits.sort();
    hits.dedup();
    assert_eq!(
        hits.len() as u64,
        whole["shown"].as_u64().expect("a number"),
        "a hit was sent twice"
    );

    // A cursor of another query skips nothing.
    for cursor in ["2-00000000", "next"] {
        let answer = client.call("search", &json!({"query": "ledger", "cursor": cursor}));
        assert!(text(&answer).starts_with("the cursor is of another query"), "{answer}");
    }
}

#[test]
fn a_text_is_sent_once_per_session() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let arguments = json!({"query": "retry a refund", "limit": 1});
    let body = "MOST_ATTEMPTS => attempt += 1";
    assert!(text(&client.call("search", &arguments)).contains(body));
    let again = client.call("search", &arguments);
    assert!(!text(&again).contains(body), "{again}");
    assert_eq!(again["structuredContent"]["hits"][0]["answer"], 1, "{again}");
    // A changed text is sent again, with a note.
    let source = fs::read_to_string(workspace.tree().join("src/refund.rs")).expect("a source");
    workspace.write("src/refund.rs", source.replace("attempt += 1", "attempt += 2"));
    let changed = text(&client.call("search", &arguments)).to_owned();
    assert!(changed.contains("attempt += 2") && changed.contains("changed since"), "{changed}");
    // Another session is independent of the first.
    let mut other = Client::greet(&workspace, &[]);
    assert!(text(&other.call("search", &arguments)).contains("attempt += 2"));
    let mut repeating = Client::greet(&workspace, &["--no-dedup"]);
    let first = text(&repeating.call("search", &arguments)).to_owned();
    assert_eq!(first, text(&repeating.call("search", &arguments)), "the same bytes");
}

#[test]
fn a_package_contains_the_code_of_its_task() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let arguments = json!({"task": "fix the retry of a refund", "files": ["src/refund.rs"]});
    let package = client.call("context", &arguments);
    assert_eq!(package["structuredContent"]["intent"]["name"], "debug", "{package}");
    assert!(text(&package).contains("retry_refund"), "{package}");
    for (arguments, expected) in [
        (json!({"task": " "}), "the task is empty"),
        (json!({"task": "fix it", "files": ["../x"]}), "`../x` is outside the tree"),
        (json!({"task": "fix it", "files": ["src"]}), "`src` is no file"),
        (json!({"task": "fix it", "level": 4}), "`level` must be at most 3"),
    ] {
        let message = client.rejection("context", &arguments);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn answers_stay_within_max_tokens() {
    let workspace = Workspace::shop();
    for number in 0..60 {
        let lines =
            format!("    settle(account, {number}, \"a settlement of the month\");\n").repeat(40);
        let text = format!("pub fn settlement_{number}() {{\n{lines}}}\n");
        workspace.write(&format!("src/settle_{number}.rs"), text);
    }
    let mut client = Client::greet(&workspace, &[]);
    for (max_tokens, max) in [(None, 2_000), (Some(400), 400), (Some(8_000), 8_000)] {
        let mut arguments = json!({"query": "settlement"});
        if let Some(max_tokens) = max_tokens {
            arguments["max_tokens"] = json!(max_tokens);
        }
        let result = client.call("search", &arguments);
        assert_eq!(result["isError"], false, "{result}");
        // A token is more than two characters here; unit tests check the exact count.
        assert!(text(&result).len() < max * 5, "{} characters", text(&result).len());
        let next = &result["structuredContent"]["nextCursor"];
        assert_eq!(next.is_null(), max == 8_000, "the largest has room for all: {next}");
    }
    let message = client.rejection("search", &json!({"query": "settlement", "max_tokens": 8_001}));
    assert!(message.starts_with("`max_tokens` must be at most 8000"), "{message}");
}

#[test]
fn filters_and_patterns_restrict_a_search() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let mut paths = |arguments: Value| -> Vec<String> {
        let found = client.object("search", &arguments);
        let hits = found["hits"].as_array().expect("hits").clone();
        hits.iter().map(|hit| hit["path"].as_str().unwrap_or("-").to_owned()).collect()
    };
    let all = paths(json!({"query": "refund", "in": ["docs", "tickets"]}));
    assert!(all.iter().all(|path| !path.starts_with("src/")), "{all:?}");
    let tests = paths(json!({"query": "refund", "path": ["tests/**"]}));
    assert_eq!(tests, ["tests/refund.rs"]);
    let pattern = paths(json!({"query": "refund-\\{\\}", "match": "regex"}));
    assert_eq!(pattern, ["src/refund.rs"]);
    let literal = paths(json!({"query": "Cents(-amount.0)", "match": "literal"}));
    assert_eq!(literal, ["src/refund.rs"]);
}

#[test]
fn a_search_without_hits_reports_reasons() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let result = client.call("search", &json!({"query": "xyzzyplugh"}));
    assert_eq!(result["isError"], false);
    let absence = &result["structuredContent"]["absence"];
    assert!(!absence["reasons"].as_array().expect("reasons").is_empty(), "{result}");
    assert!(text(&result).starts_with("nothing found"), "{result}");
}

#[test]
fn invalid_arguments_are_rejected_with_a_remedy() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let mut check = |tool: &str, arguments: Value, expected: &[&str]| {
        let message = client.rejection(tool, &arguments);
        for part in expected {
            assert!(message.contains(part), "{tool} {arguments}: {message}");
        }
        for word in ["rebuild", "clean", "delete the", "rm "] {
            assert!(!message.contains(word), "a destructive remedy: {message}");
        }
    };
    check("trace", json!({}), &["`target` is missing", "Name, path:line"]);
    check("search", json!({"query": ""}), &["no word to search for", "{\"query\":"]);
    check("search", json!({"query": "  ?! "}), &["no word to search for"]);
    check("search", json!({"quer": "a"}), &["no argument `quer`; did you mean `query`?"]);
    check("search", json!({"query": ["a"]}), &["`query` must be a text"]);
    check("search", json!({"query": "a", "limit": 0}), &["`limit` must be at least 1"]);
    check("search", json!({"query": "a", "in": ["coat"]}), &["`in[0]` must be one of \"code\""]);
    check("search", json!({"query": "a(", "match": "regex"}), &["invalid regular expression"]);
    check("search", json!({"query": "a AND"}), &["could not understand the query"]);
    check(
        "search",
        json!({"query": "a", "path": ["["]}),
        &["could not understand the glob `[` of `path`"],
    );
    check("search", json!({"query": "a", "since": "soon"}), &["the date `soon` of `since`"]);
    check("trace", json!({"target": "hello world"}), &["could not understand", "callers of"]);
    check("trace", json!({"target": "a", "relation": "child"}), &["`relation` must be one of"]);
    check("read", json!({"target": "git:deadbeef"}), &["could not find", "`search` finds them"]);
    check("search", json!({"query": "a AND"}), &["{\"match\": \"literal\"}"]);
    check("trace", json!({"target": " "}), &["the target is empty"]);
    check("trace", json!({"target": "no_such", "relation": "history"}), &["could not find"]);
    let many: Vec<String> = (0..21).map(|number| format!("word {number}")).collect();
    check("search", json!({"queries": many}), &["21 questions are too many"]);
    check("search", json!({"queries": ["a", " "]}), &["no word to search for"]);
    check("search", json!({"queries": ["a", "b"], "cursor": "1-2"}), &["one question"]);
    check("search", json!({}), &["no word to search for"]);
    check("read", json!({"target": ""}), &["the target is empty"]);
    check("read", json!({"target": "src/no.rs"}), &["could not open `src/no.rs`"]);
    check("read", json!({"target": "no_such_name"}), &["no file and no definition is called"]);
    check("read", json!({"target": "src"}), &["`src` is a directory"]);
    check(
        "read",
        json!({"target": "src/lib.rs:900-901"}),
        &["has no lines 900-901", "the first one is 1"],
    );
    check("read", json!({"target": "src/refund.rs#nothing"}), &["could not find"]);
}

#[test]
fn every_form_of_a_target_is_read() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    client.object("search", &json!({"query": "refund"}));
    let mut check = |target: &str, lines: Value, part: &str| {
        let read = client.object("read", &json!({"target": target}));
        assert_eq!(json!([read["startLine"], read["endLine"]]), lines, "{target}: {read}");
        let content = read["text"].as_str().expect("a text");
        assert!(content.contains(part), "{target}: {content}");
    };
    check("src/refund.rs:28", json!([28, 28]), "pub fn refund");
    check("src/refund.rs:27-33", json!([27, 33]), "TooMuch");
    check("./src/refund.rs:27-33", json!([27, 33]), "TooMuch");
    check("code:src/refund.rs:27-33", json!([27, 33]), "TooMuch");
    check("code:src/refund.rs#Refunds.refund", json!([27, 33]), "TooMuch");
    check("retry_refund", json!([35, 47]), "idempotency key");
    check("src/lib.rs", json!([1, 10]), "pub mod gateway");
    check("lore://file/src/lib.rs", json!([1, 10]), "pub mod gateway");
    let read = client.object("read", &json!({"target": "src/refund.rs:28", "around": 1}));
    assert_eq!(json!([read["startLine"], read["endLine"]]), json!([27, 29]));
    let commit = client.object("search", &json!({"query": "idempotency key", "in": ["git"]}));
    let id = commit["hits"][0]["id"].as_str().expect("a commit").to_owned();
    let read = client.object("read", &json!({"target": id}));
    assert_eq!(read["path"], Value::Null);
    assert!(read["text"].as_str().is_some_and(|text| text.contains("idempotency key")), "{read}");
}

#[test]
fn a_long_file_is_read_in_parts() {
    let workspace = Workspace::shop();
    let lines: Vec<String> =
        (1..=2_000).map(|line| format!("line {line} \"with\" some \\ words\n")).collect();
    let lines = lines.concat();
    workspace.write("notes.txt", &lines);
    let mut client = Client::greet(&workspace, &[]);
    let (mut read, mut cursor) = (String::new(), Value::Null);
    loop {
        let part = client.object("read", &json!({"target": "notes.txt", "cursor": cursor}));
        assert_eq!(part["lines"], 2_000);
        read.push_str(part["text"].as_str().expect("a text"));
        read.push('\n');
        cursor = part["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(read, lines);
}

#[test]
fn a_very_long_line_is_read_in_parts_quickly() {
    let workspace = Workspace::shop();
    workspace.write("bundle.js", format!("{}\nlast\n", "x".repeat(3_000_000)));
    let mut client = Client::greet(&workspace, &[]);
    let started = Instant::now();
    let part = client.object("read", &json!({"target": "bundle.js", "max_tokens": 200}));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    let content = part["text"].as_str().expect("a text");
    assert!(content.starts_with("xxxx") && content.ends_with(" bytes more)"), "{content}");
    let arguments =
        json!({"target": "bundle.js", "max_tokens": 200, "cursor": part["nextCursor"].clone()});
    assert_eq!(client.object("read", &arguments)["text"], "last");
}

#[test]
fn the_cursor_of_a_changed_file_is_rejected() {
    let workspace = Workspace::shop();
    workspace.write("notes.txt", "some words of a line\n".repeat(900));
    let mut client = Client::greet(&workspace, &[]);
    let part = client.object("read", &json!({"target": "notes.txt"}));
    let arguments = json!({"target": "notes.txt", "cursor": part["nextCursor"].clone()});
    client.object("read", &arguments);
    workspace.write("notes.txt", format!("new\n{}", "some words of a line\n".repeat(900)));
    let message = client.rejection("read", &arguments);
    assert!(
        message.contains("an older state of the tree") && message.contains("leave `cursor` out"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_rejected_without_waiting() {
    let workspace = Workspace::shop();
    let pipe = workspace.tree().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    let mut client = Client::greet(&workspace, &[]);
    let message = client.rejection("read", &json!({"target": "pipe"}));
    assert!(message.starts_with("`pipe` is no file"), "{message}");
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_tree_is_read() {
    let workspace = Workspace::shop();
    let outside = workspace.tree().join("../secret.txt");
    fs::write(&outside, "the secret word is xyzzy\n").expect("a new file");
    std::os::unix::fs::symlink(&outside, workspace.tree().join("link.txt")).expect("a link");
    std::os::unix::fs::symlink("/etc", workspace.tree().join("etc")).expect("a link");
    workspace.write("inner/.git/config", "xyzzy\n");
    std::os::unix::fs::symlink("inner/.git/config", workspace.tree().join("git-link"))
        .expect("a link");
    let mut client = Client::greet(&workspace, &[]);
    let absolute = outside.canonicalize().expect("it is there").display().to_string();
    let targets = [
        "../secret.txt",
        "src/../../secret.txt",
        "../secret.txt:1-2",
        "code:../secret.txt",
        "link.txt",
        "etc/passwd",
        "/etc/passwd",
        &absolute,
        ".git/config",
        ".git/HEAD:1",
        "git-link",
        "lore://file/../secret.txt",
        "lore://file/%2e%2e/secret.txt",
    ];
    for target in targets {
        let message = client.rejection("read", &json!({"target": target}));
        assert!(!message.contains("xyzzy") && !message.contains("root:"), "{target}: {message}");
    }
    for uri in
        ["lore://file/../secret.txt", "lore://file/%2e%2e%2fsecret.txt", "lore://file//etc/passwd"]
    {
        let answer = client.request("resources/read", &json!({"uri": uri}));
        assert!(answer["error"].is_object(), "{uri}: {answer}");
    }
}

#[test]
fn resources_are_listed_and_read() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let listed = client.request("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "lore://status");
    let listed = client.request("resources/templates/list", &json!({}));
    let template = &listed["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(*template, "lore://file/{+path}");
    client.object("search", &json!({"query": "refund"}));
    let status = client.request("resources/read", &json!({"uri": "lore://status"}));
    let message = status["result"]["contents"][0]["text"].as_str().expect("a text");
    assert!(message.contains("code: "), "{message}");
    let file = client.request("resources/read", &json!({"uri": "lore://file/src/lib.rs"}));
    let expected = fs::read_to_string(workspace.tree().join("src/lib.rs")).expect("it is there");
    assert_eq!(file["result"]["contents"][0]["text"], expected.trim_end());
    let none = client.request("resources/read", &json!({"uri": "lore://nothing"}));
    assert!(none["error"]["message"].as_str().is_some_and(|text| text.contains("lore://status")));
}

#[test]
fn trace_queries_the_graph() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let found = client.object("trace", &json!({"target": "refund"}));
    let edges = found["edges"].as_array().expect("edges");
    let froms: Vec<&str> = edges.iter().filter_map(|edge| edge["from"]["path"].as_str()).collect();
    assert_eq!(froms, ["examples/refund_twice.rs", "examples/refund_twice.rs", "tests/refund.rs"]);
    assert!(edges[0]["text"].as_str().is_some_and(|line| line.contains("refund(&payment")));
    assert_eq!(found["relation"], "callers");
    let found = client.object("trace", &json!({"target": "what does refund call?"}));
    assert_eq!(found["relation"], "callees");
    let found = client.object("trace", &json!({"target": "refund", "relation": "callees"}));
    assert_eq!(found["relation"], "callees");
    let none = client.object("trace", &json!({"target": "no_such_function"}));
    assert_eq!(none["total"], 0);
    assert!(!none["reasons"].as_array().expect("reasons").is_empty(), "{none}");
}

#[test]
fn trace_lists_the_commits_that_changed_a_place() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let asked = json!({"target": "retry_refund", "relation": "history"});
    let found = client.object("trace", &asked);
    assert_eq!(found["subjects"][0]["path"], "src/refund.rs");
    let commits = found["commits"].as_array().expect("commits");
    assert!(!commits.is_empty(), "{found}");
    assert_eq!(commits[commits.len() - 1]["isOrigin"], true);
    assert_eq!(found["total"], commits.len());
}

#[test]
fn several_questions_share_the_tokens() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let asked = json!({"query": "retry a refund", "queries": ["bank holidays", "no_such_word"]});
    let found = client.object("search", &asked);
    assert_eq!(found["hits"][0]["path"], "src/refund.rs");
    let others = found["others"].as_array().expect("others");
    assert_eq!(others.len(), 2);
    assert_eq!(others[1]["hits"], json!([]));
    let asked = json!({"queries": ["retry a refund", "bank"], "max_tokens": 600});
    let text = text(&client.call("search", &asked)).to_owned();
    assert!(
        text.starts_with("## retry a refund\n\n") && text.contains("\n\n## bank\n\n"),
        "{text}"
    );
    let tokens = lore_render::tokens::Tokenizer::O200k.count(&text);
    assert!(tokens <= 650, "{tokens}");
}
