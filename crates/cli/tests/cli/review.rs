//! `lore review`: uses, tests, documents, specs, co-changes and reverts that a change concerns.

use std::path::Path;

use serde_json::Value;

use crate::workspace::Workspace;

const STORE: &str =
    "def open_store(path):\n    return path\n\n\ndef close_store(store):\n    return None\n";

const MAIN: &str =
    "from src.store import open_store\n\n\ndef run_depot():\n    return open_store(\"orders\")\n";

const TEST: &str = "from src.store import open_store\n\n\ndef test_open():\n    assert open_store(\"a\") == \"a\"\n";

const SPEC: &str = "---\ntitle: store\nstatus: active\ncode:\n  - src/store.py\n---\n# store\n\nKeep orders. `open_store` never creates a file.\n";

fn day(day: u32) -> String {
    format!("2025-01-{day:02}T00:00:00Z")
}

fn commit(tree: &Path, on: u32, message: &str) {
    Workspace::git_in(tree, &day(on), &["add", "-A"]);
    Workspace::git_in(tree, &day(on), &["commit", "--quiet", "-m", message]);
}

/// Writes a repository with code, its user, its test, a spec and a page, and three commits of two files
/// together.
pub(crate) fn write_depot(tree: &Path) {
    let write = |path: &str, text: &str| {
        std::fs::create_dir_all(tree.join(path).parent().expect("a folder")).expect("a folder");
        std::fs::write(tree.join(path), text).expect("a file");
    };
    write("src/store.py", STORE);
    write("src/main.py", MAIN);
    write("tests/test_store.py", TEST);
    write("pyproject.toml", "[project]\nname = \"depot\"\n");
    write(".spec/depot/store/spec.md", SPEC);
    write("docs/guide.md", "# Guide\n\nCall `close_store(store)` at the end.\n");
    write("src/menu.py", "MENU = []\n");
    Workspace::git_in(tree, &day(1), &["init", "--quiet", "--initial-branch=main"]);
    commit(tree, 1, "Add the store");
    for number in 2..5 {
        write("src/store.py", &STORE.replace("return None", &format!("return {number}")));
        write("src/menu.py", &format!("MENU = [{number}]\n"));
        commit(tree, number, &format!("Change the menu {number}"));
    }
}

/// The code after a change that was not committed.
pub(crate) fn changed_store() -> String {
    STORE.replace("open_store(path)", "open_store(path, mode)").replace("close_store", "shut_store")
}

fn depot() -> Workspace {
    let workspace = Workspace::empty();
    write_depot(&workspace.tree());
    workspace
}

/// Kind, place and evidence of each finding.
fn findings(json: &Value) -> Vec<String> {
    let all = json["findings"].as_array().expect("an array").iter();
    all.map(|finding| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let line = finding["line"].as_u64().map_or_else(String::new, |line| format!(":{line}"));
        format!("{} {}{line} {}", text("kind"), text("path"), text("evidence"))
    })
    .collect()
}

const EXPECTED: [&str; 5] = [
    "caller src/main.py:5 uses open_store, whose signature changed",
    "co-change src/menu.py changed in 4 of 4 commits of src/store.py",
    "document docs/guide.md:3 states close_store, which is renamed to shut_store",
    "spec .spec/depot/store/spec.md:9 governs src/store.py by src/store.py",
    "test tests/test_store.py:4 uses open_store in line 5",
];

fn check(json: &Value, expected: &[&str]) {
    let found = findings(json);
    for row in expected {
        assert!(found.iter().any(|finding| finding == row), "{row}: {found:#?}");
    }
}

#[test]
fn every_state_of_a_change_is_reviewed_alike() {
    let workspace = depot();
    workspace.write("src/store.py", changed_store());
    let ran = workspace.run(&["review", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let uncommitted = ran.json();
    check(&uncommitted, &EXPECTED);
    assert_eq!(
        uncommitted["files"][0]["definitions"],
        serde_json::json!([
            { "name": "open_store", "change": "signature", "line": 1 },
            { "name": "close_store", "change": "removed", "line": 5 },
            { "name": "shut_store", "change": "added", "line": 5 },
        ])
    );
    let related: Vec<&str> = uncommitted["related"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert_eq!(related, ["src/menu.py"]);

    workspace.git(&day(9), &["diff", "--output=../change.patch"]);
    let applied = workspace.run(&["review", "../change.patch", "--json"]).json();
    assert_eq!(findings(&applied), findings(&uncommitted));
    workspace.git(&day(9), &["add", "src/store.py"]);
    let staged = workspace.run(&["review", "--staged", "--json"]).json();
    assert_eq!(findings(&staged), findings(&uncommitted));

    workspace.git(&day(9), &["checkout", "--quiet", "-f", "HEAD"]);
    let open = workspace.run(&["review", "../change.patch", "--json"]).json();
    check(&open, &EXPECTED[..2]);
    assert_eq!(open["warnings"][0], "the patch is not applied: documents were not checked");

    workspace.write("src/store.py", changed_store());
    commit(&workspace.tree(), 10, "Open with a mode");
    for name in ["HEAD", "HEAD~1..HEAD", "HEAD~1..", "HEAD~1...HEAD"] {
        let committed = workspace.run(&["review", name, "--json"]).json();
        check(&committed, &EXPECTED[2..]);
        assert_eq!(committed["files"][0]["path"], "src/store.py", "{name}");
    }
}

#[test]
fn a_gate_fails_on_the_chosen_kinds() {
    let workspace = depot();
    assert_eq!(workspace.run(&["review", "--gate"]).code, Some(0));
    workspace.write("src/store.py", changed_store());
    assert_eq!(workspace.run(&["review"]).code, Some(0));
    assert_eq!(workspace.run(&["review", "--gate"]).code, Some(1));
    assert_eq!(workspace.run(&["review", "--gate=revert"]).code, Some(0));
    assert_eq!(workspace.run(&["review", "--gate=revert,test"]).code, Some(1));
    assert_eq!(workspace.run(&["review", "--gate=nonsense"]).code, Some(2));
}

#[test]
fn earlier_reverts_of_the_lines_are_named() {
    let workspace = depot();
    workspace.write("src/store.py", STORE.replace("return path", "return path.strip()"));
    commit(&workspace.tree(), 11, "Strip paths");
    workspace.git(&day(12), &["revert", "--no-edit", "HEAD"]);
    workspace.write("src/store.py", STORE.replace("return path", "return path.rstrip()"));
    let json = workspace.run(&["review", "--json"]).json();
    let found = findings(&json);
    let is_named =
        |row: &String| row.starts_with("revert src/store.py:2") && row.contains("revert");
    assert!(found.iter().any(is_named), "{found:#?}");
}

#[test]
fn renamed_and_removed_files_are_read() {
    let workspace = depot();
    workspace.git(&day(9), &["mv", "src/store.py", "src/depot.py"]);
    let json = workspace.run(&["review", "--json"]).json();
    assert_eq!(json["files"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["files"][0]["oldPath"], "src/store.py");
    std::fs::remove_file(workspace.tree().join("src/depot.py")).expect("a file");
    let json = workspace.run(&["review", "--json"]).json();
    assert_eq!(json["files"][0]["path"], "src/store.py");
    check(&json, &["caller src/main.py:5 uses open_store, which is removed"]);
}

#[test]
fn files_of_other_repositories_are_no_change() {
    let workspace = depot();
    workspace.write("inner/a.py", "def inner():\n    pass\n");
    let inner = workspace.tree().join("inner");
    Workspace::git_in(&inner, &day(8), &["init", "--quiet", "--initial-branch=main"]);
    commit(&inner, 8, "Add the inner file");
    for arguments in [&["review"][..], &["review", "--staged"]] {
        assert_eq!(workspace.run(arguments).stdout.trim(), "nothing is changed");
    }
    // Git adds it as a link to a commit.
    workspace.git(&day(9), &["-c", "advice.addEmbeddedRepo=false", "add", "inner"]);
    assert_eq!(workspace.run(&["review", "--staged"]).stdout.trim(), "nothing is changed");
    commit(&workspace.tree(), 9, "Add the inner repository");
    assert_eq!(workspace.run(&["review"]).stdout.trim(), "nothing is changed");
}

#[test]
fn bad_changes_are_errors_with_a_hint() {
    let workspace = depot();
    let refused = |arguments: &[&str]| {
        let ran = workspace.run(&[&["review"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.starts_with("lore: "), "{ran:?}");
        ran.stderr
    };
    assert!(refused(&["nonsense"]).contains("nonsense"));
    assert!(refused(&["main..nonsense"]).contains("nonsense"));
    assert!(refused(&["main", "--staged"]).contains("--staged"));
    workspace.write("../bad.patch", "no patch\n");
    assert!(refused(&["../bad.patch"]).contains("no valid patches"));
    let outside = "--- a/../secret\n+++ b/../secret\n@@ -1 +1 @@\n-a\n+b\n";
    workspace.write("../bad.patch", outside);
    assert!(refused(&["../bad.patch"]).contains("cannot be read"));
    let foreign = "--- a/src/menu.py\n+++ b/src/menu.py\n@@ -1 +1 @@\n-other\n+b\n";
    workspace.write("../bad.patch", foreign);
    assert!(refused(&["../bad.patch"]).contains("does not fit `src/menu.py`"));
    let ran = workspace.run(&["review"]);
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "nothing is changed"));
}

#[test]
fn every_format_names_the_same_places() {
    let workspace = depot();
    workspace.write("src/store.py", changed_store());
    for format in ["human", "agent", "markdown", "toon", "jsonl"] {
        let ran = workspace.run(&["review", "--format", format]);
        for place in ["src/main.py", "tests/test_store.py", "docs/guide.md"] {
            assert!(ran.stdout.contains(place), "{format} {place}: {ran:?}");
        }
    }
    let short = workspace.run(&["review", "--format", "agent", "--budget", "120"]).stdout;
    assert!(short.contains("more finding"), "{short}");
}
