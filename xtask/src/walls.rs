//! Dependency rules: the allowed dependencies between crates, and the crates that may use a
//! third-party crate.
//!
//! The tables are those of `ARCHITECTURE.md`. To change a rule, change both, on purpose.

use std::path::Path;

use anyhow::{Context, Result};

/// Package and the packages of this workspace that it may depend on.
const MAY_USE: &[(&str, &[&str])] = &[
    (
        "lorehound",
        &[
            "lorehound-compat",
            "lorehound-console",
            "lorehound-engine",
            "lorehound-eval",
            "lorehound-highlight",
            "lorehound-install",
            "lorehound-lsp",
            "lorehound-page",
            "lorehound-picker",
            "lorehound-render",
            "lorehound-rg",
            "lorehound-schema",
            "lorehound-server",
            "lorehound-session",
            "lorehound-settings",
        ],
    ),
    (
        "lorehound-compat",
        &[
            "lorehound-console",
            "lorehound-engine",
            "lorehound-render",
            "lorehound-schema",
            "lorehound-server",
            "lorehound-session",
            "lorehound-settings",
        ],
    ),
    ("lorehound-console", &["lorehound-engine"]),
    (
        "lorehound-engine",
        &[
            "lorehound-failures",
            "lorehound-index",
            "lorehound-schema",
            "lorehound-sources",
            "lorehound-statements",
            "lorehound-syntax",
            "lorehound-text",
        ],
    ),
    (
        "lorehound-eval",
        &[
            "lorehound-compat",
            "lorehound-console",
            "lorehound-engine",
            "lorehound-render",
            "lorehound-schema",
            "lorehound-session",
            "lorehound-settings",
        ],
    ),
    ("lorehound-failures", &[]),
    ("lorehound-highlight", &["lorehound-syntax"]),
    ("lorehound-index", &["lorehound-schema"]),
    ("lorehound-install", &["lorehound-console", "lorehound-engine", "lorehound-settings"]),
    (
        "lorehound-lsp",
        &["lorehound-console", "lorehound-engine", "lorehound-schema", "lorehound-server"],
    ),
    (
        "lorehound-page",
        &[
            "lorehound-console",
            "lorehound-engine",
            "lorehound-highlight",
            "lorehound-render",
            "lorehound-schema",
            "lorehound-server",
            "lorehound-settings",
        ],
    ),
    ("lorehound-picker", &["lorehound-console", "lorehound-highlight"]),
    (
        "lorehound-render",
        &["lorehound-console", "lorehound-engine", "lorehound-highlight", "lorehound-schema"],
    ),
    ("lorehound-rg", &[]),
    ("lorehound-schema", &[]),
    (
        "lorehound-session",
        &[
            "lorehound-console",
            "lorehound-engine",
            "lorehound-render",
            "lorehound-schema",
            "lorehound-settings",
        ],
    ),
    (
        "lorehound-server",
        &[
            "lorehound-console",
            "lorehound-engine",
            "lorehound-render",
            "lorehound-schema",
            "lorehound-session",
            "lorehound-settings",
        ],
    ),
    ("lorehound-settings", &["lorehound-console", "lorehound-engine", "lorehound-schema"]),
    ("lorehound-sources", &["lorehound-schema"]),
    ("lorehound-statements", &[]),
    ("lorehound-syntax", &["lorehound-schema"]),
    ("lorehound-text", &["lorehound-schema"]),
    ("xtask", &[]),
];

/// Prefix of a third-party crate's name, and the only packages that may depend on it.
const BEHIND: &[(&str, &[&str])] = &[
    (
        "anyhow",
        &[
            "lorehound",
            "lorehound-compat",
            "lorehound-eval",
            "lorehound-install",
            "lorehound-lsp",
            "lorehound-render",
            "lorehound-server",
            "lorehound-session",
            "xtask",
        ],
    ),
    ("axum", &["lorehound-page"]),
    ("clap", &["lorehound", "lorehound-compat", "lorehound-eval", "lorehound-settings"]),
    ("gix", &["lorehound-sources"]),
    ("http-body", &["lorehound-server"]),
    ("hyper", &["lorehound-server"]),
    ("grep", &["lorehound-rg", "lorehound-sources"]),
    ("ignore", &["lorehound-rg", "lorehound-sources"]),
    ("indicatif", &["lorehound-session"]),
    ("lexopt", &["lorehound-rg"]),
    ("lsp", &["lorehound-lsp"]),
    ("notify", &["lorehound-sources"]),
    ("maud", &["lorehound-page"]),
    ("nucleo", &["lorehound-page", "lorehound-picker"]),
    ("open", &["lorehound"]),
    ("opentelemetry", &["lorehound-session"]),
    ("opentelemetry_sdk", &["lorehound-session"]),
    ("prometheus", &["lorehound-server"]),
    ("ratatui", &["lorehound-picker"]),
    ("rmcp", &["lorehound-server"]),
    ("rustls", &["lorehound-index", "lorehound-session"]),
    ("safetensors", &["lorehound-text"]),
    (
        "serde_json",
        &[
            "lorehound",
            "lorehound-compat",
            "lorehound-eval",
            "lorehound-index",
            "lorehound-install",
            "lorehound-lsp",
            "lorehound-page",
            "lorehound-render",
            "lorehound-rg",
            "lorehound-server",
            "lorehound-session",
            "lorehound-settings",
            "lorehound-sources",
            "lorehound-text",
            "xtask",
        ],
    ),
    ("tantivy", &["lorehound-index"]),
    ("termcolor", &["lorehound-rg"]),
    ("tokenizers", &["lorehound-text"]),
    ("tokio", &["lorehound-server"]),
    ("tower", &["lorehound-page"]),
    ("tree-sitter", &["lorehound-syntax"]),
    ("ureq", &["lorehound-index", "lorehound-session"]),
];

/// Violations, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut violations = Vec::new();
    let mut folders: Vec<_> = std::fs::read_dir(root.join("crates"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    folders.push(root.join("xtask"));
    folders.sort();
    for folder in folders {
        let path = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("could not read `{}`", path.display()))?;
        violations.extend(violations_of(&text.parse()?));
    }
    Ok(violations)
}

/// Violations of one package, given by its manifest.
fn violations_of(manifest: &toml::Table) -> Vec<String> {
    let package = manifest["package"]["name"].as_str().unwrap_or_default();
    let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == package) else {
        return vec![format!("{package}: is not in the table of dependencies")];
    };
    let used: Vec<&str> = ["dependencies", "build-dependencies"]
        .iter()
        .filter_map(|section| manifest.get(*section).and_then(toml::Value::as_table))
        .flat_map(|dependencies| dependencies.keys().map(String::as_str))
        .collect();
    let mut violations = Vec::new();
    for name in &used {
        let ours = MAY_USE.iter().any(|(other, _)| other == name);
        if ours && !allowed.contains(name) {
            violations.push(format!("{package}: may not depend on `{name}`"));
        }
        for (prefix, owners) in BEHIND {
            let matches = name == prefix || name.starts_with(&format!("{prefix}-"));
            if matches && !owners.contains(&package) {
                violations.push(format!("{package}: `{name}` is only allowed in {owners:?}"));
            }
        }
    }
    // An unused permission would let a removed dependency return unnoticed.
    for name in allowed.iter().filter(|name| !used.contains(name)) {
        violations.push(format!("{package}: does not use `{name}`, which its row allows"));
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::violations_of;

    fn check(text: &str) -> Vec<String> {
        violations_of(&text.parse().unwrap())
    }

    #[test]
    fn dependencies_outside_the_table_are_violations() {
        let package = "package.name = 'lorehound-text'\n";
        let schema = "dependencies.lorehound-schema.workspace = true\n";
        assert!(check(&format!("{package}{schema}")).is_empty());
        let violations = check(&format!(
            "{package}{schema}dependencies.lorehound-index.workspace = true\n\
             build-dependencies.tantivy-common = '1'\n"
        ));
        assert_eq!(violations.len(), 2, "{violations:?}");
        assert_eq!(violations[0], "lorehound-text: may not depend on `lorehound-index`");
    }

    #[test]
    fn rows_list_only_dependencies_that_are_used() {
        let violations = check("package.name = 'lorehound-text'");
        assert_eq!(
            violations,
            ["lorehound-text: does not use `lorehound-schema`, which its row allows"]
        );
    }
}
