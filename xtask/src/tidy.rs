//! House rules that no lint knows: every file says what it is for, stays short, and nothing is left
//! undone in silence.

use std::path::{Path, PathBuf};

use anyhow::Result;

/// Most lines of a source file, tests included; a longer one is more than one noun.
const MOST_LINES: usize = 620;

/// Tables: rows of one kind are one noun, however many there are.
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
            violations.push(format!("{shown}:1: does not start with `//!` on what it is for"));
        }
        let lines = text.lines().count();
        if lines > MOST_LINES && !TABLES.contains(&shown.as_str()) {
            violations.push(format!("{shown}: has {lines} lines, more than {MOST_LINES}"));
        }
        for (number, line) in (1..).zip(text.lines()) {
            if line.ends_with([' ', '\t']) {
                violations.push(format!("{shown}:{number}: trailing blank"));
            }
            // Spelt in two halves, so that this file does not find itself.
            for mark in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")] {
                if line.contains(mark) && !shown.contains("fixtures") {
                    violations
                        .push(format!("{shown}:{number}: `{mark}` belongs into SHORTCOMINGS.md"));
                }
            }
        }
    }
    Ok(violations)
}

/// Adds the Rust files below a folder, fixtures apart.
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
