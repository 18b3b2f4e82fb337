//! Versions in the manifests of a tree.

use std::collections::HashMap;
use std::sync::LazyLock;

use lore_sources::Tree;
use regex::Regex;

use crate::EngineConfig;

static TOML_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)^\s*(name|version|rust-version|requires-python)\s*=\s*"([^"]+)""#)
        .expect("a valid pattern")
});

static JSON_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""(name|version|node)"\s*:\s*"([^"]+)""#).expect("a valid pattern")
});

static GO_VALUE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^go\s+(\d+(?:\.\d+)*)").expect("a valid pattern"));

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d+(?:\.\d+)*").expect("a valid pattern"));

/// Versions of languages and of packages.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// Minimum versions by language, in the order of the paths of manifests.
    languages: HashMap<&'static str, Vec<String>>,
    /// Versions by package.
    packages: HashMap<String, String>,
}

impl Manifests {
    /// Reads the manifests of a tree.
    pub(super) fn read(tree: &Tree, config: &EngineConfig) -> Manifests {
        let mut manifests = Manifests::default();
        for entry in tree.entries() {
            let name = entry.path.rsplit('/').next().unwrap_or_default();
            if !matches!(name, "Cargo.toml" | "pyproject.toml" | "package.json" | "go.mod") {
                continue;
            }
            let is_nested = entry.path.matches('/').count() > 2
                || entry.path.split('/').any(|part| {
                    matches!(
                        part,
                        "examples"
                            | "example"
                            | "fixtures"
                            | "testdata"
                            | "node_modules"
                            | "tests"
                            | "test"
                    )
                });
            if let Ok(text) = config.read_text(&entry.path)
                && !is_nested
            {
                manifests.add(name, &text);
            }
        }
        manifests
    }

    fn add(&mut self, file: &str, text: &str) {
        if file == "go.mod" {
            let version = GO_VALUE.captures(text).map(|found| found[1].to_owned());
            self.languages.entry("go").or_default().extend(version);
            return;
        }
        let pattern = if file == "package.json" { &JSON_VALUE } else { &TOML_VALUE };
        // The first name and version of a file are those of its package.
        let mut package = None;
        let mut version = None;
        for found in pattern.captures_iter(text) {
            let number = NUMBER.find(&found[2]).map(|number| number.as_str().to_owned());
            match &found[1] {
                "name" => package = package.or(Some(found[2].to_owned())),
                "version" => version = version.or(number),
                "rust-version" => self.languages.entry("rust").or_default().extend(number),
                "requires-python" => self.languages.entry("python").or_default().extend(number),
                _ => self.languages.entry("node").or_default().extend(number),
            }
        }
        if let (Some(package), Some(version)) = (package, version) {
            self.packages.entry(package).or_insert(version);
        }
    }

    /// Returns the version that holds now if it differs from the written one. `tool` is a language
    /// or `package`.
    pub(super) fn other(&self, tool: &str, name: &str, written: &str) -> Option<&str> {
        if tool == "package" {
            let version = self.packages.get(name)?;
            let is_same = is_compatible(written, version);
            return (!is_same && version != "0.0.0").then_some(version.as_str());
        }
        let versions = self.languages.get(tool)?;
        let is_any =
            versions.iter().any(|version| starts(version, written) || starts(written, version));
        let is_older = |version: &String| numbers(written) < numbers(version);
        versions.first().filter(|version| !is_any && is_older(version)).map(String::as_str)
    }
}

/// The numbers of a version.
fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map(|number| number.parse().unwrap_or(u64::MAX)).collect()
}

/// Returns true if a version starts with the numbers of another one.
fn starts(version: &str, prefix: &str) -> bool {
    let mut numbers = version.split('.');
    prefix.split('.').all(|number| numbers.next() == Some(number))
}

/// Returns true if a requirement accepts a version: equal up to the first number that is not zero.
fn is_compatible(written: &str, version: &str) -> bool {
    for (left, right) in written.split('.').zip(version.split('.')) {
        if left != right {
            return false;
        }
        if left != "0" {
            return true;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_with_manifests() {
        let mut manifests = Manifests::default();
        manifests.add(
            "Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.4.1\"\nrust-version = \"1.80\"\n",
        );
        assert_eq!(manifests.other("rust", "rust", "1.75"), Some("1.80"));
        assert_eq!(manifests.other("rust", "rust", "1.80.0"), None);
        assert_eq!(manifests.other("package", "a", "0.3"), Some("0.4.1"));
        assert_eq!(manifests.other("package", "a", "0.4"), None);
        assert_eq!(manifests.other("package", "b", "0.4"), None);
        assert_eq!(manifests.other("go", "go", "1.2"), None);
    }
}
