//! Answers for people: one list that fits on a screen, links, amounts of text, help and suggestions.

use crate::workspace::Workspace;

/// Ten functions with ten lines each that contain the words of the query.
fn ten_functions() -> Workspace {
    let body = "    // settle the account again\n    call_the_bank();\n".repeat(5);
    let files: Vec<(String, String)> = (0..10)
        .map(|number| {
            let text = format!("/// Settles the account.\npub fn settle_{number}() {{\n{body}}}\n");
            (format!("src/part_{number}.rs"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Workspace::with(&files)
}

#[test]
fn hits_are_one_list_by_rank_on_one_screen() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["refund", "timeout"]);
    let ranks: Vec<usize> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split_once(". ")?.0.trim().parse().ok())
        .collect();
    assert_eq!(ranks, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "{ran:?}");
    assert!(ran.stdout.lines().count() <= 38, "{ran:?}");
    assert!(ran.stdout.contains("  code") && ran.stdout.contains("  specs"), "{ran:?}");
    let receipt = ran.stdout.lines().last().unwrap_or_default();
    assert!(receipt.ends_with(" ms") && !receipt.contains("skipped"), "{receipt}");
}

#[test]
fn more_text_is_shown_by_request() {
    let workspace = ten_functions();
    let lines = |more: &[&str]| {
        let ran = workspace.run(&[&["settle", "account", "--limit", "1"], more].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout.lines().filter(|line| line.starts_with("   ")).count()
    };
    assert_eq!(lines(&[]), 3);
    assert_eq!(lines(&["--snippet", "4"]), 4);
    assert!(lines(&["--context", "2"]) > 4);
    assert!(lines(&["--full"]) >= 12);
    let ran = workspace.run(&["settle", "--full", "--json"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`--full` is only valid with `--format human`"), "{ran:?}");
}

#[test]
fn places_are_links_by_request() {
    let workspace = Workspace::with(&[("src/a.rs", "pub fn settle() {}\n")]);
    let plain = workspace.run(&["settle"]);
    assert!(!plain.stdout.contains('\x1b'), "{plain:?}");
    let ran = workspace.run(&["settle", "--hyperlink-format", "vscode"]);
    assert!(ran.stdout.contains("\x1b]8;;vscode://file/"), "{ran:?}");
    assert!(ran.stdout.contains("/src/a.rs:1:8\x1b\\src/a.rs:1\x1b]8;;\x1b\\"), "{ran:?}");
    let ran = workspace.run(&["settle", "--hyperlink-format", "nosuch"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("hint: the formats are cursor, default"), "{ran:?}");
    // JSON is for programs.
    let ran = workspace.run(&["settle", "--json", "--hyperlink-format", "vscode"]);
    assert!(!ran.stdout.contains("vscode"), "{ran:?}");
}

#[test]
fn a_misspelled_command_is_offered() {
    let workspace = Workspace::with(&[("src/a.rs", "pub fn settle() {}\n")]);
    let hint = |words: &[&str]| {
        let ran = workspace.run(words);
        ran.stderr.lines().find(|line| line.contains("did you mean")).map(str::to_owned)
    };
    let expected = "hint: `serch` is not a command; did you mean `lore search`?";
    assert_eq!(hint(&["serch"]).as_deref(), Some(expected));
    let expected = "hint: `statsu` is not a command; did you mean `lore status now`?";
    assert_eq!(hint(&["statsu", "now"]).as_deref(), Some(expected));
    assert_eq!(hint(&["help", "serch"]).as_deref(), Some("hint: did you mean `lore help search`?"));
    assert_eq!(hint(&["settle"]), None);
    assert_eq!(hint(&["search", "serch"]), None);
}

#[test]
fn flags_of_replaced_systems_have_a_page_of_their_own() {
    let workspace = Workspace::empty();
    let page = |words: &[&str]| workspace.run(words).stdout;
    assert!(page(&["help", "compat"]).contains("--multi-hop"));
    for words in [&["-h"][..], &["--help"], &["search", "--help"], &["index", "-h"]] {
        let page = page(words);
        assert!(page.contains("Usage: lore"), "{words:?}: {page}");
        for flag in ["--as ", "--multi-hop", "--sage"] {
            assert!(!page.contains(flag), "{words:?}: {page}");
        }
    }
    assert!(page(&["-h"]).lines().count() <= 30);
}
