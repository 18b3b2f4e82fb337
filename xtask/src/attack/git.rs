//! Damaged and prepared repositories: every run ends in time, and shows nothing from outside the
//! tree.

use std::{
    fmt::Write as _,
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use super::{
    Attack, answers,
    rounds::{Round, repeat},
    trees,
};

/// Damaged copies of the repository in a round.
const COPIES: usize = 6;

/// A word of the private text outside the tree.
const PRIVATE: &str = "zirconium";

/// Files and folders below `.git` that are damaged by name.
const NAMES: &[&str] = &[
    "HEAD",
    "config",
    "packed-refs",
    "commondir",
    "shallow",
    "index",
    "info/exclude",
    "refs/heads/main",
    "refs/heads",
    "refs/tags/one",
    "refs/replace",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/pack",
    "logs/HEAD",
    "FETCH_HEAD",
    "worktrees/x/gitdir",
    "modules/x/HEAD",
];

/// Command lines that read a repository.
const COMMANDS: &[&[&str]] = &[
    &["cargo", "--json"],
    &["harbour", "--in", "git", "--json"],
    &["cargo", "--since", "2020-01-01", "--json"],
    &["cargo", "--at", "one", "--json"],
    &["cargo", "--at", "HEAD~1", "--json"],
    &["nothing-has-this-word", "--json"],
    &["--literal", "cargo", "--json"],
    &["status", "--json"],
    &["index"],
];

/// Runs rounds until the time is over.
pub(super) fn run(attack: &Attack) -> Result<String> {
    repeat(attack, |round| {
        let outside = round.folder("outside")?;
        fs::write(outside.join("private"), format!("{PRIVATE} 0123456789abcdef\n"))?;
        for copy in 0..COPIES {
            let tree = round.folder(&format!("tree{copy}"))?;
            make(round, &tree)?;
            let mut kinds: Vec<usize> =
                (0..=round.random.below(3)).map(|_| round.random.below(10)).collect();
            // Git itself waits for a pipe for ever, so it runs before anything is damaged.
            kinds.sort_by_key(|kind| !WITH_GIT.contains(kind));
            for kind in kinds {
                let words = damage(round, kind, &tree, &outside)?;
                round.step(words);
            }
            let cache = round.folder(&format!("cache{copy}"))?;
            for _ in 0..3 {
                let words = *round.random.pick(COMMANDS);
                round.step(words.join(" "));
                let (_, stdout, stderr) =
                    answers::run(round.attack, words, &tree, &round.folder, &cache)?;
                if stdout.contains(PRIVATE) || stderr.contains(PRIVATE) {
                    bail!("`lore {}` shows private text: {stdout}{stderr}", words.join(" "));
                }
            }
        }
        Ok(())
    })
}

/// Makes a repository with some commits and a tag.
fn make(round: &mut Round<'_>, tree: &Path) -> Result<()> {
    trees::fill(&mut round.random, tree)?;
    trees::write(&tree.join("cargo.md"), "# Cargo\n\nA cargo of anchors.\n")?;
    trees::commit_all(tree, "start of the harbour")?;
    trees::git(tree, &["tag", "one"])?;
    for number in 0..round.random.below(3) {
        trees::write(&tree.join("more.md"), &format!("# Berth {number}\n"))?;
        trees::commit_all(tree, &format!("berth {number} of the harbour"))?;
    }
    if round.random.one_in(2) {
        trees::git(tree, &["pack-refs", "--all"])?;
    }
    if round.random.one_in(2) {
        trees::git(tree, &["repack", "-a", "-d", "-q"])?;
    }
    Ok(())
}

/// Kinds of damage for which git runs.
const WITH_GIT: RangeInclusive<usize> = 6..=7;

/// Damages a repository in one of ten ways, and returns that in words.
fn damage(round: &mut Round<'_>, kind: usize, tree: &Path, outside: &Path) -> Result<String> {
    let git = tree.join(".git");
    if !git.is_dir() {
        return Ok("nothing: `.git` is no folder any more".to_owned());
    }
    let name = *round.random.pick(NAMES);
    let path = git.join(name);
    Ok(match kind {
        0 => {
            pipe(&replaced(&path)?)?;
            format!("pipe {name}")
        }
        1 => {
            link(outside, &replaced(&path)?);
            format!("link {name}")
        }
        2 => {
            let random = &mut round.random;
            let texts = [
                "ref: refs/heads/other\n".to_owned(),
                "ref: ../../outside/private\n".to_owned(),
                format!("{}\n", random.text("0123456789abcdef", 40)),
                "../../outside\n".repeat(10_000),
                format!(
                    "[core]\n\tworktree = {}\n\texcludesFile = ../outside/private\n",
                    outside.display()
                ),
                random.text("abc \n\t\0{}[]=\"\\", 3_000),
            ];
            let text = random.pick(&texts).clone();
            // A damaged folder has no room for it.
            let _ = fs::write(replaced(&path)?, &text);
            format!("write {name}: {:?}", &text[..text.len().min(80)])
        }
        3..=5 => damage_objects(round, &git)?,
        6 => {
            let length = 1 << (10 + round.random.below(13));
            let message = match round.random.below(3) {
                0 => "x".repeat(length),
                1 => "harbour ".repeat(length / 8),
                _ => "harbour\n".repeat(length / 8),
            };
            let file = git.with_file_name("message");
            fs::write(&file, &message)?;
            let shown = file.display().to_string();
            trees::git(tree, &["commit", "--quiet", "--allow-empty", "-F", &shown])?;
            fs::remove_file(&file)?;
            format!("commit with a message of {length} bytes")
        }
        7 => {
            // A debug build lists 1,000 files of a revision in a second.
            let depth = 4 + round.random.below(12);
            nested(tree, depth)?;
            format!("folders in themselves, {depth} times")
        }
        8 => {
            fs::remove_dir_all(&git)?;
            let texts = ["gitdir: ../outside\n", "gitdir: .git\n", "gitdir: /\n", "gitdir:", ""];
            let text = *round.random.pick(&texts);
            fs::write(&git, text)?;
            format!("write .git: {text:?}")
        }
        _ => {
            fs::remove_dir_all(&git)?;
            pipe(&git)?;
            "pipe .git".to_owned()
        }
    })
}

/// Makes room for a file below `.git`. Does nothing if `.git` is no folder any more.
fn replaced(path: &Path) -> Result<PathBuf> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    if let Some(folder) = path.parent() {
        // Another damage may have put a file there.
        let _ = fs::create_dir_all(folder);
    }
    Ok(path.to_owned())
}

fn pipe(path: &Path) -> Result<()> {
    // A damaged folder has no room for it.
    let _ = Command::new("mkfifo").arg(path).output()?;
    Ok(())
}

/// Links to the private text, or to its folder: inside the folder of the round.
fn link(outside: &Path, path: &Path) {
    #[cfg(unix)]
    {
        let target =
            if path.ends_with("heads") { outside.to_owned() } else { outside.join("private") };
        // A damaged folder has no room for it.
        let _ = std::os::unix::fs::symlink(target, path);
    }
}

/// Changes, cuts or removes an object.
fn damage_objects(round: &mut Round<'_>, git: &Path) -> Result<String> {
    let mut files = Vec::new();
    list(&git.join("objects"), &mut files);
    if files.is_empty() {
        return Ok("no objects".to_owned());
    }
    let path = round.random.pick(&files).clone();
    let mut bytes = fs::read(&path)?;
    let place = round.random.below(bytes.len().max(1));
    fs::remove_file(&path)?;
    match round.random.below(4) {
        0 => return Ok(format!("remove {}", path.display())),
        1 => bytes.truncate(place),
        2 => bytes.extend_from_slice(&[0x78; 5_000]),
        _ => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= 1 << round.random.below(8);
            }
        }
    }
    fs::write(&path, bytes)?;
    Ok(format!("change {} at {place}", path.display()))
}

/// Regular files below a folder, sorted.
fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => list(&path, files),
            Ok(metadata) if metadata.is_file() => files.push(path),
            _ => {}
        }
    }
}

/// A commit whose tree has two folders of two folders and so on, all the same object.
fn nested(tree: &Path, depth: usize) -> Result<()> {
    let object = |words: &[&str], input: &str| -> Result<String> {
        let file = tree.join("input");
        fs::write(&file, input)?;
        let ran = Command::new("git")
            .arg("-C")
            .arg(tree)
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(words)
            .stdin(fs::File::open(&file)?)
            .output()?;
        fs::remove_file(&file)?;
        if !ran.status.success() {
            bail!("git {words:?}");
        }
        Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    };
    let blob = object(&["hash-object", "-w", "--stdin"], "cargo\n")?;
    let mut inner = object(&["mktree"], &format!("100644 blob {blob}\ta.md\n"))?;
    for _ in 0..depth {
        let mut lines = String::new();
        for name in ["a", "b"] {
            let _ = writeln!(lines, "040000 tree {inner}\t{name}");
        }
        inner = object(&["mktree"], &lines)?;
    }
    let commit = object(&["commit-tree", &inner, "-m", "folders of the harbour"], "")?;
    trees::git(tree, &["update-ref", "refs/heads/main", &commit])
}
