//! Every request, on the same small tree in Rust, Python, TypeScript and Go.

use serde_json::{Value, json};

use crate::{
    editor::{Editor, position},
    trees::{LANGUAGES, Language},
};

/// The place of a name in a file, as [`Editor::place`] writes it.
fn named(language: &Language, path: &str, mark: &str, name: &str) -> String {
    let (line, column) = position(language.text(path), mark);
    format!("{path}:{line}:{column}-{}", column + name.len())
}

/// The places of a name in a file, outside the line of an import for Go, which names packages.
fn occurrences(language: &Language, path: &str, name: &str) -> Vec<String> {
    let mut places = Vec::new();
    for (number, line) in language.text(path).lines().enumerate() {
        for (column, _) in line.match_indices(name) {
            places.push(format!("{path}:{number}:{column}-{}", column + name.len()));
        }
    }
    places
}

fn for_each(check: impl Fn(&Language, &mut Editor)) {
    for language in LANGUAGES {
        let workspace = language.workspace();
        let mut editor = Editor::open(&workspace);
        check(language, &mut editor);
        let (code, stderr) = editor.shut_down();
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{}", language.name);
    }
}

fn call_of(language: &Language, editor: &Editor) -> Value {
    editor.at(language.user, language.text(language.user), language.call)
}

#[test]
fn a_call_leads_to_the_definition() {
    for_each(|language, editor| {
        let at = call_of(language, editor);
        let found = editor.request("textDocument/definition", &at);
        let expected = named(language, language.library, language.fee.1, language.fee.0);
        assert_eq!(editor.places(&found), [expected], "{}", language.name);
    });
}

#[test]
fn references_are_calls_and_imports() {
    for_each(|language, editor| {
        let mut at = editor.at(language.library, language.text(language.library), language.fee.1);
        at["context"] = json!({"includeDeclaration": false});
        let found = editor.request("textDocument/references", &at);
        let expected = occurrences(language, language.user, language.fee.0);
        assert_eq!(editor.places(&found), expected, "{}", language.name);
        at["context"] = json!({"includeDeclaration": true});
        let found = editor.request("textDocument/references", &at);
        assert_eq!(editor.places(&found).len(), expected.len() + 1, "{}", language.name);
    });
}

#[test]
fn hover_shows_signature_documentation_last_change_and_spec() {
    for_each(|language, editor| {
        let hover = editor.request("textDocument/hover", &call_of(language, editor));
        let text = hover["contents"]["value"].as_str().expect("a text");
        for part in [
            language.signature,
            "dds the fee of the bank to an amount.",
            "on 2024-11-05 (Ada Lovelace): ledger: add a fee",
            "Reason: The bank charges three cents.",
            "Governed by [Fees of the ledger](file://",
        ] {
            assert!(text.contains(part), "{}: {part}\n{text}", language.name);
        }
        assert!(text.starts_with("```"), "{text}");
    });
}

#[test]
fn implementations_of_an_interface_are_found() {
    for_each(|language, editor| {
        let at = editor.at(language.library, language.text(language.library), language.book.1);
        let found = editor.request("textDocument/implementation", &at);
        let places = editor.places(&found);
        assert_eq!(places.len(), 1, "{}: {places:?}", language.name);
        assert!(places[0].starts_with(language.library), "{places:?}");
    });
}

#[test]
fn the_call_hierarchy_goes_both_ways() {
    for_each(|language, editor| {
        let at = call_of(language, editor);
        let items = editor.request("textDocument/prepareCallHierarchy", &at);
        assert_eq!(items[0]["name"], language.fee.0, "{items}");
        let callers = editor.request("callHierarchy/incomingCalls", &json!({"item": items[0]}));
        let names: Vec<String> = callers
            .as_array()
            .expect("calls")
            .iter()
            .filter_map(|call| call["from"]["name"].as_str().map(str::to_lowercase))
            .collect();
        assert_eq!(names, ["sell", "refund"], "{}: {callers}", language.name);
        let caller = &callers[0]["from"];
        let callees = editor.request("callHierarchy/outgoingCalls", &json!({"item": caller}));
        let names: Vec<String> = callees
            .as_array()
            .expect("calls")
            .iter()
            .filter_map(|call| call["to"]["name"].as_str().map(str::to_lowercase))
            .collect();
        assert!(names.contains(&language.fee.0.to_lowercase()), "{}: {callees}", language.name);
        assert!(names.contains(&"record".to_owned()), "{}: {callees}", language.name);
        assert_eq!(callees[0]["fromRanges"].as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn symbols_of_a_file_are_nested() {
    for_each(|language, editor| {
        let document = json!({"textDocument": {"uri": editor.uri(language.library)}});
        let symbols = editor.request("textDocument/documentSymbol", &document);
        let outer: Vec<&str> = symbols
            .as_array()
            .expect("symbols")
            .iter()
            .filter_map(|symbol| symbol["name"].as_str())
            .collect();
        assert!(outer.contains(&language.book.0), "{}: {outer:?}", language.name);
        assert!(outer.contains(&"Ledger"), "{}: {outer:?}", language.name);
        assert_eq!(outer.last(), Some(&language.fee.0), "{}: {outer:?}", language.name);
        let book = symbols.as_array().expect("symbols").iter();
        let book = book.clone().find(|symbol| symbol["name"] == language.book.0).expect("it");
        let (line, column) = position(language.text(language.library), language.book.1);
        assert_eq!(book["selectionRange"]["start"], json!({"line": line, "character": column}));
    });
}

#[test]
fn symbols_of_the_folders_are_found_by_name() {
    for_each(|language, editor| {
        let found = editor.request("workspace/symbol", &json!({"query": language.fee.0}));
        let expected = named(language, language.library, language.fee.1, language.fee.0);
        assert_eq!(editor.place(&found[0]["location"]), expected, "{}", language.name);
        let none = editor.request("workspace/symbol", &json!({"query": ""}));
        assert_eq!(none, json!([]));
    });
}

#[test]
fn a_question_is_answered_with_places() {
    for_each(|language, editor| {
        let question = json!({
            "command": "lorehound.ask",
            "arguments": [{"question": "fee of the bank", "limit": 5}],
        });
        let answer = editor.request("workspace/executeCommand", &question);
        let places = answer["places"].as_array().expect("places");
        let uri = editor.uri(language.library);
        assert!(
            places.iter().any(|place| place["location"]["uri"] == uri.as_str()),
            "{}: {answer}",
            language.name
        );
    });
}
