//! Compares the pages and schemas of `docs/reference` with those that a built `lore` writes, or writes them
//! again: `cargo xtask generate`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

/// Commands of `lore generate`, and the directory that contains their files.
const PARTS: &[(&str, &str)] =
    &[("reference", "docs/reference"), ("schemas", "docs/reference/schemas")];

/// Writes the files again. Schemas of outputs that no longer exist are removed.
pub(crate) fn write(root: &Path, program: &Path) -> Result<()> {
    for (part, folder) in PARTS {
        let files = generate(program, part)?;
        let folder = root.join(folder);
        std::fs::create_dir_all(&folder)?;
        for (name, text) in &files {
            std::fs::write(folder.join(name), text)?;
        }
        for name in removable(part, &folder, &files)? {
            std::fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

/// Violations, one line each. Without a built program nothing is compared, which a line on standard error
/// states.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let Some(program) = built(root) else {
        notice(
            "NOT CHECKED: `docs/reference` against the program: run `cargo build` first, or set `LORE`",
        );
        return Ok(Vec::new());
    };
    let mut violations = Vec::new();
    for (part, folder) in PARTS {
        let Ok(files) = generate(&program, part) else {
            notice(&format!(
                "NOT CHECKED: `{folder}` against the program: `{}` cannot generate it",
                program.display()
            ));
            continue;
        };
        for (name, text) in &files {
            let path = root.join(folder).join(name);
            if std::fs::read_to_string(path).unwrap_or_default() != *text {
                violations.push(format!(
                    "{folder}/{name}: differs from that of `{}`: run `cargo xtask generate`",
                    program.display()
                ));
            }
        }
        for name in removable(part, &root.join(folder), &files)? {
            violations.push(format!("{folder}/{name}: belongs to no output"));
        }
    }
    Ok(violations)
}

/// Files of the directory that the program no longer writes. Pages that are written by hand are kept.
fn removable(part: &str, folder: &Path, files: &BTreeMap<String, String>) -> Result<Vec<String>> {
    if part != "schemas" {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !files.contains_key(&name) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The program of `LORE`, or the one that was built last; `None` if there is none.
fn built(root: &Path) -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("LORE") {
        return std::path::absolute(program).ok();
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |target| root.join(target));
    let name = format!("lore{}", std::env::consts::EXE_SUFFIX);
    Some(target.join("debug").join(name)).filter(|program| program.is_file())
}

/// The files that the program writes, by name.
fn generate(program: &Path, part: &str) -> Result<BTreeMap<String, String>> {
    let folder = std::env::temp_dir().join(format!("lore-{part}-{}", std::process::id()));
    let output = Command::new(program).args(["generate", part, "--out"]).arg(&folder).output();
    let output = output.with_context(|| format!("could not start `{}`", program.display()))?;
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, std::fs::read_to_string(&path)?);
    }
    std::fs::remove_dir_all(&folder).ok();
    if !output.status.success() || files.is_empty() {
        bail!("`{} generate {part}` failed", program.display());
    }
    Ok(files)
}

#[expect(clippy::print_stderr, reason = "a check that was skipped must not look like a passed one")]
fn notice(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_schemas_without_an_output_are_removable() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.schema.json", "b.schema.json"] {
            std::fs::write(folder.path().join(name), "{}").unwrap();
        }
        let files = BTreeMap::from([("a.schema.json".to_owned(), String::new())]);
        let of = |part| removable(part, folder.path(), &files).unwrap();
        assert_eq!(of("schemas"), ["b.schema.json"]);
        assert_eq!(of("reference"), [""; 0]);
    }
}
