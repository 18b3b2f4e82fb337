//! `lore suggest` completes from the index as last written.

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

fn texts(ran: &Ran) -> Vec<(String, String)> {
    let json = ran.json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let suggestions = json["suggestions"].as_array().expect("an array");
    let pair = |suggestion: &Value| (text(&suggestion["kind"]), text(&suggestion["text"]));
    suggestions.iter().map(pair).collect()
}

fn pair(kind: &str, text: &str) -> (String, String) {
    (kind.to_owned(), text.to_owned())
}

#[test]
fn words_names_titles_and_paths_are_completed() {
    let workspace = Workspace::with(&[
        ("src/refund.rs", "pub fn retry_refund() {}\npub struct RetryPolicy;\n"),
        ("src/pay.rs", "// A refund is a payment, and is refused never.\npub fn pay() {}\n"),
        ("docs/guide.md", "# Retrying a refund\n\nA refund.\n"),
    ]);
    // The first query builds the index.
    let ran = workspace.run(&["suggest", "refu", "--json", "--kind", "term"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(texts(&ran), [pair("term", "refund"), pair("term", "refused")]);
    assert_eq!(ran.json()["suggestions"][0]["documents"], 3);
    let symbols = workspace.run(&["suggest", "retry", "--json", "--kind", "symbol"]);
    assert_eq!(texts(&symbols), [pair("symbol", "retry_refund"), pair("symbol", "RetryPolicy")]);
    for typed in ["retryRe", "retry_re", "RETRY_RE"] {
        let ran = workspace.run(&["suggest", typed, "--json", "--kind", "symbol"]);
        assert_eq!(texts(&ran), [pair("symbol", "retry_refund")], "{typed}");
    }
    let titles = workspace.run(&["suggest", "a", "ref", "--json", "--kind", "title"]);
    assert_eq!(texts(&titles), [pair("title", "Retrying a refund")]);
    let paths = workspace.run(&["suggest", "ref", "--json", "--kind", "path"]);
    assert_eq!(texts(&paths), [pair("path", "src/refund.rs")]);
    let all = workspace.run(&["suggest", "ref", "--json", "--limit", "2"]);
    assert_eq!(texts(&all), [pair("term", "refund"), pair("term", "refused")]);
    // Of several words, the last one is completed.
    let last = workspace.run(&["suggest", "retry", "refu", "--json", "--kind", "term"]);
    assert_eq!(texts(&last)[0], pair("term", "retry refund"));
}

#[test]
fn a_prefix_without_completions_is_reported() {
    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    let ran = workspace.run(&["suggest", " "]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("lore: there is nothing to complete\n"), "{ran:?}");
    let ran = workspace.run(&["suggest", "zzz"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert_eq!(ran.stderr, "no word, definition, title or path starts with `zzz`\n");
    let ran = workspace.run(&["suggest", "r", "--kind", "word"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("the kinds are path, symbol, term, title"), "{ran:?}");
    for typed in ["\u{e9}", "\u{1F600}", "=", "_", "[", "\u{652f}\u{6255}"] {
        let ran = workspace.run(&["suggest", typed]);
        assert_eq!(ran.code, Some(1), "{typed}: {ran:?}");
    }
}
