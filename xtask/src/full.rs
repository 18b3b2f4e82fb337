//! Runs all suites that are too slow for every change.

use std::{path::Path, process::Command};

use anyhow::{Result, bail};

/// The steps, in order. A failing step, or one whose tool is missing, does not stop the others.
const STEPS: &[(&str, &[&str])] = &[
    ("the suite, optimised", &["test", "--workspace", "--locked", "--release"]),
    ("each feature by itself", &["hack", "check", "--workspace", "--each-feature", "--locked"]),
    (
        "ten thousand damaged files, and every step of a commit",
        &[
            "test",
            "--locked",
            "--release",
            "--package",
            "lorehound-index",
            "--package",
            "lorehound-engine",
            "--",
            "--ignored",
            "damages",
            "stopped",
        ],
    ),
    ("sixteen readers and four writers", &["xtask", "soak-processes"]),
    ("every fuzz target", &["xtask", "fuzz"]),
    ("every part of the attack", &["xtask", "attack"]),
    (
        "the suite with no network but loopback",
        &["xtask", "offline", "cargo", "test", "--workspace", "--locked"],
    ),
    (
        "cost curves up to a million chunks",
        &[
            "run",
            "--profile=dist",
            "--locked",
            "--",
            "bench",
            "--sizes",
            "1000,10000,100000,1000000",
        ],
    ),
    ("eight servers while files change", &["xtask", "mcp-soak"]),
    (
        "five minutes idle",
        &[
            "--config=env.LORE_IDLE_SECONDS='300'",
            "test",
            "--locked",
            "--release",
            "--package=lorehound",
            "--test=cli",
            "writes_nothing_and_sleeps",
        ],
    ),
    (
        "vectors, compared with usearch",
        &["run", "--release", "--locked", "--manifest-path", "benches/vectors/Cargo.toml"],
    ),
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
