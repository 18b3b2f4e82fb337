//! Each rule fails on its examples, plain text passes, and data is exempt.

use super::{
    check_text,
    rules::{RULES, Scope},
};

/// Rust source in which the pattern of a rule is where the rule applies.
fn bad_example(scope: Scope, pattern: &str) -> Vec<String> {
    match scope {
        Scope::Prose => vec![
            format!("//! The value {pattern} the list.\n"),
            format!("// The value {pattern} the list.\n"),
            format!("fn f() {{ fail(\"the value {pattern} the list\") }}\n"),
            format!("#[test]\nfn {}_x() {{}}\n", pattern.replace(' ', "_")),
            format!("// The value {}.\n", pattern.replace(' ', "\n// ")),
        ],
        Scope::DocStart => vec![format!("/// {pattern} the value is.\nfn f() {{}}\n")],
        Scope::ConstantPrefix => vec![format!("const {pattern}ROWS: usize = 3;\n")],
        Scope::Name if pattern.starts_with(char::is_uppercase) => {
            vec![format!("struct {pattern};\n"), format!("pub enum {pattern} {{}}\n")]
        }
        Scope::Name => vec![format!("fn {pattern}() {{}}\n")],
        Scope::Variable => vec![
            format!("fn f() {{ g(|{pattern}| 1) }}\n"),
            format!("fn f() {{ g(|&{pattern}| 1) }}\n"),
            format!("fn f() {{ g(|a, {pattern}| 1) }}\n"),
            format!("fn f() {{ g(|{pattern}: u32| 1) }}\n"),
            format!("fn f() {{ for {pattern} in list {{}} }}\n"),
        ],
    }
}

#[test]
fn every_pattern_of_every_rule_fails() {
    for rule in RULES {
        for pattern in rule.patterns {
            for source in bad_example(rule.scope, pattern) {
                let violations = check_text("a.rs", &source);
                assert!(!violations.is_empty(), "passes: {source}");
            }
            if rule.scope == Scope::Prose {
                let page = format!("# Page\n\nThe value {pattern} the list.\n");
                assert!(!check_text("a.md", &page).is_empty(), "passes: {page}");
            }
        }
    }
}

#[test]
fn each_word_of_the_style_page_fails() {
    for text in [
        "told of",
        "it tells",
        "stands there",
        "lies there",
        "sits there",
        "asks for",
        "is asked of",
        "who asks",
        "comes to",
        "is worth",
        "made anew",
        "anew",
        "let in",
        "left out",
        "gone through",
        "speaks for",
        "speakers",
        "neighbours say",
        "telling",
        "halving sum",
        "nearness",
        "likeness",
        "middling",
        "doers",
        "capitals",
        "small letters",
        "blanks",
        "the one inside of it",
        "servers of embeddings",
        "a work tree that was removed",
        "whoever",
        "somebody",
        "nobody",
        "everybody's",
    ] {
        assert!(!check_text("a.md", text).is_empty(), "passes: {text}");
    }
}

#[test]
fn the_message_names_place_word_and_replacement() {
    assert_eq!(
        check_text("docs/a.md", "A page.\n\nIts nearness counts.\n"),
        ["docs/a.md:3: \"nearness\": write \"similarity\""]
    );
    assert_eq!(
        check_text("a.rs", "/// What it is.\nfn f() {}\n"),
        ["a.rs:1: \"What …\": write a noun phrase or a verb in the third person"]
    );
}

#[test]
fn plain_text_passes() {
    for (path, text) in [
        (
            "a.rs",
            "/// Returns the rows.\n///\n/// What follows is a second paragraph.\nfn f() {}\n",
        ),
        (
            "a.rs",
            "const MAX_ROWS: usize = 3; const MIN_ROWS: usize = 1; const ALMOST_ALL: u8 = 1;\n",
        ),
        ("a.rs", "fn not_found() -> ErrorKind { ErrorKind::Found }\n"),
        ("a.rs", "fn f() { g(|chunk| chunk.one); one + 1 }\n"),
        ("a.rs", "// `k` stands for the rank constant.\n"),
        ("a.rs", "const STOP_WORDS: &[&str] = &[\"nobody\", \"told\", \"left_out\"];\n"),
        ("a.md", "It is on the left. Out of the box, run `lore asks for`.\n"),
        ("a.scm", "(blanks) ; the body of a function\n"),
    ] {
        assert_eq!(check_text(path, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn other_files_are_checked_in_their_comments_only() {
    assert_eq!(check_text("a.scm", "(nobody) ; nobody\n").len(), 1);
    assert_eq!(check_text("a.toml", "nobody = 1 # nobody\n").len(), 1);
}

#[test]
fn markers_exempt_data() {
    let row = "const ROW: &str = \"who asks for it\";";
    assert_eq!(check_text("a.rs", &format!("{row}\n")).len(), 1);
    for text in [
        format!("{row} // prose: data, words of a question\n"),
        format!("// prose: data, words of a question\n{row}\n"),
        format!("// prose: data begins\n{row}\n{row}\n// prose: data ends\n"),
    ] {
        assert_eq!(check_text("a.rs", &text), Vec::<String>::new(), "{text}");
    }
    let after = format!("// prose: data begins\n{row}\n// prose: data ends\n\n{row}\n");
    assert_eq!(check_text("a.rs", &after).len(), 1);
}

#[test]
fn released_sections_of_the_changelog_stay_as_published() {
    let text = "# Changelog\n\n## Unreleased\n- anew\n\n## 0.1.0\n- anew\n";
    assert_eq!(check_text("CHANGELOG.md", text), ["CHANGELOG.md:4: \"anew\": write \"again\""]);
}

#[test]
fn the_rules_do_not_trip_over_themselves() {
    let root = crate::root();
    let folder = root.join("xtask/src/prose");
    let file = root.join("xtask/src/prose.rs");
    assert_eq!(super::check(&root, &[folder, file]).unwrap(), Vec::<String>::new());
}
