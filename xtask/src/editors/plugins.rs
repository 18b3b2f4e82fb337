//! Checks the extension for VS Code: its types, its tests with the real `lore`, and its package.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};

use super::finish;

/// Oldest version of Node.js that the tools of the extension run on.
const MIN_NODE: u32 = 20;

/// Runs the checks in a copy, so that the tree gets no `node_modules`.
pub(super) fn vscode(root: &Path, folder: &Path) -> Result<()> {
    println!("\n# The extension for VS Code");
    if let Some(reason) = missing() {
        println!("NOT CHECKED: the extension for VS Code. {reason}");
        return Ok(());
    }
    let lore = crate::program(root)?;
    let copy = folder.join("vscode");
    std::fs::create_dir_all(&copy)?;
    for name in [
        "package.json",
        "package-lock.json",
        ".npmrc",
        "tsconfig.json",
        "esbuild.mjs",
        ".vscodeignore",
        "README.md",
        "CHANGELOG.md",
        "src",
        "tests",
        "media",
    ] {
        let from = root.join("editors/vscode").join(name);
        crate::clients::call(Command::new("cp").arg("-R").arg(from).arg(&copy))?;
    }
    for words in
        [&["ci", "--no-audit", "--no-fund"][..], &["run", "check"], &["test"], &["run", "package"]]
    {
        let mut command = Command::new("npm");
        command
            .args(words)
            .current_dir(&copy)
            .env("LORE", &lore)
            .env("LOREHOUND_CACHE_DIR", folder.join("cache"))
            .env("LOREHOUND_CONFIG", "")
            .stdin(Stdio::null());
        finish(&mut command).with_context(|| format!("`npm {}` failed", words.join(" ")))?;
    }
    Ok(())
}

/// Returns the reason why this machine cannot check the extension.
fn missing() -> Option<String> {
    let version = |program: &str| {
        let output = Command::new(program).arg("--version").output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(node) = version("node") else {
        return Some("`node` cannot be started on this machine.".to_owned());
    };
    if version("npm").is_none() {
        return Some("`npm` cannot be started on this machine.".to_owned());
    }
    let major = node.trim_start_matches('v').split('.').next()?.parse::<u32>();
    match major {
        Ok(major) if MIN_NODE <= major => None,
        _ => Some(format!("It needs Node.js {MIN_NODE} or later, and this machine has {node}.")),
    }
}
