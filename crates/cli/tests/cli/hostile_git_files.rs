//! Repositories whose own files do harm: named pipes, links to files elsewhere, endless lists and
//! texts. Each run must end by itself, find the harmless file, and show nothing from outside.

use std::{fmt::Write as _, fs, os::unix::fs::symlink, path::Path, process::Command};

use crate::{
    hostile::{assert_survived, innocent, run, start},
    workspace::Workspace,
};

const DATE: &str = "2025-01-16T08:15:00Z";

/// A private text outside the tree. Its words are in no answer and no error.
const PRIVATE: &str = "zirconium quokka 0123456789abcdef\n";

/// A repository with two commits and packed references.
fn repository() -> Workspace {
    let workspace = innocent();
    workspace.git(DATE, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(DATE, &["add", "."]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "refund: pay money back"]);
    workspace.git(DATE, &["tag", "one"]);
    workspace.write("notes.md", "# Notes\n\nNothing yet.\n");
    workspace.git(DATE, &["add", "."]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "notes: begin"]);
    workspace
}

/// Replaces a file or folder below `.git`, and returns its path.
fn replaced(workspace: &Workspace, name: &str) -> std::path::PathBuf {
    let path = workspace.tree().join(".git").join(name);
    if path.is_dir() {
        fs::remove_dir_all(&path).expect("it is ours");
    } else if path.symlink_metadata().is_ok() {
        fs::remove_file(&path).expect("it is ours");
    }
    fs::create_dir_all(path.parent().expect("it has one")).expect("a new folder");
    path
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo is there");
    assert!(made.success(), "{}", path.display());
}

/// Runs the queries that read a repository, and checks that all of them end and reveal nothing.
fn assert_ends(workspace: &Workspace, what: &str) {
    for arguments in [
        &["refund", "--json"][..],
        &["notes", "--in", "git", "--json"],
        &["nothing-has-this-word", "--json"],
        &["refund", "--since", "2020-01-01"],
        &["refund", "--at", "one"],
        &["refund", "--at", "HEAD~1"],
        &["status"],
    ] {
        let ran = run(workspace, arguments);
        assert!(ran.code.is_some(), "{what}, {arguments:?}: {}", start(&ran.stderr));
        assert!(!ran.stderr.contains("internal error"), "{what}: {}", start(&ran.stderr));
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains("zirconium"), "{what}, {arguments:?}: {}", start(text));
        }
    }
}

#[test]
fn named_pipes_in_a_repository() {
    for name in [
        "HEAD",
        "config",
        "packed-refs",
        "commondir",
        "shallow",
        "index",
        "info/exclude",
        "refs/heads/main",
        "refs/heads",
        "objects/info/alternates",
        "objects/info/commit-graph",
        "objects/pack/pack-0123456789012345678901234567890123456789.idx",
        "objects/00/00000000000000000000000000000000000000",
        "logs/HEAD",
    ] {
        let workspace = repository();
        make_pipe(&replaced(&workspace, name));
        assert_survived(&workspace, name);
        assert_ends(&workspace, name);
    }
    let workspace = innocent();
    make_pipe(&workspace.tree().join(".git"));
    assert_survived(&workspace, ".git");
    for name in [".gitignore", ".ignore", ".loreignore", "CACHEDIR.TAG"] {
        let workspace = repository();
        make_pipe(&workspace.tree().join(name));
        assert_survived(&workspace, name);
    }
}

#[test]
fn links_that_leave_a_repository() {
    for name in [
        "HEAD",
        "config",
        "packed-refs",
        "shallow",
        "refs/heads/main",
        "refs/heads",
        "objects/info/alternates",
        "info/exclude",
        "FETCH_HEAD",
    ] {
        let workspace = repository();
        let outside = workspace.tree().join("../outside");
        fs::write(&outside, PRIVATE).expect("a new file");
        let outside = outside.canonicalize().expect("it is there");
        symlink(outside, replaced(&workspace, name)).expect("a new link");
        assert_survived(&workspace, name);
        assert_ends(&workspace, name);
        let ran = run(&workspace, &["refund", "--at", "FETCH_HEAD"]);
        assert!(!ran.stderr.contains("zirconium"), "{name}: {}", start(&ran.stderr));
    }
    // The objects of another repository.
    let workspace = repository();
    let other = repository();
    other.write("zirconium.md", "# Zirconium\n");
    other.git(DATE, &["add", "."]);
    other.git(DATE, &["commit", "--quiet", "-m", "zirconium: add"]);
    let head = fs::read(other.tree().join(".git/refs/heads/main")).expect("it is there");
    symlink(other.tree().join(".git/objects"), replaced(&workspace, "objects")).expect("a link");
    workspace.write(".git/refs/heads/main", head);
    assert_survived(&workspace, "objects");
    assert_ends(&workspace, "objects");
    // A link that stays inside is what old versions of git made.
    let workspace = repository();
    symlink("refs/heads/main", replaced(&workspace, "HEAD")).expect("a new link");
    let ran = run(&workspace, &["pay money back", "--in", "git", "--json"]);
    assert!(ran.stdout.contains("refund: pay money back"), "{ran:?}");
}

#[test]
fn errors_about_a_repository_contain_no_content() {
    for name in ["HEAD", "refs/heads/main", "packed-refs", "config", "shallow"] {
        let workspace = repository();
        let path = workspace.tree().join(".git").join(name);
        fs::write(&path, PRIVATE).expect("it is ours");
        assert_survived(&workspace, name);
        assert_ends(&workspace, name);
    }
}

#[test]
fn a_past_submodule_that_became_a_link_reveals_nothing() {
    let private = repository();
    private.write("zirconium.md", "# Zirconium\n\nThe zirconium of a neighbour.\n");
    private.git(DATE, &["add", "."]);
    private.git(DATE, &["commit", "--quiet", "-m", "zirconium: add"]);
    let head = fs::read_to_string(private.tree().join(".git/refs/heads/main")).expect("it is ours");
    let workspace = innocent();
    workspace.git(DATE, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(DATE, &["add", "."]);
    let entry = format!("160000,{},sub", head.trim());
    workspace.git(DATE, &["update-index", "--add", "--cacheinfo", &entry]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "with a submodule"]);
    workspace.git(DATE, &["rm", "--quiet", "--cached", "sub"]);
    symlink(private.tree(), workspace.tree().join("sub")).expect("a new link");
    workspace.git(DATE, &["add", "."]);
    workspace.git(DATE, &["commit", "--quiet", "-m", "with a link"]);
    for revision in ["HEAD~1", "HEAD"] {
        let ran = run(&workspace, &["zirconium", "--at", revision, "--json"]);
        assert!(!ran.stdout.contains("neighbour"), "{revision}: {}", start(&ran.stdout));
        let ran = run(&workspace, &["pays money back", "--at", revision, "--json"]);
        assert_eq!(ran.paths()[0], "src/refund.rs", "{revision}");
    }
}

#[test]
fn endless_lists_and_texts() {
    // A first paragraph of 2 MB, and a message of 4 MB.
    let workspace = repository();
    let file = workspace.tree().join("../message");
    for text in ["word ".repeat(400_000), format!("title\n\n{}", "a line of it\n".repeat(300_000))]
    {
        fs::write(&file, text).expect("a new file");
        let file = file.to_str().expect("the name is ours");
        workspace.git(DATE, &["commit", "--quiet", "--allow-empty", "-F", file]);
    }
    assert_survived(&workspace, "a long message");
    assert_ends(&workspace, "a long message");
    // Alternates.
    let workspace = repository();
    let lines: Vec<String> = (0..100_000).map(|number| format!("/nowhere/{number}")).collect();
    workspace.write(".git/objects/info/alternates", lines.join("\n"));
    assert_survived(&workspace, "alternates");
    // Sparse ignore files.
    for name in [".gitignore", ".ignore", ".loreignore", ".git/info/exclude", ".git/packed-refs"] {
        let workspace = repository();
        let file = fs::File::create(workspace.tree().join(name)).expect("a new file");
        file.set_len(3 << 30).expect("a sparse file");
        assert_survived(&workspace, name);
    }
    // A tree of 2^24 folders, in 24 objects.
    let workspace = repository();
    let mut child = git_in(&workspace, &["mktree"], b"");
    for _ in 0..24 {
        let entries = format!("040000 tree {child}\ta\n040000 tree {child}\tb\n");
        child = git_in(&workspace, &["mktree"], entries.as_bytes());
    }
    let bomb = git_in(&workspace, &["commit-tree", &child, "-m", "bomb"], b"");
    let ran = run(&workspace, &["refund", "--at", &bomb]);
    assert!(ran.code.is_some(), "{}", start(&ran.stderr));
}

/// Runs git with an input, and returns its output without the line end.
fn git_in(workspace: &Workspace, arguments: &[&str], input: &[u8]) -> String {
    use std::io::Write;

    let mut child = Command::new("git")
        .current_dir(workspace.tree())
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("git is there");
    child.stdin.take().expect("it is piped").write_all(input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("a name").trim().to_owned()
}

#[test]
fn a_bare_repository_is_explained() {
    let workspace = repository();
    let bare = workspace.tree().join("../bare.git");
    let (from, to) = (workspace.tree(), bare.to_str().expect("the name is ours").to_owned());
    let from = from.to_str().expect("the name is ours");
    workspace.git(DATE, &["clone", "--quiet", "--bare", from, &to]);
    let ran = run(&workspace, &["-C", &to, "search", "zirconium"]);
    assert!(
        ran.stdout.contains("bare git repository") || ran.stderr.contains("bare git repository"),
        "{ran:?}"
    );
}

/// A commit with a date that cannot be read, at HEAD, hides no other commit.
#[test]
fn a_broken_date_at_head_hides_nothing() {
    for date in ["99999999999999999999999 +9999", "x", "-1 -x", "", "1700000000"] {
        let workspace = repository();
        let tree = git_in(&workspace, &["rev-parse", "HEAD^{tree}"], b"");
        let parent = git_in(&workspace, &["rev-parse", "HEAD"], b"");
        let person = format!("A <a@example.com> {date}");
        let commit = format!(
            "tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n\nbroken: a date\n"
        );
        let hash = ["hash-object", "-t", "commit", "-w", "--literally", "--stdin"];
        let broken = git_in(&workspace, &hash, commit.as_bytes());
        workspace.write(".git/refs/heads/main", format!("{broken}\n"));
        let ran = run(&workspace, &["pay money back", "--in", "git", "--json"]);
        assert!(ran.stdout.contains("refund: pay money back"), "{date:?}: {ran:?}");
        assert_survived(&workspace, date);
    }
}

#[test]
fn programs_that_a_repository_names_are_not_started() {
    let workspace = repository();
    let started = workspace.tree().join("../started");
    let program = workspace.tree().join("../program");
    let script = format!("#!/bin/sh\ntouch '{}'\n", started.display());
    fs::write(&program, script).expect("a new file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, executable).expect("it is ours");
    let program = program.canonicalize().expect("it is there");
    let mut config = fs::read_to_string(workspace.tree().join(".git/config")).expect("it is there");
    for (section, keys) in [
        ("core", &["fsmonitor", "sshCommand", "pager", "editor", "hooksPath", "askPass"][..]),
        ("filter \"x\"", &["clean", "smudge", "process"]),
        ("diff \"x\"", &["textconv", "command"]),
        ("credential", &["helper"]),
        ("gpg", &["program"]),
    ] {
        writeln!(config, "[{section}]").expect("a text grows");
        for key in keys {
            writeln!(config, "\t{key} = {}", program.display()).expect("a text grows");
        }
    }
    workspace.write(".git/config", config);
    workspace.write(".gitattributes", "* filter=x diff=x\n");
    for hook in ["post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"] {
        let path = replaced(&workspace, &format!("hooks/{hook}"));
        fs::copy(&program, path).expect("a new file");
    }
    assert_survived(&workspace, "programs");
    assert_ends(&workspace, "programs");
    assert!(!started.exists());
}
