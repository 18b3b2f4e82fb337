//! Runs git in the trees of a test, with an author and a date that are always the same.

use std::{path::Path, process::Command};

/// Runs git in a directory and returns its output without spaces at the ends.
pub(crate) fn git_in(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "2026-01-31T10:20:30Z")
        .env("GIT_COMMITTER_DATE", "2026-01-31T10:20:30Z")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
