//! Developer commands: `cargo xtask tidy`, `cargo xtask full`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a developer's tool reads the tree, starts cargo and prints what it does"
)]

mod full;
mod tidy;
mod walls;

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask tidy   check walls and house rules
       cargo xtask full   run everything that is too slow for every change";

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => report(&check(&root())?),
        Some("full") => full::run(&root()),
        _ => bail!("{USAGE}"),
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// Everything that `tidy` holds, one line a violation.
fn check(root: &Path) -> Result<Vec<String>> {
    let mut violations = walls::check(root)?;
    violations.extend(tidy::check(root)?);
    Ok(violations)
}

fn report(violations: &[String]) -> Result<()> {
    for violation in violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        bail!("{} violations", violations.len());
    }
    println!("tidy");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy_and_the_walls_stand() {
        let violations = super::check(&super::root()).unwrap();
        assert!(violations.is_empty(), "{}", violations.join("\n"));
    }
}
