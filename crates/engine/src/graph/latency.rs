//! Times lookups of symbols and edges, for `benches/latency.rs`.

use std::{path::Path, time::Instant};

use lore_schema::{Filter, SourceName};

use super::{code_graph::CodeGraph, research::research, symbols::find_symbols};
use crate::{
    IndexMode, Relation, ResearchQuestion, ResearchRequest,
    benchmarks::Timing,
    state::refresh,
    testing::{Silent, in_memory},
};

/// Times lookups in the tree that the benchmark generates, with an index in memory.
///
/// # Panics
/// When the tree cannot be indexed or a lookup fails.
pub fn lookups(folder: &Path) -> Vec<Timing> {
    let config = in_memory(folder, 2);
    let taken =
        refresh::take(&config, &[SourceName::Code], IndexMode::Update, &Silent).expect("an index");
    let chunks = taken.sources[0].reader.summary().chunks;
    let time = |name: &str, max_ms: f64, work: &dyn Fn() -> usize| {
        let round = |_| {
            let started = Instant::now();
            let count = work();
            (started.elapsed().as_secs_f64() * 1e3, count)
        };
        let rounds = (0..5).map(round);
        let (ms, count) =
            rounds.min_by(|left, right| left.0.total_cmp(&right.0)).expect("five rounds");
        Timing { name: format!("{name}, {chunks} chunks, {count} results"), ms, max_ms }
    };
    // Each round starts without the outlines of the last one; only the reader keeps its caches.
    let fresh = || taken.graph();
    let ask = |relation, subject: &str, depth| ResearchRequest {
        question: ResearchQuestion { relation, subject: Some(subject.to_owned()), object: None },
        depth: Some(depth),
        filter: Filter::default(),
        limit: 1_000,
        guesses: true,
    };
    let edges = |graph: &CodeGraph<'_>, request: &ResearchRequest| {
        research(graph, request, None).expect("an answer").edges.len()
    };
    let filter = Filter { paths: vec!["module*1*.py".to_owned()], ..Filter::default() };
    vec![
        time("symbol", 5.0, &|| find_symbols(&fresh(), "Store4321", 20).expect("an answer").len()),
        time("conformance", 2.0, &|| {
            let reader = taken.sources[0].reader.as_ref();
            reader.holders(lore_schema::Field::Conformance, "Store", 20_000).expect("rows").len()
        }),
        time("callers, two steps", 50.0, &|| {
            edges(&fresh(), &ask(Relation::Callers, "helper4321", 2))
        }),
        time("callees, two steps", 50.0, &|| {
            edges(&fresh(), &ask(Relation::Callees, "save4321", 2))
        }),
        time("path filter of a thousand files", 5.0, &|| {
            fresh().listing(&filter).expect("a listing").len()
        }),
    ]
}
