//! The search history, which is off by default.

use std::fs;

use crate::workspace::{Ran, Workspace};

fn queries(ran: &Ran) -> Vec<(String, u64, u64)> {
    let json = ran.json();
    let queries = json["queries"].as_array().expect("an array");
    queries
        .iter()
        .map(|query| {
            let number = |key: &str| query[key].as_u64().expect("a number");
            let query = query["query"].as_str().expect("a text").to_owned();
            (query, number("times"), number("lastHits"))
        })
        .collect()
}

fn all_files(folder: &std::path::Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let entry = entry.expect("it can be listed");
        if entry.path().is_dir() {
            names.extend(all_files(&entry.path()));
        }
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names
}

#[test]
fn searches_are_not_recorded_by_default() {
    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    workspace.run(&["refund"]);
    workspace.write("lorehound.toml", "[history]\nenabled = true\n");
    let ran = workspace.run(&["refund"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("ignored the setting `history.enabled`"), "{ran:?}");
    assert!(!all_files(&workspace.cache()).iter().any(|name| name.starts_with("history")));
    let ran = workspace.run(&["history"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("hint: record searches with `--history`"), "{ran:?}");
}

#[test]
fn searches_are_recorded_listed_and_deleted() {
    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    for query in ["refund", "chargeback", "Refund"] {
        workspace.run(&[query, "--history"]);
    }
    let noted = workspace
        .command(&["refund"])
        .env("LOREHOUND_HISTORY_ENABLED", "true")
        .output()
        .expect("it starts");
    assert!(noted.status.success());
    let off = workspace
        .command(&["never", "--no-history"])
        .env("LOREHOUND_HISTORY_ENABLED", "true")
        .output();
    assert_eq!(off.expect("it starts").status.code(), Some(1));

    let spec = workspace
        .command(&["spec", "settlement"])
        .env("LOREHOUND_HISTORY_ENABLED", "true")
        .output()
        .expect("it starts");
    assert!(spec.status.success());
    let all = queries(&workspace.run(&["history", "--json"]));
    assert!(all.contains(&("settlement".to_owned(), 1, 0)), "{all:?}");
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all.contains(&("refund".to_owned(), 3, 1)), "{all:?}");
    let mut zero = queries(&workspace.run(&["history", "--zero", "--json"]));
    // Times are whole seconds, so either may come first.
    zero.sort();
    assert_eq!(zero, [("chargeback".to_owned(), 1, 0), ("settlement".to_owned(), 1, 0)]);
    let repeats = queries(&workspace.run(&["history", "--repeats", "--json"]));
    assert_eq!(repeats, [("refund".to_owned(), 3, 1)]);
    let slow = workspace.run(&["history", "--slow", "--json"]);
    let json = slow.json();
    let slowest = |at: usize| json["queries"][at]["slowestMs"].as_f64().expect("a number");
    assert!(slowest(0) >= slowest(1), "{slow:?}");
    assert_eq!(queries(&workspace.run(&["history", "--slow", "--limit", "1", "--json"])).len(), 1);
    let human = workspace.run(&["history"]).stdout;
    assert!(
        human.lines().any(|line| line.contains("3x") && line.ends_with("ms  refund")),
        "{human}"
    );

    assert_eq!(workspace.run(&["history", "clear"]).code, Some(0));
    assert_eq!(workspace.run(&["history", "--json"]).json()["queries"], serde_json::json!([]));
    assert!(!workspace.cache().join("history.jsonl").exists());
}

#[test]
fn a_search_succeeds_if_its_history_cannot_be_written() {
    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    workspace.run(&["refund"]);
    fs::create_dir(workspace.cache().join("history.jsonl")).expect("a folder in its place");
    let ran = workspace.run(&["refund", "--history", "--format", "paths"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "src/refund.rs\n"));
    assert!(ran.stderr.contains("warning: could not record the search in "), "{ran:?}");
}

/// A pipe was opened for writing without end, and a link was written through.
#[cfg(target_os = "linux")]
#[test]
fn a_history_that_is_no_file_is_neither_waited_for_nor_followed() {
    use std::os::unix::fs::symlink;

    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    workspace.run(&["refund"]);
    let (file, target) = (workspace.cache().join("history.jsonl"), workspace.tree().join("target"));
    let make_pipe = || std::process::Command::new("mkfifo").arg(&file).status().map(|_| ());
    let make_link = || symlink(&target, &file);
    for make in [&make_pipe as &dyn Fn() -> std::io::Result<()>, &make_link] {
        make().expect("the cache is ours");
        let ran = workspace.run(&["refund", "--history", "--format", "paths"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "src/refund.rs\n"));
        assert!(ran.stderr.contains("warning: could not record the search in "), "{ran:?}");
        assert!(ran.stderr.contains("hint: run `lore history clear`"), "{ran:?}");
        let ran = workspace.run(&["history"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("could not read the history"), "{ran:?}");
        // The hint works as it is.
        assert_eq!(workspace.run(&["history", "clear"]).code, Some(0));
    }
    assert!(!target.exists());
    let ran = workspace.run(&["refund", "--history", "--format", "paths"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn a_history_is_private_and_not_in_a_folder_of_others() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let workspace = Workspace::with(&[("src/refund.rs", "pub fn refund() {}\n")]);
    let history = workspace.cache().join("history.jsonl");
    assert_eq!(workspace.run(&["refund", "--history", "--no-write"]).code, Some(0));
    assert!(!history.exists());
    assert_eq!(workspace.run(&["refund", "--history"]).code, Some(0));
    let size = || fs::metadata(&history).expect("it was written").len();
    let before = size();
    fs::set_permissions(&history, fs::Permissions::from_mode(0o666)).expect("it is ours");
    fs::set_permissions(workspace.cache(), fs::Permissions::from_mode(0o777)).expect("it is ours");
    let ran = workspace.run(&["refund", "--history"]);
    assert!(ran.stderr.contains("could not record the search in "), "{ran:?}");
    assert!(ran.stderr.contains("close it with `chmod -R go-w '"), "{ran:?}");
    assert_eq!((workspace.run(&["history"]).code, size()), (Some(2), before));
    fs::set_permissions(workspace.cache(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let ran = workspace.run(&["refund", "--history"]);
    assert_eq!(ran.stderr, "");
    let mode = fs::metadata(&history).expect("it was written").mode() & 0o777;
    assert!(size() > before && mode == 0o600, "{mode:o}");
}
