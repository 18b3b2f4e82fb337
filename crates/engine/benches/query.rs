//! How long a question takes on a tree that is open already:
//! `cargo bench -p lorehound-engine --bench query -- TREE CACHE QUESTIONS [MODE] [THREADS]`
//!
//! `QUESTIONS` is a file with one question a line. Prints, for words with meaning and for words
//! alone, or for the named mode, the median and the 99th percentile over three rounds after a first
//! one. On one thread, unless more are asked for.

#![expect(clippy::print_stdout, reason = "what a benchmark says")]
#![expect(clippy::disallowed_methods, reason = "questions lie in a file")]

use std::{path::PathBuf, time::Instant};

use lore_engine::{
    CachePlace, Embedding, Engine, EngineConfig, Mode, Overlays, Progress, RankingConfig,
    SearchRequest, schema::SourceName,
};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds over all questions; the first one warms what is read from disk.
const ROUNDS: usize = 4;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}

    fn note(&self, _: &str) {}
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [tree, cache, questions, named @ ..] = arguments.as_slice() else {
        println!("nothing to measure with: name a tree, a cache folder and a file of questions");
        return;
    };
    let threads = named.iter().find_map(|one| one.parse().ok());
    let modes: Vec<&String> = named.iter().filter(|one| one.parse::<usize>().is_err()).collect();
    let is_named = |mode: &Mode| modes.is_empty() || modes.iter().any(|one| *one == mode.as_str());
    let config = EngineConfig {
        root: PathBuf::from(tree),
        at: None,
        backend: lore_engine::default_backend(),
        cache: CachePlace::Folder(PathBuf::from(cache)),
        write: true,
        hidden: true,
        max_file_size: 1 << 20,
        commits: None,
        exports: Vec::new(),
        threads: threads.unwrap_or(1),
        secrets: lore_engine::Secrets::Redacted,
        ranking: RankingConfig::default(),
        embedding: Embedding::Embedded,
        overlays: Overlays::default(),
        limits: lore_engine::Limits::none(),
    };
    let questions = std::fs::read_to_string(questions).expect("a file of questions");
    let engine = Engine::open(config).expect("a tree");
    let mut searcher = engine.searcher(&[SourceName::Code], &Silent).expect("an index");
    for mode in [Mode::Hybrid, Mode::Lexical].into_iter().filter(is_named) {
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            for question in questions.lines() {
                let request = SearchRequest { mode, ..SearchRequest::new(question) };
                let started = Instant::now();
                let answered = searcher.search(&request, &Silent).is_ok();
                if round > 0 && answered {
                    times.push(started.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
        times.sort_by(f64::total_cmp);
        let quantile = |percent: usize| times.get(times.len() * percent / 100).copied();
        println!(
            "{}: {} answers, median {:.2} ms, 99 % {:.2} ms",
            mode.as_str(),
            times.len(),
            quantile(50).unwrap_or_default(),
            quantile(99).unwrap_or_default(),
        );
    }
}
