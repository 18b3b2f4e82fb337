//! `lore eval --self`: an evaluation on a repository's own history, which changes nothing.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

const REFUND: &str = "\
/// Pays a customer back.
pub fn refund(order: u64) -> bool {
    order > 0
}
";

const POOL: &str = "\
//! Connections wait here until one is free.
pub struct ConnectionPool {
    size: usize,
}
";

const GUIDE: &str = "\
# Operations

## Opening hours

The counter opens at nine and closes at six.
";

/// A shop whose history yields four queries.
fn shop() -> Workspace {
    let workspace = Workspace::with(&[
        ("src/refund.rs", REFUND),
        ("src/pool.rs", POOL),
        ("docs/operations.md", GUIDE),
        ("Cargo.lock", "version = 1\n"),
    ]);
    let commit = |date: &str, message: &str| {
        workspace.git(date, &["add", "--all"]);
        workspace.git(date, &["commit", "--quiet", "-m", message]);
    };
    workspace.git("2024-11-05T09:00:00Z", &["init", "--quiet", "--initial-branch=main"]);
    commit("2024-11-05T09:00:00Z", "Open the shop for customers");
    workspace.write("src/pool.rs", POOL.replace("size", "most"));
    commit("2024-12-10T10:00:00Z", "Wait longer until a connection is free");
    workspace.write("src/pool.rs", POOL.replace("size", "least"));
    commit("2024-12-18T10:30:00Z", "Close what was not used for an hour");
    workspace.write("docs/operations.md", GUIDE.replace("six", "eight"));
    commit("2025-01-15T11:00:00Z", "docs: the counter closes later");
    workspace.write("Cargo.lock", "version = 2\n");
    commit("2025-01-20T12:00:00Z", "Release version 1.2.0 of the shop");
    workspace.write("src/refund.rs", REFUND.replace("order > 0", "order > 1 /* quokka */"));
    workspace.write("Cargo.lock", "version = 3\n");
    workspace.write("src/new.rs", "/// Pays a customer back once.\npub fn once() {}\n");
    commit("2025-01-25T13:00:00Z", "Pay a customer back at most once (#12)");
    workspace
}

/// Runs `lore` with its own temporary directory, which must be empty afterwards.
fn run(workspace: &Workspace, arguments: &[&str]) -> Ran {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let mut command = workspace.command(&[&["eval", "--self"], arguments].concat());
    for name in ["TMPDIR", "TMP", "TEMP"] {
        command.env(name, temporary.path());
    }
    let ran = Ran::new(&command.output().expect("the program starts"));
    let left: Vec<_> = fs::read_dir(temporary.path()).expect("readable").collect();
    assert!(left.is_empty(), "{left:?}");
    ran
}

/// Every file below a directory, with its content and its time.
fn files(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, Option<SystemTime>)> {
    let mut files = BTreeMap::new();
    let Ok(listing) = fs::read_dir(folder) else { return files };
    for entry in listing {
        let path = entry.expect("an entry").path();
        let metadata = fs::symlink_metadata(&path).expect("readable");
        let modified = metadata.modified().ok();
        if metadata.is_dir() {
            files.extend(self::files(&path));
            files.insert(path, (Vec::new(), modified));
        } else {
            files.insert(path.clone(), (fs::read(&path).expect("readable"), modified));
        }
    }
    files
}

#[test]
fn a_history_is_reported_by_month_and_source() {
    let workspace = shop();
    let ran = run(&workspace, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/measuring.md");
    let page = fs::read_to_string(page).expect("the guide is there");
    assert!(page.contains(&ran.stdout), "the guide shows another answer than\n{}", ran.stdout);
    assert!(ran.stderr.contains("testing 4 commits, oldest first"), "{ran:?}");
}

#[test]
fn the_repository_is_not_changed() {
    let workspace = shop();
    // With an index and with uncommitted changes.
    assert_eq!(workspace.run(&["search", "refund"]).code, Some(0));
    workspace.write("src/refund.rs", "not committed");
    workspace.write("lorehound.toml", "[ranking.weights]\nmeaning = 1.0\n");
    let folder = workspace.tree().parent().expect("a folder").to_owned();
    let before = files(&folder);
    assert!(before.keys().any(|path| path.starts_with(workspace.cache())), "there is an index");
    assert!(before.keys().any(|path| path.ends_with(".git/HEAD")), "there is a repository");
    let ran = run(&workspace, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(files(&folder), before);
}

#[test]
fn each_commit_is_evaluated_on_its_parent() {
    let workspace = shop();
    workspace.write("docs/operations.md", "# Operations\n\nA numbat ate the wombats.\n");
    workspace.git("2025-02-01T09:00:00Z", &["commit", "--quiet", "-am", "numbat wombats quokka"]);
    let ran = run(&workspace, &["--query", "numbat", "--mode", "lexical"]);
    // The page did not contain these words yet; the only known word occurred elsewhere.
    assert!(ran.stdout.contains("right, rank none  docs/operations.md"), "{ran:?}");
    assert!(ran.stdout.contains("  1. "), "{ran:?}");
    assert!(ran.stdout.contains("src/refund.rs"), "{ran:?}");
    assert!(ran.stdout.contains("2025-02                    1     0.0000"), "{ran:?}");
}

#[test]
fn only_the_newest_commits_and_named_sources_are_evaluated() {
    let workspace = shop();
    let signals = workspace.tree().parent().expect("a folder").join("signals.jsonl");
    let signals = signals.display().to_string();
    let ran = run(&workspace, &["--commits", "2", "--in", "code", "--dump-signals", &signals]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("shop: 1 commit, 2025-01\n"), "{ran:?}");
    assert!(!ran.stdout.contains("docs"), "{ran:?}");
    assert!(ran.stdout.contains("skipped, since none of their files was searched: 1"), "{ran:?}");
    let lines = fs::read_to_string(&signals).expect("written");
    let line: Value = serde_json::from_str(&lines).expect("one line of JSON");
    assert_eq!(line["query"], "Pay a customer back at most once");
    // The file that the commit added does not exist yet.
    let candidates = line["candidates"].as_array().expect("an array");
    assert!(candidates.iter().all(|candidate| candidate["path"] != "src/new.rs"), "{line}");
    let is_right = |candidate: &&Value| candidate["relevant"] == 1;
    let right: Vec<&Value> = candidates.iter().filter(is_right).collect();
    assert_eq!(right.len(), 1, "{line}");
    assert_eq!(right[0]["path"], "src/refund.rs");
    assert!(right[0]["signals"]["meaning"].is_number(), "{line}");
}

#[test]
fn two_runs_of_a_history_are_compared() {
    let workspace = shop();
    let folder = workspace.tree().parent().expect("a folder").to_owned();
    let file = |name: &str| folder.join(name).display().to_string();
    let (before, after) = (file("before.jsonl"), file("after.jsonl"));
    assert_eq!(run(&workspace, &["--run-out", &before]).code, Some(0));
    let ran = run(&workspace, &["--run-out", &after, "--compare", &before]);
    assert!(ran.stdout.contains("0 better, 0 worse, 4 equal"), "{ran:?}");
    let ran = workspace.run(&["eval", "compare", &before, &after]);
    assert!(ran.stdout.contains("0 better, 0 worse, 4 equal"), "{ran:?}");
    // Reported before any search.
    fs::write(&before, "{\"id\": \"other\", \"results\": []}\n").expect("written");
    let ran = run(&workspace, &["--compare", &before]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.starts_with("lore: `") && ran.stderr.contains("`lore eval --self`"),
        "{ran:?}"
    );
    let gate = |minimum: &str| run(&workspace, &["--min", minimum]).code;
    assert_eq!((gate("Success@10=0.75"), gate("nDCG@10=0.76")), (Some(0), Some(1)));
}

#[test]
fn unsuitable_requests_are_reported() {
    let check = |workspace: &Workspace, arguments: &[&str], code: i32, expected: &str| {
        let ran = run(workspace, arguments);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
    };
    let shop = shop();
    let plain = Workspace::with(&[("a.rs", "fn a() {}\n")]);
    check(&plain, &[], 2, "it is not in a git repository");
    plain.git("2024-11-05T09:00:00Z", &["init", "--quiet"]);
    check(&plain, &[], 2, "it has no commit yet");
    plain.git("2024-11-05T09:00:00Z", &["add", "a.rs"]);
    plain.git("2024-11-05T09:00:00Z", &["commit", "--quiet", "-m", "The very first commit"]);
    check(
        &plain,
        &[],
        2,
        "no commit of this history is suitable as a query; skipped: 1 without exactly",
    );
    let url = format!("file://{}", shop.tree().display());
    shop.git("2025-02-01T09:00:00Z", &["clone", "--quiet", "--depth", "1", &url, "../shallow"]);
    check(&shop, &["-C", "../shallow"], 2, "hint: get the rest of the history with `git fetch");
    check(&shop, &["--query", "of no commit"], 2, "no commit of the test contains `of no commit`");
    // A suitable commit, but a source without its files.
    check(&shop, &["--in", "specs"], 1, "testing 4 commits");
    check(&shop, &["--in", "git"], 2, "the history contains the answers");
    check(&shop, &["--in", "code,git"], 2, "the history contains the answers");
    check(&shop, &["--spec"], 2, "`--spec` does not go with `--self`");
    check(&shop, &["--cache-dir", "x"], 2, "`--cache-dir` does not go with `--self`");
    check(&shop, &["queries.jsonl"], 2, "cannot be used with");
    let ran = shop.run(&["eval", "queries.jsonl", "--commits", "3"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    // A directory inside a repository would be searched by the rules of that repository.
    let mut command = shop.command(&["eval", "--self"]);
    let ran = Ran::new(&command.env("TMPDIR", shop.tree()).output().expect("the program starts"));
    assert!(ran.stderr.contains("it is in a repository"), "{ran:?}");
    assert!(ran.stderr.contains("`TMPDIR`"), "{ran:?}");
}

#[test]
fn control_characters_in_subjects_are_removed() {
    let workspace = shop();
    workspace.write("src/pool.rs", POOL.replace("size", "evil"));
    let evil = "Wait \u{1b}[31mlonger\u{1b}[0m for a connection";
    workspace.git("2025-02-01T09:00:00Z", &["commit", "--quiet", "-am", evil]);
    let ran = run(&workspace, &["--query", "longer", "--commits", "1"]);
    assert!(ran.stdout.contains("for a connection"), "{ran:?}");
    assert!(!ran.stdout.contains('\u{1b}'), "{ran:?}");
}
