//! Rounds of a part: each has a seed and a folder of its own, and saves what breaks a promise.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Result, bail};

use super::Attack;
use crate::random::Random;

/// Number of failures after which a part ends.
const MAX_FAILURES: usize = 10;

/// Maximum length of a printed failure.
const MAX_SHOWN: usize = 2_000;

/// A round, with its random numbers and its folder.
pub(super) struct Round<'a> {
    pub(super) attack: &'a Attack,
    /// Its random numbers.
    pub(super) random: Random,
    /// Its folder, which is empty at the start and removed at the end.
    pub(super) folder: PathBuf,
    /// Number of attempts so far.
    pub(super) steps: u64,
    /// Attempts in words, the last one last: they are saved with a failure.
    pub(super) log: Vec<String>,
}

impl Round<'_> {
    /// Counts an attempt, and notes it.
    pub(super) fn step(&mut self, words: String) {
        self.steps += 1;
        self.log.push(words);
    }

    /// A folder of the round, made if it is missing.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }
}

/// Runs rounds until the time is over, at least one, and returns a summary.
pub(super) fn repeat(
    attack: &Attack,
    mut round: impl FnMut(&mut Round<'_>) -> Result<()>,
) -> Result<String> {
    let end = Instant::now() + attack.duration;
    let (mut rounds, mut steps) = (0, 0);
    let mut saved: Vec<PathBuf> = Vec::new();
    loop {
        let seed = attack.seed + rounds;
        rounds += 1;
        let folder = attack.folder.join("round");
        fs::create_dir(&folder)?;
        let random = Random::new(seed);
        let mut state = Round { attack, random, folder: folder.clone(), steps: 0, log: Vec::new() };
        let outcome = round(&mut state);
        steps += state.steps;
        if let Err(error) = outcome {
            saved.push(save(attack, seed, &state, &error)?);
        }
        remove(&folder)?;
        if end <= Instant::now() || saved.len() == MAX_FAILURES {
            break;
        }
    }
    let summary = format!("{steps} attempts in {rounds} rounds");
    if saved.is_empty() {
        return Ok(summary);
    }
    let paths: Vec<String> = saved.iter().map(|path| path.display().to_string()).collect();
    bail!("{summary}, {} failures\nsaved: {}", saved.len(), paths.join("\nsaved: "));
}

/// Saves a failure below the folder of builds. The seed makes the round again.
fn save(attack: &Attack, seed: u64, state: &Round<'_>, error: &anyhow::Error) -> Result<PathBuf> {
    let folder = attack.root.join("target/attack");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{seed}.txt", attack.name));
    let text = format!("{error:#}");
    let again = format!("cargo xtask attack {} --minutes 0 --seed {seed}", attack.name);
    fs::write(&path, format!("{again}\n\n{text}\n\n{}\n", state.log.join("\n")))?;
    let shown = text.floor_char_boundary(MAX_SHOWN);
    println!("seed {seed}: {}", &text[..shown]);
    Ok(path)
}

/// Removes a folder, also one with folders that may not be read.
fn remove(folder: &Path) -> Result<()> {
    if fs::remove_dir_all(folder).is_err() {
        make_readable(folder)?;
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

fn make_readable(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_readable(&entry.path())?;
        }
    }
    Ok(())
}
