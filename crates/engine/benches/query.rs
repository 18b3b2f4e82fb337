//! Times queries on a tree that is already open:
//! `cargo bench -p lorehound-engine --bench query -- TREE CACHE QUERIES [MODE] [THREADS]`
//!
//! `QUERIES` is a file with one query per line. Prints the median and the 99th percentile over three
//! rounds after a warm-up round, for the hybrid and the lexical mode or for the named one. Uses one
//! thread unless a number is given.

#![expect(clippy::print_stdout, reason = "the result of a benchmark")]
#![expect(clippy::disallowed_methods, reason = "queries are read from a file")]

use std::{path::PathBuf, time::Instant};

use lore_engine::{
    CachePlace, Embedding, Engine, EngineConfig, Mode, Overlays, Progress, RankingConfig,
    SearchRequest, schema::SourceName,
};

/// The allocator of `lore`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of rounds over all queries; the first one warms the caches.
const ROUNDS: usize = 4;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}

    fn note(&self, _: &str) {}
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [tree, cache, queries, named @ ..] = arguments.as_slice() else {
        println!("missing arguments: a tree, a cache folder and a file of queries");
        return;
    };
    let threads = named.iter().find_map(|text| text.parse().ok());
    let modes: Vec<&String> = named.iter().filter(|text| text.parse::<usize>().is_err()).collect();
    let is_named =
        |mode: &Mode| modes.is_empty() || modes.iter().any(|name| *name == mode.as_str());
    let config = EngineConfig {
        root: PathBuf::from(tree),
        at: None,
        stored: None,
        backend: lore_engine::default_backend(),
        cache: CachePlace::Folder(PathBuf::from(cache)),
        write: true,
        hidden: true,
        max_file_size: 1 << 20,
        commits: None,
        exports: Vec::new(),
        custom: lore_engine::CustomSources::none(),
        threads: threads.unwrap_or(1),
        secrets: lore_engine::Secrets::Redacted,
        ranking: RankingConfig::default(),
        embedding: Embedding::Embedded,
        parsers: lore_engine::Parsers::in_process(),
        overlays: Overlays::default(),
        limits: lore_engine::Limits::none(),
        commit_interval: EngineConfig::COMMIT_INTERVAL,
    };
    let queries = std::fs::read_to_string(queries).expect("a file of queries");
    let engine = Engine::open(config).expect("a tree");
    let mut searcher = engine.searcher(&[SourceName::Code], &Silent).expect("an index");
    for mode in [Mode::Hybrid, Mode::Lexical].into_iter().filter(is_named) {
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            for query in queries.lines() {
                let request = SearchRequest::new(query).with_mode(mode);
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
