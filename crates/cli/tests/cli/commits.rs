//! The git source on the command line: every branch, older commits by later runs, changed files as
//! paths, and reverts.

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    path::PathBuf,
    process::Stdio,
    time::{Duration, SystemTime},
};

use serde_json::Value;

use crate::workspace::Workspace;

const DATE: &str = "2025-01-16T08:15:00Z";

/// A repository with this many commits on its only branch.
fn repository(commits: u32) -> Workspace {
    let workspace = Workspace::with(&[("a.md", "# Nothing\n")]);
    workspace.git(DATE, &["init", "--quiet", "--initial-branch=main"]);
    let mut stream = String::new();
    for number in 1..=commits {
        let message = format!("change number{number}");
        let (seconds, length) = (1_700_000_000 + number * 60, message.len());
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter Ann <ann@example.org> {seconds} +0000\n\
             data {length}\n{message}\nM 100644 inline f{}.txt\ndata 2\n{}\n\n",
            number % 50,
            number % 10,
        );
    }
    let mut import = std::process::Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(workspace.tree())
        .stdin(Stdio::piped())
        .spawn()
        .expect("git can be run");
    import.stdin.take().expect("a pipe").write_all(stream.as_bytes()).expect("git reads");
    assert!(import.wait().expect("it ends").success());
    workspace
}

/// Makes the index of commits look as if it were written a minute ago.
fn age(workspace: &Workspace) {
    let inside = |folder: PathBuf| -> PathBuf {
        let entries = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
        entries.map(|entry| entry.path()).find(|path| path.is_dir()).expect("one folder")
    };
    let folder = inside(inside(workspace.cache())).join("git");
    let past = SystemTime::now() - Duration::from_mins(1);
    fs::File::open(&folder).expect("an index").set_modified(past).expect("it is ours");
}

fn found(workspace: &Workspace, arguments: &[&str]) -> Value {
    let ran = workspace.run(&[arguments, &["--json"]].concat());
    assert!(matches!(ran.code, Some(0 | 1)), "{arguments:?}: {}", ran.stderr);
    ran.json()
}

/// Number of commits that an answer says are not read.
fn unread(answer: &Value) -> u64 {
    answer["receipt"]["sources"]["git"]["skipped"]["beyondLimit"].as_u64().unwrap_or(0)
}

fn titles(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().expect("results");
    results.iter().map(|hit| hit["title"].as_str().expect("a title")).collect()
}

#[test]
fn older_commits_are_read_after_answers_and_kept() {
    let workspace = repository(3_000);
    let search = || found(&workspace, &["number7", "--in", "git"]);
    let first = search();
    assert_eq!(unread(&first), 2_000, "an answer waits for the newest 1,000");
    assert!(!titles(&first).contains(&"change number7"), "it is the seventh oldest");

    // At once, nothing is read; after a pause, the answer is given first.
    assert_eq!(unread(&search()), 2_000);
    let mut last = first;
    for _ in 0..100 {
        age(&workspace);
        let next = search();
        assert!(unread(&next) <= unread(&last));
        last = next;
        if unread(&last) == 0 {
            break;
        }
    }
    assert_eq!(unread(&last), 0);
    assert_eq!(titles(&last)[0], "change number7");
    let total = found(&workspace, &["change", "--in", "git"]);
    assert_eq!(total["receipt"]["sources"]["git"]["documents"], 3_000);
}

#[test]
fn all_history_is_read_at_once_and_kept_by_plain_searches() {
    let workspace = repository(2_500);
    assert_eq!(unread(&found(&workspace, &["number7", "--in", "git"])), 1_500);
    let all = found(&workspace, &["number7", "--in", "git", "--all-history"]);
    assert_eq!((unread(&all), titles(&all)[0]), (0, "change number7"));
    let plain = found(&workspace, &["number7", "--in", "git"]);
    assert_eq!((unread(&plain), titles(&plain)[0]), (0, "change number7"));
    let none = workspace.run(&["index", "--json"]).json();
    assert_eq!(none["sources"]["git"]["written"], 0, "{none}");
}

#[test]
fn an_index_run_continues_with_older_commits() {
    let workspace = repository(1_800);
    for _ in 0..20 {
        let ran = workspace.run(&["index"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let answer = found(&workspace, &["number7", "--in", "git"]);
    assert_eq!((unread(&answer), titles(&answer)[0]), (0, "change number7"));
}

#[test]
fn paths_select_commits_by_the_files_that_they_change() {
    let workspace = Workspace::with(&[("src/pay/Back_End.rs", "a\n"), ("docs/pay.md", "# Pay\n")]);
    workspace.git(DATE, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(DATE, &["add", "src"]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "pay: begin the code"]);
    workspace.git(DATE, &["add", "docs"]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "pay: begin the guide"]);
    workspace.write("src/pay/vendor/x.rs", "x\n");
    workspace.git(DATE, &["add", "src"]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "pay: copy a library"]);
    let (code, guide, copy) =
        ("pay: begin the code", "pay: begin the guide", "pay: copy a library");
    for (filters, expected) in [
        (&["--path", "src"][..], &[code, copy][..]),
        (&["--path", "src/pay/Back_End.rs"], &[code]),
        (&["--path", "back_end.rs"], &[]),
        (&["--path", "*.md"], &[guide]),
        (&["--path", "src", "--exclude", "**/vendor/**"], &[code]),
        (&["--exclude", "src"], &[code, copy, guide]),
        (&["--path", "nowhere"], &[]),
    ] {
        let answer = found(&workspace, &[&["pay begin copy", "--in", "git"], filters].concat());
        let mut titles = titles(&answer);
        titles.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(titles, expected, "{filters:?}");
    }
    let answer = found(&workspace, &["pay path:back_end", "--in", "git"]);
    assert_eq!(titles(&answer), [code]);
    // A search that does not name commits finds files.
    for (arguments, expected) in [
        (&["pay", "--path", "docs"][..], &["docs"][..]),
        (&["pay", "--path", "docs", "--in", "git", "--in", "docs"], &["docs", "git"]),
    ] {
        let answer = found(&workspace, arguments);
        let results = answer["results"].as_array().expect("results");
        let mut sources: Vec<_> = results.iter().map(|hit| hit["source"].as_str()).collect();
        sources.sort_unstable();
        assert_eq!(sources, expected.iter().map(|name| Some(*name)).collect::<Vec<_>>());
    }
}

#[test]
fn reverts_and_reverted_commits_name_each_other() {
    let workspace = Workspace::with(&[("a.rs", "1\n")]);
    workspace.git(DATE, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(DATE, &["add", "a.rs"]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "cache: begin"]);
    workspace.write("a.rs", "2\n");
    workspace.git(DATE, &["commit", "--quiet", "-a", "-m", "cache: keep misses (#12)"]);
    workspace.git(DATE, &["revert", "--no-edit", "HEAD"]);
    workspace.write("a.rs", "3\n");
    workspace.git(DATE, &["commit", "--quiet", "-a", "-m", "cache: count hits (#20)"]);
    workspace.write("a.rs", "1\n");
    let squashed = "Revert \"cache: count hits (#20)\" (#21)\n\nReverts shop/shop#20";
    workspace.git(DATE, &["commit", "--quiet", "-a", "-m", squashed]);
    let answer = found(&workspace, &["cache", "--in", "git"]);
    let hit = |title: &str| {
        let hits = answer["results"].as_array().expect("results");
        hits.iter().find(|hit| hit["title"] == title).unwrap_or_else(|| panic!("{title}: {answer}"))
    };
    let extra = |title: &str, name: &str| {
        let extra = hit(title)["extra"].as_array().expect("a list");
        let named = extra.iter().find(|pair| pair["name"] == name);
        named.map(|pair| pair["value"].as_str().expect("a text").to_owned())
    };
    let hash =
        |title: &str| hit(title)["id"].as_str().expect("an id")["git:".len()..][..10].to_owned();
    for (title, revert) in [
        ("cache: keep misses (#12)", "Revert \"cache: keep misses (#12)\""),
        ("cache: count hits (#20)", "Revert \"cache: count hits (#20)\" (#21)"),
    ] {
        assert_eq!(extra(title, "reverted_by"), Some(hash(revert)), "{title}");
        assert_eq!(extra(revert, "reverts"), Some(hash(title)), "{revert}");
        assert_eq!(extra(revert, "reverted_by"), None);
    }
    assert_eq!(extra("cache: begin", "reverted_by"), None);
    let shown = workspace.run(&["cache keep misses", "--in", "git"]).stdout;
    let line = shown.lines().find(|line| line.contains("cache: keep misses (#12) (commit)"));
    let line = line.unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("2025-01-16") && line.contains("reverted by"), "{line}");
}

#[test]
fn reverted_work_is_shown_with_similar_searches() {
    const DATE: &str = "2025-01-16T08:15:00Z";
    let workspace =
        Workspace::with(&[("src/cache.rs", "fn keep() {}\n"), ("src/other.rs", "fn o() {}\n")]);
    workspace.git(DATE, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(DATE, &["add", "-A"]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "begin"]);
    let change = |text: &str, message: &str| {
        workspace.write("src/cache.rs", text);
        workspace.git(DATE, &["commit", "--quiet", "-am", message]);
    };
    change("fn keep() { misses(); }\n", "cache: keep negative lookups (#12)");
    let revert = "Revert \"cache: keep negative lookups (#12)\"\n\nThe memory of a busy server grew without bound.";
    change("fn keep() {}\n", revert);
    change("fn keep() { count(); }\n", "cache: count evictions");
    change("fn keep() {}\n", "Revert \"cache: count evictions\"");
    change("fn keep() { count(); }\n", "Reapply \"cache: count evictions\"");
    workspace.write(
        "docs/adr/0001-use-one-file.md",
        "# 1. Use one file for the cache\n\nStatus: Rejected\n\nIt is slow.\n",
    );

    let answer = found(&workspace, &["keep negative lookups in the cache"]);
    let hits = answer["results"].as_array().expect("results");
    let line = |hit: &Value| {
        let extra = hit["extra"].as_array().expect("a list");
        let named = extra.iter().find(|pair| pair["name"] == "tried_before");
        named.map(|pair| pair["value"].as_str().expect("a text").to_owned())
    };
    let lines: Vec<String> = hits.iter().filter_map(line).collect();
    assert!(!lines.is_empty() && lines.len() < 3, "{answer}");
    assert!(
        lines[0].contains(" reverted by ")
            && lines[0].contains("2025-01-16: \"cache: keep negative lookups (#12)\""),
        "{lines:?}"
    );
    let shown = workspace.run(&["keep negative lookups in the cache"]).stdout;
    assert!(shown.contains("tried before: "), "{shown}");
    // What was made again is no warning, and neither is another subject.
    for query in ["count evictions of the cache", "what does keep do"] {
        let answer = found(&workspace, &[query]);
        let hits = answer["results"].as_array().expect("results");
        assert!(hits.iter().all(|hit| line(hit).is_none()), "{query}: {answer}");
    }

    let listed = workspace.run(&["tried", "cache", "--json"]).json();
    let attempts = listed["attempts"].as_array().expect("attempts");
    let outcome = |title: &str| {
        let named = attempts.iter().find(|attempt| attempt["title"] == title);
        named.unwrap_or_else(|| panic!("{title}: {listed}")).clone()
    };
    let reverted = outcome("cache: keep negative lookups (#12)");
    assert_eq!(reverted["outcome"], "reverted");
    assert_eq!(reverted["reason"], "The memory of a busy server grew without bound.");
    assert_eq!(reverted["paths"], serde_json::json!(["src/cache.rs"]));
    assert!(outcome("cache: count evictions")["again"].is_string(), "{listed}");
    assert_eq!(outcome("Use one file for the cache")["outcome"], "rejected");
    let ran = workspace.run(&["tried", "printer"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
}
