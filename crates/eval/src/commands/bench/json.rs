//! The wire form of `lore bench`.

use std::collections::BTreeMap;

use lore_render::wire::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::bench::{Growth, Measured};

/// Costs of trees of several sizes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BenchWire {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Seed of the generated trees.
    seed: u64,
    /// Number of runs of each query.
    runs: u64,
    /// Threads of indexing; questions are answered by one.
    threads: usize,
    /// Figures of each size.
    sizes: Vec<SizeWire>,
    /// Growth between the smallest and the largest size; null for one size.
    growth: Option<GrowthWire>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SizeWire {
    /// Requested number of chunks.
    size: u64,
    /// Number of chunks.
    chunks: u64,
    /// Number of files.
    files: u64,
    /// Size of the text in bytes.
    text_bytes: u64,
    /// Size of the index in bytes.
    index_bytes: u64,
    /// Time to generate the tree, in seconds.
    generate_seconds: f64,
    /// Time to index it, in seconds.
    index_seconds: f64,
    /// Maximum memory of indexing; null if unknown.
    index_memory_bytes: Option<u64>,
    /// Maximum memory of searching; null if unknown.
    search_memory_bytes: Option<u64>,
    /// By mode.
    answers: BTreeMap<&'static str, TimesWire>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TimesWire {
    /// Number of answers.
    answers: usize,
    /// Median time in milliseconds.
    p50_ms: f64,
    /// 99th percentile in milliseconds.
    p99_ms: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GrowthWire {
    /// Number of chunks of the smallest size.
    from_chunks: u64,
    /// Number of chunks of the largest size.
    to_chunks: u64,
    /// Growth of the indexing time per chunk.
    index_per_chunk: f64,
    /// Growth of the time of a lexical answer if the tree is a hundred times larger.
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
