//! Scans of histories created by git itself.

use std::fs;

use lore_schema::Document;

use super::{
    commit::{MAX_FILES, SHORT_HASH_LEN},
    *,
};
use crate::fixture::{Folder, Memory, options};

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

/// Scans, and continues with older commits.
fn scan_older(memory: &mut Memory, folder: &Folder, commits: usize) -> Vec<String> {
    let (commits, older_commits) = (Some(commits), true);
    let options = WalkOptions { commits, older_commits, ..options() };
    scan(memory, &Tree::walk(&folder.join("one"), &options).unwrap())
}

/// Number of commits that are not read yet.
fn beyond(memory: &Memory) -> u64 {
    memory.report.skipped.get(&SkipReason::BeyondLimit).copied().unwrap_or(0)
}

#[test]
fn commits_that_no_reference_leads_to_are_deleted() {
    let folder = repository();
    let mut memory = Memory::default();
    scan(&mut memory, &walk(&folder, "one"));
    folder.git_on("one", 4, &["commit", "-q", "--amend", "-m", "third, amended"]);
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["replace third, amended", "delete third"]);
    folder.git("one", &["reset", "-q", "--hard", "HEAD~1"]);
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["delete third, amended"]);
    // A former tip was deleted from the repository, too.
    folder.git("one", &["reflog", "expire", "--expire=now", "--all"]);
    memory.report.cursor = memory
        .report
        .cursor
        .replace(folder.git("one", &["rev-parse", "HEAD"]).trim(), &"1".repeat(40));
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["same second", "same first: begin"]);
}

#[test]
fn branches_remote_branches_and_tags_are_read() {
    let folder = repository();
    folder.git("one", &["checkout", "-q", "-b", "side", "HEAD~1"]);
    commit(&folder, 4, "on side");
    folder.git("one", &["checkout", "-q", "--detach"]);
    commit(&folder, 5, "light tag");
    folder.git("one", &["tag", "light"]);
    commit(&folder, 6, "heavy tag");
    folder.git("one", &["tag", "-a", "-m", "release", "heavy"]);
    commit(&folder, 7, "remote");
    folder.git("one", &["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    commit(&folder, 8, "note of a tool");
    folder.git("one", &["update-ref", "refs/tool/note", "HEAD"]);
    folder.git("one", &["checkout", "-q", "main"]);
    folder.git("one", &["tag", "of-a-file", "main:a.rs"]);
    let mut memory = Memory::default();
    let log = scan(&mut memory, &walk(&folder, "one"));
    let newest = ["replace remote", "replace heavy tag", "replace light tag", "replace on side"];
    let oldest = ["replace third", "replace second", "replace first: begin"];
    assert_eq!(log, [&newest[..], &oldest].concat());

    // The same references in another form.
    folder.git("one", &["pack-refs", "--all"]);
    assert!(scan(&mut memory, &walk(&folder, "one")).is_empty());
    // The tag leads to the commits of the branch, but the remote branch had one more.
    folder.git("one", &["branch", "-q", "-D", "side"]);
    folder.git("one", &["update-ref", "-d", "refs/remotes/origin/topic"]);
    assert_eq!(scan(&mut memory, &walk(&folder, "one")), ["delete remote"]);
    for tag in ["heavy", "light"] {
        folder.git("one", &["tag", "-d", tag]);
    }
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["delete heavy tag", "delete light tag", "delete on side"]);
    assert_eq!(memory.report.formats, [FormatCount { format: "git", units: 3 }]);
}

#[test]
fn a_scan_reads_the_newest_commits_and_later_ones_continue() {
    let folder = repository();
    let one = |commits| walk_up_to(&folder, "one", commits);
    let mut memory = Memory::default();
    assert_eq!(scan(&mut memory, &one(Some(1))), ["replace third"]);
    assert_eq!(beyond(&memory), 2);
    assert!(scan(&mut memory, &one(Some(1))).is_empty(), "a search reads no older commits");
    assert_eq!(scan_older(&mut memory, &folder, 1), ["replace second"]);
    assert_eq!(beyond(&memory), 1);
    for day in 4..7 {
        commit(&folder, day, &format!("day {day}"));
    }
    assert_eq!(scan(&mut memory, &one(Some(2))), ["replace day 6", "replace day 5"]);
    assert_eq!(beyond(&memory), 2);
    let log = scan(&mut memory, &one(None));
    assert_eq!(log, ["replace day 4", "replace first: begin"], "all history");
    assert_eq!(beyond(&memory), 0);
    assert!(scan(&mut memory, &one(Some(1))).is_empty(), "what was read is kept");
    assert!(scan_older(&mut memory, &folder, 1).is_empty());
    assert_eq!(memory.report.formats[0].units, 6);
    let log = scan(&mut memory, &one(Some(0)));
    assert!(log.len() == 6 && log.iter().all(|line| line.starts_with("gone")), "{log:?}");
}

#[test]
fn missing_commits_are_read_once_they_exist() {
    let folder = repository();
    let hash = folder.git("one", &["rev-parse", "HEAD~1"]);
    let (start, rest) = hash.trim().split_at(2);
    let object = folder.join(&format!("one/.git/objects/{start}/{rest}"));
    let aside = folder.join("aside");
    fs::rename(&object, &aside).unwrap();
    let missing = |memory: &Memory| memory.report.skipped.get(&SkipReason::Unreadable).copied();
    let mut memory = Memory::default();
    assert_eq!(scan(&mut memory, &walk(&folder, "one")), ["replace third"]);
    assert_eq!((missing(&memory), beyond(&memory)), (Some(1), 0));
    assert!(scan(&mut memory, &walk(&folder, "one")).is_empty());
    assert!(scan_older(&mut memory, &folder, 9).is_empty());
    assert_eq!(missing(&memory), Some(1));
    fs::rename(&aside, &object).unwrap();
    let log = scan(&mut memory, &walk(&folder, "one"));
    assert_eq!(log, ["replace second", "replace first: begin"]);
    assert_eq!((missing(&memory), beyond(&memory)), (None, 0));
}

/// A generator of numbers below a bound (Knuth's constants for 64 bits).
fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |bound| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    }
}

#[test]
fn scans_after_random_changes_equal_a_first_scan() {
    for seed in 0..6 {
        let folder = repository();
        let mut number = numbers(seed);
        let mut memory = Memory::default();
        for step in 0..30 {
            let branch = format!("b{}", number(4));
            let date = number(60);
            match number(9) {
                0..4 => {
                    folder.write("one/a.rs", format!("{seed} {step}"));
                    commit(&folder, date, &format!("step {step}"));
                }
                4 => drop(folder.git("one", &["checkout", "-q", "-B", &branch])),
                5 => {
                    let back = format!("HEAD~{}", number(3));
                    let exists = folder.git("one", &["rev-list", "--count", "HEAD"]);
                    if exists.trim().parse::<u64>().unwrap() > 3 {
                        folder.git("one", &["reset", "-q", "--hard", &back]);
                    }
                }
                6 => drop(folder.git("one", &["tag", "-f", &format!("t{}", number(2))])),
                7 => {
                    folder.git("one", &["checkout", "-q", "--detach"]);
                    let branches = folder.git("one", &["branch", "--list", &branch]);
                    if !branches.trim().is_empty() {
                        folder.git("one", &["branch", "-q", "-D", &branch]);
                    }
                }
                _ => {
                    let arguments = ["merge", "-q", "--no-edit", "-s", "ours", "main"];
                    folder.git_on("one", date, &arguments);
                }
            }
            if number(2) == 0 {
                scan(&mut memory, &walk_up_to(&folder, "one", Some(2)));
            }
            if number(4) == 0 {
                scan_older(&mut memory, &folder, 2);
            }
        }
        scan(&mut memory, &walk_up_to(&folder, "one", None));
        let mut first = Memory::default();
        scan(&mut first, &walk(&folder, "one"));
        assert_eq!(memory.documents, first.documents, "seed {seed}");
        assert_eq!(memory.report, first.report, "seed {seed}");
    }
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
    assert_eq!(commits("tree"), (3, SkipCounts::new()), "its branches are those of the other");
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
