//! Open files: unsaved changes, columns, line ends.

use serde_json::json;

use crate::{editor::Editor, workspace::Workspace};

const LIBRARY: &str = "/// Heats the oven.\npub fn heat(degrees: u32) {}\n";
const USER: &str = "use crate::oven::heat;\n\npub fn bake() {\n    heat(200);\n}\n";

fn bakery() -> Workspace {
    Workspace::with(&[
        ("src/lib.rs", "pub mod bread;\npub mod oven;\n"),
        ("src/oven.rs", LIBRARY),
        ("src/bread.rs", USER),
    ])
}

#[test]
fn results_in_an_unsaved_file_have_the_lines_of_the_editor() {
    let workspace = bakery();
    let mut editor = Editor::open(&workspace);
    let moved = format!("// One.\n// Two.\n\n{LIBRARY}");
    editor.did_open("src/oven.rs", &moved);
    let at = editor.at("src/bread.rs", USER, "    he^at(200)");
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/oven.rs:4:7-11"]);
    // The file on disk has not changed.
    let document = json!({"textDocument": {"uri": editor.uri("src/oven.rs")}});
    editor.notify("textDocument/didClose", &document);
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/oven.rs:1:7-11"]);
}

#[test]
fn a_call_that_is_not_saved_is_a_reference() {
    let workspace = bakery();
    let mut editor = Editor::open(&workspace);
    editor.did_open("src/bread.rs", USER);
    let insert = json!({
        "range": {"start": {"line": 4, "character": 1}, "end": {"line": 4, "character": 1}},
        "text": "\n\npub fn toast() {\n    heat(90);\n}",
    });
    let rename = json!({
        "range": {"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 11}},
        "text": "bake_slowly",
    });
    editor.did_change("src/bread.rs", &json!([insert, rename]));
    let mut at = editor.at("src/oven.rs", LIBRARY, "pub fn ^heat");
    let items = editor.request("textDocument/prepareCallHierarchy", &at);
    let callers = editor.request("callHierarchy/incomingCalls", &json!({"item": items[0]}));
    assert_eq!(callers[0]["from"]["name"], "bake_slowly");
    assert_eq!(callers[1]["from"]["name"], "toast");
    at["context"] = json!({"includeDeclaration": false});
    let found = editor.request("textDocument/references", &at);
    assert_eq!(
        editor.places(&found),
        ["src/bread.rs:0:17-21", "src/bread.rs:3:4-8", "src/bread.rs:7:4-8"]
    );
}

#[test]
fn a_new_file_is_part_of_the_tree_while_it_is_open() {
    let workspace = bakery();
    let mut editor = Editor::open(&workspace);
    let text = "/// Cools.\npub fn cool() {}\n\npub fn rest() {\n    cool();\n}\n";
    editor.did_open("src/new file.rs", text);
    let at = editor.at("src/new file.rs", text, "    co^ol()");
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/new%20file.rs:1:7-11"]);
    let hover = editor.request("textDocument/hover", &at);
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("Cools.")));
}

#[test]
fn a_full_change_replaces_the_text() {
    let workspace = bakery();
    let mut editor = Editor::open(&workspace);
    editor.did_open("src/oven.rs", LIBRARY);
    let text = "pub fn warm() {}\n";
    editor.did_change("src/oven.rs", &json!([{"text": text}]));
    let document = json!({"textDocument": {"uri": editor.uri("src/oven.rs")}});
    let symbols = editor.request("textDocument/documentSymbol", &document);
    assert_eq!(symbols.as_array().map(Vec::len), Some(1));
    assert_eq!(symbols[0]["name"], "warm");
}

#[test]
fn columns_are_utf_16_unless_the_client_offers_utf_8() {
    let text = "pub fn heat() {}\n\npub fn bake() {\n    let _ = (\"🥖é\", heat());\n}\n";
    let workspace = Workspace::with(&[("src/lib.rs", text)]);
    for (offered, column) in [(json!(null), 20), (json!(["utf-8", "utf-16"]), 23)] {
        let mut editor = Editor::start(&workspace, &[]);
        let general = json!({"general": {"positionEncodings": offered}});
        editor.hello(&json!({}), &general);
        let mut at = json!({
            "textDocument": {"uri": editor.uri("src/lib.rs")},
            "position": {"line": 3, "character": column},
        });
        let found = editor.request("textDocument/definition", &at);
        assert_eq!(editor.places(&found), ["src/lib.rs:0:7-11"]);
        at["context"] = json!({"includeDeclaration": false});
        let found = editor.request("textDocument/references", &at);
        assert_eq!(editor.places(&found), [format!("src/lib.rs:3:{column}-{}", column + 4)]);
    }
}

#[test]
fn edits_behind_an_emoji_hit_the_right_place() {
    let workspace = bakery();
    let mut editor = Editor::open(&workspace);
    editor.did_open("src/bread.rs", "fn a() { f(\"🥖\"); b(); }\nfn f() {}\nfn heat() {}\r\n");
    let change = json!({
        "range": {"start": {"line": 0, "character": 18}, "end": {"line": 0, "character": 19}},
        "text": "heat",
    });
    editor.did_change("src/bread.rs", &json!([change]));
    let at = json!({
        "textDocument": {"uri": editor.uri("src/bread.rs")},
        "position": {"line": 0, "character": 20},
    });
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/bread.rs:2:3-7"]);
}

#[test]
fn a_local_variable_is_not_a_function_of_the_same_name() {
    let text = "use crate::oven::heat;\n\npub fn bake(heat: u32) {\n    drop(heat);\n}\n";
    let workspace = bakery();
    let mut editor = Editor::open(&workspace);
    editor.did_open("src/bread.rs", text);
    let at = editor.at("src/bread.rs", text, "drop(he^at)");
    assert_eq!(editor.request("textDocument/definition", &at), json!(null));
    let at = editor.at("src/bread.rs", text, "oven::he^at");
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/oven.rs:1:7-11"]);
}

#[test]
fn changes_on_disk_are_seen() {
    let workspace = bakery();
    let mut editor = Editor::open(&workspace);
    let at = editor.at("src/bread.rs", USER, "    he^at(200)");
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/oven.rs:1:7-11"]);
    // The editor reports what it saves.
    workspace.write("src/oven.rs", format!("// One.\n{LIBRARY}"));
    let document = json!({"textDocument": {"uri": editor.uri("src/oven.rs")}});
    editor.notify("textDocument/didSave", &document);
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/oven.rs:2:7-11"]);
    // Nothing reports the change of another program.
    workspace.write("src/oven.rs", format!("// One.\n// Two.\n{LIBRARY}"));
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let found = editor.request("textDocument/definition", &at);
    assert_eq!(editor.places(&found), ["src/oven.rs:3:7-11"]);
}
