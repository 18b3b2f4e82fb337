//! Source rules that no lint covers: every file starts with its purpose, stays short, and contains
//! no open notes.

use std::path::{Path, PathBuf};

use anyhow::Result;

/// Maximum number of lines of a source file, tests included; a longer one covers more than one
/// noun.
const MAX_LINES: usize = 620;

/// Tables: rows of one kind are one noun, regardless of their number.
const TABLES: &[&str] = &["crates/syntax/src/languages.rs"];

/// Violations, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut violations = Vec::new();
    let mut files = Vec::new();
    for folder in ["benches", "crates", "xtask", "fuzz"] {
        collect(&root.join(folder), &mut files)?;
    }
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path)?;
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if !text.starts_with("//!") {
            violations.push(format!("{shown}:1: does not start with `//!` and its purpose"));
        }
        let lines = text.lines().count();
        if lines > MAX_LINES && !TABLES.contains(&shown.as_str()) {
            violations.push(format!("{shown}: has {lines} lines, more than {MAX_LINES}"));
        }
        for (number, line) in (1..).zip(text.lines()) {
            if line.ends_with([' ', '\t']) {
                violations.push(format!("{shown}:{number}: trailing whitespace"));
            }
            // Written in two halves, so that this file does not match itself.
            for mark in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")] {
                if line.contains(mark) && !shown.contains("fixtures") {
                    violations.push(format!(
                        "{shown}:{number}: `{mark}`: write it down in SHORTCOMINGS.md"
                    ));
                }
            }
        }
    }
    Ok(violations)
}

/// Adds the Rust files below a directory, except fixtures.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !matches!(name.as_str(), "fixtures" | "target" | "snapshots") {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
