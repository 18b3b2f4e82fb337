//! Random changes of a tree: every answer is that of a new process with an empty cache.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::{Result, bail};

use super::{
    Attack,
    answers::ask,
    rounds::{Round, repeat},
    trees::{self, NAMES},
};

/// Changes of a round.
const CHANGES: usize = 12;

/// Runs rounds until the time is over.
pub(super) fn run(attack: &Attack) -> Result<String> {
    repeat(attack, |round| {
        let [tree, cache] = ["tree", "cache"].map(|name| round.folder(name));
        let (tree, cache) = (tree?, cache?);
        trees::fill(&mut round.random, &tree)?;
        if round.random.one_in(2) {
            trees::commit_all(&tree, "start of the harbour")?;
        }
        compare(round, &tree, &cache)?;
        for _ in 0..CHANGES {
            for _ in 0..=round.random.below(3) {
                let words = change(round, &tree)?;
                round.step(words);
            }
            compare(round, &tree, &cache)?;
        }
        Ok(())
    })
}

/// Asks with the cache and without one, and compares the answers.
fn compare(round: &mut Round<'_>, tree: &Path, cache: &Path) -> Result<()> {
    let query = trees::query(&mut round.random);
    let words: Vec<&str> = query.iter().map(String::as_str).collect();
    if round.random.one_in(5) {
        super::answers::run(round.attack, &["index"], tree, &round.folder, cache)?;
        round.step("index".to_owned());
    }
    round.step(format!("ask {}", words.join(" ")));
    let empty = round.folder("empty")?;
    let kept = ask(round.attack, &words, tree, &round.folder, cache)?;
    let new = ask(round.attack, &words, tree, &round.folder, &empty)?;
    fs::remove_dir_all(empty)?;
    if kept != new {
        bail!("{words:?}: with the cache\n{kept:#?}\nwith an empty one\n{new:#?}");
    }
    Ok(())
}

/// The files of the tree that are there.
fn present(tree: &Path) -> Vec<PathBuf> {
    NAMES.iter().map(|name| tree.join(name)).filter(|path| path.is_file()).collect()
}

/// Makes one change, and returns it in words.
fn change(round: &mut Round<'_>, tree: &Path) -> Result<String> {
    let random = &mut round.random;
    let name = *random.pick(NAMES);
    let path = tree.join(name);
    let text = trees::text(random, name);
    let files = present(tree);
    let there = if files.is_empty() { path.clone() } else { random.pick(&files).clone() };
    if !there.is_file() {
        put(&path, &text)?;
        return Ok(format!("write {name}"));
    }
    let shown = there.display();
    Ok(match random.below(14) {
        0 | 1 => {
            put(&path, &text)?;
            format!("write {name}: {text:?}")
        }
        2 => {
            fs::remove_file(&there)?;
            format!("remove {shown}")
        }
        3 => {
            let other = tree.join(*random.pick(NAMES));
            if other != there {
                clear(&other)?;
                fs::rename(&there, &other)?;
            }
            format!("rename {shown} to {}", other.display())
        }
        4 => edit_in_place(&there, Times::Same)?,
        5 => edit_in_place(&there, Times::Past)?,
        6 => edit_in_place(&there, Times::Future)?,
        7 => {
            let new = there.with_extension("new");
            fs::write(&new, swapped(&fs::read(&there)?))?;
            let times = fs::metadata(&there)?.modified()?;
            File::options().write(true).open(&new)?.set_modified(times)?;
            fs::rename(&new, &there)?;
            format!("replace {shown} by one of the same size and time")
        }
        8 => {
            let ignore = if random.one_in(2) { ".gitignore" } else { ".loreignore" };
            let lines = ["", "docs/\n", "*.py\n", "src/deep\n!src/deep/c.rs\n", "/README.md\n"];
            let line = *random.pick(&lines);
            fs::write(tree.join(ignore), line)?;
            format!("write {ignore}: {line:?}")
        }
        9 => {
            let lines = ["", "[index]\nhidden = false\n", "[search]\nlimit = 2\n"];
            let line = *random.pick(&lines);
            fs::write(tree.join("lorehound.toml"), line)?;
            format!("write lorehound.toml: {line:?}")
        }
        10 => {
            trees::commit_all(tree, &format!("change {name}"))?;
            "commit".to_owned()
        }
        11 => mode(&there, random.one_in(2))?,
        12 => {
            // A folder in the place of a file, or a link inside the tree.
            fs::remove_file(&there)?;
            if random.one_in(2) {
                trees::write(&there.join("inner.md"), &text)?;
                format!("folder {shown}")
            } else {
                link(&there)?
            }
        }
        _ => {
            let times = SystemTime::now() - Duration::from_secs(random.next() % 1_000_000);
            File::options().write(true).open(&there)?.set_modified(times)?;
            format!("touch {shown}")
        }
    })
}

/// Makes room for a file: removes what is there, and makes the folder above it.
fn clear(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(())
}

/// Writes a file in place of what is there.
fn put(path: &Path, text: &str) -> Result<()> {
    if !path.is_file() {
        clear(path)?;
    }
    trees::write(path, text)
}

/// Modification time after an edit.
#[derive(Debug, Clone, Copy)]
enum Times {
    Same,
    Past,
    Future,
}

/// Changes a file without changing its size or inode.
fn edit_in_place(path: &Path, times: Times) -> Result<String> {
    let before = fs::metadata(path)?.modified()?;
    let changed = swapped(&fs::read(path)?);
    fs::write(path, changed)?;
    let new = match times {
        Times::Same => before,
        Times::Past => before - Duration::from_hours(1),
        Times::Future => SystemTime::now() + Duration::from_hours(24),
    };
    File::options().write(true).open(path)?.set_modified(new)?;
    Ok(format!("edit {} in place, time {times:?}", path.display()))
}

/// A text of the same length in which some words are other ones.
fn swapped(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    // Pairs of words of the same length.
    let pairs = [("berth", "cargo"), ("ferry", "inlet"), ("quay", "tide"), ("retry", "night")];
    let mut text = text.into_owned();
    for (one, two) in pairs {
        text = text.replace(one, "\u{1}").replace(two, one).replace('\u{1}', two);
    }
    text.into_bytes()
}

/// Takes away or returns the right to read a file.
fn mode(path: &Path, may_read: bool) -> Result<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = if may_read { 0o755 } else { 0o200 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    Ok(format!("readable {}: {may_read}", path.display()))
}

/// Puts a link to a neighbour in the place of a file.
fn link(path: &Path) -> Result<String> {
    #[cfg(unix)]
    std::os::unix::fs::symlink("f.md", path)?;
    Ok(format!("link {}", path.display()))
}
