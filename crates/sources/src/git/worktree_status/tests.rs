//! Files that count as different from the commit, in fixture repositories.

use std::{fs, time::Duration};

use crate::{Tree, WorktreeStatus, fixture::Folder, fixture::options};

fn differs_in(folder: &Folder, inside: &str) -> Option<u64> {
    let tree = Tree::walk(&folder.join(inside), &options()).unwrap();
    WorktreeStatus::of(&tree, Duration::from_mins(1)).expect("a commit").changed_files
}

fn repository() -> Folder {
    let folder = Folder::new();
    folder.git("", &["init", "--quiet", "-b", "main"]);
    for name in ["a.md", "b.md", "sub/c.md", "sub/d.md", "sub/deep/e.md"] {
        folder.write(name, format!("# {name}\n"));
    }
    folder.git("", &["add", "-A"]);
    folder.git("", &["commit", "--quiet", "-m", "first"]);
    folder
}

#[test]
fn every_changed_file_counts_once() {
    let folder = repository();
    assert_eq!(differs_in(&folder, ""), Some(0));
    folder.write("a.md", "changed\n");
    assert_eq!(differs_in(&folder, ""), Some(1));
    folder.git("", &["add", "a.md"]);
    assert_eq!(differs_in(&folder, ""), Some(1), "staged");
    folder.write("a.md", "changed again\n");
    assert_eq!(differs_in(&folder, ""), Some(1), "staged, and changed since");
    folder.write("a.md", "# a.md\n");
    assert_eq!(differs_in(&folder, ""), Some(0), "staged, and as it was on disk");
    folder.git("", &["reset", "--quiet", "--hard"]);
    folder.write("new.md", "new\n");
    folder.write("sub/deep/new.md", "new\n");
    assert_eq!(differs_in(&folder, ""), Some(2), "untracked");
    folder.git("", &["add", "new.md"]);
    assert_eq!(differs_in(&folder, ""), Some(2), "one added");
    fs::remove_file(folder.join("new.md")).unwrap();
    assert_eq!(differs_in(&folder, ""), Some(1), "added and gone");
    fs::remove_file(folder.join("b.md")).unwrap();
    assert_eq!(differs_in(&folder, ""), Some(2), "deleted");
    folder.git("", &["rm", "--quiet", "--cached", "sub/c.md"]);
    assert_eq!(differs_in(&folder, ""), Some(2), "forgotten by the index alone");
    fs::remove_file(folder.join("sub/c.md")).unwrap();
    assert_eq!(differs_in(&folder, ""), Some(3));
    assert_eq!(differs_in(&folder, "sub"), Some(2), "of the folder alone");
    assert_eq!(differs_in(&folder, "sub/deep"), Some(1));
}

#[test]
fn files_with_equal_content_do_not_count() {
    let folder = repository();
    folder.write("a.md", "# a.md\n");
    assert_eq!(differs_in(&folder, ""), Some(0), "written again");
    folder.write("a.md", "# a.md\r\n");
    assert_eq!(differs_in(&folder, ""), Some(0), "with other line ends");
    folder.write(".gitignore", "*.log\n");
    folder.git("", &["add", "-A"]);
    folder.git("", &["commit", "--quiet", "-m", "rules"]);
    folder.write("x.log", "ignored\n");
    assert_eq!(differs_in(&folder, ""), Some(0), "ignored");
    // No time is left: nothing can be read, and nothing needs to be.
    let tree = folder.walk();
    assert_eq!(WorktreeStatus::of(&tree, Duration::ZERO).unwrap().changed_files, Some(0));
    folder.write("a.md", "other\n");
    let tree = folder.walk();
    assert_eq!(
        WorktreeStatus::of(&tree, Duration::ZERO).unwrap().changed_files,
        None,
        "no time to look"
    );
    fs::remove_file(folder.join(".git/index")).unwrap();
    assert_eq!(differs_in(&folder, ""), None, "without an index");
}

#[test]
fn without_a_commit_there_is_no_status() {
    let folder = Folder::new();
    folder.write("a.md", "a\n");
    assert_eq!(WorktreeStatus::of(&folder.walk(), Duration::ZERO), None);
    folder.git("", &["init", "--quiet"]);
    assert_eq!(WorktreeStatus::of(&folder.walk(), Duration::ZERO), None);
}

#[test]
fn submodules_are_compared_with_the_recorded_commit() {
    let folder = Folder::new();
    for name in ["library", "main"] {
        fs::create_dir(folder.join(name)).unwrap();
        folder.git(name, &["init", "--quiet", "-b", "main"]);
    }
    folder.write("library/lib.rs", "fn one() {}\n");
    folder.git("library", &["add", "-A"]);
    folder.git("library", &["commit", "--quiet", "-m", "old"]);
    let url = folder.join("library");
    folder.git("main", &["submodule", "--quiet", "add", url.to_str().unwrap(), "library"]);
    folder.git("main", &["commit", "--quiet", "-m", "first"]);
    assert_eq!(differs_in(&folder, "main"), Some(0));
    folder.write("main/library/lib.rs", "fn two() {}\n");
    folder.write("main/library/new.rs", "fn new() {}\n");
    assert_eq!(differs_in(&folder, "main"), Some(2));
    folder.git("main/library", &["add", "-A"]);
    folder.git("main/library", &["commit", "--quiet", "-m", "new"]);
    assert_eq!(differs_in(&folder, "main"), Some(2), "the parent records the old commit");
    folder.git("main", &["commit", "--quiet", "-am", "second"]);
    assert_eq!(differs_in(&folder, "main"), Some(0));
    // An unrecorded repository is a folder of new files.
    fs::create_dir(folder.join("main/nested")).unwrap();
    folder.git("main/nested", &["init", "--quiet"]);
    folder.write("main/nested/a.md", "a\n");
    assert_eq!(differs_in(&folder, "main"), Some(1));
}

/// Writes a file and restores its modification time.
fn write_unnoticed(folder: &Folder, path: &str, text: &str) {
    let before = fs::metadata(folder.join(path)).unwrap().modified().unwrap();
    folder.write(path, text);
    crate::fixture::set_modified(&folder.join(path), before);
}

#[cfg(unix)]
#[test]
fn an_edit_of_equal_size_and_time_counts() {
    let folder = repository();
    std::thread::sleep(Duration::from_millis(1_100));
    folder.git("", &["status", "--short"]);
    write_unnoticed(&folder, "a.md", "# b.md\n");
    assert_eq!(differs_in(&folder, ""), Some(1));
    write_unnoticed(&folder, "a.md", "# a.md\n");
    assert_eq!(differs_in(&folder, ""), Some(0), "as it was");
}

#[test]
fn a_copy_of_a_tree_is_not_read() {
    let folder = Folder::new();
    folder.git("", &["init", "--quiet", "-b", "main"]);
    for number in 0..=super::MAX_DOUBTFUL {
        folder.write(&format!("{number}.md"), "a\n");
        crate::fixture::set_modified(
            &folder.join(&format!("{number}.md")),
            std::time::UNIX_EPOCH + Duration::from_secs(1_000),
        );
    }
    folder.git("", &["add", "-A"]);
    folder.git("", &["commit", "--quiet", "-m", "first"]);
    // What another copy of the tree would have in each file.
    for number in 0..=super::MAX_DOUBTFUL {
        write_unnoticed(&folder, &format!("{number}.md"), "b\n");
    }
    assert_eq!(differs_in(&folder, ""), Some(0));
}
