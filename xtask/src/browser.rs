//! Drives a real browser through the page of `lore serve`: `crates/page/browser/run.mjs`, with the packages of its lock
//! file. Says that nothing was checked where the browser or npm is missing.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Result, bail};

use crate::clients::call;

/// Names of browsers that the script can drive, best first.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Runs the script. `--pictures` also makes the pictures of the documentation.
pub(crate) fn run(root: &Path, program: &Path, arguments: &[String]) -> Result<()> {
    let has_pictures = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--pictures"] => true,
        _ => bail!("usage: cargo xtask page [--pictures]"),
    };
    let browser = std::env::var_os("BROWSER")
        .map(PathBuf::from)
        .or_else(|| BROWSERS.iter().map(PathBuf::from).find(|name| answers(name, "--version")));
    let Some(browser) = browser else {
        println!("NOT CHECKED: the page in a browser. Install chromium, or name one in BROWSER.");
        return Ok(());
    };
    if !answers(Path::new("npm"), "--version") {
        println!("NOT CHECKED: the page in a browser. Install Node and npm.");
        return Ok(());
    }
    let folder = root.join("crates/page/browser");
    call(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    let mut script = Command::new("node");
    script.arg("run.mjs").current_dir(&folder).env("LORE", program).env("BROWSER", which(&browser));
    if has_pictures {
        script.arg("--pictures").arg(root.join("docs/assets"));
    }
    call(&mut script)
}

/// The path of a program, which the driver of the browser needs.
fn which(name: &Path) -> PathBuf {
    if name.is_absolute() {
        return name.to_owned();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| name.to_owned())
}

fn answers(program: &Path, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
