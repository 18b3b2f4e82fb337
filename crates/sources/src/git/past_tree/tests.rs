//! Checkouts of commits.

use super::*;
use crate::fixture::Folder;

fn commit(folder: &Folder, day: u64) -> String {
    folder.git("one", &["add", "-A"]);
    folder.git_on("one", day, &["commit", "-q", "-m", "change"]);
    folder.git("one", &["rev-parse", "HEAD"]).trim().to_owned()
}

/// The files below a folder as `path=content`, sorted, and empty folders as `path/`.
fn listing(folder: &Path) -> Vec<String> {
    fn add(root: &Path, folder: &Path, all: &mut Vec<String>) {
        let mut entries = fs::read_dir(folder).unwrap().peekable();
        if entries.peek().is_none() && folder != root {
            all.push(format!("{}/", folder.strip_prefix(root).unwrap().display()));
        }
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(root, &path, all);
            } else {
                let name = path.strip_prefix(root).unwrap().display();
                all.push(format!("{name}={}", fs::read_to_string(&path).unwrap().trim()));
            }
        }
    }
    let mut all = Vec::new();
    add(folder, folder, &mut all);
    all.sort();
    all
}

#[test]
fn commits_are_checked_out_one_after_another() {
    let folder = Folder::of("//- /one/a.rs\na1\n//- /one/sub/deep/b.rs\nb1\n//- /one/turn\nfile\n");
    folder.git("one", &["init", "-q", "-b", "main"]);
    let first = commit(&folder, 1);
    folder.write("one/a.rs", "a2");
    fs::remove_dir_all(folder.join("one/sub")).unwrap();
    fs::remove_file(folder.join("one/turn")).unwrap();
    folder.write("one/turn/in.rs", "folder");
    let second = commit(&folder, 2);
    let expected = [
        (&first, vec!["a.rs=a1", "sub/deep/b.rs=b1", "turn=file"]),
        (&second, vec!["a.rs=a2", "turn/in.rs=folder"]),
    ];
    fs::create_dir(folder.join("out")).unwrap();
    let mut tree = PastTree::open(&folder.join("one"), &folder.join("out"), 100).unwrap();
    // Forwards and backwards: commits may be in any order.
    for at in [0, 1, 0, 0, 1] {
        let (commit, files) = &expected[at];
        tree.show(commit).unwrap();
        assert_eq!(listing(&folder.join("out")), *files);
    }
    assert!(tree.skipped().is_empty());
    // A folder inside the repository is checked out alone.
    fs::create_dir(folder.join("inner")).unwrap();
    let mut tree = PastTree::open(&folder.join("one/turn"), &folder.join("inner"), 100).unwrap();
    tree.show(&first).unwrap();
    assert_eq!(listing(&folder.join("inner")), [""; 0]);
    tree.show(&second).unwrap();
    assert_eq!(listing(&folder.join("inner")), ["in.rs=folder"]);
    let error = tree.show(&"1".repeat(40)).expect_err("no commit").to_string();
    assert!(error.contains("there is no commit 1111"), "{error}");
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_written_and_others_counted() {
    use std::os::unix::{ffi::OsStrExt, fs::PermissionsExt, fs::symlink};
    let folder = Folder::of("//- /one/a.rs\na\n//- /one/tool.sh\nrun\n//- /one/b.rs\nb\n");
    folder.write("one/big.txt", "x".repeat(101));
    folder.write("one/just.txt", "x".repeat(100));
    symlink("/etc/passwd", folder.join("one/link")).unwrap();
    fs::set_permissions(folder.join("one/tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("one").join(std::ffi::OsStr::from_bytes(b"odd\xff")), "o").unwrap();
    folder.git("one", &["init", "-q", "-b", "main"]);
    folder.git("one", &["add", "-A"]);
    let sub = "0123456789012345678901234567890123456789";
    folder.git("one", &["update-index", "--add", "--cacheinfo", &format!("160000,{sub},lib")]);
    folder.git_on("one", 1, &["commit", "-q", "-m", "first"]);
    let first = folder.git("one", &["rev-parse", "HEAD"]);
    fs::remove_file(folder.join("one/b.rs")).unwrap();
    symlink("a.rs", folder.join("one/b.rs")).unwrap();
    fs::remove_file(folder.join("one/link")).unwrap();
    folder.write("one/link", "no link");
    folder.write("one/big.txt", "small");
    folder.git("one", &["add", "b.rs", "link", "big.txt"]);
    folder.git_on("one", 2, &["commit", "-q", "-m", "second"]);
    let second = folder.git("one", &["rev-parse", "HEAD"]);

    fs::create_dir(folder.join("out")).unwrap();
    let out = folder.join("out");
    let mut tree = PastTree::open(&folder.join("one"), &out, 100).unwrap();
    tree.show(first.trim()).unwrap();
    let just = format!("just.txt={}", "x".repeat(100));
    assert_eq!(listing(&out), ["a.rs=a", "b.rs=b", &just, "tool.sh=run"]);
    let expected = SkipCounts::from([
        (SkipReason::NotAFile, 1),
        (SkipReason::Symlink, 1),
        (SkipReason::TooLarge, 1),
        (SkipReason::Unreadable, 1),
    ]);
    assert_eq!(tree.skipped(), expected);
    tree.show(second.trim()).unwrap();
    assert_eq!(listing(&out), ["a.rs=a", "big.txt=small", &just, "link=no link", "tool.sh=run"]);
    assert_eq!(tree.skipped()[&SkipReason::Symlink], 2);
    tree.show(first.trim()).unwrap();
    assert_eq!(listing(&out), ["a.rs=a", "b.rs=b", &just, "tool.sh=run"]);
}

#[test]
fn names_that_lead_elsewhere_are_not_followed() {
    let folder = Folder::of("//- /one/a.rs\na\n");
    folder.git("one", &["init", "-q", "-b", "main"]);
    folder.git("one", &["add", "-A"]);
    // git itself rejects such names, unless a tree is written by hand.
    let blob = folder.git("one", &["hash-object", "-w", "a.rs"]);
    let id: Vec<u8> =
        (0..20).map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).unwrap()).collect();
    let entries: Vec<u8> = [".GIT", "..", "ok.rs"]
        .iter()
        .flat_map(|name| [b"100644 ", name.as_bytes(), b"\0", &id].concat())
        .collect();
    fs::write(folder.join("one/tree"), entries).unwrap();
    let hash = ["hash-object", "-w", "-t", "tree", "--literally", "tree"];
    let tree = folder.git("one", &hash);
    let commit = folder.git("one", &["commit-tree", "-m", "odd", tree.trim()]);
    fs::create_dir(folder.join("out")).unwrap();
    let mut past = PastTree::open(&folder.join("one"), &folder.join("out"), 100).unwrap();
    past.show(commit.trim()).unwrap();
    assert_eq!(listing(&folder.join("out")), ["ok.rs=a"]);
    assert_eq!(past.skipped(), SkipCounts::from([(SkipReason::Unreadable, 2)]));
}

#[test]
fn existing_files_are_never_overwritten() {
    let folder = Folder::of("//- /one/a.rs\na\n//- /out/mine.rs\nm\n");
    folder.git("one", &["init", "-q"]);
    let check = |out: &str, expected: &str| {
        let opened = PastTree::open(&folder.join("one"), &folder.join(out), 100);
        let Err(error) = opened else { panic!("{out} is opened") };
        assert!(error.to_string().contains(expected), "{error}");
    };
    check("out", "it is not empty");
    check("nowhere", "No such file");
}
