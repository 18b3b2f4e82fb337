//! Runs `lore lsp` in a real editor: a headless Neovim checks definition, references and hover on the
//! small trees of the tests, in four languages. Then the plugins of `editors` are checked. With
//! `--files N`, the requests are timed instead.

mod latency;
mod plugins;

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

use crate::clients::call;

/// Maximum time for one tree.
const MAX_TIME: Duration = Duration::from_mins(3);

/// A tree of the tests, and what the editor should find.
struct Tree {
    /// Directory below the fixtures.
    folder: &'static str,
    /// File with the calls.
    user: &'static str,
    /// File with the definition.
    library: &'static str,
    /// Name that is called.
    name: &'static str,
    /// Text of the line with the call.
    call: &'static str,
    /// Text of the line with the definition.
    definition: &'static str,
    /// Number of references: calls and imports by name.
    references: u32,
}

const TREES: &[Tree] = &[
    Tree {
        folder: "rust",
        user: "src/shop.rs",
        library: "src/ledger.rs",
        name: "with_fee",
        call: "let total",
        definition: "pub fn with_fee(amount: u64) -> u64",
        references: 3,
    },
    Tree {
        folder: "python",
        user: "shop/sales.py",
        library: "shop/ledger.py",
        name: "with_fee",
        call: "total =",
        definition: "def with_fee(amount)",
        references: 3,
    },
    Tree {
        folder: "typescript",
        user: "src/shop.ts",
        library: "src/ledger.ts",
        name: "withFee",
        call: "const total",
        definition: "function withFee(amount: number): number",
        references: 3,
    },
    Tree {
        folder: "go",
        user: "shop.go",
        library: "ledger/ledger.go",
        name: "WithFee",
        call: "total :=",
        definition: "func WithFee(amount int) int",
        references: 2,
    },
];

/// Runs the checks; `NVIM_PROGRAM` names the Neovim to use, and `LORE` the `lore`.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<()> {
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            let folder = std::env::temp_dir().join(format!("lore-editors-{}", std::process::id()));
            std::fs::create_dir_all(&folder)?;
            let checked = in_neovim(root, &folder).and_then(|()| plugins::vscode(root, &folder));
            std::fs::remove_dir_all(&folder).ok();
            checked
        }
        ["--files", number] => latency::run(root, number.parse()?),
        _ => bail!("usage: cargo xtask editors [--files N]"),
    }
}

fn in_neovim(root: &Path, folder: &Path) -> Result<()> {
    let nvim = std::env::var_os("NVIM_PROGRAM").unwrap_or_else(|| "nvim".into());
    let version = Command::new(&nvim).arg("--version").output();
    let Some(version) = version.ok().filter(|output| output.status.success()) else {
        println!(
            "NOT CHECKED: lore lsp in an editor, and the plugin for Neovim. `{}` cannot be started on \
             this machine.",
            nvim.display()
        );
        return Ok(());
    };
    let lore = super::program(root)?;
    for tree in TREES {
        println!("\n# {}", tree.folder);
        check(root, folder, &nvim, &lore, tree)?;
    }
    let version = String::from_utf8_lossy(&version.stdout);
    let version = version.lines().next().unwrap_or_default();
    println!("\n{version}: definition, references and hover are right in {} trees", TREES.len());
    println!("\n# The plugin for Neovim");
    let mut command = neovim(&nvim, &root.join("editors/nvim/tests/run.lua"), folder);
    command.env("LORE", &lore);
    finish(&mut command).context("the checks of the plugin for Neovim failed")
}

/// Returns the command that runs a script in a Neovim without the settings of the user.
fn neovim(nvim: &std::ffi::OsStr, script: &Path, folder: &Path) -> Command {
    let mut command = Command::new(nvim);
    command
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"])
        .arg(format!("luafile {}", script.display()))
        // After an error in the script.
        .args(["-c", "cquit 1"])
        .env("LOREHOUND_CACHE_DIR", folder.join("cache"))
        .env("LOREHOUND_CONFIG", "")
        .stdin(Stdio::null());
    // Neovim writes its logs there.
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(name, folder.join("neovim"));
    }
    command
}

/// Checks one tree.
fn check(
    root: &Path,
    folder: &Path,
    nvim: &std::ffi::OsStr,
    lore: &Path,
    tree: &Tree,
) -> Result<()> {
    let copy = copy(root, folder, tree)?;
    let mut command = neovim(nvim, &root.join("crates/cli/tests/clients/neovim.lua"), folder);
    command
        .envs([("LORE_USER", tree.user), ("LORE_LIBRARY", tree.library), ("LORE_NAME", tree.name)])
        .envs([("LORE_CALL", tree.call), ("LORE_DEFINITION", tree.definition)])
        .env("LORE_SIGNATURE", tree.definition)
        .env("LORE_REFERENCES", tree.references.to_string())
        .env("LORE", lore)
        .env("LORE_TREE", &copy);
    finish(&mut command).with_context(|| format!("{}: the checks in Neovim failed", tree.folder))
}

/// Runs a command that must succeed, within the maximum time.
fn finish(command: &mut Command) -> Result<()> {
    let mut child = command
        .spawn()
        .with_context(|| format!("could not start `{}`", command.get_program().display()))?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            if status.success() {
                return Ok(());
            }
            bail!("`{}` ended with {status}", command.get_program().display());
        }
        if MAX_TIME < started.elapsed() {
            child.kill()?;
            child.wait()?;
            bail!("`{}` does not end", command.get_program().display());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Copies the tree into a repository with one commit.
fn copy(root: &Path, folder: &Path, tree: &Tree) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let copy = folder.join(tree.folder);
    let fixture = root.join("crates/cli/tests/fixtures/ledger").join(tree.folder);
    call(Command::new("cp").arg("-R").arg(fixture).arg(&copy))?;
    let git = |words: &[&str]| {
        let names = ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@example.com"];
        let date = "2024-11-05T09:00:00Z";
        call(
            Command::new("git")
                .arg("-C")
                .arg(&copy)
                .args(names)
                .args(words)
                .env("GIT_AUTHOR_DATE", date)
                .env("GIT_COMMITTER_DATE", date),
        )
    };
    git(&["init", "--quiet"])?;
    git(&["add", "--all"])?;
    let message = "ledger: add a fee\n\nThe bank charges three cents. They are passed on.";
    git(&["commit", "--quiet", "--message", message])?;
    Ok(copy)
}
