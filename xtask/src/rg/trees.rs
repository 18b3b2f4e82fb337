//! The searched trees: a copy of this repository, a generated tree with ignore files, and a tree of
//! unusual files.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, Result, bail};

use crate::random::Random;

/// A searched tree.
pub(super) struct Tree {
    pub(super) name: &'static str,
    pub(super) path: PathBuf,
    /// Patterns that match something.
    pub(super) patterns: &'static [&'static str],
    /// Paths to name, relative to the tree.
    pub(super) paths: &'static [&'static str],
    /// Globs to filter by.
    pub(super) globs: &'static [&'static str],
}

/// Creates the trees below a directory.
pub(super) fn make(root: &Path, folder: &Path) -> Result<Vec<Tree>> {
    let trees = vec![
        Tree {
            name: "this repository",
            path: folder.join("repository"),
            patterns: &[
                "fn main",
                "Secrets?",
                r"\bpub fn \w+",
                "Refund",
                "unwrap_or_else",
                r"^use std::",
                "[A-Z]{4,}",
                "struct (\\w+)",
                "the .* of",
                r"\d{4}-\d\d-\d\d",
                "é",
                "impl<W",
            ],
            paths: &["crates/rg", "docs", "crates/cli/src/lib.rs", "README.md", "xtask/src", "."],
            globs: &["*.rs", "!*.rs", "docs/**", "*.{md,toml}", "!crates/**", "**/tests/*.rs"],
        },
        Tree {
            name: "generated",
            path: folder.join("generated"),
            patterns: &[
                "alpha",
                "Beta",
                "gamma delta",
                r"\w+_id",
                "epsilon|zeta",
                "^$",
                "a",
                "theta$",
                r"(alpha)\s+(\w+)",
                "nothing like it",
            ],
            paths: &["src", "src/deep", "docs", "src/file0.rs", "build", ".hidden", "vendor"],
            globs: &["*.rs", "!*.py", "src/**", "*.MD", "!docs", "/file*"],
        },
        Tree {
            name: "unusual files",
            path: folder.join("unusual"),
            patterns: &[
                "needle",
                "Needle",
                "n..dle",
                "^needle$",
                "needle\\r?$",
                "ünïcode",
                r"\x{fc}",
                r"(?-u)\xff",
                r"needle\n.*line",
                "",
                ".",
                r"\s+$",
                "no final",
            ],
            paths: &[
                "binary-start.bin",
                "binary-late.bin",
                "binary-after.bin",
                "utf16le.txt",
                "utf16be.txt",
                "bom.txt",
                "latin1.txt",
                "crlf.txt",
                "no-newline.txt",
                "empty.txt",
                "links",
                "dir with spaces",
                "missing.txt",
                ".",
                "mixed.txt",
            ],
            globs: &["*.txt", "!*.bin", "*.BIN", "**/*spaces*", "!links/**"],
        },
    ];
    copy_repository(root, &trees[0].path)?;
    generate(&trees[1].path)?;
    unusual(&trees[2].path)?;
    Ok(trees)
}

/// Copies the tracked files, as a repository.
fn copy_repository(root: &Path, target: &Path) -> Result<()> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output()?;
    if !listed.status.success() {
        bail!("could not list the files of this repository with git");
    }
    for name in String::from_utf8_lossy(&listed.stdout).split('\0').filter(|name| !name.is_empty())
    {
        let from = root.join(name);
        if from.is_file() {
            write(&target.join(name), &fs::read(from)?)?;
        }
    }
    fs::create_dir(target.join(".git")).context("could not create a directory")
}

/// Writes a file, with its directories.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| format!("could not write `{}`", path.display()))
}

/// A tree of code and pages with every kind of ignore file. Each file has a time of its own, so that
/// an order by time is unique.
fn generate(target: &Path) -> Result<()> {
    const WORDS: &[&str] =
        &["alpha", "Beta", "gamma", "delta", "user_id", "epsilon", "zeta", "ALPHA", "theta", "eta"];
    const ENDINGS: &[&str] = &["rs", "py", "md", "txt", "toml", "MD", "c", "log"];
    const FOLDERS: &[&str] =
        &["", "src", "src/deep", "src/deep/er", "docs", "build", ".hidden", "vendor", "src/gen"];
    let mut random = Random::new(7);
    let mut made = SystemTime::now() - Duration::from_secs(10_000_000);
    for folder in FOLDERS {
        for number in 0..6 {
            let name = format!("file{number}.{}", random.pick(ENDINGS));
            let name = if number == 0 { "file0.rs".to_owned() } else { name };
            let mut text = String::new();
            for _ in 0..random.below(60) {
                for _ in 0..random.below(9) {
                    text.push_str(random.pick::<&str>(WORDS));
                    text.push_str(if random.one_in(6) { "\t" } else { " " });
                }
                text.push_str(if random.one_in(20) { "\r\n" } else { "\n" });
            }
            let path = target.join(folder).join(name);
            write(&path, text.as_bytes())?;
            made += Duration::from_secs(3600 + random.below(1000) as u64);
            fs::File::options().write(true).open(&path)?.set_modified(made)?;
        }
    }
    fs::create_dir(target.join(".git"))?;
    write(&target.join(".git/info/exclude"), b"file5.*\n")?;
    for (path, rules) in [
        (".gitignore", "build/\n*.log\n!src/deep/*.log\n"),
        (".ignore", "vendor\n"),
        (".rgignore", "docs/file1.*\n"),
        ("src/.gitignore", "gen/*\n!gen/file0.rs\n/file2.*\n"),
        ("src/deep/.ignore", "*.md\n"),
        ("rules.txt", "*.py\n"),
    ] {
        write(&target.join(path), rules.as_bytes())?;
    }
    Ok(())
}

/// Files of unusual contents and names. There is no `.git`, so `.gitignore` needs `--no-require-git`.
fn unusual(target: &Path) -> Result<()> {
    let line = "a line with a needle in it, and some more text\n";
    let filler = "filler text without a match\n".repeat(6000);
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let files: &[(&str, Vec<u8>)] = &[
        ("binary-start.bin", [b"\0\x01\x02", line.as_bytes()].concat()),
        ("binary-late.bin", [line.as_bytes(), filler.as_bytes(), b"\0", line.as_bytes()].concat()),
        ("binary-after.bin", [line.as_bytes(), line.as_bytes(), b"x\0y\nneedle\n"].concat()),
        ("binary-only.bin", b"\0\0\0\xff\xfe".to_vec()),
        ("utf16le.txt", utf16("needle one\nünïcode needle\nlast", false)),
        ("utf16be.txt", utf16("needle one\r\nünïcode needle\r\n", true)),
        ("bom.txt", [b"\xef\xbb\xbf".as_slice(), "needle\nünïcode\n".as_bytes()].concat()),
        ("latin1.txt", b"needle \xfc\xff caf\xe9\nneedle\n".to_vec()),
        ("crlf.txt", b"needle\r\nother line\r\n\r\nNEEDLE needle\r\n  needle\r\n".to_vec()),
        ("mixed.txt", b"needle\nsecond line\r\nneedle\n\nneedle needle needle\n".to_vec()),
        ("no-newline.txt", b"first\nneedle with no final newline".to_vec()),
        ("empty.txt", Vec::new()),
        ("one-newline.txt", b"\n".to_vec()),
        ("long.txt", [b"x".repeat(9000), b" needle ".to_vec(), b"y".repeat(900)].concat()),
        ("large.txt", [filler.as_bytes(), line.as_bytes(), filler.as_bytes()].concat()),
        ("nul-lines.txt", b"needle\0other\0needle again\0".to_vec()),
        (".hidden.txt", line.as_bytes().to_vec()),
        (".config/needle.toml", b"needle = 1\n".to_vec()),
        ("dir with spaces/a needle.txt", line.as_bytes().to_vec()),
        ("-dash.txt", line.as_bytes().to_vec()),
        ("name.txt", line.as_bytes().to_vec()),
        ("name/inner.txt", line.as_bytes().to_vec()),
        ("name-more.txt", line.as_bytes().to_vec()),
        ("ünïcode/needle.txt", "ünïcode needle ÜNÏCODE\n".as_bytes().to_vec()),
        ("ignored/needle.txt", line.as_bytes().to_vec()),
        (".gitignore", b"ignored/\n".to_vec()),
        ("patterns", b"needle\nno final\n".to_vec()),
        ("context.txt", context_lines()),
    ];
    for (name, bytes) in files {
        write(&target.join(name), bytes)?;
    }
    links(target)
}

/// Lines with matches at several distances, for context.
fn context_lines() -> Vec<u8> {
    let is_match = |number: usize| [3, 4, 9, 20, 22, 40].contains(&number);
    let line = |number| format!("{} {number}\n", if is_match(number) { "needle" } else { "line" });
    (1..=45).map(line).collect::<String>().into_bytes()
}

/// Links to a file, a directory, a parent and nothing.
#[cfg(unix)]
fn links(target: &Path) -> Result<()> {
    use std::os::unix::fs::symlink;
    let folder = target.join("links");
    fs::create_dir_all(&folder)?;
    symlink("../crlf.txt", folder.join("file"))?;
    symlink("../dir with spaces", folder.join("folder"))?;
    symlink("..", folder.join("loop"))?;
    symlink("nowhere", folder.join("broken"))?;
    write(&folder.join("plain.txt"), b"needle\n")
}

/// Links need rights that not every account has.
#[cfg(not(unix))]
fn links(target: &Path) -> Result<()> {
    write(&target.join("links/plain.txt"), b"needle\n")
}
