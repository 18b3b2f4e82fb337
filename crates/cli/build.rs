//! Adds the commit to the version that `lore --version` prints.
//!
//! The commit is `LOREHOUND_COMMIT` if that is set, else that of the checkout. A build of the development
//! profile and one without git or a checkout print the version alone.
#![expect(clippy::disallowed_methods, reason = "a build script reads its environment and runs git")]

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-env-changed=LOREHOUND_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets the version");
    let commit = env::var("LOREHOUND_COMMIT").ok().or_else(checked_out_commit);
    let version = match commit.filter(|commit| !commit.is_empty()) {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    // Cargo also sets it for tests, in which `lore` would report an unknown variable of its own prefix.
    println!("cargo::rustc-env=LORE_BUILD_VERSION={version}");
}

/// The abbreviated commit and its date. Development builds have none, so that a commit does not compile
/// the crate again.
fn checked_out_commit() -> Option<String> {
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    // A packaged crate inside another project's checkout is not that project's commit.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join(".ci").exists() {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(&root, &["rev-parse", "--git-path", file])?;
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    git(&root, &["log", "-1", "--abbrev=12", "--format=%h %cs"])
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
