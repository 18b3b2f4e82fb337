//! `lore expand`, several questions in one search, and the formats of definitions and of the graph.

use serde_json::Value;

use crate::workspace::Workspace;

const FORMATS: &[&str] = &["agent", "human", "json", "jsonl", "markdown", "paths", "toon"];

#[test]
fn every_command_writes_every_format() {
    let workspace = Workspace::shop();
    let commands: &[&[&str]] = &[
        &["symbol", "retry_refund"],
        &["file", "src/refund.rs"],
        &["research", "callers of retry_refund"],
        &["context", "fix the retry of a refund"],
        &["expand", "retry_refund"],
        &["expand", "retry_refund", "--callers"],
        &["expand", "retry_refund", "--history"],
        &["why", "retry_refund"],
    ];
    for command in commands {
        for format in FORMATS {
            let arguments: Vec<&str> =
                command.iter().copied().chain(["--format", format]).collect();
            let ran = workspace.run(&arguments);
            assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
            assert!(ran.stdout.contains("src/refund.rs"), "{arguments:?}: {ran:?}");
            let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
            match *format {
                "json" => assert!(is_json(&ran.stdout), "{arguments:?}"),
                "jsonl" => assert!(ran.stdout.lines().all(is_json), "{arguments:?}"),
                _ => {}
            }
        }
    }
}

#[test]
fn the_costs_are_those_of_the_views() {
    let workspace = Workspace::shop();
    let json = |flags: &[&str]| {
        let arguments: Vec<&str> = ["expand", "src/refund.rs:40", "--json"]
            .into_iter()
            .chain(flags.iter().copied())
            .collect();
        workspace.run(&arguments).json()
    };
    let whole = json(&[]);
    assert_eq!(whole["id"], "code:src/refund.rs#Refunds.retry_refund");
    assert!(whole["text"].as_str().is_some_and(|text| text.contains("fn retry_refund")));
    assert_eq!((&whole["uses"], &whole["changes"]), (&Value::Null, &Value::Null));
    let uses = json(&["--callers"]);
    assert_eq!(uses["uses"]["edges"][0]["text"], "self.retry_refund(payment, amount)");
    assert_eq!(uses["tokens"], whole["tokens"]);
    let history = json(&["--history"]);
    assert_eq!(history["changes"][0]["isOrigin"], true);
    assert_eq!(history["text"], Value::Null);
}

#[test]
fn a_place_may_be_a_heading_a_commit_or_a_whole_file() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["expand", "docs/operations.md#When the bank does not answer"]);
    assert!(ran.stdout.contains("Calls time out after ten seconds"), "{ran:?}");
    assert!(!ran.stdout.contains("--callers"), "{ran:?}");
    let history = workspace.run(&["expand", "src/refund.rs:40", "--history", "--json"]).json();
    let hash = history["changes"][0]["hash"].as_str().expect("a hash").to_owned();
    let ran = workspace.run(&["expand", &format!("git:{hash}")]);
    assert!(ran.stdout.contains("use one idempotency key"), "{ran:?}");
    let ran = workspace.run(&["expand", &format!("git:{hash}"), "--history"]);
    assert!(ran.stdout.contains("no lines in a file"), "{ran:?}");
    let ran = workspace.run(&["expand", "src/refund.rs", "--budget", "60"]);
    assert!(ran.stdout.contains("more lines: `lore expand src/refund.rs --budget "), "{ran:?}");
    for (place, reason) in [
        ("", "the place is empty"),
        ("retry_refnd", "code:src/refund.rs#Refunds.retry_refund"),
        ("src/refund.rs:9000", "the file has lines 1 to"),
        ("../outside", "no searched file has that name"),
    ] {
        let ran = workspace.run(&["expand", place]);
        assert_eq!(ran.code, Some(2), "{place}: {ran:?}");
        assert!(ran.stderr.contains(reason), "{place}: {ran:?}");
    }
}

#[test]
fn several_questions_are_answered_in_their_order() {
    let workspace = Workspace::shop();
    let asked = ["-e", "retry a refund", "-e", "no_such_word_here"];
    let run = |more: &[&str]| {
        let arguments: Vec<&str> = asked.iter().chain(more).copied().collect();
        workspace.run(&arguments)
    };
    let ran = run(&["--format", "agent"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("## retry a refund\n\n"), "{ran:?}");
    assert!(ran.stdout.contains("\n## no_such_word_here\n\nnothing found"), "{ran:?}");
    let list = run(&["--json"]).json();
    assert_eq!(list[0]["query"], "retry a refund");
    assert_eq!(list[1]["results"], Value::Array(Vec::new()));
    let ran = run(&["--format", "jsonl"]);
    assert!(ran.stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let ran = run(&["--format", "toon"]);
    assert!(ran.stdout.starts_with("[2]:\n"), "{ran:?}");
    let ran = run(&["--format", "agent", "--budget", "500"]);
    let tokens = lore_render::tokens::Tokenizer::O200k.count(&ran.stdout);
    assert!(tokens <= 530, "{tokens}: {ran:?}");
    let ran = workspace.run(&["-e", " ", "-e", "refund"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("a question is empty"), "{ran:?}");
    let ran = workspace.run(&["-e", "refund", "--format", "agent", "--cursor", "1-2"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

/// Files outside the tree are not distinguished from missing ones.
#[test]
fn nothing_outside_the_tree_is_reported() {
    let workspace = Workspace::with(&[("src/a.rs", "fn a() {}\n"), (".gitignore", "build\n")]);
    std::fs::create_dir(workspace.tree().join("../out")).expect("a new folder");
    std::fs::write(workspace.tree().join("../out/id_rsa"), "x\n").expect("a new file");
    workspace.write("build", "ignored\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../out", workspace.tree().join("link")).expect("a new link");
    let reason = |place: &str| {
        let ran = workspace.run(&["expand", place]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        ran.stderr.replace(place, "PLACE")
    };
    assert!(reason("build:1").contains("the file exists but is not searched"));
    assert_eq!(reason("../out/id_rsa:1"), reason("../out/id_dsa:1"));
    assert_eq!(reason("link/id_rsa:1"), reason("link/id_dsa:1"));
}
