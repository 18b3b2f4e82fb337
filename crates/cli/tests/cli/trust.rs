//! Settings that a project's settings file may set by default, and with `lore trust`.

use std::fs;

use crate::workspace::{Ran, Workspace};

/// Runs `lore` with the user's settings in a directory of the workspace.
fn run(workspace: &Workspace, arguments: &[&str]) -> Ran {
    let own = workspace.cache().join("own/lorehound.toml");
    let mut command = workspace.command(arguments);
    command.env("LOREHOUND_CONFIG", own).env_remove("LOREHOUND_CACHE_DIR");
    command.env("XDG_CACHE_HOME", workspace.cache());
    Ran::new(&command.output().expect("it starts"))
}

fn project(settings: &str) -> Workspace {
    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    workspace.write("lorehound.toml", settings);
    workspace
}

/// The value of a setting and its origin.
fn setting(workspace: &Workspace, key: &str) -> (String, String) {
    let json = run(workspace, &["config", key, "--json"]).json();
    let found = &json["settings"][0];
    (found["value"].to_string(), found["origin"].to_string())
}

#[test]
fn a_project_file_needs_trust_for_settings_of_the_machine() {
    let text = "[index]\nthreads = 1\ncommits = 7\n[history]\nenabled = true\n";
    let workspace = project(text);
    let is_projects = |key| setting(&workspace, key).1.contains("project");
    let check = |trusted: bool| {
        assert!(is_projects("index.commits"));
        assert_eq!(is_projects("index.threads"), trusted);
        assert_eq!(is_projects("history.enabled"), trusted);
    };
    check(false);
    let ran = run(&workspace, &["refund", "--json"]);
    assert!(ran.stderr.contains("ignored the setting `index.threads`"), "{ran:?}");
    assert!(ran.stderr.contains("run `lore trust` to review and allow it"), "{ran:?}");
    // There is no terminal for a confirmation.
    let ran = run(&workspace, &["trust"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("history.enabled  true"), "{ran:?}");
    assert!(!ran.stdout.contains("index.commits"), "{ran:?}");
    check(false);

    assert_eq!(run(&workspace, &["trust", "--yes"]).code, Some(0));
    check(true);
    let ran = run(&workspace, &["refund", "--json"]);
    assert!(!ran.stderr.contains("ignored"), "{ran:?}");
    let listed = run(&workspace, &["trust", "--list"]);
    assert!(listed.stdout.starts_with("trusted  "), "{listed:?}");

    // A change of one byte is enough.
    workspace.write("lorehound.toml", format!("{text} "));
    check(false);
    let ran = run(&workspace, &["refund", "--json"]);
    assert!(ran.stderr.contains("the file changed since it was trusted"), "{ran:?}");
    assert!(run(&workspace, &["trust", "--list"]).stdout.starts_with("changed  "));
    workspace.write("lorehound.toml", text);
    check(true);

    assert_eq!(run(&workspace, &["trust", "--remove"]).code, Some(0));
    check(false);
    assert_eq!(run(&workspace, &["trust", "--remove"]).code, Some(1));
    assert_eq!(run(&workspace, &["trust", "--list"]).code, Some(1));
}

#[test]
fn trust_never_allows_programs_servers_or_secrets() {
    let marker = std::env::temp_dir().join(format!("lore-trust-{}", std::process::id()));
    let program = format!("[\"touch\", \"{}\"]", marker.display());
    for (line, is_error) in [
        (format!("search.rerank-cmd = {program}"), false),
        (format!("search.expand-cmd = {program}"), false),
        ("search.command-timeout = 1".to_owned(), false),
        ("privacy.redact = false".to_owned(), false),
        ("embedding.endpoint = \"http://127.0.0.1:9\"".to_owned(), true),
        ("embedding.key_env = \"HOME_KEY\"".to_owned(), true),
        ("embedding.timeout = 1".to_owned(), true),
    ] {
        let workspace = project(&format!("index.threads = 1\n{line}\n"));
        let shown = run(&workspace, &["trust", "--yes"]);
        assert_eq!(shown.code, Some(0), "{line}: {shown:?}");
        assert!(shown.stdout.contains("never allowed: "), "{line}: {shown:?}");
        let ran = run(&workspace, &["refund", "--json"]);
        if is_error {
            assert_eq!(ran.code, Some(2), "{line}: {ran:?}");
            assert!(ran.stderr.contains("only your own settings"), "{line}: {ran:?}");
        } else {
            assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
            let key = line.split(' ').next().expect("a key");
            assert!(ran.stderr.contains(&format!("ignored the setting `{key}`")), "{ran:?}");
        }
        assert!(!marker.exists(), "{line}: a program ran");
    }
}

#[test]
fn a_trusted_file_may_name_an_export_outside_the_tree() {
    let workspace = project("[index]\ntickets = [\"../issues.json\"]\n");
    let outside = workspace.tree().join("../issues.json");
    let issue = r#"[{"number": 1, "title": "Refund twice", "body": "It pays twice.",
        "state": "open", "url": "https://example.com/a/b/issues/1"}]"#;
    fs::write(outside, issue).expect("a new file");
    let found = |ran: &Ran| ran.stdout.contains("Refund twice");
    let search = ["refund twice", "--json", "--in", "tickets"];
    let ran = run(&workspace, &search);
    assert!(!found(&ran) && ran.stderr.contains("is outside the tree"), "{ran:?}");
    assert_eq!(run(&workspace, &["trust", "--yes"]).code, Some(0));
    let ran = run(&workspace, &search);
    assert!(found(&ran), "{ran:?}");
    assert_eq!(ran.json()["results"][0]["origin"], "outside", "{ran:?}");
}
