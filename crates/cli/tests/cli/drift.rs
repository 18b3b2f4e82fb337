//! `lore drift`: statements that the code no longer supports.

use serde_json::Value;

use crate::workspace::Workspace;

const MAIN: &str = "/// Writes to `Disk`.\npub fn save_all(path: &str) {}\n\npub fn run() {\n    \
                    arg(\"--dry-run\");\n    env(\"BAKERY_HOME\");\n}\n";

const README: &str = "# Bakery\n\nCall `save_all(path)` or pass `--dry-run`.\nSet `BAKERY_HOME`, and see \
                      [the plan](docs/plan.md).\nThe code is in `src/oven.rs`.\n\nUses `HashMap` and `serde_json`.\n";

/// A repository whose second commit renames and removes what its page names.
fn bakery() -> Workspace {
    let workspace = Workspace::with(&[
        ("README.md", README),
        ("src/main.rs", MAIN),
        ("src/oven.rs", "pub fn heat() {}\npub fn cool() {}\n"),
        ("docs/plan.md", "# Plan\n"),
        ("CHANGELOG.md", "- `save_all` is new\n"),
    ]);
    let day = |day: u32| format!("2025-01-{day:02}T00:00:00Z");
    workspace.git(&day(1), &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(&day(1), &["add", "-A"]);
    workspace.git(&day(1), &["commit", "--quiet", "-m", "first"]);
    let main = MAIN.replace("save_all", "store_all").replace("--dry-run", "--simulate");
    workspace.write("src/main.rs", main.replace("    env(\"BAKERY_HOME\");\n", ""));
    workspace.write("src/stove.rs", "pub fn heat() {}\npub fn cool() {}\n");
    workspace.write("README.md", README.replace("# Bakery", "# The bakery"));
    for path in ["src/oven.rs", "docs/plan.md"] {
        std::fs::remove_file(workspace.tree().join(path)).expect("a file");
    }
    workspace.git(&day(2), &["add", "-A"]);
    workspace.git(&day(2), &["commit", "--quiet", "-m", "second"]);
    workspace
}

fn findings(json: &Value) -> Vec<(String, String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or("").to_owned();
    let all = json["findings"].as_array().expect("an array").iter();
    all.map(|finding| (text(finding, "text"), text(finding, "state"), text(finding, "replacement")))
        .collect()
}

#[test]
fn removed_and_renamed_things_are_reported() {
    let workspace = bakery();
    let ran = workspace.run(&["drift", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    let row =
        |text: &str, state: &str, now: &str| (text.to_owned(), state.to_owned(), now.to_owned());
    assert_eq!(
        findings(&json),
        [
            row("save_all", "renamed", "store_all"),
            row("--dry-run", "renamed", "--simulate"),
            row("BAKERY_HOME", "gone", ""),
            row("docs/plan.md", "gone", ""),
            row("src/oven.rs", "moved", "src/stove.rs"),
        ],
        "{json:#}"
    );
    let first = &json["findings"][0];
    assert_eq!((first["path"].as_str(), first["line"].as_u64()), (Some("README.md"), Some(3)));
    assert_eq!(first["commit"]["subject"], "second");
    let people = workspace.run(&["drift"]);
    assert!(people.stdout.contains("renamed to `store_all` ("), "{people:?}");
}

#[test]
fn the_gate_fails_and_a_baseline_passes() {
    let workspace = bakery();
    let file = workspace.tree().join("../baseline.json");
    let file = file.to_str().expect("a path in UTF-8");
    assert_eq!(workspace.run(&["drift", "--gate"]).code, Some(1));
    assert_eq!(workspace.run(&["drift", "--gate=unknown"]).code, Some(0));
    assert_eq!(workspace.run(&["drift", "--gate=nonsense"]).code, Some(2));
    assert_eq!(workspace.run(&["drift", "--gate", "--write-baseline", file]).code, Some(0));
    let ran = workspace.run(&["drift", "--gate", "--baseline", file, "--json"]);
    assert_eq!((ran.code, findings(&ran.json()).len()), (Some(0), 0), "{ran:?}");
    std::fs::write(file, "no json").expect("a file");
    let ran = workspace.run(&["drift", "--baseline", file]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("hint: write it with"), "{ran:?}");
}

#[test]
fn sarif_lists_every_finding() {
    let log = bakery().run(&["drift", "--format", "sarif"]).json();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(5));
}

#[test]
fn kinds_paths_and_commits_narrow_the_check() {
    let workspace = bakery();
    let count = |arguments: &[&str]| {
        let ran = workspace.run(&[&["drift", "--json"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        findings(&ran.json()).len()
    };
    assert_eq!(count(&["--kind", "flag,environment"]), 2);
    assert_eq!(count(&["src"]), 0);
    assert_eq!(count(&["--since", "HEAD~1"]), 5);
    assert_eq!(count(&["--since", "HEAD"]), 0);
    assert_eq!(count(&["--at", "HEAD~1"]), 0);
    // Changes that are not committed count, too.
    workspace.write("src/main.rs", "pub fn nothing() {}\n");
    workspace.write("docs/more.md", "Calls `store_all` of `src/main.rs`.\n");
    workspace.write("README.md", README.replace("Call", "<!-- lore-drift: ignore -->\nCall"));
    let ran = workspace.run(&["drift", "--json", "--kind", "symbol,flag"]);
    assert_eq!(findings(&ran.json()), [], "{ran:?}");
}

#[test]
fn outside_git_links_are_checked() {
    let workspace = Workspace::with(&[
        ("a.md", "See [b](b.md#two), [c](c.md) and `fetch_everythin`.\n"),
        ("b.md", "# One\n"),
        ("a.py", "def fetch_everything(): pass\n"),
    ]);
    let ran = workspace.run(&["drift", "--json"]);
    let found = findings(&ran.json());
    let states: Vec<&str> = found.iter().map(|(_, state, _)| state.as_str()).collect();
    assert_eq!(states, ["broken", "broken", "unknown"], "{ran:?}");
    assert!(ran.stderr.contains("no history"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn links_in_place_of_changed_files_are_not_followed() {
    const DATE: &str = "2025-03-01T09:00:00Z";
    let workspace = Workspace::with(&[
        ("src/order.py", "def save_order(item):\n    return item\n"),
        ("docs/guide.md", "Call `save_order` at the end.\n"),
    ]);
    workspace.git(DATE, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(DATE, &["add", "-A"]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "begin"]);
    let outside = workspace.tree().parent().expect("a folder").join("outside");
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("order.py"), "def save_outside(item):\n    return item\n")
        .expect("a file");
    std::fs::remove_dir_all(workspace.tree().join("src")).expect("a folder");
    std::os::unix::fs::symlink(&outside, workspace.tree().join("src")).expect("a link");
    let ran = workspace.run(&["drift", "--json"]);
    assert!(!ran.stdout.contains("save_outside"), "{ran:?}");
    assert!(ran.stdout.contains("save_order"), "{ran:?}");
}
