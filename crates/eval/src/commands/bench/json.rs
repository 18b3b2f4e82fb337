//! The wire form of `lore bench`.

use std::collections::BTreeMap;

use lore_render::wire::SCHEMA;
use serde::Serialize;

use crate::commands::bench::{Growth, Measured};

/// Costs of trees of several sizes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BenchWire {
    schema: u32,
    seed: u64,
    runs: u64,
    /// Threads of indexing; questions are answered by one.
    threads: usize,
    sizes: Vec<SizeWire>,
    growth: Option<GrowthWire>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SizeWire {
    size: u64,
    chunks: u64,
    files: u64,
    text_bytes: u64,
    index_bytes: u64,
    generate_seconds: f64,
    index_seconds: f64,
    index_memory_bytes: Option<u64>,
    search_memory_bytes: Option<u64>,
    /// By mode.
    answers: BTreeMap<&'static str, TimesWire>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TimesWire {
    answers: usize,
    p50_ms: f64,
    p99_ms: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GrowthWire {
    from_chunks: u64,
    to_chunks: u64,
    index_per_chunk: f64,
    lexical_per_hundredfold: f64,
}

/// The wire form of what was measured.
pub(crate) fn bench(
    (seed, runs, threads): (u64, u64, usize),
    sizes: &[Measured],
    growth: Option<Growth>,
) -> BenchWire {
    BenchWire {
        schema: SCHEMA,
        seed,
        runs,
        threads,
        sizes: sizes.iter().map(size).collect(),
        growth: growth.map(|growth| GrowthWire {
            from_chunks: growth.range.0,
            to_chunks: growth.range.1,
            index_per_chunk: growth.index,
            lexical_per_hundredfold: growth.lexical,
        }),
    }
}

fn size(size: &Measured) -> SizeWire {
    let answers = size.answers.iter().map(|times| {
        let wire = TimesWire { answers: times.answers, p50_ms: times.p50, p99_ms: times.p99 };
        (times.mode.as_str(), wire)
    });
    SizeWire {
        size: size.wanted,
        chunks: size.chunks,
        files: size.files,
        text_bytes: size.text_bytes,
        index_bytes: size.index_bytes,
        generate_seconds: size.generate_seconds,
        index_seconds: size.index_seconds,
        index_memory_bytes: size.index_memory,
        search_memory_bytes: size.search_memory,
        answers: answers.collect(),
    }
}
