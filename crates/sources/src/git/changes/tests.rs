//! Dates of files in histories created by git itself.

use std::{fs, time::Duration};

use super::*;
use crate::fixture::Folder;

const DAY: i64 = 86_400;
const START: i64 = 1_600_000_000;

fn day_of(folder: &Folder, root: &str, path: &str, oldest: Option<i64>) -> Option<i64> {
    let dates = last_changes(&folder.join(root), [path.to_owned()], oldest);
    dates.get(path).map(|date| (date - START) / DAY)
}

#[test]
fn committed_files_have_commit_dates_and_others_disk_times() {
    let folder = Folder::of("//- /one/a.rs\na\n//- /one/sub/b.rs\nb\n");
    folder.git("one", &["init", "-q", "-b", "main"]);
    let commit = |day| {
        folder.git("one", &["add", "-A"]);
        folder.git_on("one", day, &["commit", "-q", "-m", "some"]);
    };
    commit(1);
    folder.write("one/a.rs", "a2");
    commit(2);
    folder.write("one/other.rs", "o");
    commit(5);
    assert_eq!(day_of(&folder, "one", "a.rs", None), Some(2));
    assert_eq!(day_of(&folder, "one", "sub/b.rs", None), Some(1));
    assert_eq!(day_of(&folder, "one/sub", "b.rs", None), Some(1));
    assert_eq!(day_of(&folder, "one", "gone.rs", None), None);
    // Dates before `oldest` are only known to be older.
    assert!(day_of(&folder, "one", "sub/b.rs", Some(START + 4 * DAY)) < Some(4));

    let late = START + 9 * DAY + 5;
    let touch = |path: &str| {
        let file = fs::File::options().write(true).open(folder.join(path)).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(late).unwrap());
        file.set_modified(time).unwrap();
    };
    folder.write("one/new.rs", "n");
    touch("one/new.rs");
    assert_eq!(day_of(&folder, "one", "new.rs", None), Some(9));
    // A touched file is not changed.
    touch("one/a.rs");
    assert_eq!(day_of(&folder, "one", "a.rs", None), Some(2));
    folder.write("one/a.rs", "a3");
    touch("one/a.rs");
    assert_eq!(day_of(&folder, "one", "a.rs", None), Some(9));
    // A staged change is not committed, nor is one that a later commit does not include.
    folder.git("one", &["add", "a.rs"]);
    assert_eq!(day_of(&folder, "one", "a.rs", None), Some(9));
    folder.git("one", &["reset", "-q"]);
    folder.git("one", &["add", "new.rs"]);
    folder.git_on("one", 12, &["commit", "-q", "-m", "other"]);
    assert_eq!(day_of(&folder, "one", "new.rs", None), Some(12));
    assert_eq!(day_of(&folder, "one", "a.rs", None), Some(9));
    // Different line ends alone are not a change.
    folder.write("one/sub/b.rs", "b\r\n");
    assert_eq!(day_of(&folder, "one", "sub/b.rs", None), Some(1));
}

#[test]
fn without_git_dates_are_disk_times() {
    let folder = Folder::of("//- /a.rs\na\n");
    let dates = last_changes(&folder.join("."), ["a.rs".to_owned(), "b.rs".to_owned()], None);
    assert_eq!(dates.len(), 1);
}
