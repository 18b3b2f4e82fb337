//! Repositories made to do harm: forged objects, and git directories of other repositories.

use std::fs;

use crate::{
    hostile::{assert_survived, innocent, is_harmful, run, start},
    workspace::Workspace,
};

/// Bytes in a zlib stream without compression.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut zlib = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("a block is no longer than that");
        zlib.push(u8::from(blocks.peek().is_none()));
        zlib.extend(length.to_le_bytes());
        zlib.extend((!length).to_le_bytes());
        zlib.extend(block);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    zlib.extend(((high << 16) | low).to_be_bytes());
    zlib
}

/// A repository with a commit.
fn repository() -> Workspace {
    let workspace = innocent();
    let date = "2025-01-16T08:15:00Z";
    workspace.git(date, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(date, &["add", "."]);
    workspace.git(date, &["commit", "--quiet", "-m", "refund: pay money back"]);
    workspace
}

/// Writes an object under a false name, and returns that name.
fn write_forged(workspace: &Workspace, number: u8, bytes: &[u8]) -> String {
    let name = format!("{number:02x}").repeat(20);
    let folder = workspace.tree().join(".git/objects").join(&name[..2]);
    fs::create_dir_all(&folder).expect("a new folder");
    fs::write(folder.join(&name[2..]), bytes).expect("a new file");
    name
}

fn object(kind: &str, size: &str, content: &[u8]) -> Vec<u8> {
    stored(&[format!("{kind} {size}\0").as_bytes(), content].concat())
}

fn commit(tree: &str, parents: &[&str], rest: &str) -> Vec<u8> {
    let parents: String = parents.iter().flat_map(|parent| ["parent ", parent, "\n"]).collect();
    let text = format!("tree {tree}\n{parents}{rest}");
    object("commit", &text.len().to_string(), text.as_bytes())
}

/// Author and time of a commit.
const PERSON: &str = "author A <a@example.com> 1700000000 +0000\n\
                      committer A <a@example.com> 1700000000 +0000\n";

/// The empty tree.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// An entry of a git tree.
fn entry(mode: &str, name: &[u8], id: u8) -> Vec<u8> {
    [mode.as_bytes(), b" ", name, b"\0", &[id; 20]].concat()
}

/// Forges objects in a repository, and returns the commit for HEAD.
type Forgery = fn(&Workspace) -> String;

/// Each forgery with its description.
const FORGERIES: &[(&str, Forgery)] = &[
    ("its own parent", |at| {
        let name = "aa".repeat(20);
        write_forged(at, 0xaa, &commit(EMPTY, &[&name], &format!("{PERSON}\nround\n")))
    }),
    ("two in a ring", |at| {
        let [one, two] = ["aa".repeat(20), "bb".repeat(20)];
        write_forged(at, 0xbb, &commit(EMPTY, &[&one], &format!("{PERSON}\nround\n")));
        write_forged(at, 0xaa, &commit(EMPTY, &[&two], &format!("{PERSON}\nround\n")))
    }),
    ("missing parents", |at| {
        write_forged(
            at,
            0xaa,
            &commit(EMPTY, &["cc".repeat(20).as_str(); 100], &format!("{PERSON}\nlost\n")),
        )
    }),
    ("missing tree", |at| {
        write_forged(at, 0xaa, &commit(&"cc".repeat(20), &[], &format!("{PERSON}\nlost\n")))
    }),
    ("garbage dates", |at| {
        let person = "author \u{7} <> 99999999999999999999999 +9999\ncommitter  <>> -1 -x\n";
        write_forged(at, 0xaa, &commit(EMPTY, &[], &format!("{person}\nwhen\n")))
    }),
    ("an unknown encoding", |at| {
        let person = format!("{PERSON}encoding \u{1b}[2J-utf-99\n");
        write_forged(at, 0xaa, &commit(EMPTY, &[], &format!("{person}\n\u{1b}]0;evil\u{7}what\n")))
    }),
    ("no message", |at| write_forged(at, 0xaa, &commit(EMPTY, &[], PERSON))),
    ("a message of 100,000 lines", |at| {
        write_forged(
            at,
            0xaa,
            &commit(EMPTY, &[], &format!("{PERSON}\n{}", "a line\n".repeat(100_000))),
        )
    }),
    ("nothing in it", |at| write_forged(at, 0xaa, b"")),
    ("no zlib", |at| write_forged(at, 0xaa, &[0xff; 4_096])),
    ("too short", |at| write_forged(at, 0xaa, &object("commit", "500", b"tree "))),
    ("too long", |at| write_forged(at, 0xaa, &object("commit", "3", &vec![b'a'; 70_000]))),
    ("a size beyond memory", |at| {
        write_forged(at, 0xaa, &object("commit", "9223372036854775807", b"tree"))
    }),
    ("a size of a terabyte", |at| {
        write_forged(at, 0xaa, &object("commit", "1099511627776", b"tree"))
    }),
    ("no kind", |at| write_forged(at, 0xaa, &object("wish", "4", b"tree"))),
    ("a blob as a commit", |at| write_forged(at, 0xaa, &object("blob", "4", b"tree"))),
    ("evil names in a tree", |at| {
        let long = vec![b'n'; 70_000];
        let names: [&[u8]; 10] = [
            b"..",
            b".",
            b".git",
            b"a/b",
            b"/etc/passwd",
            b"",
            b"a\nb",
            b"a\x1b[2Jb",
            b"\xff\xfe",
            &long,
        ];
        let content: Vec<u8> =
            names.into_iter().flat_map(|name| entry("100644", name, 0xcc)).collect();
        let tree = write_forged(at, 0xbb, &object("tree", &content.len().to_string(), &content));
        write_forged(at, 0xaa, &commit(&tree, &[], &format!("{PERSON}\nevil names\n")))
    }),
    ("a tree in itself", |at| {
        let content = entry("40000", b"again", 0xbb);
        let tree = write_forged(at, 0xbb, &object("tree", &content.len().to_string(), &content));
        write_forged(at, 0xaa, &commit(&tree, &[], &format!("{PERSON}\nfor ever\n")))
    }),
    ("a tree of rubbish", |at| {
        let tree = write_forged(at, 0xbb, &object("tree", "6", b"100644"));
        write_forged(at, 0xaa, &commit(&tree, &[], &format!("{PERSON}\nrubbish\n")))
    }),
];

#[test]
fn forged_git_objects() {
    let head = |workspace: &Workspace, name: &str| {
        fs::write(workspace.tree().join(".git/refs/heads/main"), format!("{name}\n"))
            .expect("it is ours");
    };
    for (what, forge) in FORGERIES {
        let workspace = repository();
        let name = forge(&workspace);
        head(&workspace, &name);
        assert_survived(&workspace, what);
        for arguments in [
            &["refund", "--in", "git"][..],
            &["nothing-has-this-word", "--json"],
            &["refund", "--since", "2020-01-01"],
        ] {
            let ran = run(&workspace, arguments);
            assert!(ran.code.is_some_and(|code| code <= 1), "{what}: {}", start(&ran.stderr));
            assert!(!ran.stderr.contains("internal error"), "{what}: {}", start(&ran.stderr));
            assert!(!ran.stdout.chars().any(is_harmful), "{what}: {}", start(&ran.stdout));
        }
    }
}

#[test]
fn a_git_file_that_points_elsewhere_reveals_nothing() {
    let private = repository();
    let git = private.tree().join(".git");
    let check = |workspace: &Workspace, shows: bool| {
        let ran = run(workspace, &["pay money back", "--in", "git", "--json"]);
        assert_eq!(ran.stdout.contains("refund: pay money back"), shows, "{ran:?}");
        let tree = &run(workspace, &["pays money", "--json"]).json()["receipt"]["tree"];
        assert_eq!(tree.is_string(), shows, "{tree}");
    };
    check(&private, true);
    let workspace = innocent();
    workspace.write(".git", format!("gitdir: {}\n", git.display()));
    check(&workspace, false);
    let workspace = innocent();
    fs::create_dir(workspace.tree().join(".git")).expect("a new folder");
    workspace.write(".git/commondir", format!("{}\n", git.display()));
    workspace.write(".git/HEAD", "ref: refs/heads/main\n");
    check(&workspace, false);
    #[cfg(unix)]
    {
        let workspace = innocent();
        std::os::unix::fs::symlink(&git, workspace.tree().join(".git")).expect("a new link");
        check(&workspace, false);
    }
    // Worktrees and submodules are named by the repository, too.
    let side = private.tree().join("../side");
    let side = side.to_str().expect("the name is ours");
    private.git("2025-01-17T08:15:00Z", &["worktree", "add", "--quiet", side]);
    let ran = run(&private, &["-C", side, "pay money back", "--in", "git", "--json"]);
    assert!(ran.stdout.contains("refund: pay money back"), "{ran:?}");
    let above = repository();
    let url = private.tree();
    let url = url.to_str().expect("the name is ours");
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "inner"];
    above.git("2025-01-17T08:15:00Z", &add);
    let inner = above.tree().join("inner");
    let inner = inner.to_str().expect("the name is ours");
    let ran = run(&above, &["-C", inner, "pay money back", "--in", "git", "--json"]);
    assert!(ran.stdout.contains("refund: pay money back"), "{ran:?}");
}
