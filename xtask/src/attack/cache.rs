//! Damaged caches: every answer is that of a new process with an empty cache.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use super::{
    Attack,
    answers::{self, Answer, ask},
    rounds::{Round, repeat},
    trees,
};

/// Damaged copies of the cache in a round.
const COPIES: usize = 15;

/// Runs rounds until the time is over.
pub(super) fn run(attack: &Attack) -> Result<String> {
    repeat(attack, |round| {
        let [tree, sound, empty] = ["tree", "sound", "empty"].map(|name| round.folder(name));
        let (tree, sound, empty) = (tree?, sound?, empty?);
        trees::fill(&mut round.random, &tree)?;
        trees::commit_all(&tree, "start of the harbour")?;
        answers::run(attack, &["index"], &tree, &round.folder, &sound)?;
        let queries: Vec<Vec<String>> = (0..3).map(|_| trees::query(&mut round.random)).collect();
        let mut expected = Vec::new();
        for query in &queries {
            expected.push(ask_query(round, query, &tree, &empty)?);
        }
        for _ in 0..COPIES {
            let at = round.random.below(queries.len());
            attempt(round, &tree, &sound, (&queries[at], &expected[at]))?;
        }
        Ok(())
    })
}

fn ask_query(round: &Round<'_>, query: &[String], tree: &Path, cache: &Path) -> Result<Answer> {
    let words: Vec<&str> = query.iter().map(String::as_str).collect();
    ask(round.attack, &words, tree, &round.folder, cache)
}

/// Damages a copy of the cache, and asks twice.
fn attempt(
    round: &mut Round<'_>,
    tree: &Path,
    sound: &Path,
    (query, expected): (&[String], &Answer),
) -> Result<()> {
    let cache = round.folder.join("damaged");
    copy(sound, &cache)?;
    let mut files = Vec::new();
    list(&cache, &mut files)?;
    for _ in 0..=round.random.below(3) {
        let words = damage(round, &files)?;
        round.step(words);
    }
    for time in ["first", "second"] {
        let answer = ask_query(round, query, tree, &cache)?;
        if answer != *expected {
            bail!("{query:?}, {time} time: {answer:#?}\nexpected\n{expected:#?}");
        }
    }
    fs::remove_dir_all(&cache)?;
    Ok(())
}

/// Damages a file of a cache, and returns that in words.
fn damage(round: &mut Round<'_>, files: &[PathBuf]) -> Result<String> {
    let random = &mut round.random;
    let path = random.pick(files);
    let Ok(mut bytes) = fs::read(path) else { return Ok("nothing".to_owned()) };
    let length = bytes.len();
    let place = random.below(length.max(1));
    let what = match random.below(8) {
        0 => {
            bytes.truncate(place);
            "cut"
        }
        1 | 2 if length > 0 => {
            bytes[place] ^= 1 << random.below(8);
            "flip a bit of"
        }
        3 if length > 0 => {
            let end = (place + 64).min(length);
            bytes[place..end].fill(0);
            "zero 64 bytes of"
        }
        4 => {
            bytes.extend_from_slice(&[7; 100]);
            "lengthen"
        }
        5 => {
            fs::remove_file(path)?;
            return Ok(format!("remove {}", path.display()));
        }
        6 => {
            let other = random.pick(files);
            bytes = fs::read(other).unwrap_or_default();
            "overwrite with another file"
        }
        _ => {
            bytes.clear();
            "empty"
        }
    };
    fs::write(path, bytes)?;
    Ok(format!("{what} {} at {place}", path.display()))
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target).context("a file of the cache")?;
        }
    }
    Ok(())
}

/// Adds the files of a folder, sorted.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
