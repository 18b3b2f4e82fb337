//! Small trees of random files.

use std::{fmt::Write as _, fs, path::Path, process::Command};

use anyhow::{Result, bail};

use crate::random::Random;

/// Words of the files and of queries.
pub(super) const WORDS: &[&str] = &[
    "anchor", "berth", "cargo", "dredge", "estuary", "ferry", "gangway", "harbour", "inlet",
    "jetty", "keel", "lantern", "mooring", "night", "oar", "pilot", "quay", "rudder", "sextant",
    "tide", "upkeep", "vessel", "wharf", "yard", "zone", "refund", "payment", "retry", "token",
    "timeout",
];

/// Names of files.
pub(super) const NAMES: &[&str] = &[
    "src/a.rs",
    "src/b.rs",
    "src/deep/c.rs",
    "src/d.py",
    "src/e.ts",
    "docs/f.md",
    "docs/g.md",
    "notes.txt",
    "h.go",
    "README.md",
    "docs/adr/0001-i.md",
    "tests/j.rs",
];

/// A text for a file of this name.
pub(super) fn text(random: &mut Random, name: &str) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(4) {
        let [one, two, three] = [(); 3].map(|()| *random.pick(WORDS));
        let extension = name.rsplit('.').next().unwrap_or_default();
        let _ = match extension {
            "rs" => writeln!(
                text,
                "/// Keeps the {one} of the {two}.\npub fn {one}_{three}() {{ {two}(); }}\n"
            ),
            "py" => writeln!(
                text,
                "def {one}_{three}():\n    \"\"\"Keeps the {one} of the {two}.\"\"\"\n    return {two}()\n"
            ),
            "ts" => writeln!(
                text,
                "// Keeps the {one} of the {two}.\nexport function {one}{three}() {{ return {two}(); }}\n"
            ),
            "go" => writeln!(
                text,
                "// Keeps the {one} of the {two}.\nfunc {one}{three}() {{ {two}() }}\n"
            ),
            _ => writeln!(text, "# The {one} of the {two}\n\nA {three} keeps the {one}.\n"),
        };
    }
    text
}

/// Fills a folder with some of the files.
pub(super) fn fill(random: &mut Random, tree: &Path) -> Result<()> {
    for name in NAMES {
        if !random.one_in(4) {
            write(&tree.join(name), &text(random, name))?;
        }
    }
    Ok(())
}

/// Writes a file, and the folders above it.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, text)?)
}

/// Runs git in a tree, without settings of the user.
pub(super) fn git(tree: &Path, words: &[&str]) -> Result<()> {
    let ran = Command::new("git")
        .arg("-C")
        .arg(tree)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(["-c", "gc.auto=0", "-c", "protocol.file.allow=always"])
        .args(words)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2025-01-16T08:15:00Z")
        .env("GIT_COMMITTER_DATE", "2025-01-16T08:15:00Z")
        .output()?;
    if !ran.status.success() {
        bail!("git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    Ok(())
}

/// Makes a repository of a tree, with one commit.
pub(super) fn commit_all(tree: &Path, message: &str) -> Result<()> {
    if !tree.join(".git").exists() {
        git(tree, &["init", "--quiet", "--initial-branch=main"])?;
    }
    git(tree, &["add", "--all"])?;
    git(tree, &["commit", "--quiet", "--allow-empty", "-m", message])
}

/// A random query and its flags.
pub(super) fn query(random: &mut Random) -> Vec<String> {
    let [one, two] = [(); 2].map(|()| *random.pick(WORDS));
    let words: Vec<String> = match random.below(9) {
        0 => vec![one.to_owned()],
        1 => vec![format!("{one} {two}")],
        2 => vec![format!("where is the {one} of the {two}")],
        3 => vec![format!("\"{one} of the\"")],
        4 => vec!["--literal".to_owned(), one.to_owned()],
        5 => vec!["--regex".to_owned(), format!("{one}.*{two}")],
        6 => vec![format!("{one}_{two}")],
        7 => vec![format!("who calls {one}")],
        _ => vec![format!("{one} OR {two}")],
    };
    let more: &[&str] = match random.below(6) {
        0 => &["--in", "code"],
        1 => &["--in", "docs"],
        2 => &["--path", "src/**"],
        3 => &["--limit", "3"],
        _ => &[],
    };
    words.into_iter().chain(more.iter().map(ToString::to_string)).collect()
}
