//! Developer commands: `cargo xtask tidy`, `stats`, `full`, `fuzz`, `attack`, `editors`, `large-tree`,
//! `mcp-clients`, `mcp-soak`, `generate`, `opensearch`, `page`, `semver`, `site`, `soak-processes`, `rg` and
//! `offline`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a developer tool reads files, starts cargo and prints its results"
)]

mod attack;
mod browser;
mod clients;
mod compatibility;
mod cycles;
mod deploy;
mod editors;
mod environment;
mod full;
mod fuzz;
mod generated;
#[cfg(target_os = "linux")]
mod large;
mod modules;
mod offline;
#[cfg(target_os = "linux")]
mod opensearch;
mod pages;
mod processes;
mod prose;
mod random;
mod references;
mod rg;
mod rust_tokens;
mod semver;
mod server;
mod site;
mod soak;
mod stats;
mod tidy;
mod walls;
mod yaml;

use anyhow::{Result, bail};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

const USAGE: &str = "usage: cargo xtask tidy   check dependencies between crates and source rules
       cargo xtask tidy --prose [PATH...]   check the language of all files, or below the paths
       cargo xtask generate   write the generated pages and schemas of `docs/reference` again
       cargo xtask stats [CRATE...]   print size and structure as Markdown, or the import circles
       cargo xtask full   run all suites that are too slow for every change
       cargo xtask fuzz [--minutes N] [TARGET...]   run the fuzz targets
       cargo xtask attack [PART...] [--minutes N] [--seed S]   attack the promises of SECURITY.md
       cargo xtask offline COMMAND...   run a command in a network with this machine only
       cargo xtask rg [--commands N] [--seed S]   compare `lore rg` with ripgrep
       cargo xtask editors [--files N]   check `lore lsp` in Neovim and the plugins of `editors`, or time it
       cargo xtask semver [--baseline REVISION]   compare the library with the last release
       cargo xtask page [--pictures]   check the page of `lore serve` in a browser
       cargo xtask site [OUT]   build the documentation site and check its links
       cargo xtask large-tree --tree DIR|--made N [OPTIONS]   measure and check `lore` on a large tree
       cargo xtask opensearch start|status|kill NODE|stop [OPTIONS]   an OpenSearch cluster for tests
       cargo xtask mcp-clients   call every tool of the server with independent clients
       cargo xtask mcp-soak [--minutes N]   query many servers while files change
       cargo xtask soak-processes [--minutes N]   read and write one index with many processes";

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy(&root(), &words()),
        Some("generate") => generated::write(&root(), &program(&root())?),
        Some("stats") => stats(&root(), &words()),
        Some("full") => full::run(&root()),
        Some("attack") => attack::run(&root(), &words()),
        Some("fuzz") => fuzz::run(&root(), &words()),
        Some("offline") => offline::run(&words()),
        Some(offline::INSIDE) => offline::inside(&words()),
        Some("rg") => rg::run(&root(), &words()),
        Some("semver") => semver::run(&root(), &words()),
        Some("editors") => editors::run(&root(), &words()),
        Some("page") => browser::run(&root(), &program(&root())?, &words()),
        Some("site") => site::run(&root(), &words()),
        Some("large-tree") => large_tree(&root(), &words()),
        Some("opensearch") => opensearch(&root(), &words()),
        Some("mcp-clients") => clients::run(&root()),
        Some("mcp-soak") => soak::run(&root(), minutes()?),
        Some("soak-processes") => soak_processes(&root(), minutes()?),
        _ => bail!("{USAGE}"),
    }
}

/// Runs the source checks that the arguments name.
fn tidy(root: &Path, arguments: &[String]) -> Result<()> {
    match arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        None => report(&check(root)?),
        Some(("--prose", paths)) => {
            let paths: Vec<_> =
                paths.iter().map(std::fs::canonicalize).collect::<std::io::Result<_>>()?;
            report(&prose::check(root, &paths)?)
        }
        Some(("--stats", crates)) => stats(root, crates),
        Some(_) => bail!("{USAGE}"),
    }
}

/// Prints the statistics of all source, or the import circles of the named crates.
fn stats(root: &Path, crates: &[String]) -> Result<()> {
    if crates.is_empty() {
        print!("{}", stats::report(root)?);
    }
    for name in crates {
        print!("{}", stats::circles(&root.join("crates").join(name).join("src"))?);
    }
    Ok(())
}

/// Runs sixteen readers, four writers and a server at the same time.
fn soak_processes(root: &Path, minutes: f64) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("lore-processes-{}", std::process::id()));
    let load = processes::Load {
        duration: Duration::from_secs_f64(minutes * 60.0),
        round: Duration::from_secs(25),
        readers: 16,
        writers: 4,
        pause: Duration::from_millis(60),
    };
    let outcome = processes::soak(&program(root)?, &folder, load);
    std::fs::remove_dir_all(&folder).ok();
    println!("{}", outcome?);
    Ok(())
}

/// Measures and checks `lore` on a large tree.
#[cfg(target_os = "linux")]
fn large_tree(root: &Path, words: &[String]) -> Result<()> {
    large::run(root, words)
}

/// Signals, memory and limits of watched folders are read in the way of Linux.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the command runs and can fail on Linux")]
fn large_tree(_root: &Path, _words: &[String]) -> Result<()> {
    println!("NOT CHECKED: large trees. The command runs on Linux only.");
    Ok(())
}

/// Starts and stops an OpenSearch cluster.
#[cfg(target_os = "linux")]
fn opensearch(root: &Path, words: &[String]) -> Result<()> {
    opensearch::run(root, words)
}

/// Processes are recognised in the way of Linux.
#[cfg(not(target_os = "linux"))]
fn opensearch(_root: &Path, _words: &[String]) -> Result<()> {
    bail!("a cluster for tests runs on Linux only");
}

/// Arguments after the command.
fn words() -> Vec<String> {
    std::env::args().skip(2).collect()
}

/// Duration of a soak in minutes.
fn minutes() -> Result<f64> {
    match words().iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok(10.0),
        ["--minutes", number] => Ok(number.parse()?),
        _ => bail!("{USAGE}"),
    }
}

/// Builds `lore` and returns its path; `LORE`, if set, is used instead.
fn program(root: &Path) -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("LORE") {
        return Ok(std::path::absolute(program)?);
    }
    let built = Command::new("cargo")
        .args(["build", "--locked", "--package", "lorehound", "--bin", "lore"])
        .current_dir(root)
        .status()?;
    if !built.success() {
        bail!("could not build `lore`");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |target| root.join(target));
    Ok(target.join("debug/lore"))
}

/// Root of the workspace around the current directory; that of the build where there is none.
fn root() -> PathBuf {
    let current = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_default();
    let is_root = |folder: &&Path| folder.join("xtask/Cargo.toml").is_file();
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
    current.ancestors().find(is_root).unwrap_or(built).to_owned()
}

/// Runs all checks of `tidy`; one line for each violation.
fn check(root: &Path) -> Result<Vec<String>> {
    let mut violations = walls::check(root)?;
    violations.extend(tidy::check(root)?);
    violations.extend(pages::check(root)?);
    violations.extend(references::check(root)?);
    violations.extend(compatibility::check(root)?);
    violations.extend(cycles::check(root)?);
    violations.extend(prose::check(root, &[])?);
    violations.extend(generated::check(root)?);
    violations.extend(deploy::check(root)?);
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
    fn the_tree_passes_all_checks() {
        let violations = super::check(&super::root()).unwrap();
        assert!(violations.is_empty(), "{}", violations.join("\n"));
    }
}
