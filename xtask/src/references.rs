//! Checks that the tests and source files that the documentation names exist.
//!
//! Two forms are checked, both in backticks: a path below a crate (`index/src/globs.rs`), with or
//! without the leading `crates/`, and a test with its file: the name, then the path in parentheses.

use std::path::{Path, PathBuf};

use anyhow::Result;

/// Folders of a crate that paths in the documentation lead through.
const FOLDERS: &[&str] = &["src", "tests", "benches", "examples"];

/// Pages whose paths describe an earlier state.
const HISTORY: &[&str] = &["CHANGELOG.md"];

/// Violations, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    collect(&root.join("docs"), &mut pages)?;
    for entry in std::fs::read_dir(root)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    let mut violations = Vec::new();
    for page in pages {
        let shown = page.strip_prefix(root).unwrap_or(&page).display().to_string();
        if HISTORY.contains(&shown.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&page)?;
        for (number, line) in (1..).zip(text.lines()) {
            let faults = faults(line, &|path| read(root, path));
            violations.extend(faults.into_iter().map(|fault| format!("{shown}:{number}: {fault}")));
        }
    }
    Ok(violations)
}

/// Faults of one line. `read` returns the text of a source file, or an empty text for a
/// folder; `None` if there is neither.
fn faults(line: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut faults = Vec::new();
    // The odd pieces between backticks are code.
    let pieces: Vec<&str> = line.split('`').collect();
    for (index, piece) in pieces.iter().enumerate().skip(1).step_by(2) {
        let path = piece.strip_prefix("crates/").unwrap_or(piece);
        if is_source_path(path) && read(path).is_none() {
            faults.push(format!("`{piece}` does not exist"));
        }
        let after = pieces.get(index + 1).copied().unwrap_or_default();
        if let Some(file) = file_in_parentheses(after)
            && is_function_name(piece)
        {
            match read(file) {
                None => faults.push(format!("`{file}`, the file of `{piece}`, does not exist")),
                Some(text) if !text.contains(&format!("fn {piece}(")) => {
                    faults.push(format!("`{file}` has no function `{piece}`"));
                }
                Some(_) => {}
            }
        }
    }
    faults
}

/// Returns true for `crate/src/…` and the like, without wildcards or placeholders.
fn is_source_path(path: &str) -> bool {
    let mut parts = path.split('/');
    let name = parts.next().unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase());
    let is_literal = !path.contains(['<', '>', '*', '{', '}', '…', ' ', '$']);
    is_name && is_literal && parts.next().is_some_and(|folder| FOLDERS.contains(&folder))
}

/// The path in ` (index/src/globs.rs)` at the start of a text.
pub(super) fn file_in_parentheses(text: &str) -> Option<&str> {
    let (path, _) = text.strip_prefix(" (")?.split_once(')')?;
    let is_rust = Path::new(path).extension().is_some_and(|extension| extension == "rs");
    (is_source_path(path) && is_rust).then_some(path)
}

pub(super) fn is_function_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Text of a file of a crate or of xtask, empty for a folder; `None` if there is neither.
pub(super) fn read(root: &Path, path: &str) -> Option<String> {
    let of = |folder: PathBuf| {
        let path = folder.join(path);
        if path.is_dir() { Some(String::new()) } else { std::fs::read_to_string(path).ok() }
    };
    of(root.join("crates")).or_else(|| of(root.to_owned()))
}

/// Adds the Markdown pages below a folder.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(path: &str) -> Option<String> {
        match path {
            "index/src/globs.rs" => Some("#[test]\nfn globs_match_paths() {}\n".to_owned()),
            "index/src" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn missing_files_and_functions_are_reported() {
        let cases = [
            ("`globs_match_paths` (index/src/globs.rs) and `index/src`", ""),
            ("`crates/index/src/globs.rs`, `index/src/<name>.rs`, `index/src/*.rs`", ""),
            ("the flag `--in` (see above), `lore` (the program)", ""),
            ("`index/src/glob.rs`", "`index/src/glob.rs` does not exist"),
            ("`crates/text/src/none.rs`", "`crates/text/src/none.rs` does not exist"),
            ("`old_name` (index/src/globs.rs)", "`index/src/globs.rs` has no function `old_name`"),
            ("`a_test` (no/src/a.rs)", "`no/src/a.rs`, the file of `a_test`, does not exist"),
        ];
        for (line, expected) in cases {
            assert_eq!(faults(line, &tree).join("; "), expected, "{line}");
        }
    }
}
