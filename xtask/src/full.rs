//! Everything that is too slow for every change, in one command.

use std::{path::Path, process::Command};

use anyhow::{Result, bail};

/// What runs, in order. A step whose tool is missing is named and skipped.
const STEPS: &[(&str, &[&str])] = &[
    ("the suite, optimised", &["test", "--workspace", "--locked", "--release"]),
    (
        "ignored long runs of property tests",
        &["test", "--workspace", "--locked", "--release", "--features", "lorehound-index/long"],
    ),
    ("benches compile", &["bench", "--workspace", "--no-run", "--locked"]),
    ("every feature alone", &["hack", "check", "--workspace", "--each-feature", "--locked"]),
    ("fuzz targets build", &["+nightly", "fuzz", "build"]),
];

/// Runs the long suites.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for (name, arguments) in STEPS {
        println!("== {name}: cargo {}", arguments.join(" "));
        let status = Command::new("cargo").args(*arguments).current_dir(root).status()?;
        if !status.success() {
            failed.push(*name);
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}
