//! Finds an installation of Java that OpenSearch can use.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::artifacts::VERSION;

/// Minimum version of Java.
const MIN_VERSION: u32 = 21;

/// Folder with the installations of the packages of most distributions.
const INSTALLATIONS: &str = "/usr/lib/jvm";

/// Folder of the first suitable installation: of the variables, the usual folder, and `PATH`.
pub(super) fn find() -> Result<PathBuf> {
    let mut tried = Vec::new();
    for (origin, folder) in candidates() {
        let problem = match folder {
            None => "not set".to_owned(),
            Some(folder) => match version_of(&folder) {
                Ok(version) if version >= MIN_VERSION => return Ok(folder),
                Ok(version) => format!("`{}` is Java {version}", folder.display()),
                Err(problem) => format!("`{}` {problem}", folder.display()),
            },
        };
        tried.push(format!("  {origin}: {problem}"));
    }
    bail!(
        "could not find Java {MIN_VERSION} or newer, which OpenSearch {VERSION} needs; tried:\n{}\n\
         hint: install it (Debian 13, Ubuntu 24.04):\n  \
         apt-get install --yes openjdk-{MIN_VERSION}-jdk-headless\n\
         or unpack the archive of Temurin:\n  {}",
        tried.join("\n"),
        temurin()
    )
}

/// Origins and folders to try, in this order.
fn candidates() -> Vec<(&'static str, Option<PathBuf>)> {
    let variable = |name: &'static str| (name, std::env::var_os(name).map(PathBuf::from));
    let mut candidates = vec![variable("OPENSEARCH_JAVA_HOME"), variable("JAVA_HOME")];
    let installed = std::fs::read_dir(INSTALLATIONS).into_iter().flatten().flatten();
    let installed =
        installed.map(|entry| entry.path()).filter(|path| path.join("release").exists());
    let mut installed: Vec<_> =
        installed.map(|folder| (version_of(&folder).unwrap_or(0), folder)).collect();
    // The oldest suitable version first: OpenSearch was tested with it longest.
    installed.sort();
    candidates.extend(installed.into_iter().map(|(_, folder)| (INSTALLATIONS, Some(folder))));
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut java = std::env::split_paths(&folders).map(|folder| folder.join("java"));
    let java = java.find_map(|program| program.canonicalize().ok());
    let home = java.and_then(|program| Some(program.parent()?.parent()?.to_owned()));
    candidates.extend(home.map(|home| ("`java` on PATH", Some(home))));
    candidates
}

/// Version of the installation in a folder, or the reason why there is none.
fn version_of(folder: &Path) -> Result<u32, String> {
    if !folder.join("bin/java").exists() {
        return Err("has no `bin/java`".to_owned());
    }
    let release = std::fs::read_to_string(folder.join("release"));
    let release = release.map_err(|error| format!("has no readable file `release`: {error}"))?;
    version(&release).ok_or_else(|| "has a file `release` without a version".to_owned())
}

/// Major version in the text of a file `release`.
fn version(release: &str) -> Option<u32> {
    let value = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let value = value.trim().trim_matches('"');
    // The version of Java 8 starts with 1.8.
    let value = value.strip_prefix("1.").unwrap_or(value);
    value.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Command that installs Temurin for this kind of processor.
fn temurin() -> String {
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        other => other,
    };
    format!(
        "mkdir -p {INSTALLATIONS}/temurin-{MIN_VERSION} && curl -fsSL https://api.adoptium.net/v3/binary/\
         latest/{MIN_VERSION}/ga/linux/{processor}/jdk/hotspot/normal/eclipse \
         | tar xz -C {INSTALLATIONS}/temurin-{MIN_VERSION} --strip-components 1"
    )
}

#[cfg(test)]
mod tests {
    use super::{version, version_of};

    #[test]
    fn versions_are_read_from_release_files() {
        let temurin = "IMPLEMENTOR=\"Eclipse Adoptium\"\nJAVA_VERSION=\"25.0.3\"\nLIBC=\"gnu\"\n";
        assert_eq!(version(temurin), Some(25));
        assert_eq!(version("JAVA_VERSION=\"21\"\n"), Some(21));
        assert_eq!(version("JAVA_VERSION=\"1.8.0_392\"\n"), Some(8));
        assert_eq!(version("JAVA_VERSION=\"26-ea\"\n"), Some(26));
        assert_eq!(version("JAVA_RUNTIME_VERSION=\"25\"\n"), None);
        assert_eq!(version("JAVA_VERSION=\"\"\n"), None);
    }

    #[test]
    fn folders_without_java_have_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(version_of(folder.path()).unwrap_err(), "has no `bin/java`");
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(folder.path().join("bin/java"), "").unwrap();
        assert!(version_of(folder.path()).unwrap_err().starts_with("has no readable file"));
        std::fs::write(folder.path().join("release"), "JAVA_VERSION=\"22.0.1\"").unwrap();
        assert_eq!(version_of(folder.path()).unwrap(), 22);
    }
}
