//! `lore index --export` and `--import`: what is printed, what is refused, and what is left on the disk.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::workspace::{ENVIRONMENT, Ran, Workspace};

/// A clone of a workspace, with a cache of its own.
struct Clone<'a> {
    from: &'a Workspace,
    tree: PathBuf,
    cache: PathBuf,
}

impl Clone<'_> {
    fn of(from: &Workspace) -> Clone<'_> {
        let beside = |name: &str| from.tree().with_file_name(name);
        let tree = beside("clone");
        let status = Command::new("git")
            .args(["clone", "--quiet"])
            .args([from.tree(), tree.clone()])
            .envs(ENVIRONMENT.iter().copied())
            .status()
            .expect("git is there");
        assert!(status.success());
        Clone { from, tree, cache: beside("clone-cache") }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.from.command(arguments);
        command.current_dir(&self.tree).env("LOREHOUND_CACHE_DIR", &self.cache);
        Ran::new(&command.output().expect("the program starts"))
    }
}

/// Exports the index of a workspace to a file beside its tree.
fn export(workspace: &Workspace) -> PathBuf {
    let file = workspace.tree().with_file_name("index.lore");
    let ran = workspace.run(&["index", "--export", &file.display().to_string()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("\nexported 2"), "{ran:?}");
    assert_eq!(ran.stderr, "");
    file
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_clone_answers_from_the_export() {
    let workspace = Workspace::shop();
    let file = export(&workspace);
    let clone = Clone::of(&workspace);
    let ran = clone.run(&["index", "--import", &text(&file), "--progress", "json", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let first = ran.stderr.lines().next().unwrap_or_default();
    assert!(first.contains(r#""phase":"import""#), "{first}");
    let json = ran.json();
    // The 20 files and stores of the shop and its three commits.
    assert_eq!((&json["import"]["kept"], &json["import"]["analysed"]), (&23.into(), &0.into()));
    assert_eq!(json["bytes"], 0, "{json}");
    assert_eq!(json["sources"]["git"]["unchanged"], 3, "{json}");
    let expected = workspace.run(&["refund timeout", "--json"]).paths();
    assert_eq!(clone.run(&["refund timeout", "--json"]).paths(), expected);
    assert_eq!(clone.run(&["doctor"]).code, Some(0));
    // Work of the import counts as work of the run.
    fs::write(clone.tree.join("src/refund.rs"), "/// Refunds nothing.\npub fn refund() {}\n")
        .expect("a file");
    let ran = clone.run(&["index", "--import", &text(&file), "--rebuild", "--json"]);
    let json = ran.json();
    assert_eq!(json["sources"]["code"]["written"], 1, "{json}");
    assert_eq!((&json["bytes"], &json["import"]["analysed"]), (&40.into(), &1.into()), "{json}");
    // A second import has nothing to do.
    let again = clone.run(&["index", "--import", &text(&file)]);
    assert!(again.stdout.contains("imported nothing from"), "{again:?}");
}

#[test]
fn refused_files_have_a_reason_and_leave_nothing() {
    let workspace = Workspace::shop();
    let file = export(&workspace);
    let clone = Clone::of(&workspace);
    let bytes = fs::read(&file).expect("a file");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 3] ^= 1;
    let mut newer = bytes.clone();
    newer[16] = 2;
    let cases: [(&str, &[u8], &str); 4] = [
        ("flipped.lore", &flipped, "it is damaged: the hash of `"),
        ("cut.lore", &bytes[..bytes.len() - 1], "it is damaged: "),
        ("newer.lore", &newer, "it is an export of layout 2, which this version does not read"),
        ("notes.txt", b"some notes", "it is no export of an index"),
    ];
    for (name, bytes, reason) in cases {
        let path = workspace.tree().with_file_name(name);
        fs::write(&path, bytes).expect("a file");
        let ran = clone.run(&["index", "--import", &text(&path)]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        let expected =
            format!("lore: could not import the index from `{}`: {reason}", path.display());
        assert!(ran.stderr.starts_with(&expected), "{ran:?}");
        assert!(ran.stderr.contains("\nhint: run `lore index` to build"), "{ran:?}");
        assert!(!clone.cache.exists(), "{name}");
    }
    // The hint works.
    assert_eq!(clone.run(&["index"]).code, Some(0));
}

#[cfg(unix)]
#[test]
fn named_pipes_and_folders_are_not_waited_for() {
    let workspace = Workspace::shop();
    let pipe = workspace.tree().with_file_name("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let ran = workspace.run(&["index", "--import", &text(&pipe)]);
    assert!(ran.stderr.contains("it is not a regular file"), "{ran:?}");
    // The pipe among other files is skipped.
    let folder = workspace.tree().with_file_name("");
    let ran = workspace.run(&["index", "--import", &text(&folder)]);
    assert!(ran.stderr.contains("it contains no file"), "{ran:?}");
}

#[test]
fn exports_are_complete_or_absent() {
    let workspace = Workspace::shop();
    let missing = workspace.tree().with_file_name("missing").join("index.lore");
    let ran = workspace.run(&["index", "--export", &text(&missing)]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("lore: could not export the index to `"), "{ran:?}");
    let folder = workspace.tree().with_file_name("folder");
    fs::create_dir(&folder).expect("a folder");
    let ran = workspace.run(&["index", "--export", &text(&folder)]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = workspace.run(&["index", "--no-write", "--export", &text(&folder.join("a"))]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("the index is not written to disk"), "{ran:?}");
    let mut command = workspace.command(&["index", "--export", &text(&folder.join("a"))]);
    let ran =
        command.env("LOREHOUND_PRIVACY_REDACT", "false").output().expect("the program starts");
    assert!(Ran::new(&ran).stderr.contains("`privacy.redact` is off"), "{ran:?}");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);

    // Another file is not replaced; an older export is, as a whole. In the tree, there is a warning.
    workspace.write("index.lore", "old");
    let ran = workspace.run(&["index", "--export", "index.lore"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("another file has this name; choose a new one"), "{ran:?}");
    let old = fs::read(workspace.tree().join("index.lore")).expect("the file");
    assert_eq!(old, b"old");
    fs::remove_file(workspace.tree().join("index.lore")).expect("removed");
    let ran = workspace.run(&["index", "--export", "index.lore"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("put `/index.lore` into `.gitignore`"), "{ran:?}");
    workspace.write(".gitignore", "/index.lore\n");
    assert_eq!(workspace.run(&["index", "--export", "index.lore"]).stderr, "");
}

#[test]
fn a_folder_that_a_killed_process_left_is_removed() {
    let workspace = Workspace::shop();
    let file = export(&workspace);
    let views = |cache: &Path| -> Vec<PathBuf> {
        let folders = fs::read_dir(cache).expect("a cache").flatten().map(|entry| entry.path());
        let folders = folders.filter(|path| path.is_dir());
        let inner = folders.flat_map(|path| fs::read_dir(path).expect("a folder").flatten());
        inner.map(|entry| entry.path()).collect()
    };
    let view = views(&workspace.cache()).remove(0);
    let left = view.join("exchange-0123456789abcdef");
    let own = view.join("exchange-of-the-user");
    for folder in [&left, &own] {
        fs::create_dir_all(folder.join("code")).expect("a folder");
        fs::write(folder.join("lock"), "").expect("a file");
        fs::write(folder.join("code/meta.json"), "{}").expect("a file");
    }
    let ran = workspace.run(&["index", "--import", &text(&file), "--rebuild"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!left.exists() && own.exists());
    fs::create_dir_all(left.join("code")).expect("a folder");
    fs::write(left.join("lock"), "").expect("a file");
    assert_eq!(workspace.run(&["clean", "--yes", "."]).code, Some(0));
    assert!(!left.exists() && own.exists());
}
