//! Files that a walk lists and skips.

use std::{collections::BTreeSet, fs, os::unix::fs::symlink};

use lore_schema::{SkipCounts, SkipReason};

use super::*;
use crate::fixture::{Folder, options, paths};

fn skipped(tree: &Tree, reason: SkipReason) -> u64 {
    tree.skipped().get(&reason).copied().unwrap_or(0)
}

/// A tree with most features of ignore files.
const IGNORING: &str = concat!(
    r"
//- /.gitignore
*.log
!keep.log
/build
out/
doc/*.pdf
**/generated/
a/**/z.txt
\#hash
",
    "trailing.txt   \n",
    r"[ab]x.txt
foo/*
!foo/bar/
dir-only/
//- /keep.log
k
//- /x.log
x
//- /build
a file, not a folder
//- /sub/build
listed
//- /out/a.txt
o
//- /sub/out/a.txt
o
//- /doc/a.pdf
p
//- /doc/sub/a.pdf
p
//- /sub/generated/deep/a.rs
g
//- /a/z.txt
z
//- /a/b/c/z.txt
z
//- /#hash
h
//- /trailing.txt
t
//- /ax.txt
a
//- /cx.txt
c
//- /foo/one
1
//- /foo/bar/two
2
//- /sub/dir-only
a file
//- /sub/.gitignore
*.md
!/README.md
//- /sub/README.md
r
//- /sub/other.md
o
//- /sub/deep/README.md
d
//- /sub/deep/.gitignore
!README.md
!*.log
//- /sub/deep/x.log
l
//- /excluded.tmp
e
//- /.hidden/a.rs
h
//- /plain.rs
p
"
);

#[test]
fn ignore_rules_match_those_of_git() {
    let folder = Folder::of(IGNORING);
    folder.git(".", &["init", "-q"]);
    folder.write(".git/info/exclude", "excluded.tmp\n");
    let all = ["ls-files", "--cached", "--others", "-z"];
    let listed = |arguments: &[&str]| -> BTreeSet<String> {
        let output = folder.git(".", &[&all[..], arguments].concat());
        output.split_terminator('\0').map(str::to_owned).collect()
    };
    let expected = listed(&["--exclude-standard"]);
    let tree = folder.walk();
    let found: BTreeSet<String> = paths(&tree).into_iter().map(str::to_owned).collect();
    assert_eq!(found, expected);
    assert!(expected.len() + 10 < listed(&[]).len(), "the rules leave something out");

    // The same from a folder inside the repository: rules of parent folders apply there, too.
    let tree = Tree::walk(&folder.join("sub"), &options()).unwrap();
    let found: BTreeSet<String> =
        paths(&tree).into_iter().map(|path| format!("sub/{path}")).collect();
    let below: BTreeSet<String> =
        expected.into_iter().filter(|path| path.starts_with("sub/")).collect();
    assert_eq!(found, below);
}

#[test]
fn rules_apply_without_a_repository_and_those_above_it_do_not() {
    let folder = Folder::of(
        "//- /.gitignore\n*.rs\n//- /tree/.gitignore\n*.log\n//- /tree/a.rs\na\n//- /tree/a.log\nl\n",
    );
    let tree = Tree::walk(&folder.join("tree"), &options()).unwrap();
    assert_eq!(paths(&tree), [".gitignore", "a.rs"]);
    assert_eq!(skipped(&tree, SkipReason::Ignored), 1);
}

#[test]
fn a_repository_inside_another_has_its_own_rules() {
    let folder = Folder::of(
        "//- /.gitignore\n*.log\n//- /inner/a.log\nl\n//- /inner/.gitignore\n*.tmp\n//- /inner/a.tmp\nt\n",
    );
    folder.git(".", &["init", "-q"]);
    folder.git("inner", &["init", "-q"]);
    assert_eq!(paths(&folder.walk()), [".gitignore", "inner/.gitignore", "inner/a.log"]);
}

#[test]
fn loreignore_has_precedence_over_ignore_and_gitignore() {
    let folder = Folder::of(
        "//- /.gitignore\ndist/\n*.gen\n//- /.ignore\n*.big\n!b.gen\n//- /.loreignore\n!/dist/\n!a.big\nsecret.md\n!/node_modules/\n//- /dist/a.js\nd\n//- /a.big\nb\n//- /b.big\nb\n//- /a.gen\ng\n//- /b.gen\ng\n//- /secret.md\ns\n//- /node_modules/m.js\nm\n//- /sub/node_modules/m.js\nm\n",
    );
    let tree = folder.walk();
    assert_eq!(
        paths(&tree),
        [
            ".gitignore",
            ".ignore",
            ".loreignore",
            "a.big",
            "b.gen",
            "dist/a.js",
            "node_modules/m.js"
        ]
    );
    assert_eq!(skipped(&tree, SkipReason::Ignored), 4);
}

#[test]
fn caches_and_version_control_are_skipped() {
    let folder = Folder::of(
        "//- /.svn/entries\ne\n//- /a/__pycache__/x.pyc\nx\n//- /.venv/x.py\nx\n//- /env/pyvenv.cfg\nhome\n//- /env/lib/x.py\nx\n//- /target/x.rs\nx\n//- /target/CACHEDIR.TAG\nSignature: 8a477f597d28d172789f06886806bc55\n//- /tagged/CACHEDIR.TAG\nno signature\n//- /CVS\na file of that name\n",
    );
    let tree = folder.walk();
    assert_eq!(paths(&tree), ["CVS", "tagged/CACHEDIR.TAG"]);
    assert_eq!(*tree.skipped(), SkipCounts::from([(SkipReason::Ignored, 4)]));
}

#[test]
fn hidden_files_can_be_skipped() {
    let folder = Folder::of("//- /.a/b.rs\nb\n//- /.c.rs\nc\n//- /d.rs\nd\n");
    assert_eq!(paths(&folder.walk()), [".a/b.rs", ".c.rs", "d.rs"]);
    let tree = Tree::walk(folder.path(), &WalkOptions { hidden: false, ..options() }).unwrap();
    assert_eq!(paths(&tree), ["d.rs"]);
    assert_eq!(skipped(&tree, SkipReason::Ignored), 2);
}

#[test]
fn stores_are_read_even_when_git_ignores_them() {
    let folder = Folder::of(
        "//- /.gitignore\n.sage/\n/docs/\n.beads\nAGENTS.md\n.cursor\nnotes.md\n.github\n/doc/features\n//- /doc/features/f.md\nf\n//- /.loreignore\n.sage/private/\n//- /.sage/tickets/a.md\na\n//- /.sage/private/b.md\nb\n//- /.sage/search-index.json\n{}\n//- /.sage/search/index.json\n{}\n//- /docs/api.html\nx\n//- /docs/adr/0001-a.md\na\n//- /.beads/issues.jsonl\n{}\n//- /sub/AGENTS.md\na\n//- /.cursor/rules/a.mdc\na\n//- /.cursor/mcp.json\n{}\n//- /notes.md\nn\n//- /.github/x.md\nx\n",
    );
    let tree = folder.walk();
    let ignored: Vec<&str> = paths(&tree)
        .into_iter()
        .filter(|path| tree.is_ignored(tree.index(path).unwrap()))
        .collect();
    assert_eq!(
        ignored,
        [
            ".beads/issues.jsonl",
            ".cursor/rules/a.mdc",
            ".sage/tickets/a.md",
            "doc/features/f.md",
            "docs/adr/0001-a.md",
            "sub/AGENTS.md",
        ]
    );
    assert_eq!(paths(&tree).len(), ignored.len() + 2);
    // notes.md, .github, two indexes, private, docs/api.html, .cursor/mcp.json
    assert_eq!(skipped(&tree, SkipReason::Ignored), 7);
}

#[test]
fn odd_names_are_listed_and_unreadable_ones_counted() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    for path in ["new\nline.rs", "sp ace/t\tab.rs", "-", "\u{fc}ml\u{e4}ut.md", "a\\b.rs"] {
        folder.write(path, "x");
    }
    let name = std::ffi::OsStr::from_bytes(b"latin\xE9.rs");
    fs::write(folder.path().join(name), "x").unwrap();
    let tree = folder.walk();
    assert_eq!(
        paths(&tree),
        ["-", "a\\b.rs", "new\nline.rs", "sp ace/t\tab.rs", "\u{fc}ml\u{e4}ut.md"]
    );
    assert_eq!(tree.read_text("new\nline.rs"), Ok("x".to_owned()));
    assert_eq!(*tree.skipped(), SkipCounts::from([(SkipReason::Unreadable, 1)]));
}

#[test]
fn links_never_loop_repeat_files_or_leave_the_root() {
    let outside = Folder::of("//- /secret.md\ns\n//- /dir/a.md\na\n");
    let folder = Folder::of(
        "//- /real.md\nr\n//- /sub/a.md\na\n//- /.gitignore\ngone/\n//- /gone/b.md\nb\n//- /.git/config\nc\n",
    );
    let link = |target: &str, path: &str| symlink(target, folder.join(path)).unwrap();
    link("real.md", "double.md");
    link("..", "sub/up");
    link("sub", "folder");
    link("circle", "circle");
    link("missing", "broken");
    link(outside.join("secret.md").to_str().unwrap(), "out.md");
    link(outside.join("dir").to_str().unwrap(), "out");
    link("gone/b.md", "first.md");
    link("gone/b.md", "second.md");
    link(".git/config", "config");
    link("/dev/null", "null");
    let tree = folder.walk();
    assert_eq!(paths(&tree), [".gitignore", "first.md", "real.md", "sub/a.md"]);
    assert_eq!(tree.read_text("first.md"), Ok("b\n".to_owned()));
    // sub/up, circle, broken, out.md, out, config, null. The targets of double.md, folder and
    // second.md are listed.
    assert_eq!(
        *tree.skipped(),
        SkipCounts::from([(SkipReason::Ignored, 1), (SkipReason::Symlink, 7)])
    );
}

#[test]
fn links_are_counted_if_their_target_is_not_listed() {
    let outside = Folder::of("//- /secret.md\ns\n");
    let outside = outside.join("secret.md");
    let cases = [
        ("a/x.md", "y.md", 0),
        ("a", "b", 0),
        ("a/deep", "b", 0),
        ("../a/x.md", "c/y.md", 0),
        ("a", "a-x", 0),
        ("missing", "b", 1),
        ("b", "b", 1),
        ("..", "a/up", 1),
        ("../..", "a/deep/up", 1),
        ("..", "a/deep/up", 1),
        (outside.to_str().unwrap(), "y.md", 1),
        ("..", "up", 1),
        ("gone", "b", 1),
        ("a/de", "b", 1),
    ];
    for (target, path, expected) in cases {
        let folder = Folder::of(
            "//- /.gitignore\ngone/\n//- /a/x.md\nx\n//- /a/deep/z.md\nz\n//- /c/c.md\nc\n//- /gone/g.md\ng\n",
        );
        symlink(target, folder.join(path)).unwrap();
        let tree = folder.walk();
        assert_eq!(paths(&tree).len(), 4, "{path} -> {target}");
        assert_eq!(skipped(&tree, SkipReason::Symlink), expected, "{path} -> {target}");
        assert_eq!(skipped(&tree, SkipReason::Ignored), 1, "{path} -> {target}");
        assert_eq!(tree.skipped().len(), 1 + usize::from(expected != 0), "{path} -> {target}");
    }
}

#[test]
fn fingerprints_prove_that_a_file_is_unchanged() {
    let outside = Folder::of("//- /secret.md\ns\n");
    let folder = Folder::of("//- /a/b.rs\nb\n//- /.gitignore\ngone\n//- /gone\ng\n");
    symlink("gone", folder.join("link.md")).unwrap();
    symlink(outside.join("secret.md"), folder.join("out.md")).unwrap();
    let tree = folder.walk_settled();
    assert_eq!(paths(&tree), [".gitignore", "a/b.rs", "link.md"]);
    for entry in tree.entries() {
        let now = fingerprint_of(folder.path(), &entry.path);
        assert_eq!(now, Some(entry.metadata), "{}", entry.path);
        assert!(is_unchanged(folder.path(), &entry.path, entry.metadata), "{}", entry.path);
    }
    let before = tree.entry("a/b.rs").unwrap().metadata;
    folder.write("a/b.rs", "c\n");
    let now = fingerprint_of(folder.path(), "a/b.rs");
    assert!(now.is_some() && now != Some(before));
    assert!(!is_unchanged(folder.path(), "a/b.rs", before));
    for path in ["", "a", "a/missing.rs", "../x", "/etc/passwd", "out.md"] {
        assert_eq!(fingerprint_of(folder.path(), path), None, "{path}");
        assert!(!is_unchanged(folder.path(), path, before), "{path}");
    }
}

#[test]
fn linked_stores_are_listed_under_the_link() {
    let folder = Folder::of(
        "//- /design/001-a/README.md\na\n//- /design/002-b/README.md\nb\n//- /openspec/specs/c/spec.md\nc\n//- /sub/x.rs\nx\n",
    );
    let link = |target: &str, path: &str| symlink(target, folder.join(path)).unwrap();
    link("design", "specs");
    link("../design", "design/loop");
    // Linked files are listed under the link, and only once.
    link("design/001-a/README.md", "z.md");
    link("design", "z");
    // A store that is recognized at its own place is not listed under the link.
    link("../openspec/specs", "sub/specs");
    let tree = folder.walk();
    assert_eq!(
        paths(&tree),
        ["openspec/specs/c/spec.md", "specs/001-a/README.md", "specs/002-b/README.md", "sub/x.rs"]
    );
    assert_eq!(tree.read_text("specs/001-a/README.md"), Ok("a\n".to_owned()));
    assert_eq!(*tree.skipped(), SkipCounts::from([(SkipReason::Symlink, 1)]), "design/loop");
}

#[test]
fn sockets_are_counted_and_a_missing_root_is_an_error() {
    let folder = Folder::of("//- /a.rs\na\n");
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    let tree = folder.walk();
    assert_eq!(paths(&tree), ["a.rs"]);
    assert_eq!(*tree.skipped(), SkipCounts::from([(SkipReason::NotAFile, 1)]));
    let missing = Tree::walk(&folder.join("missing"), &options());
    assert!(matches!(missing, Err(SourceError::Root { .. })));
    let file = Tree::walk(&folder.join("a.rs"), &options());
    assert!(matches!(file, Err(SourceError::Root { .. })));
}

#[test]
fn an_empty_folder_is_a_tree() {
    let folder = Folder::new();
    let tree = folder.walk();
    assert!(tree.entries().is_empty() && tree.skipped().is_empty());
}

#[test]
fn threads_do_not_change_the_listing() {
    let folder = Folder::new();
    for number in 0..300 {
        folder.write(&format!("d{}/e{}/f{number}.rs", number % 7, number % 5), "x");
    }
    let listing = |threads| {
        let tree = Tree::walk(folder.path(), &WalkOptions { threads, ..options() }).unwrap();
        tree.entries().to_vec()
    };
    let alone: Vec<String> = listing(1).into_iter().map(|entry| entry.path).collect();
    assert_eq!(alone.len(), 300);
    assert!(alone.is_sorted());
    for threads in [2, 8] {
        let many: Vec<String> = listing(threads).into_iter().map(|entry| entry.path).collect();
        assert_eq!(many, alone);
    }
}

#[test]
fn tracked_files_are_listed_although_rules_ignore_them() {
    let folder = Folder::of(
        "//- /.gitignore\nbuild/\n*.gen\n/docs/\nnode_modules/\n//- /build/deep/kept.rs\nk\n//- /build/deep/other.rs\no\n//- /build/x.rs\nx\n//- /a.gen\na\n//- /b.gen\nb\n//- /docs/page.md\np\n//- /docs/adr/1.md\n1\n//- /docs/sub/s.md\ns\n//- /node_modules/m.js\nm\n//- /.loreignore\n/build/x.rs\n",
    );
    folder.git("", &["init", "--quiet"]);
    let ignored = [".gitignore", ".loreignore", "docs/adr/1.md"];
    assert_eq!(paths(&folder.walk()), ignored);
    folder.git(
        "",
        &[
            "add",
            "-f",
            "build/deep/kept.rs",
            "build/x.rs",
            "a.gen",
            "docs/sub/s.md",
            "node_modules/m.js",
        ],
    );
    let tree = folder.walk();
    let expected = [
        ".gitignore",
        ".loreignore",
        "a.gen",
        "build/deep/kept.rs",
        "docs/adr/1.md",
        "docs/sub/s.md",
    ];
    assert_eq!(paths(&tree), expected, "`.loreignore` and caches are not git's");
    assert!(!tree.is_ignored(tree.index("a.gen").unwrap()));
    folder.git("", &["rm", "--quiet", "--cached", "a.gen", "build/deep/kept.rs"]);
    assert!(folder.walk().entry("a.gen").is_none());
    assert!(folder.walk().entry("build/deep/kept.rs").is_none());
}

#[test]
fn the_ignore_file_of_a_local_configuration_applies() {
    let folder = Folder::of(
        "//- /top/a.tmp\na\n//- /top/b.log\nb\n//- /top/c.rs\nc\n//- /rules\n*.tmp\n//- /other\n*.log\n",
    );
    folder.git("top", &["init", "--quiet"]);
    let listed = || {
        let tree = Tree::walk(&folder.join("top"), &options()).unwrap();
        paths(&tree).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(), ["a.tmp", "b.log", "c.rs"]);
    folder.git("top", &["config", "core.excludesFile", folder.join("rules").to_str().unwrap()]);
    assert_eq!(listed(), ["b.log", "c.rs"]);
    folder.git("top", &["config", "include.path", "../../more"]);
    folder.write("more", format!("[core]\n\texcludesFile = {}\n", folder.join("other").display()));
    assert_eq!(listed(), ["a.tmp", "c.rs"], "an included file comes later");
}
