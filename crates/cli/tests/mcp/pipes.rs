//! The protocol over pipes: handshake, invalid input, cancellation, progress, roots and shutdown.

use std::{fs, time::Duration};

use serde_json::{Value, json};

use crate::{
    client::{Client, text},
    workspace::Workspace,
};

#[test]
fn a_handshake_opens_nothing() {
    let workspace = Workspace::shop();
    let mut client = Client::start(&workspace, &[]);
    let hello = client.hello(&json!({}));
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "lorehound");
    assert!(hello["capabilities"]["tools"].is_object());
    assert!(hello["capabilities"]["resources"].is_object());
    assert_eq!(client.tools(), ["search", "read", "trace", "context"]);
    assert!(!workspace.cache().exists(), "an index was opened");
    let (code, stderr) = client.end();
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
}

#[test]
fn every_tool_is_annotated_as_read_only() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let listed = client.request("tools/list", &json!({}));
    for tool in listed["result"]["tools"].as_array().expect("tools") {
        let notes = &tool["annotations"];
        assert_eq!(notes["readOnlyHint"], true, "{tool}");
        assert_eq!(notes["idempotentHint"], true, "{tool}");
        assert_eq!(notes["openWorldHint"], false, "{tool}");
        assert!(notes["title"].is_string(), "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
}

#[test]
fn invalid_input_does_not_end_a_session() {
    let workspace = Workspace::shop();
    let mut client = Client::start(&workspace, &[]);
    let lines: &[&[u8]] = &[
        b"",
        b"\r",
        b"hello",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"{\"jsonrpc\": \"2.0\"}",
        b"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}",
        b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/nonsense\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {}}",
        b"{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"method\": \"tools/call\", \"params\": 7}",
    ];
    // Both before and after the handshake.
    for line in lines {
        client.line(line);
    }
    let hello = client.hello(&json!({}));
    assert_eq!(hello["serverInfo"]["name"], "lorehound");
    for line in lines {
        client.line(line);
    }
    client.line(&vec![b'['; 5 << 20]);
    assert_eq!(client.tools().len(), 4);
    // All output was valid messages: `next` panics otherwise.
    let unknown = client.request("nonsense/list", &json!({}));
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    let unknown = client.request("tools/call", &json!({"name": "delete", "arguments": {}}));
    let message = unknown["error"]["message"].as_str().expect("a message");
    assert!(message.contains("there is no tool `delete`; the tools are search,"), "{message}");
    let (code, stderr) = client.end();
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
}

#[test]
fn concurrent_calls_are_all_answered() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    client.object("search", &json!({"query": "refund"}));
    let sent: Vec<(u64, &str)> = ["refund", "ledger", "gateway", "payment", "cents", "bank"]
        .iter()
        .cycle()
        .take(24)
        .map(|word| {
            let call = json!({"name": "search", "arguments": {"query": word}});
            (client.send("tools/call", &call), *word)
        })
        .collect();
    // In reverse order: answers do not depend on the order in which the client waits.
    for (id, word) in sent.into_iter().rev() {
        let answer = client.answer(id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let message = text(&answer["result"]).to_lowercase();
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn a_cancelled_call_is_not_answered_and_later_calls_are() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let call = json!({"name": "search", "arguments": {"query": "refund"}});
    // The first call builds the index, which takes long enough to cancel it.
    let cancelled = client.send("tools/call", &call);
    client.notify("notifications/cancelled", &json!({"requestId": cancelled, "reason": "enough"}));
    let found = client.object("search", &json!({"query": "refund"}));
    assert!(!found["hits"].as_array().expect("hits").is_empty());
    let answered = client.received.iter().any(|message| message["id"] == cancelled);
    assert!(!answered, "{:?}", client.received);
}

#[test]
fn progress_is_reported_on_request() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let call = json!({
        "name": "search", "arguments": {"query": "refund"}, "_meta": {"progressToken": "p1"},
    });
    client.request("tools/call", &call);
    let notices: Vec<&Value> = client
        .received
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .collect();
    assert!(!notices.is_empty(), "the first call builds the index");
    for notice in notices {
        assert_eq!(notice["params"]["progressToken"], "p1");
        assert!(notice["params"]["progress"].is_number());
    }
}

#[test]
fn an_edit_is_in_the_next_answer() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    for round in 0..4 {
        workspace
            .write("src/new.rs", format!("/// Speaks of quokka{round}.\npub fn said() {{}}\n"));
        let found = client.object("search", &json!({"query": format!("quokka{round}")}));
        assert_eq!(found["hits"][0]["path"], "src/new.rs", "{found}");
        assert_eq!(found["fresh"], "verified");
    }
    fs::remove_file(workspace.tree().join("src/new.rs")).expect("it is there");
    let found = client.object("search", &json!({"query": "quokka3"}));
    assert_eq!(found["total"], 0, "{found}");
}

#[test]
fn the_roots_of_the_client_are_searched() {
    let workspace = Workspace::shop();
    for (folder, word) in [("one", "wombat"), ("two", "quokka")] {
        let folder = workspace.tree().join("..").join(folder);
        fs::create_dir_all(&folder).expect("a new folder");
        fs::write(folder.join("a.md"), format!("# {word}\n")).expect("a new file");
    }
    let uri = |folder: &str| {
        let path = workspace.tree().join("..").join(folder).canonicalize().expect("it is there");
        json!({"uri": format!("file://{}", path.display())})
    };
    let mut client = Client::start(&workspace, &[]);
    client.roots = vec![uri("one"), uri("two"), json!({"uri": "https://example.org/"})];
    client.hello(&json!({"roots": {"listChanged": true}}));
    // All roots have one answer, with paths from the directory that contains them.
    for (word, path) in [("wombat", "one/a.md"), ("quokka", "two/a.md")] {
        let found = client.object("search", &json!({"query": word}));
        assert_eq!(
            (&found["hits"][0]["path"], &found["total"]),
            (&json!(path), &json!(1)),
            "{found}"
        );
        let read = client.object("read", &json!({"target": path}));
        assert!(read["text"].as_str().expect("a text").contains(word), "{read}");
        let read = client.object("read", &json!({"target": found["hits"][0]["id"]}));
        assert!(read["text"].as_str().expect("a text").contains(word), "{read}");
    }
    let found = client.object("search", &json!({"query": "quokka", "root": "two"}));
    assert_eq!(found["hits"][0]["path"], "a.md", "{found}");
    let found = client.object("search", &json!({"query": "quokka", "root": "one"}));
    assert_eq!(found["total"], 0, "{found}");
    let message = client.rejection("search", &json!({"query": "refund", "root": "shop"}));
    assert!(message.starts_with("`shop` is no root of this session"), "{message}");
    let message = client.rejection("read", &json!({"target": workspace.tree().join("README.md")}));
    assert!(message.contains("is outside the tree"), "{message}");
    // The server requests them once, and again after a change.
    let requests = |client: &Client| {
        client.received.iter().filter(|message| message["method"] == "roots/list").count()
    };
    assert_eq!(requests(&client), 1);
    client.roots = vec![uri("two")];
    client.notify("notifications/roots/list_changed", &json!({}));
    let found = client.object("search", &json!({"query": "quokka"}));
    assert_eq!(found["hits"][0]["path"], "a.md", "{found}");
    assert_eq!(requests(&client), 2);
}

#[test]
fn the_repositories_of_a_workspace_are_searched() {
    let workspace = Workspace::shop();
    let other = workspace.tree().join("../bank/src");
    fs::create_dir_all(&other).expect("a new folder");
    fs::write(other.join("ledger.rs"), "/// Books a refund.\npub fn book_refund() {}\n")
        .expect("a new file");
    let list = "repositories = [\"shop\", \"bank\"]\n";
    fs::write(workspace.tree().join("../lorehound.workspace.toml"), list).expect("a new file");
    let mut client = Client::start(&workspace, &["-W", "."]);
    client.hello(&json!({"roots": {}}));
    let question = json!({"query": "refund", "in": ["code"], "all": true});
    let found = client.object("search", &question);
    let files = found["files"].as_str().expect("a list of files");
    assert!(files.contains("refund.rs 2") && files.contains("bank/src/ledger.rs 1"), "{found}");
    let found = client.object("search", &json!({"query": "book_refund"}));
    assert_eq!(found["hits"][0]["path"], "bank/src/ledger.rs", "{found}");
    fs::write(other.join("loan.rs"), "pub fn lend_wombat() {}\n").expect("a new file");
    let found = client.object("search", &json!({"query": "lend_wombat"}));
    assert_eq!(found["hits"][0]["path"], "bank/src/loan.rs", "{found}");
    assert_eq!(found["fresh"], "verified");
    let traced = client.object("trace", &json!({"target": "bank/src/ledger.rs#book_refund"}));
    assert_eq!(traced["root"], json!(other.parent().unwrap().canonicalize().unwrap()), "{traced}");
    // A name without a place is traced in all of them.
    let manifest = "[package]\nname = \"bank\"\n";
    fs::write(workspace.tree().join("../bank/Cargo.toml"), manifest).expect("a new file");
    workspace.write("src/pay.rs", "use bank::book_refund;\n\nfn pay() {\n    book_refund();\n}\n");
    let traced = client.object("trace", &json!({"target": "book_refund"}));
    assert_eq!(traced["edges"][0]["line"], 4, "{traced}");
    assert!(traced.to_string().contains("shop/src/pay.rs"), "{traced}");
    let message = client.rejection("search", &json!({"query": "refund", "at": "HEAD"}));
    assert!(message.contains("`at` reads one tree"), "{message}");
    // The roots of the client are not requested.
    assert!(client.received.iter().all(|message| message["method"] != "roots/list"));
}

#[test]
fn roots_with_the_same_name_are_distinguished_by_path() {
    let workspace = Workspace::shop();
    let mut roots = Vec::new();
    for (folder, word) in [("one", "wombat"), ("sp ace", "quokka")] {
        let folder = workspace.tree().join("..").join(folder).join("api");
        fs::create_dir_all(&folder).expect("a new folder");
        fs::write(folder.join("a.md"), format!("# {word}\n")).expect("a new file");
        roots.push(folder.canonicalize().expect("it is there").display().to_string());
    }
    let mut client = Client::start(&workspace, &[]);
    let uri = |root: &String| json!({"uri": format!("file://{}", root.replace(' ', "%20"))});
    client.roots = roots.iter().map(uri).collect();
    client.hello(&json!({"roots": {}}));
    let found = client.object("search", &json!({"query": "quokka", "root": roots[1]}));
    assert_eq!(found["hits"][0]["path"], "a.md", "{found}");
    let message = client.rejection("search", &json!({"query": "quokka", "root": "api"}));
    assert!(message.starts_with("several roots of this session are called `api`"), "{message}");
    assert!(roots.iter().all(|root| message.contains(root)), "{message}");
}

#[test]
fn a_tree_named_by_a_flag_overrides_the_roots() {
    let workspace = Workspace::shop();
    let tree = workspace.tree().display().to_string();
    let mut client = Client::start(&workspace, &["-C", &tree]);
    client.roots = vec![json!({"uri": "file:///"})];
    client.hello(&json!({"roots": {}}));
    let found = client.object("search", &json!({"query": "refund"}));
    assert_eq!(
        found["root"],
        workspace.tree().canonicalize().expect("it is there").display().to_string()
    );
    assert!(client.received.iter().all(|message| message["method"] != "roots/list"));
}

#[test]
fn without_a_tree_the_handshake_succeeds_with_instructions() {
    let workspace = Workspace::shop();
    let mut client = Client::start(&workspace, &["-C", "no/such/folder"]);
    let hello = client.hello(&json!({}));
    let message = hello["instructions"].as_str().expect("instructions");
    assert!(message.contains("could not open the tree `no/such/folder`"), "{message}");
    let message = client.rejection("search", &json!({"query": "refund"}));
    assert!(message.contains("start the server in a directory that exists"), "{message}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn broken_settings_are_an_error_but_do_not_end_the_session() {
    let workspace = Workspace::shop();
    workspace.write("lorehound.toml", "search = 7\n");
    let mut client = Client::greet(&workspace, &[]);
    let message = client.rejection("search", &json!({"query": "refund"}));
    assert!(message.contains("lorehound.toml"), "{message}");
    // After a repair, the same session continues.
    workspace.write("lorehound.toml", "");
    client.object("search", &json!({"query": "refund"}));
}

#[test]
fn the_server_ends_with_its_input_after_its_answers() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    let id = client.send("tools/list", &json!({}));
    let mut answers = Vec::new();
    let client = {
        answers.push(client.answer(id));
        client
    };
    assert!(answers[0]["result"]["tools"].is_array());
    assert_eq!(client.end().0, Some(0));
    // Before any message.
    let silent = Client::start(&workspace, &[]);
    assert_eq!(silent.end().0, Some(0));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_cleanly() {
    let workspace = Workspace::shop();
    let mut client = Client::greet(&workspace, &[]);
    // While the index is being built.
    client.send("tools/call", &json!({"name": "search", "arguments": {"query": "refund"}}));
    let killed = std::process::Command::new("kill")
        .args(["-TERM", &client.process().to_string()])
        .status()
        .expect("kill is there");
    assert!(killed.success());
    while client.next(Duration::from_millis(50)).is_some() {}
    assert_eq!(client.wait().0, Some(0));
    // The files left behind are used or repaired.
    let mut client = Client::greet(&workspace, &[]);
    client.object("search", &json!({"query": "refund"}));
}
