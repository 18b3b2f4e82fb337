//! The files of the cache: who may read them, and what happens if they are no files.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    hostile::{innocent, run, start},
    workspace::{PROGRAM, Ran, Workspace},
};

const SEARCH: [&str; 3] = ["search", "--json", "refund"];

/// A tree with an index of every source.
fn indexed() -> Workspace {
    let workspace = innocent();
    let date = "2025-01-16T08:15:00Z";
    workspace.git(date, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(date, &["add", "."]);
    workspace.git(date, &["commit", "--quiet", "-m", "refund: pay money back"]);
    let ran = workspace.run(&["index"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    workspace
}

/// Files and folders below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").mode() & 0o777
}

fn assert_answers(workspace: &Workspace, what: &str) -> Ran {
    let ran = run(workspace, &SEARCH);
    assert_eq!(ran.code, Some(0), "{what}: {}", start(&ran.stderr));
    assert_eq!(ran.json()["receipt"]["fresh"], "verified", "{what}");
    assert!(!ran.paths().is_empty(), "{what}");
    assert!(!ran.stderr.contains("internal error"), "{what}: {}", start(&ran.stderr));
    ran
}

#[test]
fn the_cache_is_private_whatever_the_umask() {
    let workspace = innocent();
    let shown = workspace.command(&["index"]);
    let mut command = Command::new("sh");
    command.arg("-c").arg("umask 000; exec \"$0\" index").arg(PROGRAM);
    command.current_dir(workspace.tree());
    for (name, value) in shown.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    assert!(command.status().expect("a shell").success());
    let files = below(&workspace.cache());
    assert!(files.len() > 10, "{files:?}");
    assert_eq!(mode(&workspace.cache()), 0o700);
    for path in files {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

/// A cache of an earlier program, or a copy without modes.
#[test]
fn a_cache_that_others_may_read_is_closed_by_the_next_search() {
    let workspace = indexed();
    let repositories: Vec<PathBuf> = fs::read_dir(workspace.cache())
        .expect("it is there")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    let open = |path: &Path| {
        let mode = if path.is_dir() { 0o755 } else { 0o666 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    let all = || repositories.iter().flat_map(|path| below(path)).chain(repositories.clone());
    all().for_each(|path| open(&path));
    let ran = run(&workspace, &["search", "--json", "--no-write", "refund"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(all().all(|path| mode(&path) & 0o044 != 0), "`--no-write` changes nothing");
    assert_eq!(assert_answers(&workspace, "open to readers").stderr, "");
    for path in all() {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

#[test]
fn a_cache_that_others_may_write_to_is_not_used() {
    let workspace = indexed();
    fs::set_permissions(workspace.cache(), fs::Permissions::from_mode(0o777)).expect("it is ours");
    let before = below(&workspace.cache());
    let ran = assert_answers(&workspace, "open to others");
    assert!(ran.stderr.contains("other users may write"), "{}", ran.stderr);
    assert_eq!(below(&workspace.cache()), before);
    assert_eq!(workspace.run(&["index"]).code, Some(2));
    // The hint works as it is.
    let hint = ran.stderr.split('`').find(|part| part.starts_with("chmod")).expect("a hint");
    assert!(Command::new("sh").args(["-c", hint]).status().expect("a shell").success());
    assert_eq!(assert_answers(&workspace, "closed").stderr, "");
}

#[test]
fn the_cache_of_another_user_is_not_used() {
    let workspace = indexed();
    let folder = fs::read_dir(workspace.cache()).expect("it is there").flatten().next();
    let folder = folder.expect("a repository").path();
    // Only an administrator can give a folder away.
    if std::os::unix::fs::chown(&folder, Some(12_345), None).is_err() {
        return;
    }
    let ran = assert_answers(&workspace, "of another user");
    assert!(ran.stderr.contains("belongs to another user"), "{}", ran.stderr);
}

#[test]
fn named_pipes_in_the_cache_do_not_block() {
    let workspace = indexed();
    assert_answers(&workspace, "before");
    let names: Vec<PathBuf> =
        below(&workspace.cache()).into_iter().filter(|path| path.is_file()).collect();
    assert!(names.len() > 20, "{names:?}");
    for path in names {
        // An earlier round may have rebuilt the index under other names.
        if fs::remove_file(&path).is_err() {
            continue;
        }
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        assert_answers(&workspace, &path.display().to_string());
        let ran = run(&workspace, &["index"]);
        assert!(ran.code.is_some(), "{}: {}", path.display(), start(&ran.stderr));
        let _ = fs::remove_file(&path);
    }
}

#[test]
fn links_in_the_cache_lead_no_write_outside() {
    let workspace = indexed();
    let outside = workspace.tree().join("../outside");
    fs::create_dir(&outside).expect("a new folder");
    for path in below(&workspace.cache()).into_iter().filter(|path| path.is_file()) {
        let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
        let target = outside.join(&name);
        let _ = symlink(&target, path.with_file_name(format!("{name}.new")));
        if path.extension().is_some_and(|ending| ending == "lock") {
            fs::remove_file(&path).expect("it is ours");
            symlink(&target, &path).expect("a new link");
        }
    }
    workspace.write("src/more.rs", "fn refund_more() {}\n");
    assert_answers(&workspace, "links");
    run(&workspace, &["index"]);
    assert_eq!(below(&outside), Vec::<PathBuf>::new());
}

#[test]
fn huge_ignore_files_are_reported_and_not_applied() {
    for name in [".gitignore", ".git/info/exclude", ".loreignore"] {
        let workspace = indexed();
        let path = workspace.tree().join(name);
        let file = fs::File::create(&path).expect("a new file");
        file.set_len(3 << 30).expect("a sparse file");
        let ran = assert_answers(&workspace, name);
        assert!(ran.stderr.contains("is not applied"), "{name}: {}", start(&ran.stderr));
    }
}
