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
            "lorehound-install",
            "lorehound-render",
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
            "lorehound-syntax",
            "lorehound-text",
        ],
    ),
    ("lorehound-eval", &["lorehound-engine", "lorehound-schema"]),
    ("lorehound-failures", &["lorehound-schema"]),
    ("lorehound-index", &["lorehound-schema"]),
    ("lorehound-install", &["lorehound-console", "lorehound-engine", "lorehound-settings"]),
    ("lorehound-render", &["lorehound-console", "lorehound-engine", "lorehound-schema"]),
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
            "lorehound-install",
            "lorehound-render",
            "lorehound-server",
            "lorehound-session",
            "xtask",
        ],
    ),
    ("clap", &["lorehound", "lorehound-compat", "lorehound-settings"]),
    ("gix", &["lorehound-sources"]),
    ("http-body", &["lorehound-server"]),
    ("hyper", &["lorehound-server"]),
    ("ignore", &["lorehound-sources"]),
    ("indicatif", &["lorehound-session"]),
    ("notify", &["lorehound-sources"]),
    ("rmcp", &["lorehound-server"]),
    ("rustls", &["lorehound-session"]),
    ("safetensors", &["lorehound-text"]),
    (
        "serde_json",
        &[
            "lorehound",
            "lorehound-compat",
            "lorehound-eval",
            "lorehound-install",
            "lorehound-render",
            "lorehound-server",
            "lorehound-session",
            "lorehound-settings",
            "lorehound-sources",
            "lorehound-text",
            "xtask",
        ],
    ),
    ("tantivy", &["lorehound-index"]),
    ("tokenizers", &["lorehound-text"]),
    ("tokio", &["lorehound-server", "lorehound-session"]),
    ("tree-sitter", &["lorehound-syntax"]),
    ("ureq", &["lorehound-session"]),
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
        let manifest: toml::Table = text.parse()?;
        let package = manifest["package"]["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == package) else {
            violations.push(format!("{package}: is not in the table of dependencies"));
            continue;
        };
        for section in ["dependencies", "build-dependencies"] {
            let Some(dependencies) = manifest.get(section).and_then(toml::Value::as_table) else {
                continue;
            };
            for name in dependencies.keys() {
                let ours = MAY_USE.iter().any(|(other, _)| other == name);
                if ours && !allowed.contains(&name.as_str()) {
                    violations.push(format!("{package}: may not depend on `{name}`"));
                }
                for (prefix, owners) in BEHIND {
                    let matches = name == prefix || name.starts_with(&format!("{prefix}-"));
                    if matches && !owners.contains(&package) {
                        violations
                            .push(format!("{package}: `{name}` is only allowed in {owners:?}"));
                    }
                }
            }
        }
    }
    Ok(violations)
}
