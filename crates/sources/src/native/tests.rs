//! The rules of every system, tested on all systems.

use super::{
    PathConvention::{MacOs, Unix, Windows},
    PathError::{Empty, Name, Outside},
    *,
};

#[test]
fn plain_names_are_valid_and_paths_that_leave_the_root_are_not() {
    for &convention in PathConvention::ALL {
        for path in ["a", "src/a.rs", ".hidden/b", "a b/c-d_e.f", "é/日本.md", "...a", "a..b"] {
            assert_eq!(check(path, convention), Ok(()), "{path} {convention:?}");
        }
        for (path, refusal) in [
            ("", Empty),
            ("a//b", Empty),
            ("a/", Empty),
            ("/a", Outside),
            ("..", Outside),
            ("a/../b", Outside),
            ("./a", Outside),
            ("a\0b", Name),
        ] {
            assert_eq!(check(path, convention), Err(refusal), "{path} {convention:?}");
        }
    }
}

/// Valid names on one system that mean something else on another.
#[test]
fn windows_rejects_names_with_a_special_meaning() {
    for path in [
        "NUL",
        "nul.txt",
        "src/aux.c",
        "Con",
        "com1",
        "COM¹.log",
        "lpt9.tar.gz",
        "prn ",
        "a.",
        "a ",
        "src./b",
        "a:b",
        "x.txt::$DATA",
        "C:",
        "C:a",
        r"a\b",
        r"..\a",
        "a?",
        "a*",
        "a|b",
        "<a>",
        "q\"q",
        "tab\tname",
        "aux .c",
        "conin$",
    ] {
        assert_eq!(check(path, Windows), Err(Name), "{path}");
        assert_eq!(check(path, Unix), Ok(()), "{path}");
        assert_eq!(check(path, MacOs), Ok(()), "{path}");
    }
    for path in ["nullable.rs", "com.rs", "com10", "auxiliary/a.c", "lpt", "console.log", "a.b "] {
        let expected = if path.ends_with(' ') { Err(Name) } else { Ok(()) };
        assert_eq!(check(path, Windows), expected, "{path}");
    }
}

#[test]
fn relative_paths_are_converted() {
    for (path, unix, windows) in [
        ("src/a.rs", Ok("src/a.rs"), Ok("src/a.rs")),
        (r"src\a.rs", Ok(r"src\a.rs"), Ok("src/a.rs")),
        (r"src\sub/a.rs", Ok(r"src\sub/a.rs"), Ok("src/sub/a.rs")),
        ("./src//a.rs", Ok("src/a.rs"), Ok("src/a.rs")),
        (r".\src\", Ok(r".\src\"), Ok("src")),
        ("src/", Ok("src"), Ok("src")),
        ("", Err(Empty), Err(Empty)),
        (".", Err(Empty), Err(Empty)),
        ("../a", Err(Outside), Err(Outside)),
        (r"a\..\..\b", Ok(r"a\..\..\b"), Err(Outside)),
        ("/a", Err(Outside), Err(Outside)),
        (r"\a", Ok(r"\a"), Err(Outside)),
        ("C:a", Ok("C:a"), Err(Outside)),
        (r"C:\a", Ok(r"C:\a"), Err(Outside)),
        (r"\\server\share\a", Ok(r"\\server\share\a"), Err(Outside)),
        (r"\\?\C:\a", Ok(r"\\?\C:\a"), Err(Outside)),
    ] {
        let owned = |expected: Result<&str, PathError>| expected.map(str::to_owned);
        assert_eq!(from_relative(path, Unix), owned(unix), "{path} on Unix");
        assert_eq!(from_relative(path, Windows), owned(windows), "{path} on Windows");
    }
}

/// Converting a path back and forth returns the same path.
#[test]
fn converting_paths_back_and_forth_changes_nothing() {
    for path in ["a", "src/a.rs", "é/日本.md", "a b/.c"] {
        for (convention, separator) in [(Unix, "/"), (MacOs, "/"), (Windows, "\\")] {
            let native = path.replace('/', separator);
            assert_eq!(from_relative(&native, convention).as_deref(), Ok(path), "{native}");
        }
    }
}

#[test]
fn paths_are_inside_whatever_the_spelling_of_the_root() {
    for (folder, path, expected) in [
        (r"C:\work", r"C:\work\src\a.rs", Ok("src/a.rs")),
        (r"C:\work", r"c:/Work/src/a.rs", Ok("src/a.rs")),
        (r"C:\work\", r"C:\work\a.rs", Ok("a.rs")),
        (r"\\?\C:\work", r"C:\work\a.rs", Ok("a.rs")),
        (r"C:\work", r"\\?\C:\work\a.rs", Ok("a.rs")),
        (r"C:\", r"C:\a.rs", Ok("a.rs")),
        (r"\\server\share", r"\\SERVER\Share\a\b", Ok("a/b")),
        (r"\\?\UNC\server\share\x", r"\\server\share\x\a", Ok("a")),
        (r"C:\work", r"C:\work", Err(Empty)),
        (r"C:\work", r"C:\workshop\a", Err(Outside)),
        (r"C:\work", r"D:\work\a", Err(Outside)),
        (r"C:\work", r"C:\work\..\a", Err(Outside)),
        (r"C:\work", r"C:work\a", Err(Outside)),
        (r"C:\work", r"work\a", Err(Outside)),
        (r"\\server\share", r"\\server\other\a", Err(Outside)),
    ] {
        let expected = expected.map(str::to_owned);
        assert_eq!(relative_to(folder, path, Windows), expected, "{path} in {folder}");
    }
    for (folder, path, expected) in [
        ("/work", "/work/src/a.rs", Ok("src/a.rs")),
        ("/", "/a", Ok("a")),
        ("/work", "/Work/a", Err(Outside)),
        ("/work", r"/work\a", Err(Outside)),
        ("/work", "/work/a/../../b", Err(Outside)),
        ("/work", "work/a", Err(Outside)),
    ] {
        assert_eq!(
            relative_to(folder, path, Unix),
            expected.map(str::to_owned),
            "{path} in {folder}"
        );
    }
    assert_eq!(relative_to("/Work", "/work/A", MacOs).as_deref(), Ok("A"));
}

#[test]
fn the_verbatim_prefix_is_removed_where_redundant() {
    for (path, expected) in [
        (r"\\?\C:\a\b", r"C:\a\b"),
        (r"\\?\C:\", r"C:\"),
        (r"\\?\UNC\server\share\a", r"\\server\share\a"),
        // Without the prefix, these would mean something else.
        (r"\\?\C:\a\nul", r"\\?\C:\a\nul"),
        (r"\\?\C:\a.\b", r"\\?\C:\a.\b"),
        (r"\\?\C:\a/b", r"\\?\C:\a/b"),
        (r"\\?\C:\a\..\b", r"\\?\C:\a\..\b"),
        (r"\\?\Volume{1}\a", r"\\?\Volume{1}\a"),
        (r"\\.\pipe\x", r"\\.\pipe\x"),
        (r"C:\a", r"C:\a"),
    ] {
        assert_eq!(without_verbatim_prefix(path, Windows), expected, "{path}");
        assert_eq!(without_verbatim_prefix(path, Unix), path, "{path}");
    }
    let long = format!(r"\\?\C:\{}", "a\\".repeat(200));
    assert_eq!(without_verbatim_prefix(&long, Windows), long);
}

#[test]
fn spellings_of_one_file_are_equal_by_the_rules_of_the_system() {
    let (composed, decomposed) = ("caf\u{e9}.md", "cafe\u{301}.md");
    for (one, other, unix, mac, windows) in [
        ("README", "README", true, true, true),
        ("README", "readme", false, true, true),
        (composed, decomposed, false, true, false),
        ("CAF\u{c9}.md", decomposed, false, true, false),
        ("STRASSE", "stra\u{df}e", false, false, false),
        ("a", "b", false, false, false),
        ("한", "\u{1112}\u{1161}\u{11ab}", false, true, false),
    ] {
        let found = [Unix, MacOs, Windows].map(|convention| is_same_name(one, other, convention));
        assert_eq!(found, [unix, mac, windows], "{one} and {other}");
    }
}

#[test]
fn every_alias_of_the_git_folder_is_recognized() {
    for name in [
        ".git",
        ".GIT",
        ".git ",
        ".git.",
        ".git. .",
        "git~1",
        "GIT~1",
        ".g\u{200c}it",
        "\u{feff}.git",
        ".git::$INDEX_ALLOCATION",
        ".Git\u{202e}",
    ] {
        assert!(is_git_folder(name), "{name:?}");
    }
    for name in [".gitignore", ".github", "git", "a.git", "git~2", ".git2", ""] {
        assert!(!is_git_folder(name), "{name:?}");
    }
}

#[test]
fn paths_of_a_tree_open_files_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let root = canonical(folder.path()).unwrap();
    std::fs::create_dir(root.join("sub")).unwrap();
    std::fs::write(root.join("sub").join("a.txt"), "a").unwrap();
    let place = to_disk(&root, "sub/a.txt").unwrap();
    assert!(place.is_file());
    assert_eq!(from_disk(&root, &place).as_deref(), Some("sub/a.txt"));
    assert_eq!(from_disk(&root, &root), None);
    assert_eq!(from_disk(&place, &root), None);
    for path in ["../a", "/etc/passwd", "", "sub//a.txt"] {
        assert!(to_disk(&root, path).is_err(), "{path}");
    }
}
