//! Names and dates of commits, links, submodules, and missing objects.

use std::fs;

use lore_schema::{SkipReason, SourceName};

use crate::{
    FileFilter, Pattern, Revision, Tree, WalkOptions,
    fixture::{Folder, Memory, options, paths},
    grep,
};

fn repository() -> Folder {
    let folder = Folder::new();
    folder.git("", &["init", "--quiet", "-b", "main"]);
    folder
}

fn commit(folder: &Folder, day: u64, message: &str) -> String {
    folder.git_on("", day, &["add", "-A", "-f"]);
    folder.git_on("", day, &["commit", "--quiet", "--allow-empty", "-m", message]);
    folder.git("", &["rev-parse", "HEAD"]).trim().to_owned()
}

fn at(folder: &Folder, name: &str) -> Tree {
    at_in(folder, "", name)
}

fn at_in(folder: &Folder, inside: &str, name: &str) -> Tree {
    let root = folder.join(inside);
    let revision = Revision::named(&root, name).unwrap().expect("a commit");
    Tree::walk(&root, &WalkOptions { at: Some(revision), ..options() }).unwrap()
}

#[test]
fn commits_are_found_by_their_names_and_by_dates() {
    let folder = repository();
    let hashes: Vec<String> = (0..4)
        .map(|day| {
            folder.write("a.md", format!("day {day}\n"));
            commit(&folder, day, "a day")
        })
        .collect();
    folder.git_on("", 4, &["tag", "-a", "v1.0", "-m", "one", &hashes[1]]);
    folder.git("", &["branch", "side/way", &hashes[0]]);
    for (name, expected) in [
        ("HEAD", Some(3)),
        ("main", Some(3)),
        ("HEAD~2", Some(1)),
        ("main^", Some(2)),
        ("v1.0", Some(1)),
        ("v1.0~1", Some(0)),
        ("side/way", Some(0)),
        (&hashes[2], Some(2)),
        (&hashes[2][..9], Some(2)),
        ("HEAD~9", None),
        ("nothing", None),
        ("", None),
        ("HEAD:a.md", None),
        ("HEAD^{tree}", None),
        ("v1.0..main", None),
        ("0000000000000000000000000000000000000000", None),
    ] {
        let found = Revision::named(folder.path(), name).unwrap();
        let found = found.map(|revision| revision.commit());
        assert_eq!(found.as_ref(), expected.map(|day: usize| &hashes[day]), "{name}");
    }
    assert_eq!(Revision::ref_names(folder.path()), ["main", "side/way", "v1.0"]);
    let start = 1_600_000_000;
    for (moment, expected) in
        [(start, None), (start + 1, Some(0)), (start + 86_400 * 2, Some(1)), (i64::MAX, Some(3))]
    {
        let found = Revision::before(folder.path(), moment).unwrap();
        let found = found.map(|revision| revision.commit());
        assert_eq!(found.as_ref(), expected.map(|day: usize| &hashes[day]), "{moment}");
    }
    let outside = Folder::new();
    assert!(Revision::named(outside.path(), "HEAD").is_err());
    let empty = repository();
    assert!(Revision::named(empty.path(), "HEAD").unwrap().is_none());
    assert!(Revision::before(empty.path(), i64::MAX).is_err());
}

#[test]
fn the_tree_of_a_commit_lists_and_reads_its_files() {
    let folder = repository();
    folder.write(".gitignore", "kept.log\n*.tmp\n");
    folder.write("kept.log", "tracked even so\n");
    folder.write(".loreignore", "secret/\n");
    folder.write("secret/a.md", "hidden\n");
    folder.write("node_modules/x/index.js", "packages\n");
    folder.write("src/lib.rs", "fn before() {}\n");
    folder.write("docs/guide.md", "# Guide\n");
    folder.write("data.bin", b"\0\x01\x02");
    commit(&folder, 0, "first");
    fs::remove_dir_all(folder.join("src")).unwrap();
    folder.write("src", "a file in the place of a folder\n");
    folder.write("docs/guide.md", "# Guide, changed\n");
    folder.write("new.md", "new\n");
    commit(&folder, 1, "second");
    folder.write("docs/guide.md", "# Guide, not committed\n");
    folder.write("uncommitted.md", "nothing\n");

    let tree = at(&folder, "HEAD~1");
    assert_eq!(
        paths(&tree),
        [".gitignore", ".loreignore", "data.bin", "docs/guide.md", "kept.log", "src/lib.rs"]
    );
    assert_eq!(tree.skipped().get(&SkipReason::Ignored), Some(&2));
    assert_eq!(tree.read_text("src/lib.rs").as_deref(), Ok("fn before() {}\n"));
    assert_eq!(tree.read_text("docs/guide.md").as_deref(), Ok("# Guide\n"));
    assert_eq!(tree.read_text("data.bin"), Err(SkipReason::Binary));
    assert_eq!(tree.read_text("new.md"), Err(SkipReason::Unreadable));
    assert_eq!(tree.read_text("../x"), Err(SkipReason::Unreadable));
    let second = at(&folder, "HEAD");
    assert_eq!(second.read_text("src").as_deref(), Ok("a file in the place of a folder\n"));
    let stamp = |tree: &Tree, path: &str| tree.entry(path).expect("listed").metadata;
    assert_eq!(stamp(&tree, "kept.log"), stamp(&second, "kept.log"));
    assert_ne!(stamp(&tree, "docs/guide.md"), stamp(&second, "docs/guide.md"));

    let pattern = Pattern::new("guide", true, false).unwrap();
    let found = grep(&tree, &pattern, 2, 5, &FileFilter::Paths(&|_| true));
    assert_eq!(found.files.len(), 1);
    assert_eq!(found.files[0].lines[0].text, "# Guide");

    let mut memory = Memory::default();
    assert_eq!(memory.scan(SourceName::Git, &tree).len(), 1);
    assert_eq!(memory.scan(SourceName::Git, &second).len(), 1);
    assert_eq!(memory.stamps.len(), 2);
    memory.scan(SourceName::Git, &tree);
    assert_eq!(memory.stamps.len(), 1);
}

#[test]
fn a_subfolder_is_searched_in_an_earlier_commit() {
    let folder = repository();
    folder.write(".loreignore", "*.log\n");
    folder.write("part/one.md", "one\n");
    folder.write("part/two.log", "two\n");
    folder.write("other.md", "other\n");
    commit(&folder, 0, "first");
    let tree = at_in(&folder, "part", "HEAD");
    assert_eq!(paths(&tree), ["one.md"]);
    assert_eq!(tree.read_text("one.md").as_deref(), Ok("one\n"));
    let revision = tree.options().at.clone().expect("a commit");
    assert!(revision.contains("one.md") && !revision.contains("../other.md"));
    folder.write("late/a.md", "late\n");
    let root = folder.join("late");
    let revision = Revision::named(&root, "HEAD").unwrap();
    assert!(Tree::walk(&root, &WalkOptions { at: revision, ..options() }).is_err());
}

#[cfg(unix)]
#[test]
fn links_resolve_as_on_disk() {
    use std::os::unix::fs::symlink;
    let folder = repository();
    folder.write("target.md", "target\n");
    folder.write("designs/one/README.md", "# One\n");
    symlink("target.md", folder.join("link.md")).unwrap();
    symlink("designs", folder.join("specs")).unwrap();
    symlink("../outside", folder.join("out")).unwrap();
    symlink("/etc/passwd", folder.join("absolute")).unwrap();
    symlink("loop", folder.join("loop")).unwrap();
    commit(&folder, 0, "first");
    let (disk, past) = (folder.walk(), at(&folder, "HEAD"));
    assert_eq!(paths(&past), paths(&disk));
    assert_eq!(past.skipped(), disk.skipped());
    assert_eq!(past.read_text("specs/one/README.md").as_deref(), Ok("# One\n"));
    assert_eq!(past.read_text("link.md").as_deref(), Ok("target\n"));
    assert_eq!(past.read_text("absolute"), Err(SkipReason::Unreadable));
    assert_eq!(past.read_text("loop"), Err(SkipReason::Unreadable));
}

#[test]
fn submodules_are_read_at_the_recorded_commit() {
    let folder = Folder::new();
    for name in ["library", "main"] {
        fs::create_dir(folder.join(name)).unwrap();
        folder.git(name, &["init", "--quiet", "-b", "main"]);
    }
    let library = folder.join("library");
    folder.write("library/lib.rs", "fn old_name() {}\n");
    folder.write("library/.gitignore", "*.o\n");
    folder.git("library", &["add", "-A"]);
    folder.git("library", &["commit", "--quiet", "-m", "old"]);
    folder.write("main/app.rs", "fn app() {}\n");
    let url = library.to_str().unwrap();
    folder.git("main", &["submodule", "--quiet", "add", url, "deps/library"]);
    folder.git("main", &["add", "-A"]);
    folder.git("main", &["commit", "--quiet", "-m", "first"]);
    folder.write("library/lib.rs", "fn new_name() {}\n");
    folder.git("library", &["commit", "--quiet", "-am", "new"]);
    folder.git("main/deps/library", &["pull", "--quiet", "origin", "main"]);
    folder.git("main", &["commit", "--quiet", "-am", "second"]);
    folder.write("main/deps/library/made.o", "built\n");

    let disk = Tree::walk(&folder.join("main"), &options()).unwrap();
    let listed =
        [".gitmodules", "app.rs", "deps/library/.gitignore", "deps/library/lib.rs"].as_slice();
    assert_eq!(paths(&disk), listed);
    let now = at_in(&folder, "main", "HEAD");
    assert_eq!(paths(&now), listed);
    assert_eq!(now.read_text("deps/library/lib.rs").as_deref(), Ok("fn new_name() {}\n"));
    let before = at_in(&folder, "main", "HEAD~1");
    assert_eq!(before.read_text("deps/library/lib.rs").as_deref(), Ok("fn old_name() {}\n"));
    let mut memory = Memory::default();
    memory.scan(SourceName::Git, &now);
    assert_eq!(memory.stamps.len(), 2, "the commits are those of the parent alone");

    // No longer checked out but still in git's folder; then missing altogether.
    fs::remove_dir_all(folder.join("main/deps/library")).unwrap();
    let kept = at_in(&folder, "main", "HEAD~1");
    assert_eq!(kept.read_text("deps/library/lib.rs").as_deref(), Ok("fn old_name() {}\n"));
    fs::remove_dir_all(folder.join("main/.git/modules")).unwrap();
    let gone = at_in(&folder, "main", "HEAD~1");
    assert_eq!(paths(&gone), [".gitmodules", "app.rs"]);
    assert_eq!(gone.skipped().get(&SkipReason::Unreadable), Some(&1));
}

#[test]
fn missing_objects_are_counted() {
    let folder = repository();
    folder.write("here.md", "here\n");
    folder.write("gone.md", "gone\n");
    folder.write("folder/deep.md", "deep\n");
    commit(&folder, 0, "first");
    for name in ["HEAD:gone.md", "HEAD:folder"] {
        let id = folder.git("", &["rev-parse", name]);
        let (start, rest) = id.trim().split_at(2);
        fs::remove_file(folder.join(&format!(".git/objects/{start}/{rest}"))).unwrap();
    }
    let tree = at(&folder, "HEAD");
    assert_eq!(paths(&tree), ["here.md"]);
    assert_eq!(tree.skipped().get(&SkipReason::Unreadable), Some(&2));
    // An object of the wrong kind.
    let blob = folder.git("", &["rev-parse", "HEAD:here.md"]).trim().to_owned();
    let top = folder.git("", &["rev-parse", "HEAD^{tree}"]).trim().to_owned();
    let lie = format!("100644 blob {blob}\tgood.md\n");
    let lying = format!("{lie}160000 commit {}\tmodule\n", "1".repeat(40));
    for (text, expected) in [(lie, vec!["good.md"]), (lying, vec!["good.md"])] {
        folder.write("list", &text);
        let made = std::process::Command::new("git")
            .args(["mktree", "--missing"])
            .current_dir(folder.path())
            .stdin(fs::File::open(folder.join("list")).unwrap())
            .output()
            .unwrap();
        let id = String::from_utf8(made.stdout).unwrap();
        let commit = folder.git("", &["commit-tree", id.trim(), "-m", "lie"]);
        let tree = at(&folder, commit.trim());
        assert_eq!(paths(&tree), expected);
        let tree = at(&folder, commit.trim());
        assert_eq!(tree.read_text("good.md").as_deref(), Ok("here\n"));
    }
    assert!(Revision::named(folder.path(), &top).unwrap().is_none());
}

/// Adds a commit whose dates are no numbers.
fn commit_without_date(folder: &Folder, message: &str) -> String {
    let good = commit(folder, 9, message);
    let text = folder.git("", &["cat-file", "commit", &good]);
    let broken: String = text
        .lines()
        .map(|line| match line.split_once("> ") {
            Some((name, _)) if line.starts_with("author ") || line.starts_with("committer ") => {
                format!("{name}> notadate\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    folder.write(".git/broken", broken);
    let object = ["hash-object", "-w", "-t", "commit", "--literally", ".git/broken"];
    let hash = folder.git("", &object).trim().to_owned();
    folder.git("", &["update-ref", "HEAD", &hash]);
    hash
}

#[test]
fn a_commit_with_a_broken_date_is_skipped_by_dates_and_counted_as_unreadable() {
    let folder = repository();
    folder.write("a.md", "apple\n");
    let first = commit(&folder, 1, "first apple");
    let broken = commit_without_date(&folder, "broken apple");
    let found = Revision::before(folder.path(), i64::MAX).unwrap().expect("a commit");
    assert_eq!(found.commit(), first);
    assert_eq!(Revision::named(folder.path(), "HEAD").unwrap().unwrap().commit(), broken);
    let skipped = || {
        let mut memory = Memory::default();
        memory.scan(SourceName::Git, &Tree::walk(folder.path(), &options()).unwrap());
        assert!(memory.all().iter().any(|document| document.title == "first apple"));
        memory.report.skipped
    };
    let expected = lore_schema::SkipCounts::from([(SkipReason::Unreadable, 1)]);
    assert_eq!(skipped(), expected);
    let last = commit(&folder, 12, "last apple");
    assert_eq!(skipped(), expected, "with a sound commit before it");
    let found = Revision::before(folder.path(), i64::MAX).unwrap().expect("a commit");
    assert_eq!(found.commit(), last);
}
