//! Checks of the files below `deploy`: they can be read, the files and metrics that they name exist, images have the
//! version that is tested, and no secret has a value.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde_json::Value;

use crate::yaml;

/// Folder with the files, relative to the root.
const FOLDER: &str = "deploy";

/// Source with the names of all metrics.
const METRICS: &str = "crates/server/src/operations/metrics.rs";

/// Start of the names of metrics.
const PREFIX: &str = "lorehound_";

/// Ends that the library of metrics adds to names.
const SUFFIXES: &[&str] = &["_total", "_bucket", "_sum", "_count", "_info"];

/// Image of the nodes.
const NODE: &str = "opensearchproject/opensearch";

/// Version of the nodes that is tested. The cluster for tests runs on Linux only.
#[cfg(target_os = "linux")]
const TESTED: Option<&str> = Some(crate::opensearch::VERSION);
#[cfg(not(target_os = "linux"))]
const TESTED: Option<&str> = None;

/// Images that users build; their version is a choice of the user.
const BUILT: &[&str] = &["lorehound", "lorehound-ingest"];

/// A file, read.
struct Document {
    /// Path from the root.
    path: String,
    values: Vec<Value>,
}

/// Violations, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let folder = root.join(FOLDER);
    let ignored = std::fs::read_to_string(folder.join(".gitignore"))?;
    let ignored: Vec<PathBuf> = ignored
        .lines()
        .map(|line| folder.join(line.trim_start_matches('/').trim_end_matches('/')))
        .collect();
    let mut paths = Vec::new();
    collect(&folder, &ignored, &mut paths)?;
    paths.sort();
    let mut violations = Vec::new();
    let mut documents = Vec::new();
    for path in &paths {
        let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
        match read(path) {
            Ok(Some(values)) => documents.push(Document { path: shown, values }),
            Ok(None) => {}
            Err(error) => violations.push(format!("{shown}: {error:#}")),
        }
    }
    let metrics = std::fs::read_to_string(root.join(METRICS))?;
    let metrics = metrics.split("#[cfg(test)]").next().unwrap_or_default();
    for Document { path, values } in &documents {
        let mut texts = Vec::new();
        let mut images = Vec::new();
        let mut files = Vec::new();
        for value in values {
            visit(value, "", &mut |key, text| {
                texts.push(text.to_owned());
                match key {
                    "image" => images.push(text.to_owned()),
                    "file" | "files" | "resources" => files.push(text.to_owned()),
                    _ => {}
                }
            });
        }
        let report = |fault: String| format!("{path}: {fault}");
        let faults = unknown_metrics(&texts, metrics).into_iter();
        violations.extend(faults.map(|name| report(format!("no metric is named `{name}`"))));
        violations.extend(images.iter().filter_map(|image| wrong_image(image)).map(report));
        for file in files {
            let target = folder.join(file.trim_start_matches("./"));
            let is_ignored = ignored.iter().any(|ignored| target.starts_with(ignored));
            if !is_ignored && !target.is_file() {
                violations.push(report(format!("`{file}` does not exist")));
            }
        }
    }
    for path in paths {
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path)?;
        let secrets = (1..).zip(text.lines()).filter(|(_, line)| has_secret(line));
        violations.extend(secrets.map(|(number, _)| {
            format!("{shown}:{number}: a secret has a value or a default; leave it empty")
        }));
    }
    Ok(violations)
}

/// Adds the files below a folder that git does not ignore.
fn collect(folder: &Path, ignored: &[PathBuf], paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if ignored.contains(&path) {
            continue;
        }
        if path.is_dir() {
            collect(&path, ignored, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The values of a YAML, JSON or TOML file; `None` for another file.
fn read(path: &Path) -> Result<Option<Vec<Value>>> {
    let text = std::fs::read_to_string(path)?;
    Ok(match path.extension().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => Some(yaml::documents(&text)?),
        Some("json") => Some(vec![serde_json::from_str(&text)?]),
        Some("toml") => Some(vec![serde_json::to_value(toml::from_str::<toml::Value>(&text)?)?]),
        _ => None,
    })
}

/// Calls `found` with every text and the nearest key above it.
fn visit(value: &Value, key: &str, found: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => found(key, text),
        Value::Array(items) => {
            for item in items {
                visit(item, key, found);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                visit(value, key, found);
            }
        }
        _ => {}
    }
}

/// Names of metrics in the texts that the server does not export.
fn unknown_metrics(texts: &[String], source: &str) -> BTreeSet<String> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words = texts.iter().flat_map(|text| text.split(|character| !is_name(character)));
    let names = words.filter(|word| word.starts_with(PREFIX));
    let is_exported = |name: &str| source.contains(&format!("\"{name}\""));
    let unknown = names.filter(|name| {
        let own = &name[PREFIX.len()..];
        let bare = SUFFIXES.iter().find_map(|suffix| own.strip_suffix(suffix));
        // Roles have such names, too.
        let is_role = ["setup", "ingest", "search"].contains(&own);
        !is_role && !is_exported(own) && !bare.is_some_and(is_exported)
    });
    unknown.map(str::to_owned).collect()
}

/// The fault of the name of an image, if it has one.
fn wrong_image(image: &str) -> Option<String> {
    if image.starts_with('$') || BUILT.contains(&image) {
        return None;
    }
    let Some((name, version)) = image.rsplit_once(':') else {
        return Some(format!("the image `{image}` has no version"));
    };
    if version == "latest" {
        return Some(format!("the image `{image}` has no version"));
    }
    (name == NODE && TESTED.is_some_and(|tested| tested != version))
        .then(|| format!("the image `{image}` is not the version that is tested: {TESTED:?}"))
}

/// Returns true if a line sets a password, a token or a hash, or gives a default for one.
fn has_secret(line: &str) -> bool {
    let line = line.trim();
    let is_secret = |name: &str| {
        name.ends_with("PASSWORD") || ["LOREHOUND_TOKEN", "token_sha256"].contains(&name)
    };
    if let Some((name, value)) = line.split_once(['=', ':'])
        && is_secret(name.trim())
    {
        let value = value.trim().trim_matches('"');
        return !(value.is_empty() || value.starts_with("${") && value.contains(":?"));
    }
    // `${NAME:-value}` has a default.
    ["PASSWORD:-", "LOREHOUND_TOKEN:-"].iter().any(|name| {
        let mut parts = line.split(name).skip(1);
        parts.any(|rest| !rest.starts_with('}'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_looked_up_in_the_source() {
        let source = "register(\"requests\"); gauge(\"memory_bytes\")";
        let texts = [
            "sum(rate(lorehound_requests_total{job=\"$job\"}[5m]))".to_owned(),
            "lorehound_memory_bytes > 1 and lorehound_wombats_total > 2".to_owned(),
            "lorehound_search".to_owned(),
        ];
        let unknown = unknown_metrics(&texts, source);
        assert_eq!(unknown.into_iter().collect::<Vec<_>>(), ["lorehound_wombats_total"]);
    }

    #[test]
    fn images_have_versions() {
        for image in ["caddy:2.10.0", "lorehound", "${LOREHOUND_IMAGE:?see env.example}"] {
            assert_eq!(wrong_image(image), None, "{image}");
        }
        assert!(wrong_image("caddy").is_some());
        assert!(wrong_image("caddy:latest").is_some());
        #[cfg(target_os = "linux")]
        assert!(wrong_image("opensearchproject/opensearch:2.0.0").is_some());
    }

    #[test]
    fn secrets_have_no_values() {
        for line in [
            "ADMIN_PASSWORD=",
            "ADMIN_PASSWORD: ${ADMIN_PASSWORD:?see env.example}",
            "LOREHOUND_CLUSTER_PASSWORD_ENV: NAME",
            "token_sha256 = \"\"",
            "hash: \"${envbc.ADMIN_PASSWORD}\"",
            "  ADMIN_PASSWORD: \"\"",
            "LOREHOUND_TOKEN=",
        ] {
            assert!(!has_secret(line), "{line}");
        }
        for line in [
            "ADMIN_PASSWORD=admin",
            "ADMIN_PASSWORD: ${ADMIN_PASSWORD:-admin}",
            "X: \"${ADMIN_PASSWORD:-admin}\"",
            "token_sha256 = \"00\"",
            "LOREHOUND_TOKEN: 1234567890123456",
            "X: ${LOREHOUND_TOKEN:-1234567890123456}",
        ] {
            assert!(has_secret(line), "{line}");
        }
    }

    #[test]
    fn texts_have_the_key_above_them() {
        let mut found = Vec::new();
        let value = serde_json::json!({"a": {"image": "x:1", "files": ["y", "z"]}});
        visit(&value, "", &mut |key, text| found.push(format!("{key} {text}")));
        found.sort();
        assert_eq!(found, ["files y", "files z", "image x:1"]);
    }
}
