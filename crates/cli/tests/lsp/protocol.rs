//! The rules of the protocol: life cycle, errors, cancellation, folders, and what is never done.

use serde_json::{Value, json};

use crate::{editor::Editor, trees::LANGUAGES, workspace::Workspace};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;
const CANCELLED: i64 = -32800;

fn oven() -> Workspace {
    Workspace::with(&[("src/lib.rs", "pub fn heat() {}\n\npub fn bake() {\n    heat();\n}\n")])
}

#[test]
fn the_life_cycle_is_that_of_the_protocol() {
    let workspace = oven();
    let mut editor = Editor::start(&workspace, &["--stdio"]);
    assert_eq!(editor.rejection("workspace/symbol", &json!({"query": "heat"})), NOT_INITIALIZED);
    editor.notify("textDocument/didOpen", &json!({"nonsense": 1}));
    let capabilities = editor.hello(&json!({}), &json!({}));
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["codeLensProvider"], Value::Null);
    assert_eq!(editor.rejection("initialize", &json!({})), INVALID_REQUEST);
    assert_eq!(editor.rejection("textDocument/rename", &json!({})), METHOD_NOT_FOUND);
    assert_eq!(editor.rejection("$/unknown", &json!({})), METHOD_NOT_FOUND);
    editor.notify("$/unknown", &json!({}));
    editor.request("shutdown", &Value::Null);
    assert_eq!(editor.rejection("workspace/symbol", &json!({"query": "heat"})), INVALID_REQUEST);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.wait(), (Some(0), String::new()));
}

#[test]
fn an_exit_without_a_shutdown_is_a_failure() {
    let workspace = oven();
    let mut editor = Editor::open(&workspace);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.wait().0, Some(1));
    let editor = Editor::open(&workspace);
    assert_eq!(editor.end().0, Some(1));
}

#[test]
fn malformed_messages_are_rejected_and_the_session_continues() {
    let workspace = oven();
    let mut editor = Editor::open(&workspace);
    for (bytes, id, code) in [
        ("Content-Length: 1\r\n\r\n{", Value::Null, PARSE_ERROR),
        ("Content-Length: 2\r\n\r\n[]", Value::Null, INVALID_REQUEST),
        ("nonsense\r\n\r\n", Value::Null, PARSE_ERROR),
        ("Content-Length: -1\r\n\r\n", Value::Null, PARSE_ERROR),
        ("Content-Length: 19\r\n\r\n{\"id\":7,\"method\":3}", json!(7), INVALID_REQUEST),
        ("Content-Length: 4\r\n\r\n\u{e9}\u{e9}", Value::Null, PARSE_ERROR),
    ] {
        editor.bytes(bytes.as_bytes());
        let answer = editor.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{bytes:?}");
    }
    let found = editor.request("workspace/symbol", &json!({"query": "heat"}));
    assert_eq!(found[0]["name"], "heat");
}

#[test]
fn wrong_parameters_are_rejected() {
    let workspace = oven();
    let mut editor = Editor::open(&workspace);
    let outside = json!({
        "textDocument": {"uri": "file:///etc/passwd"},
        "position": {"line": 0, "character": 0},
    });
    for (method, parameters) in [
        ("textDocument/definition", json!({})),
        ("textDocument/definition", json!(["a"])),
        ("textDocument/hover", outside.clone()),
        ("textDocument/definition", outside),
        ("textDocument/documentSymbol", json!({"textDocument": {"uri": "untitled:1"}})),
        (
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": editor.uri("../../other.rs")}}),
        ),
        (
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": editor.uri(".git/config")}}),
        ),
        ("workspace/executeCommand", json!({"command": "lorehound.delete", "arguments": []})),
        ("workspace/executeCommand", json!({"command": "lorehound.ask", "arguments": [7]})),
        (
            "codeLens/resolve",
            json!({"range": {"start": {"line": 0, "character": 0},
            "end": {"line": 0, "character": 0}}, "data": 3}),
        ),
    ] {
        let code = editor.rejection(method, &parameters);
        assert_eq!(code, INVALID_PARAMS, "{method} {parameters}");
    }
    // Positions that do not exist mean the end of the line or of the text.
    let at = json!({
        "textDocument": {"uri": editor.uri("src/lib.rs")},
        "position": {"line": 4_000_000_000_u32, "character": 4_000_000_000_u32},
    });
    assert_eq!(editor.request("textDocument/definition", &at), Value::Null);
    let missing = json!({"textDocument": {"uri": editor.uri("src/none.rs")}});
    assert_eq!(editor.request("textDocument/documentSymbol", &missing), Value::Null);
}

#[test]
fn a_cancelled_request_is_answered_once_with_an_error() {
    let workspace = oven();
    let mut editor = Editor::open(&workspace);
    // The first index is not built yet, so that the requests wait.
    let ids: Vec<i64> = (0..40)
        .map(|_| {
            let question = json!({"command": "lorehound.ask", "arguments": ["heat the oven"]});
            editor.send("workspace/executeCommand", &question)
        })
        .collect();
    for id in &ids {
        editor.notify("$/cancelRequest", &json!({"id": id}));
    }
    let mut cancelled = 0;
    for id in &ids {
        let answer = editor.answer(*id);
        cancelled += usize::from(answer["error"]["code"] == CANCELLED);
    }
    assert!(cancelled > 0);
    // One that is answered already, and one that never was.
    editor.notify("$/cancelRequest", &json!({"id": ids[0]}));
    editor.notify("$/cancelRequest", &json!({"id": "none"}));
    let found = editor.request("workspace/symbol", &json!({"query": "heat"}));
    assert_eq!(found[0]["name"], "heat");
    assert_eq!(editor.shut_down().0, Some(0));
}

#[test]
fn each_folder_is_a_tree_of_its_own() {
    let rust = LANGUAGES[0].workspace();
    let python = LANGUAGES[1].workspace();
    let mut editor = Editor::start(&rust, &[]);
    let other = |path: &str| format!("file://{}/{path}", python.tree().display());
    let folder = |uri: String| json!({"uri": uri, "name": "a"});
    let (first, second) = (folder(editor.uri("")), folder(other("")));
    editor.hello(&json!({"workspaceFolders": [first]}), &json!({}));
    let outside = json!({"textDocument": {"uri": other("shop/ledger.py")}});
    assert_eq!(editor.rejection("textDocument/documentSymbol", &outside), INVALID_PARAMS);
    let event = json!({"event": {"added": [second], "removed": []}});
    editor.notify("workspace/didChangeWorkspaceFolders", &event);
    let symbols = editor.request("textDocument/documentSymbol", &outside);
    assert_eq!(symbols[0]["name"], "Book");
    let found = editor.request("workspace/symbol", &json!({"query": "with_fee"}));
    let uris: Vec<&str> = found
        .as_array()
        .expect("symbols")
        .iter()
        .filter_map(|symbol| symbol["location"]["uri"].as_str())
        .collect();
    assert_eq!(uris, [editor.uri("src/ledger.rs"), other("shop/ledger.py")]);
    // A definition is found in the folder of the file only.
    let text = LANGUAGES[1].text("shop/sales.py");
    let mut at = editor.at("shop/sales.py", text, LANGUAGES[1].call);
    at["textDocument"]["uri"] = json!(other("shop/sales.py"));
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(found[0]["uri"], other("shop/ledger.py"));
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    let event = json!({"event": {"added": [], "removed": [first]}});
    editor.notify("workspace/didChangeWorkspaceFolders", &event);
    let removed = json!({"textDocument": {"uri": editor.uri("src/ledger.rs")}});
    assert_eq!(editor.rejection("textDocument/documentSymbol", &removed), INVALID_PARAMS);
}

#[test]
fn addresses_may_have_spaces_and_any_script() {
    let text = "def größe():\n    return 1\n\n\ndef f():\n    return größe()\n";
    let workspace = Workspace::with(&[("src/mit Raum/größe #1.py", text)]);
    let mut editor = Editor::open(&workspace);
    let at = editor.at("src/mit Raum/größe #1.py", text, "return grö^ße()");
    let found = editor.request("textDocument/definition", &at);
    let expected = editor.uri("src/mit Raum/größe #1.py");
    assert_eq!(found[0]["uri"], expected.as_str());
    assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": 4}));
}

#[test]
fn code_lenses_are_off_unless_requested() {
    let language = &LANGUAGES[0];
    let workspace = language.workspace();
    let document = |editor: &Editor| json!({"textDocument": {"uri": editor.uri(language.library)}});
    let mut editor = Editor::open(&workspace);
    let parameters = document(&editor);
    assert_eq!(editor.request("textDocument/codeLens", &parameters), json!([]));
    let mut editor = Editor::start(&workspace, &[]);
    let options = json!({"initializationOptions": {"codeLens": {"callers": true, "specs": true}}});
    let capabilities = editor.hello(&options, &json!({}));
    assert_eq!(capabilities["codeLensProvider"]["resolveProvider"], true);
    let parameters = document(&editor);
    let lenses = editor.request("textDocument/codeLens", &parameters);
    let mut titles = Vec::new();
    let mut commands = Vec::new();
    for lens in lenses.as_array().expect("lenses") {
        let resolved = editor.request("codeLens/resolve", lens);
        titles.push(resolved["command"]["title"].as_str().expect("a title").to_owned());
        commands.push(resolved["command"].clone());
    }
    assert_eq!(titles.first().map(String::as_str), Some("governed by Fees of the ledger"));
    assert_eq!(titles.last().map(String::as_str), Some("2 calls"));
    let last = commands.last().expect("a command");
    let run = json!({"command": last["command"], "arguments": last["arguments"]});
    let found = editor.request("workspace/executeCommand", &run);
    assert_eq!(editor.places(&found), ["src/shop.rs:3:16-24", "src/shop.rs:8:18-26"]);
    let run = json!({"command": commands[0]["command"], "arguments": commands[0]["arguments"]});
    let found = editor.request("workspace/executeCommand", &run);
    assert_eq!(editor.places(&found), [".spec/fees/spec.md:0:0-0"]);
}

#[test]
fn secrets_are_removed_from_open_files_too() {
    let secret = concat!("gh", "p_0123456789abcdefghijABCDEFGHIJ012345");
    let text = format!("/// Uses the token {secret}.\npub fn login() {{}}\n");
    let workspace = Workspace::with(&[("src/lib.rs", &text)]);
    let mut editor = Editor::open(&workspace);
    let at = editor.at("src/lib.rs", &text, "pub fn lo^gin");
    for is_open in [false, true] {
        if is_open {
            editor.did_open("src/lib.rs", &text);
        }
        let hover = editor.request("textDocument/hover", &at);
        let shown = hover["contents"]["value"].as_str().expect("a text");
        assert!(shown.contains("[redacted:"), "{shown}");
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn nothing_is_written_into_the_tree() {
    let workspace = LANGUAGES[0].workspace();
    let mut editor = Editor::open(&workspace);
    editor.request("workspace/symbol", &json!({"query": "with_fee"}));
    let ask = json!({"command": "lorehound.ask", "arguments": ["the fee"]});
    editor.request("workspace/executeCommand", &ask);
    assert_eq!(editor.shut_down().0, Some(0));
    let status = std::process::Command::new("git")
        .args(["status", "--porcelain", "--ignored"])
        .current_dir(workspace.tree())
        .output()
        .expect("git is there");
    assert_eq!(String::from_utf8_lossy(&status.stdout), "");
}

#[test]
fn the_tree_of_the_flag_is_the_only_one() {
    let (one, other) = (oven(), LANGUAGES[0].workspace());
    let directory = one.tree().display().to_string();
    let mut editor = Editor::start(&other, &["-C", &directory]);
    editor.hello(&json!({}), &json!({}));
    let found = editor.request("workspace/symbol", &json!({"query": "with_fee"}));
    assert_eq!(found, json!([]));
    let found = editor.request("workspace/symbol", &json!({"query": "heat"}));
    assert_eq!(found[0]["location"]["uri"], format!("file://{directory}/src/lib.rs"));
}
