//! Histories of lines in repositories created by git itself.

use super::*;
use crate::fixture::Folder;

/// A repository with one commit for each content of `a.py`.
fn repository(contents: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("one/other", "x\n");
    folder.git("one", &["init", "-q", "-b", "main"]);
    for (day, content) in (1..).zip(contents) {
        folder.write("one/a.py", content);
        folder.git("one", &["add", "-A"]);
        folder.git_on("one", day, &["commit", "-q", "-m", &format!("change {day}")]);
    }
    folder
}

/// The subjects of the commits that changed the 1-based lines, newest first.
fn changes(folder: &Folder, path: &str, text: &str, lines: (usize, usize)) -> Vec<String> {
    let log = folder.git("one", &["log", "--format=%H %s", "--", path]);
    let (hashes, subjects): (Vec<String>, Vec<String>) = log
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(hash, subject)| (hash.to_owned(), subject.to_owned()))
        .unzip();
    line_history(&folder.join("one"), &hashes, path, (text, lines.0 - 1..lines.1), 100)
        .into_iter()
        .map(|change| subjects[change.commit].clone())
        .collect()
}

const FIRST: &str = "def a():\n    return 1\n\ndef b():\n    return 2\n";
const SHIFTED: &str = "import os\n\ndef a():\n    return 1\n\ndef b():\n    return 2\n";
const CHANGED: &str = "import os\n\ndef a():\n    return 1\n\ndef b():\n    x = 3\n    return x\n";
const INDENTED: &str = "import os\n\ndef a():\n    return 1\n\ndef b():\n  x = 3\n  return x\n";

#[test]
fn lines_are_followed_while_they_move() {
    let folder = repository(&[FIRST, SHIFTED, CHANGED, INDENTED]);
    assert_eq!(changes(&folder, "a.py", INDENTED, (6, 8)), ["change 3", "change 1"]);
    assert_eq!(changes(&folder, "a.py", INDENTED, (3, 4)), ["change 1"]);
    assert_eq!(changes(&folder, "a.py", INDENTED, (1, 1)), ["change 2"]);
    // The file on disk has lines that are not committed.
    let edited = format!("# new\n# lines\n{INDENTED}");
    assert_eq!(changes(&folder, "a.py", &edited, (8, 10)), ["change 3", "change 1"]);
    assert_eq!(changes(&folder, "a.py", &edited, (1, 2)), [""; 0]);
    assert_eq!(changes(&folder, "gone.py", INDENTED, (1, 2)), [""; 0]);
}

#[test]
fn a_removed_line_inside_is_a_change() {
    let folder = repository(&["a\nb\nc\n", "a\nc\n"]);
    assert_eq!(changes(&folder, "a.py", "a\nc\n", (1, 2)), ["change 2", "change 1"]);
    assert_eq!(changes(&folder, "a.py", "a\nc\n", (2, 2)), ["change 1"]);
}

#[test]
fn a_merge_counts_only_if_it_differs_from_every_parent() {
    let folder = repository(&[FIRST]);
    folder.git("one", &["checkout", "-q", "-b", "side"]);
    folder.write("one/a.py", CHANGED);
    folder.git_on("one", 2, &["commit", "-q", "-a", "-m", "on the side"]);
    folder.git("one", &["checkout", "-q", "main"]);
    folder.write("one/other", "y\n");
    folder.git_on("one", 3, &["commit", "-q", "-a", "-m", "elsewhere"]);
    folder.git_on("one", 4, &["merge", "-q", "--no-ff", "-m", "merged", "side"]);
    let log = folder.git("one", &["log", "--format=%H"]);
    let hashes: Vec<String> = log.lines().map(str::to_owned).collect();
    let found = line_history(&folder.join("one"), &hashes, "a.py", (CHANGED, 5..8), 100);
    let subjects: Vec<String> = found
        .iter()
        .map(|change| {
            folder.git("one", &["log", "-1", "--format=%s", &hashes[change.commit]]).trim().into()
        })
        .collect();
    assert_eq!(subjects, ["on the side", "change 1"]);
}

#[test]
fn a_renamed_file_is_named_with_the_lines_in_it() {
    let folder = repository(&[FIRST]);
    folder.git("one", &["mv", "a.py", "b.py"]);
    folder.write("one/b.py", SHIFTED);
    folder.git("one", &["add", "-A"]);
    folder.git_on("one", 2, &["commit", "-q", "-m", "rename"]);
    let log = folder.git("one", &["log", "--format=%H", "--", "b.py"]);
    let hashes: Vec<String> = log.lines().map(str::to_owned).collect();
    let found = line_history(&folder.join("one"), &hashes, "b.py", (SHIFTED, 5..7), 100);
    let before = Before::Renamed { path: "a.py".into(), text: FIRST.into(), lines: 3..5 };
    assert_eq!((found.len(), found[0].commit, &found[0].before), (1, 0, &before));
}

#[test]
fn the_limit_ends_the_search() {
    let contents: Vec<String> = (0..20).map(|number| format!("x = {number}\n")).collect();
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let folder = repository(&contents);
    let log = folder.git("one", &["log", "--format=%H"]);
    let hashes: Vec<String> = log.lines().map(str::to_owned).collect();
    // One or two lines may be replaced by others.
    let found = line_history(&folder.join("one"), &hashes, "a.py", ("x = 19\n", 0..1), 5);
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(found.iter().all(|change| change.before == Before::SameFile));
}

#[test]
fn lines_without_an_equal_line_before_are_new() {
    let folder = repository(&["a\nb\nc\n", "one\ntwo\nthree\nfour\n"]);
    let text = "one\ntwo\nthree\nfour\n";
    assert_eq!(changes(&folder, "a.py", text, (1, 4)), ["change 2"]);
}

#[test]
fn a_new_layout_is_no_change() {
    let wrapped = "def a(\n    first,\n    second,\n):\n    return 1\n";
    let folder = repository(&["def a(first, second):\n    return 1\n", wrapped]);
    assert_eq!(changes(&folder, "a.py", wrapped, (1, 5)), ["change 1"]);
    let other = wrapped.replace("second", "third");
    let folder = repository(&["def a(first, second):\n    return 1\n", &other]);
    assert_eq!(changes(&folder, "a.py", &other, (1, 5)), ["change 2", "change 1"]);
}

#[test]
fn lines_are_followed_into_the_file_that_they_were_moved_from() {
    let folder = Folder::new();
    folder.write("one/old.py", format!("{FIRST}\ndef c():\n    return 3\n"));
    folder.git("one", &["init", "-q", "-b", "main"]);
    folder.git("one", &["add", "-A"]);
    folder.git_on("one", 1, &["commit", "-q", "-m", "write"]);
    folder.write("one/old.py", "def c():\n    return 3\n");
    folder.write("one/new.py", FIRST);
    folder.git("one", &["add", "-A"]);
    folder.git_on("one", 2, &["commit", "-q", "-m", "move"]);
    let hash = folder.git("one", &["rev-parse", "HEAD"]).trim().to_owned();
    let found = line_history(&folder.join("one"), &[hash], "new.py", (FIRST, 0..5), 10);
    let [LineChange { before: Before::Renamed { path, lines, .. }, .. }] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((path.as_str(), lines), ("old.py", &(0..5)));
}
