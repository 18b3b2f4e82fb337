//! `cargo xtask attack`: attacks the promises of `SECURITY.md` with generated input.
//!
//! Each part runs `lore` on trees in a temporary folder of its own, with limits on memory and time,
//! and prints the seeds of what it generates. Input that breaks a promise is saved as a file that
//! becomes a test.

mod answers;
mod bombs;
mod cache;
mod changes;
mod children;
mod git;
mod queries;
mod rounds;
mod secrets;
mod server;
mod trees;

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::{Result, bail};

/// A part: runs until its time is over, and returns a summary.
type Part = fn(&Attack) -> Result<String>;

/// Parts by name.
const PARTS: &[(&str, Part)] = &[
    ("bombs", bombs::run),
    ("changes", changes::run),
    ("cache", cache::run),
    ("git", git::run),
    ("server", server::run),
    ("secrets", secrets::run),
    ("queries", queries::run),
];

/// Default duration of each part, in minutes.
const DEFAULT_MINUTES: f64 = 10.0;

/// A run of one part.
struct Attack {
    /// Name of the part.
    name: &'static str,
    /// Root of the workspace.
    root: PathBuf,
    /// The `lore` under attack.
    program: PathBuf,
    /// Temporary folder of the part.
    folder: PathBuf,
    /// Seed of the first round; each round adds 1.
    seed: u64,
    /// Time in which rounds start.
    duration: Duration,
}

/// Runs the named parts, or all.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<()> {
    let options = Options::parse(words)?;
    let program = super::program(root)?;
    let mut failed = Vec::new();
    for (name, part) in PARTS.iter().filter(|(name, _)| options.includes(name)) {
        let folder = std::env::temp_dir().join(format!("lore-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        println!("{name}: seed {}", options.seed);
        let attack = Attack {
            name,
            root: root.to_owned(),
            program: program.clone(),
            folder: folder.clone(),
            seed: options.seed,
            duration: Duration::from_secs_f64(options.minutes * 60.0),
        };
        let outcome = part(&attack);
        std::fs::remove_dir_all(&folder)?;
        match outcome {
            Ok(summary) => println!("{name}: {summary}"),
            Err(error) => {
                println!("{name}: {error:#}");
                failed.push(*name);
            }
        }
    }
    if !failed.is_empty() {
        bail!("promises are broken by: {}", failed.join(", "));
    }
    Ok(())
}

/// Arguments of the command.
struct Options {
    parts: Vec<String>,
    minutes: f64,
    seed: u64,
}

impl Options {
    fn parse(words: &[String]) -> Result<Options> {
        let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut options = Options {
            parts: Vec::new(),
            minutes: DEFAULT_MINUTES,
            seed: clock.map_or(1, |time| time.as_secs()),
        };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match (word, words.clone().next()) {
                ("--minutes", Some(number)) => options.minutes = number.parse()?,
                ("--seed", Some(number)) => options.seed = number.parse()?,
                (part, _) if PARTS.iter().any(|(name, _)| *name == part) => {
                    options.parts.push(part.to_owned());
                    continue;
                }
                _ => {
                    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
                    bail!("unknown argument `{word}`; the parts are: {}", names.join(", "));
                }
            }
            words.next();
        }
        Ok(options)
    }

    fn includes(&self, name: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|part| part == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn parse(words: &[&str]) -> anyhow::Result<Options> {
        Options::parse(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_select_parts_and_repeat_runs() {
        let options = parse(&["bombs", "--minutes", "0.5", "--seed", "7"]).unwrap();
        assert!(options.includes("bombs") && !options.includes("git"));
        assert_eq!((options.minutes.to_bits(), options.seed), (0.5_f64.to_bits(), 7));
        assert!(parse(&[]).unwrap().includes("bombs"));
        for words in [&["unknown"][..], &["--seed"], &["--seed", "x"], &["--minutes", ""]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
