//! Scans of histories created by git itself.

use std::fs;

use super::*;
use crate::{
    WalkOptions,
    fixture::{Folder, Memory, options},
};

/// A folder with a repository `one` of three commits.
fn repository() -> Folder {
    let folder = Folder::of("//- /one/a.rs\na\n//- /one/sub/b.rs\nb\n");
    folder.git("one", &["init", "-q", "-b", "main"]);
    folder.git("one", &["config", "uploadpack.allowFilter", "true"]);
    commit(&folder, 1, "first: begin\n\nWith a body.\n");
    folder.write("one/a.rs", "a2");
    fs::remove_file(folder.join("one/sub/b.rs")).unwrap();
    folder.write("one/sub/deep/c.rs", "c");
    commit(&folder, 2, "second");
    folder.write("one/a.rs", "a3");
    commit(&folder, 3, "third");
    folder
}

fn commit(folder: &Folder, day: u64, message: &str) {
    folder.git("one", &["add", "-A"]);
    folder.git_on("one", day, &["commit", "-q", "--allow-empty", "-m", message]);
}

fn walk(folder: &Folder, path: &str) -> Tree {
    walk_up_to(folder, path, Some(1_000))
}

fn walk_up_to(folder: &Folder, path: &str, commits: Option<usize>) -> Tree {
    Tree::walk(&folder.join(path), &WalkOptions { commits, ..options() }).unwrap()
}

/// Scans, and returns the changes with titles instead of hashes.
fn scan(memory: &mut Memory, tree: &Tree) -> Vec<String> {
    let titles = |memory: &Memory| -> Vec<(String, String)> {
        let all = memory.all();
        all.iter().map(|document| (document.key.locator.clone(), document.title.clone())).collect()
    };
    let mut names = titles(memory);
    let mut log = memory.scan(SourceName::Git, tree);
    names.extend(titles(memory));
    for line in &mut log {
        for (hash, title) in &names {
            *line = line.replace(hash, title);
        }
    }
    log
}

fn files(document: &Document) -> Vec<&str> {
    let extra = document.attributes.extra.iter();
    extra.filter(|(name, _)| name == "file").map(|(_, value)| value.as_str()).collect()
}

fn titled<'a>(memory: &'a Memory, title: &str) -> &'a Document {
    memory.all().into_iter().find(|document| document.title == title).unwrap()
}

#[test]
fn a_commit_is_a_document() {
    let folder = repository();
    let mut memory = Memory::default();
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["replace third", "replace second", "replace first: begin"]);
    let first = titled(&memory, "first: begin");
    let hash = folder.git("one", &["rev-parse", "HEAD~2"]);
    assert_eq!(first.key.to_string(), format!("git:{}", hash.trim()));
    assert_eq!(first.text, "first: begin\n\nWith a body.\n\na.rs\nsub/b.rs");
    assert_eq!(first.attributes.author.as_deref(), Some("Ann Author"));
    assert_eq!(first.attributes.created, Some(1_600_000_000 + 86_400));
    assert_eq!(first.attributes.updated, first.attributes.created);
    assert_eq!(first.attributes.id.as_deref(), Some(&hash[..SHORT_HASH_LEN]));
    assert_eq!(files(first), ["a.rs", "sub/b.rs"]);
    assert_eq!((first.path.as_str(), first.kind, first.format), ("", "commit", "git"));
    assert_eq!(files(titled(&memory, "second")), ["a.rs", "sub/b.rs", "sub/deep/c.rs"]);
    assert_eq!(memory.report.formats, [FormatCount { format: "git", units: 3 }]);
}

#[test]
fn only_new_commits_are_read() {
    let folder = repository();
    let mut memory = Memory::default();
    scan(&mut memory, &walk(&folder, "one"));
    assert!(scan(&mut memory, &walk(&folder, "one")).is_empty());
    folder.git("one", &["checkout", "-q", "-b", "side", "HEAD~1"]);
    folder.write("one/side.rs", "s");
    // On the day before "third": older than the old head by date.
    commit(&folder, 2, "side");
    folder.git("one", &["checkout", "-q", "main"]);
    folder.git_on("one", 5, &["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["replace merge side", "replace side"]);
    assert_eq!(memory.report.formats[0].units, 5);
    assert!(files(titled(&memory, "merge side")).is_empty(), "its commits tell what it brings");
    assert_eq!(memory.all().len(), 5);
}

#[test]
fn rewritten_histories_are_reported_completely() {
    let folder = repository();
    let mut memory = Memory::default();
    scan(&mut memory, &walk(&folder, "one"));
    folder.git_on("one", 4, &["commit", "-q", "--amend", "-m", "third, amended"]);
    let log = scan(&mut memory, &walk(&folder, "one"));
    let kept = ["replace third, amended", "same second", "same first: begin", "gone third"];
    assert_eq!(log, kept);
    folder.git("one", &["reset", "-q", "--hard", "HEAD~1"]);
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["same second", "same first: begin", "gone third, amended"]);
    // The old head is deleted.
    folder.git("one", &["reflog", "expire", "--expire=now", "--all"]);
    memory.report.cursor = memory
        .report
        .cursor
        .replace(folder.git("one", &["rev-parse", "HEAD"]).trim(), &"1".repeat(40));
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["same second", "same first: begin"]);
}

#[test]
fn the_limit_keeps_the_newest_commits() {
    let folder = repository();
    let mut memory = Memory::default();
    let log = scan(&mut memory, &walk_up_to(&folder, "one", Some(2)));
    assert_eq!(log, ["replace third", "replace second"]);
    let log = scan(&mut memory, &walk_up_to(&folder, "one", None));
    assert_eq!(log, ["same third", "same second", "replace first: begin"]);
    let log = scan(&mut memory, &walk_up_to(&folder, "one", Some(1)));
    assert_eq!(log, ["same third", "gone first: begin", "gone second"].map(|line| line));
    assert!(
        scan(&mut memory, &walk_up_to(&folder, "one", Some(0)))
            .iter()
            .all(|line| line.starts_with("gone"))
    );
}

#[test]
fn the_indexed_commits_do_not_depend_on_earlier_scans() {
    let folder = repository();
    let walk = || walk_up_to(&folder, "one", Some(4));
    let beyond = |memory: &Memory| memory.report.skipped.get(&SkipReason::BeyondLimit).copied();
    let mut memory = Memory::default();
    scan(&mut memory, &walk());

    // The limit is reached, but not exceeded.
    commit(&folder, 4, "fourth");
    assert_eq!(scan(&mut memory, &walk()), ["replace fourth"]);
    assert_eq!(beyond(&memory), None);
    commit(&folder, 5, "fifth");
    let log = scan(&mut memory, &walk());
    let kept = ["replace fifth", "same fourth", "same third", "same second", "gone first: begin"];
    assert_eq!(log, kept);
    assert_eq!(beyond(&memory), Some(1));
    assert!(scan(&mut memory, &walk()).is_empty());
    assert_eq!(
        beyond(&memory),
        Some(1),
        "no new commit, and the older ones are still beyond the limit"
    );

    // By its date it is beyond the limit.
    folder.git("one", &["checkout", "-q", "-b", "side", "HEAD~4"]);
    folder.write("one/side.rs", "s");
    commit(&folder, 1, "side");
    folder.git("one", &["checkout", "-q", "main"]);
    folder.git_on("one", 6, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let log = scan(&mut memory, &walk());
    assert_eq!(log, ["replace merge", "same fifth", "same fourth", "same third", "gone second"]);
    for day in 7..10 {
        commit(&folder, day, &format!("day {day}"));
        commit(&folder, day, &format!("day {day} again"));
        scan(&mut memory, &walk());
        let mut fresh = Memory::default();
        scan(&mut fresh, &walk());
        assert_eq!(memory.documents, fresh.documents);
        assert_eq!(memory.report, fresh.report);
    }
    assert_eq!(beyond(&memory), Some(9));
}

#[test]
fn folders_have_only_commits_that_change_them() {
    let folder = repository();
    let mut memory = Memory::default();
    scan(&mut memory, &walk(&folder, "one/sub"));
    let titles: Vec<&str> = memory.all().iter().map(|document| document.title.as_str()).collect();
    assert_eq!(titles.len(), 2);
    assert_eq!(files(titled(&memory, "second")), ["b.rs", "deep/c.rs"]);
    assert_eq!(files(titled(&memory, "first: begin")), ["b.rs"]);
    assert!(scan(&mut memory, &walk(&folder, "one/sub")).is_empty());
}

#[test]
fn shallow_clones_mark_their_last_commit() {
    let folder = repository();
    let source = format!("file://{}", folder.join("one").display());
    folder.git(".", &["clone", "-q", "--depth", "2", &source, "shallow"]);
    let mut memory = Memory::default();
    assert_eq!(scan(&mut memory, &walk(&folder, "shallow")), ["replace third", "replace second"]);
    assert!(memory.skipped.is_empty() && memory.report.skipped.is_empty());
    let end = titled(&memory, "second");
    assert!(files(end).is_empty());
    assert_eq!(end.attributes.extra, [("shallow".to_owned(), "true".to_owned())]);
    assert_eq!(files(titled(&memory, "third")), ["a.rs"]);

    folder.git("shallow", &["fetch", "-q", "--unshallow"]);
    let log = scan(&mut memory, &walk(&folder, "shallow"));
    assert_eq!(log, ["same third", "replace second", "replace first: begin"]);
    assert_eq!(files(titled(&memory, "second")).len(), 3);
}

#[test]
fn worktrees_submodules_and_partial_clones_work() {
    let folder = repository();
    folder.git("one", &["worktree", "add", "-q", "../tree", "HEAD~1"]);
    folder.git("one", &["init", "-q", "../outer"]);
    folder.git("outer", &["submodule", "--quiet", "add", "../one", "module"]);
    folder.git("outer", &["commit", "-q", "-m", "outer"]);
    let source = format!("file://{}", folder.join("one").display());
    folder.git(".", &["clone", "-q", "--filter=tree:0", "--no-checkout", &source, "treeless"]);
    let commits = |path: &str| {
        let mut memory = Memory::default();
        let log = scan(&mut memory, &walk(&folder, path));
        (log.len(), memory.skipped)
    };
    assert_eq!(commits("tree"), (2, SkipCounts::new()));
    assert_eq!(commits("outer/module"), (3, SkipCounts::new()));
    assert_eq!(commits("outer"), (1, SkipCounts::new()));
    assert_eq!(commits("treeless"), (3, SkipCounts::from([(SkipReason::Unreadable, 3)])));
    assert_eq!(crate::common_dir(&folder.join("tree")), crate::common_dir(&folder.join("one")));
}

#[test]
fn missing_history_is_not_an_error() {
    let folder = Folder::of("//- /plain/a.rs\na\n//- /empty/a.rs\na\n");
    folder.git("empty", &["init", "-q"]);
    for path in ["plain", "empty"] {
        let mut memory = Memory::default();
        assert!(scan(&mut memory, &walk(&folder, path)).is_empty(), "{path}");
        assert_eq!(memory.report, ScanReport::default(), "{path}");
    }
}

#[test]
fn broken_repositories_are_an_error_of_the_git_source_only() {
    let folder = repository();
    folder.write("nothing/.git/config", "not a repository");
    folder.write("pointer/.git", "gitdir: /nowhere\n");
    folder.write("one/.git/HEAD", "ref: refs/heads/main\n");
    let hash = folder.git("one", &["rev-parse", "HEAD"]);
    let (start, rest) = hash.trim().split_at(2);
    let object = folder.join(&format!("one/.git/objects/{start}/{rest}"));
    fs::remove_file(&object).unwrap();
    fs::write(&object, "rubbish").unwrap();
    for path in ["nothing", "pointer", "one"] {
        let tree = walk(&folder, path);
        let mut memory = Memory::default();
        let result = memory.try_scan(SourceName::Git, &tree);
        assert!(matches!(result, Err(SourceError::Git { .. })), "{path}: {result:?}");
        memory.scan(SourceName::Code, &tree);
    }
}

#[test]
fn messages_are_decoded_and_never_empty() {
    let folder = repository();
    folder.git("one", &["config", "i18n.commitEncoding", "ISO-8859-1"]);
    folder.write("message", b"caf\xE9\n");
    folder.git("one", &["commit", "-q", "--allow-empty", "-F", "../message"]);
    folder.git("one", &["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", ""]);
    let mut memory = Memory::default();
    scan(&mut memory, &walk(&folder, "one"));
    titled(&memory, "caf\u{e9}");
    let hash = folder.git("one", &["rev-parse", "HEAD"]);
    assert_eq!(titled(&memory, &hash[..SHORT_HASH_LEN]).text, "");
}

#[test]
fn bulk_commits_list_some_files_and_count_all() {
    let folder = Folder::new();
    for number in 0..MAX_FILES + 50 {
        folder.write(&format!("one/f{number:03}.rs"), "x");
    }
    folder.git("one", &["init", "-q"]);
    commit(&folder, 1, "sweep");
    let mut memory = Memory::default();
    scan(&mut memory, &walk(&folder, "one"));
    let sweep = titled(&memory, "sweep");
    assert_eq!(files(sweep).len(), MAX_FILES);
    assert!(sweep.attributes.extra.contains(&("files".to_owned(), "250".to_owned())));
}

#[test]
fn cursors_round_trip_as_text() {
    let head = ObjectId::from_hex(b"0123456789012345678901234567890123456789").unwrap();
    for limit in [None, Some(0), Some(1_000)] {
        let cursor = Cursor { limit, scope: 77, head, commits: 9, older: 3 };
        assert_eq!(Cursor::parse(&cursor.to_text()), Some(cursor));
    }
    let written = Cursor { limit: None, scope: 7, head, commits: 9, older: 3 }.to_text();
    let of_old = written.replacen('2', "1", 1);
    let cut = written.rsplit_once(' ').unwrap().0;
    for text in ["", "2", "2 all 1 aa 1 0", "2 x 1 0123 1 0", "2 all zz 00 1 0", &of_old, cut] {
        assert_eq!(Cursor::parse(text), None, "{text}");
    }
}
