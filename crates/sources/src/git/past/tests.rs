//! Usable commits in histories created by git itself.

use std::fs;

use super::*;
use crate::fixture::Folder;

/// A folder with an empty repository `one`.
fn repository() -> Folder {
    let folder = Folder::of("//- /one/src/a.rs\na\n//- /one/src/b.rs\nb\n//- /one/Cargo.lock\n1\n");
    folder.git("one", &["init", "-q", "-b", "main"]);
    folder
}

fn commit(folder: &Folder, day: u64, message: &str) {
    folder.git("one", &["add", "-A"]);
    folder.git_on("one", day, &["commit", "-q", "--allow-empty", "-m", message]);
}

fn read(folder: &Folder, path: &str, most: usize) -> PastCommits {
    past_commits(&folder.join(path), most, &|path| path != "Cargo.lock").expect("read")
}

/// Each commit as its subject and its files.
fn lines(found: &PastCommits) -> Vec<String> {
    let line = |commit: &PastCommit| format!("{}: {}", commit.subject, commit.files.join(" "));
    found.commits.iter().map(line).collect()
}

#[test]
fn changed_files_have_the_paths_of_the_parent() {
    let folder = repository();
    commit(&folder, 1, "The very first commit");
    folder.write("one/src/a.rs", "a2");
    folder.write("one/src/new.rs", "n");
    folder.write("one/Cargo.lock", "2");
    commit(&folder, 2, "fix: change one and add one (#7)\n\nBody.");
    fs::rename(folder.join("one/src/a.rs"), folder.join("one/src/moved.rs")).unwrap();
    fs::remove_file(folder.join("one/src/b.rs")).unwrap();
    commit(&folder, 40, "Move one file,\ndelete another one");
    folder.write("one/src/only_new.rs", "o");
    commit(&folder, 41, "Add a file that is new");
    folder.write("one/Cargo.lock", "3");
    commit(&folder, 42, "Let the lock file be newer");
    commit(&folder, 43, "wip");

    let found = read(&folder, "one", 10);
    assert_eq!(
        lines(&found),
        [
            "Move one file, delete another one: src/a.rs src/b.rs",
            "fix: change one and add one: src/a.rs",
        ]
    );
    assert_eq!(
        found.unsuitable.into_iter().collect::<Vec<_>>(),
        [
            (UnsuitableCommit::NoSingleParent, 1),
            (UnsuitableCommit::Subject, 1),
            (UnsuitableCommit::NoFiles, 2),
        ]
    );
    let older = &found.commits[1];
    assert_eq!(older.id, folder.git("one", &["rev-parse", "HEAD~4"]).trim());
    assert_eq!(older.parent, folder.git("one", &["rev-parse", "HEAD~5"]).trim());
    // 2020-09-13 plus two days.
    assert_eq!((older.date, older.month.as_str()), (1_600_172_800, "2020-09"));
    assert_eq!(found.commits[0].month, "2020-10");
    assert_eq!(lines(&read(&folder, "one", 1)).len(), 1);
    // A folder inside the repository sees only its own files.
    assert_eq!(
        lines(&read(&folder, "one/src", 1)),
        ["Move one file, delete another one: a.rs b.rs"]
    );
}

#[test]
fn bulk_commits_are_not_usable() {
    let folder = repository();
    for number in 0..11 {
        folder.write(&format!("one/many/{number}.rs"), format!("{number}"));
    }
    commit(&folder, 1, "The very first commit");
    for number in 0..10 {
        folder.write(&format!("one/many/{number}.rs"), "changed");
    }
    commit(&folder, 2, "Change ten of the files");
    for number in 0..11 {
        folder.write(&format!("one/many/{number}.rs"), "again");
    }
    commit(&folder, 3, "Change eleven of the files");
    // A renamed file counts once.
    for number in 0..10 {
        let name = |folder: &str| format!("one/{folder}/{number}.rs");
        folder.write(&name("many"), format!("{number} of its own"));
    }
    commit(&folder, 4, "Make ten of them differ");
    fs::rename(folder.join("one/many"), folder.join("one/few")).unwrap();
    fs::remove_file(folder.join("one/few/10.rs")).unwrap();
    folder.write("one/many/10.rs", "again");
    commit(&folder, 5, "Move ten of the files");
    let found = read(&folder, "one", 10);
    let subjects: Vec<&str> = found.commits.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(
        subjects,
        ["Move ten of the files", "Make ten of them differ", "Change ten of the files"]
    );
    assert_eq!(found.unsuitable[&UnsuitableCommit::TooManyFiles], 1);
}

#[cfg(unix)]
#[test]
fn links_modes_submodules_and_odd_names_are_not_results() {
    use std::os::unix::{ffi::OsStrExt, fs::PermissionsExt};
    let folder = repository();
    std::os::unix::fs::symlink("a.rs", folder.join("one/src/link.rs")).unwrap();
    let odd = folder.join("one").join(std::ffi::OsStr::from_bytes(b"odd\xff.rs"));
    fs::write(&odd, "1").unwrap();
    folder.write("one/src/tool.sh", "run");
    let sub = "0123456789012345678901234567890123456789";
    commit(&folder, 1, "The very first commit");
    let link = |target: &str| {
        let path = folder.join("one/src/link.rs");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    link("b.rs");
    commit(&folder, 2, "Let the link lead elsewhere");
    fs::set_permissions(folder.join("one/src/tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    commit(&folder, 3, "Make a program of it");
    fs::write(&odd, "2").unwrap();
    commit(&folder, 4, "Change the odd name only");
    folder.git("one", &["update-index", "--add", "--cacheinfo", &format!("160000,{sub},lib")]);
    folder.git_on("one", 5, &["commit", "-q", "-m", "Bring the library in here"]);
    fs::remove_file(folder.join("one/src/b.rs")).unwrap();
    std::os::unix::fs::symlink("a.rs", folder.join("one/src/b.rs")).unwrap();
    folder.git("one", &["add", "src"]);
    folder.git_on("one", 6, &["commit", "-q", "-m", "Put a link in its place"]);
    let found = read(&folder, "one", 10);
    assert_eq!(lines(&found), ["Put a link in its place: src/b.rs"]);
    assert_eq!(found.unsuitable[&UnsuitableCommit::NoFiles], 4);
}

#[test]
fn merges_and_the_end_of_a_shallow_clone_are_not_usable() {
    let folder = repository();
    commit(&folder, 1, "The very first commit");
    folder.write("one/src/a.rs", "a2");
    commit(&folder, 2, "Change the first file");
    folder.git("one", &["checkout", "-q", "-b", "side"]);
    folder.write("one/src/b.rs", "b2");
    commit(&folder, 3, "Change the other file");
    folder.git("one", &["checkout", "-q", "main"]);
    folder.git_on("one", 4, &["merge", "-q", "--no-ff", "-m", "Bring the side in here", "side"]);
    let found = read(&folder, "one", 10);
    assert_eq!(
        lines(&found),
        ["Change the other file: src/b.rs", "Change the first file: src/a.rs"]
    );
    assert_eq!(found.unsuitable[&UnsuitableCommit::NoSingleParent], 2);

    let from = format!("file://{}", folder.join("one").display());
    folder.git("", &["clone", "-q", "--depth", "2", "--branch", "side", &from, "two"]);
    let found = read(&folder, "two", 10);
    assert_eq!(lines(&found), ["Change the other file: src/b.rs"]);
    assert_eq!(found.unsuitable.into_iter().collect::<Vec<_>>(), [(UnsuitableCommit::Shallow, 1)]);
}

#[test]
fn missing_history_is_an_error_for_past_commits() {
    let check = |folder: &Folder, path: &str, expected: &str| {
        let error = past_commits(&folder.join(path), 10, &|_| true).expect_err(path).to_string();
        assert!(error.starts_with("could not read the git history of"), "{error}");
        assert!(error.contains(expected), "{error}");
    };
    let folder = repository();
    check(&folder, "one", "it has no commit yet");
    folder.write("two/a.rs", "a");
    check(&folder, "two", "it is not in a git repository");
    check(&folder, "nowhere", "No such file");
}
