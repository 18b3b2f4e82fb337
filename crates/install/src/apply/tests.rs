//! Files are replaced atomically, and only if they are unchanged since the plan was shown.

use super::*;
use lore_settings::whole_file::draft;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_failing_rename_leaves_the_old_file_and_no_draft() {
    let folder = folder();
    let path = folder.path().join("mcp.json");
    fs::write(&path, "old").expect("a file");
    let time = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    let complete = draft(&path, b"new").expect("a draft");
    assert_eq!(fs::read(complete.path()).expect("the draft is complete"), b"new");
    // A file cannot replace a folder.
    let blocked = folder.path().join("blocked");
    fs::create_dir(&blocked).expect("a folder");
    assert!(complete.persist(&blocked).is_err());
    assert!(write_whole(&blocked, b"new").is_err());
    fs::remove_dir(&blocked).expect("it is empty");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "old");
    assert_eq!(fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time"), time);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_copies_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o7777;
    let folder = folder();
    let path = folder.path().join("claude.json");
    fs::write(&path, "{}").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
    write_whole(&path, b"{ }").expect("it is written");
    assert_eq!(mode(&path), 0o640);
    let change = Change {
        shown: "claude.json".to_owned(),
        target: path.clone(),
        is_linked: false,
        is_outside: false,
        agents: Vec::new(),
        before: Some("{ }".to_owned()),
        after: Some("{}".to_owned()),
        folders: Vec::new(),
    };
    let backups = folder.path().join("state/backups");
    let copy = back_up(&change, &backups).expect("a copy").expect("there was a file");
    assert_eq!(fs::read_to_string(&copy).expect("it is there"), "{ }");
    assert_eq!(mode(&copy), 0o600);
    assert_eq!(mode(&backups), 0o700);
    assert_eq!(back_up(&change, &backups).expect("again"), Some(copy));
}

#[test]
fn a_file_that_changed_after_planning_is_not_written() {
    let folder = folder();
    let path = folder.path().join("mcp.json");
    let mut change = Change {
        shown: "mcp.json".to_owned(),
        target: path.clone(),
        is_linked: false,
        is_outside: false,
        agents: Vec::new(),
        before: None,
        after: Some("{}".to_owned()),
        folders: Vec::new(),
    };
    assert!(check(&change).is_ok());
    fs::write(&path, "{ }").expect("a file appears meanwhile");
    let error = check(&change).expect_err("it is there now");
    assert!(error.to_string().contains("has changed since it was shown"), "{error}");
    change.before = Some("{ }".to_owned());
    assert!(check(&change).is_ok());
}
