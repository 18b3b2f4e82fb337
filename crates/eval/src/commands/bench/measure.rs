//! Generates one tree, indexes and queries it, and measures the costs.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context as _;
use lore_engine::{CachePlace, Embedding, Engine, EngineConfig, IndexMode, Mode, SearchRequest};
use lore_schema::SourceName;
use lore_session::progress::Reporter;

use super::{
    memory,
    questions::questions,
    tree::{BYTES_PER_CHUNK, Generator},
};

/// Number of rounds over all queries. The first is not counted: it warms the file cache.
const ROUNDS: usize = 4;

/// The measurement at each size.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) generator: Generator,
    /// Number of indexing runs per tree; the fastest counts.
    pub(super) runs: u64,
    /// Search modes.
    pub(super) modes: Vec<Mode>,
    /// Settings of engines, without their paths.
    pub(super) config: EngineConfig,
}

/// Costs of one size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    /// Requested number of chunks.
    pub(crate) wanted: u64,
    /// Chunks, as the index counts them.
    pub(crate) chunks: u64,
    /// Files.
    pub(crate) files: u64,
    /// Bytes of all files.
    pub(crate) text_bytes: u64,
    /// Bytes of the index.
    pub(crate) index_bytes: u64,
    /// Seconds to write the files.
    pub(crate) generate_seconds: f64,
    /// Seconds to index them, in the fastest run.
    pub(crate) index_seconds: f64,
    /// Peak memory of the process while it indexed, in bytes; `None` if the system does not report
    /// it.
    pub(crate) index_memory: Option<u64>,
    /// The same while it searched.
    pub(crate) search_memory: Option<u64>,
    /// Times of the answers of each mode.
    pub(crate) answers: Vec<Times>,
}

impl Measured {
    /// Microseconds of indexing for each chunk.
    pub(crate) fn per_chunk(&self) -> f64 {
        self.index_seconds * 1e6 / self.chunks.max(1) as f64
    }

    /// Megabytes of text that are indexed in a second.
    pub(crate) fn speed(&self) -> f64 {
        self.text_bytes as f64 / 1e6 / self.index_seconds.max(1e-9)
    }

    /// Bytes of the index for each byte of text.
    pub(crate) fn share(&self) -> f64 {
        self.index_bytes as f64 / self.text_bytes.max(1) as f64
    }

    /// The times of a mode.
    pub(crate) fn times(&self, mode: Mode) -> Option<&Times> {
        self.answers.iter().find(|times| times.mode == mode)
    }
}

/// Times of answers, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Times {
    pub(crate) mode: Mode,
    /// Answers that were counted.
    pub(crate) answers: usize,
    /// The median.
    pub(crate) p50: f64,
    /// One answer in a hundred takes longer.
    pub(crate) p99: f64,
}

impl Times {
    fn of(mode: Mode, mut milliseconds: Vec<f64>) -> Times {
        milliseconds.sort_by(f64::total_cmp);
        let at = |percent: usize| {
            let place = (milliseconds.len() * percent).div_ceil(100).saturating_sub(1);
            milliseconds.get(place).copied().unwrap_or_default()
        };
        Times { mode, answers: milliseconds.len(), p50: at(50), p99: at(99) }
    }
}

/// Measures one size in an empty folder.
pub(super) fn measure(
    plan: &Plan,
    wanted: u64,
    folder: &Path,
    progress: &Reporter,
) -> anyhow::Result<Measured> {
    let tree = folder.join("tree");
    let started = Instant::now();
    let (files, text_bytes) = write(plan.generator, wanted, &tree)?;
    let generate_seconds = started.elapsed().as_secs_f64();

    let open = |cache: PathBuf, threads: usize| {
        Engine::open(EngineConfig {
            root: tree.clone(),
            cache: CachePlace::Folder(cache),
            threads,
            ..plan.config.clone()
        })
    };
    memory::reset_peak();
    let mut index_seconds = f64::INFINITY;
    let mut cache = folder.join("cache-1");
    for run in 1..=plan.runs {
        if run > 1 {
            fs::remove_dir_all(&cache).context("could not remove the index of the last run")?;
        }
        cache = folder.join(format!("cache-{run}"));
        let report =
            open(cache.clone(), plan.config.threads)?.index(IndexMode::Update, progress)?;
        for warning in &report.warnings {
            progress.warn(warning);
        }
        index_seconds = index_seconds.min(report.seconds);
    }
    let index_memory = memory::peak();

    memory::reset_peak();
    let engine = open(cache, 1)?;
    let answers = ask(plan, &engine, progress)?;
    let search_memory = memory::peak();
    let status = engine.status()?;
    Ok(Measured {
        wanted,
        chunks: status.sources.values().map(|source| source.chunks).sum(),
        files,
        text_bytes,
        index_bytes: status.sources.values().map(|source| source.disk_bytes).sum(),
        generate_seconds,
        index_seconds,
        index_memory,
        search_memory,
        answers,
    })
}

/// Writes the files of a tree. Returns their number and their bytes. Fails if the tree is removed
/// meanwhile: an interrupt does that, and the tree must not be created again.
fn write(generator: Generator, wanted: u64, tree: &Path) -> anyhow::Result<(u64, u64)> {
    fs::create_dir_all(tree).with_context(|| format!("could not make `{}`", tree.display()))?;
    let (mut files, mut bytes) = (0, 0);
    while bytes < wanted * BYTES_PER_CHUNK {
        let file = generator.file(files);
        let path = tree.join(&file.path);
        path.parent()
            .map_or(Ok(()), |folder| create_below(tree, folder))
            .and_then(|()| fs::write(&path, &file.text))
            .with_context(|| format!("could not write `{}`", path.display()))?;
        files += 1;
        bytes += file.text.len() as u64;
    }
    Ok((files, bytes))
}

/// Creates a directory and its parents below the tree, but not the tree itself.
fn create_below(tree: &Path, folder: &Path) -> io::Result<()> {
    if folder == tree {
        return Ok(());
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            folder.parent().map_or(Ok(()), |parent| create_below(tree, parent))?;
            fs::create_dir(folder)
        }
        made => made,
    }
}

/// Runs all queries in each mode, on one thread, on one state of the tree.
fn ask(plan: &Plan, engine: &Engine, progress: &Reporter) -> anyhow::Result<Vec<Times>> {
    let asked = questions(plan.generator);
    let mut searcher = engine.searcher(&[SourceName::Code, SourceName::Docs], progress)?;
    let mut answers = Vec::new();
    for &mode in &plan.modes {
        let mut milliseconds = Vec::new();
        for round in 0..ROUNDS {
            for question in &asked {
                let request = SearchRequest::new(question.as_str()).with_mode(mode);
                let started = Instant::now();
                searcher.search(&request, progress)?;
                if round > 0 {
                    milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
        answers.push(Times::of(mode, milliseconds));
    }
    Ok(answers)
}

/// The modes available with an embedding, the cheapest first.
pub(super) fn modes(embedding: &Embedding) -> Vec<Mode> {
    match embedding {
        Embedding::Off => vec![Mode::Lexical],
        _ => vec![Mode::Lexical, Mode::Semantic, Mode::Hybrid],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_tree_is_not_created_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tree = folder.path().join("tree");
        assert!(create_below(&tree, &tree.join("a/b")).is_err());
        assert!(!tree.exists());
        fs::create_dir(&tree).expect("a folder");
        for _ in 0..2 {
            create_below(&tree, &tree.join("a/b")).expect("the folders");
            assert!(tree.join("a/b").is_dir());
        }
    }

    #[test]
    fn quantiles_are_answers_that_were_given() {
        let times = Times::of(Mode::Lexical, (1..=200).rev().map(f64::from).collect());
        assert_eq!((times.answers, times.p50, times.p99), (200, 100.0, 198.0));
        let none = Times::of(Mode::Hybrid, Vec::new());
        assert_eq!((none.answers, none.p50, none.p99), (0, 0.0, 0.0));
        let one = Times::of(Mode::Hybrid, vec![3.0]);
        assert_eq!((one.p50, one.p99), (3.0, 3.0));
    }
}
