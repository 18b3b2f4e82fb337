//! Texts made to break parsers: whatever a tree contains, a run ends by itself, finds the harmless
//! file, and uses bounded memory.
//!
//! Each round makes one tree of texts of one size, in random languages and shapes
//! (`crates/syntax/src/bombs.rs`), indexes and searches it. If that fails, each text is tried on its
//! own, and those that fail again are saved in `crates/cli/tests/bombs`, where a test reads them.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Attack, children::Job};

/// Sizes in bytes, and the number of texts of each in a round: about as much work each.
const SIZES: &[(u64, u64)] = &[(24_000, 40), (100_000, 12), (900_000, 3)];

/// Maximum memory of all processes of a run together, in bytes.
const MAX_MEMORY: u64 = 1 << 30;

/// Maximum duration of a run: for a tree, and for each of its texts.
const MAX_TIME: Duration = Duration::from_mins(2);
const MAX_TIME_PER_TEXT: Duration = Duration::from_secs(30);

/// A file without harm, which each search has to find.
const HARMLESS: (&str, &str) = ("src/refund.rs", "/// Pays money back.\npub fn refund() {}\n");

/// Counts of a run.
#[derive(Default)]
struct Counts {
    texts: u64,
    /// Texts that ended their parser, by reason.
    unparsed: BTreeMap<String, u64>,
    peak_memory: u64,
    slowest: Duration,
    saved: Vec<PathBuf>,
}

/// Runs rounds until the time is over, at least one.
pub(super) fn run(attack: &Attack) -> Result<String> {
    let generator = generator(&attack.root)?;
    let end = Instant::now() + attack.duration;
    let mut counts = Counts::default();
    for round in 0.. {
        let seed = attack.seed + round;
        let at = usize::try_from(round).unwrap_or(0) % SIZES.len();
        let (size, number) = SIZES[at];
        let made = attack.folder.join("made");
        fs::create_dir_all(&made)?;
        let arguments = [seed, size, number].map(|number| number.to_string());
        let status = Command::new(&generator).arg(&made).args(arguments).status()?;
        if !status.success() {
            bail!("could not make texts with the seed {seed}");
        }
        let texts = files(&made)?;
        counts.texts += texts.len() as u64;
        if let Err(error) = attempt(attack, &texts, &mut counts) {
            println!("seed {seed}, {size} bytes: {error:#}");
            save_culprits(attack, &texts, &mut counts)?;
        }
        fs::remove_dir_all(&made)?;
        if end <= Instant::now() {
            break;
        }
    }
    if counts.saved.is_empty() { Ok(summary(&counts)) } else { bail!("{}", summary(&counts)) }
}

fn summary(counts: &Counts) -> String {
    let mut line = format!(
        "{} texts, {} MB of memory at most, slowest run {:.1} s",
        counts.texts,
        counts.peak_memory >> 20,
        counts.slowest.as_secs_f64()
    );
    for (reason, number) in &counts.unparsed {
        let _ = write!(line, ", {number} ended their parser ({reason})");
    }
    for path in &counts.saved {
        let _ = write!(line, "\nsaved: {}", path.display());
    }
    line
}

/// Returns the path of the program that makes texts: that of the test run beside the `lore` that `LORE` names,
/// or else it is built. Built alone, it has other features, and compiles parts of its dependencies again.
fn generator(root: &Path) -> Result<PathBuf> {
    let beside = std::env::var_os("LORE").map(|lore| root.join(lore).with_file_name("examples"));
    let built = beside.map(|folder| folder.join("bombs"));
    if let Some(path) = built.filter(|path| path.is_file()) {
        return Ok(path);
    }
    let arguments = [
        "build",
        "--locked",
        "--package",
        "lorehound-syntax",
        "--features",
        "testing",
        "--example",
        "bombs",
    ];
    let built = Command::new("cargo").args(arguments).current_dir(root).status()?;
    if !built.success() {
        bail!("could not build the generator");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |target| root.join(target));
    Ok(target.join("debug/examples/bombs"))
}

/// Files of a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Tries each text on its own, and saves those that break a promise.
fn save_culprits(attack: &Attack, texts: &[PathBuf], counts: &mut Counts) -> Result<()> {
    let folder = attack.root.join("crates/cli/tests/bombs");
    let before = counts.saved.len();
    for text in texts {
        if let Err(error) = attempt(attack, std::slice::from_ref(text), counts) {
            fs::create_dir_all(&folder)?;
            let path = folder.join(text.file_name().context("a file has a name")?);
            println!("{}: {error:#}", path.display());
            fs::copy(text, &path)?;
            counts.saved.push(path);
        }
    }
    if counts.saved.len() == before {
        bail!("the texts of the last seed fail together, and none of them fails on its own");
    }
    Ok(())
}

/// Indexes and searches a tree of these texts.
fn attempt(attack: &Attack, texts: &[PathBuf], counts: &mut Counts) -> Result<()> {
    let folder = attack.folder.join("run");
    let tree = folder.join("tree");
    let outcome = prepare(&tree, texts).and_then(|()| check(attack, &folder, &tree, texts, counts));
    fs::remove_dir_all(&folder)?;
    outcome
}

fn prepare(tree: &Path, texts: &[PathBuf]) -> Result<()> {
    let harmless = tree.join(HARMLESS.0);
    fs::create_dir_all(harmless.parent().context("a file has a folder")?)?;
    fs::write(harmless, HARMLESS.1)?;
    for text in texts {
        fs::copy(text, tree.join(text.file_name().context("a file has a name")?))?;
    }
    Ok(())
}

fn check(
    attack: &Attack,
    folder: &Path,
    tree: &Path,
    texts: &[PathBuf],
    counts: &mut Counts,
) -> Result<()> {
    let limit = MAX_TIME + MAX_TIME_PER_TEXT * u32::try_from(texts.len()).unwrap_or(u32::MAX);
    let started = Instant::now();
    let mut run = |arguments: &[&str]| {
        let cache = folder.join("cache");
        let program = &attack.program;
        let ran = Job { program, arguments, tree, folder, cache: &cache, limit }.run()?;
        counts.peak_memory = counts.peak_memory.max(ran.peak_memory);
        counts.slowest = counts.slowest.max(started.elapsed());
        if ran.is_hanging {
            bail!("`lore {}` does not end", arguments.join(" "));
        }
        if ran.code != Some(0) || ran.stderr.contains("internal error") {
            bail!("`lore {}` failed ({:?}): {}", arguments.join(" "), ran.code, ran.stderr);
        }
        if MAX_MEMORY < ran.peak_memory {
            bail!("`lore {}` took {} MB", arguments.join(" "), ran.peak_memory >> 20);
        }
        Ok(ran.stdout)
    };
    run(&["index"])?;
    let answer: Value =
        serde_json::from_str(&run(&["pays money back", "--in", "code", "--json"])?)?;
    let results = answer["results"].as_array().context("no results")?;
    if !results.iter().any(|hit| hit["path"] == HARMLESS.0) {
        bail!("the harmless file is not found");
    }
    let status: Value = serde_json::from_str(&run(&["status", "--json"])?)?;
    for source in status["sources"].as_object().context("no sources")?.values() {
        for file in source["unparsed"].as_array().context("no list of unparsed files")? {
            let reason = file["reason"].as_str().unwrap_or_default().to_owned();
            *counts.unparsed.entry(reason).or_default() += 1;
        }
    }
    Ok(())
}
