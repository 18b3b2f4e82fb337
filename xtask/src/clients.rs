//! Calls every tool of the server with independent clients: the Inspector of the protocol's authors
//! and the client of the Python SDK. Installs both in a temporary directory.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

/// Version of the Inspector: the newest that runs on the Node.js of current systems.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@1.0.2";

/// Version of the Python SDK, with a schema validator.
const PYTHON: &[&str] = &["mcp==2.3.0", "jsonschema==4.26.0"];

/// Installs the clients, and calls all tools with them.
pub(crate) fn run(root: &Path) -> Result<()> {
    let folder = root.join("target/mcp-clients");
    let folder = std::env::var_os("CARGO_TARGET_DIR")
        .map_or(folder, |target| PathBuf::from(target).join("mcp-clients"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("could not clear the folder of the last run")?;
    }
    std::fs::create_dir_all(&folder)?;
    let tree = tree(root, &folder)?;
    let program = super::program(root)?;

    let python = folder.join("python");
    call(Command::new("python3").args(["-m", "venv"]).arg(&python))?;
    let python = python.join("bin/python");
    call(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PYTHON))?;
    let node = folder.join("node");
    call(
        Command::new("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(&node)
            .arg(INSPECTOR),
    )?;

    let clients = root.join("crates/cli/tests/clients");
    let inspector = node.join("node_modules/.bin/mcp-inspector");
    for (script, more) in [("strict.py", None), ("inspector.py", Some(inspector))] {
        // Each client starts without an index.
        let cache = folder.join(format!("cache-{script}"));
        let mut command = Command::new(&python);
        call(command.arg(clients.join(script)).args([&program, &tree, &cache]).args(more))?;
    }
    println!("every tool was called by both clients");
    Ok(())
}

/// The test fixture as a repository.
fn tree(root: &Path, folder: &Path) -> Result<PathBuf> {
    let tree = folder.join("shop");
    let fixture = root.join("crates/cli/tests/fixtures/shop");
    call(Command::new("cp").arg("-R").arg(fixture).arg(&tree))?;
    let git = |words: &[&str]| {
        let names = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"];
        call(Command::new("git").arg("-C").arg(&tree).args(names).args(words))
    };
    git(&["init", "--quiet"])?;
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message", "shop: payments and refunds"])?;
    Ok(tree)
}

/// Runs a command that must succeed.
pub(crate) fn call(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("could not start `{}`", command.get_program().display()))?;
    if !status.success() {
        bail!("failed: {command:?}");
    }
    Ok(())
}
