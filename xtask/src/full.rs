//! Runs all suites that are too slow for every change.

use std::{path::Path, process::Command};

use anyhow::{Result, bail};

/// Makes tests run at full length that are otherwise shortened.
const FULL_LENGTH: &str = "LORE_TEST_FULL";

/// One command, and names of tests to which it is restricted.
struct Step {
    name: &'static str,
    /// Arguments of cargo.
    arguments: &'static [&'static str],
    /// Parts of names of tests; the step fails if one of them selects no test. Empty for all tests.
    filters: &'static [&'static str],
}

const fn step(name: &'static str, arguments: &'static [&'static str]) -> Step {
    Step { name, arguments, filters: &[] }
}

/// The steps, in order. A failing step, or one whose tool is missing, does not stop the others.
const STEPS: &[Step] = &[
    step("the suite, optimised", &["test", "--workspace", "--locked", "--release"]),
    step("each feature by itself", &["hack", "check", "--workspace", "--each-feature", "--locked"]),
    Step {
        name: "ten thousand damaged files, and every step of a commit",
        arguments: &[
            "test",
            "--locked",
            "--release",
            "--package=lorehound-index",
            "--package=lorehound-engine",
            "--",
            "--ignored",
        ],
        filters: &["ten_thousand", "a_thousand_damages", "every_step"],
    },
    step("sixteen readers and four writers", &["xtask", "soak-processes"]),
    step("every fuzz target", &["xtask", "fuzz"]),
    step("every part of the attack", &["xtask", "attack"]),
    step(
        "the suite with no network but loopback",
        &["xtask", "offline", "cargo", "test", "--workspace", "--locked"],
    ),
    step(
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
    step("eight servers while files change", &["xtask", "mcp-soak"]),
    Step {
        name: "five minutes idle",
        arguments: &[
            "--config=env.LORE_IDLE_SECONDS='300'",
            "test",
            "--locked",
            "--release",
            "--package=lorehound",
            "--test=cli",
            "--",
        ],
        filters: &["is_idle"],
    },
    step(
        "vectors, compared with usearch",
        &["run", "--release", "--locked", "--manifest-path", "benches/vectors/Cargo.toml"],
    ),
];

/// Runs the long suites.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for step in STEPS {
        println!("== {}: cargo {} {}", step.name, step.arguments.join(" "), step.filters.join(" "));
        let cargo = || {
            let mut command = Command::new("cargo");
            command.args(step.arguments).current_dir(root).env(FULL_LENGTH, "1");
            command
        };
        if !step.filters.is_empty() {
            let listing = cargo().arg("--list").output()?;
            let unmatched = unmatched(step.filters, &String::from_utf8_lossy(&listing.stdout));
            if !unmatched.is_empty() {
                println!("no test has a name with: {}", unmatched.join(", "));
                failed.push(step.name);
                continue;
            }
        }
        if !cargo().args(step.filters).status()?.success() {
            failed.push(step.name);
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Returns the filters that select no test of a listing by `cargo test -- --list`.
fn unmatched(filters: &[&'static str], listing: &str) -> Vec<&'static str> {
    let names: Vec<&str> = listing.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let is_unmatched = |filter: &&&str| !names.iter().any(|name| name.contains(**filter));
    filters.iter().filter(is_unmatched).copied().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_filter_without_a_test_is_found() {
        let listing = "\na::b_is_idle: test\nc: benchmark\n\n1 test, 1 benchmark\n";
        assert_eq!(unmatched(&["is_idle", "sleeps", "c"], listing), ["sleeps", "c"]);
    }

    #[test]
    fn every_filter_selects_a_test() {
        fn add_functions(folder: &Path, listing: &mut String) {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                if entry.path().is_dir() {
                    add_functions(&entry.path(), listing);
                } else if let Ok(text) = fs::read_to_string(entry.path()) {
                    let names = text.lines().filter_map(|line| line.trim().strip_prefix("fn "));
                    for name in names.filter_map(|rest| rest.strip_suffix("() {")) {
                        listing.push_str(name);
                        listing.push_str(": test\n");
                    }
                }
            }
        }
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        let mut listing = String::new();
        for folder in ["index/tests", "engine/tests", "cli/tests"] {
            add_functions(&crates.join(folder), &mut listing);
        }
        for step in STEPS {
            assert_eq!(unmatched(step.filters, &listing), [""; 0], "{}", step.name);
        }
    }
}
