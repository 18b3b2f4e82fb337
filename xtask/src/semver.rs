//! `cargo xtask semver`: compares the public items of the library with those of the last release.
//!
//! The comparison is made by `cargo-semver-checks`, from the documentation of both as JSON. A change
//! that breaks callers fails unless the version was raised since. Only the crates with a stable
//! interface are compared: the engine, and the schema that it exports as a module.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, bail};

/// The crates with a stable interface.
const PACKAGES: &[&str] = &["lorehound-engine", "lorehound-schema"];

/// Compares with a revision, or with the last release tag if none is given. Without a tag there is
/// nothing to compare.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let baseline = match arguments {
        [] => last_release(root)?,
        [option, revision] if option == "--baseline" => Some(revision.clone()),
        _ => bail!("usage: cargo xtask semver [--baseline REVISION]"),
    };
    let Some(baseline) = baseline else {
        println!("there is no tag of a release yet: nothing to compare");
        return Ok(());
    };
    println!("comparing {} with {baseline}", PACKAGES.join(" and "));
    let mut command = Command::new("cargo");
    command.args(["semver-checks", "check-release", "--baseline-rev", &baseline]);
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    let status = command
        .current_dir(root)
        .status()
        .context("could not run cargo; `cargo install cargo-semver-checks --locked` installs it")?;
    if !status.success() {
        bail!(
            "the comparison failed: raise the minor version if a change breaks callers, or run \
             `cargo install cargo-semver-checks --locked` if the command is missing"
        );
    }
    Ok(())
}

/// Returns the newest tag of a release among the ancestors of HEAD.
fn last_release(root: &Path) -> Result<Option<String>> {
    let output = Command::new("git")
        .args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"])
        .current_dir(root)
        .output()
        .context("could not run git")?;
    let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !name.is_empty()).then_some(name))
}
