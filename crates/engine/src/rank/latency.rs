//! Times the ranking of two hundred candidates, without reading the index, for `benches/latency.rs`.

use std::{collections::HashMap, path::Path, time::Instant};

use lore_index::DenseQuery;
use lore_schema::{Filter, SourceName};

use super::{
    Balance, CandidateParts, DefinedOnce, DocumentCandidate, Question, neighbours, signals,
};
use crate::{
    IndexMode, Mode,
    benchmarks::Timing,
    query,
    state::{embedding::QueryVector, refresh},
    testing::{Silent, in_memory},
};

/// Number of candidates to rank.
const CANDIDATES: usize = 200;

/// Maximum milliseconds for their signals.
const MAX_MS: f64 = 1.0;

/// Times the ranking of candidates from a folder of source code, with an index in memory.
///
/// # Panics
/// When the folder cannot be indexed, or has too few matches.
pub fn candidates(folder: &Path) -> Vec<Timing> {
    let config = in_memory(folder, 2);
    let mut timings = Vec::new();
    let taken =
        refresh::take(&config, &[SourceName::Code], IndexMode::Update, &Silent).expect("an index");
    let reader = taken.sources[0].reader.as_ref();
    for text in ["how are the candidates of a question ranked by their words", "SearchRequest"] {
        let query = query::parse(text);
        let prepared = query::prepare(&query, reader).expect("words");
        let filter = Filter::default();
        let matches = reader.lexical(&prepared.lexical, &filter, CANDIDATES).expect("candidates");
        let meaning = QueryVector::of(text, Mode::Hybrid, &config.embedding, &taken.readers())
            .expect("a question")
            .query
            .expect("the model inside");
        let ids: Vec<_> = matches.candidates.iter().map(|candidate| candidate.id).collect();
        let near = DenseQuery { min_similarity: None, ..meaning };
        let near: HashMap<_, _> = reader
            .similar(&near, &filter, &ids)
            .expect("vectors")
            .into_iter()
            .map(|near| (near.id, near))
            .collect();
        let documents = reader.documents(&ids).expect("rows");
        let parts = || -> Vec<CandidateParts> {
            let pairs = matches.candidates.iter().zip(&documents);
            let with_rows = |(candidate, document): (&lore_index::Candidate, _)| {
                let ids: Vec<_> = candidate.chunks.iter().map(|chunk| chunk.id).collect();
                let similarity = |id| {
                    let all = near.get(&candidate.id).into_iter().flat_map(|near| &near.chunks);
                    all.filter(|chunk| chunk.id == id).map(|chunk| chunk.similarity).sum()
                };
                CandidateParts {
                    candidate: candidate.clone(),
                    document: lore_index::StoredDocument::clone(document),
                    similarities: ids.iter().copied().map(similarity).collect(),
                    chunks: reader.chunks(&ids).expect("rows"),
                }
            };
            let mut parts: Vec<CandidateParts> = pairs.map(with_rows).collect();
            let known = parts.len();
            assert!(known >= CANDIDATES / 4, "{known} candidates for {text}");
            while parts.len() < CANDIDATES {
                let again = copy(&parts, parts.len() % known);
                parts.push(again);
            }
            parts
        };
        let balance = Balance::hybrid(crate::Fusion::default(), SourceName::Code);
        let best = (0..9)
            .map(|_| {
                let parts = parts();
                let started = Instant::now();
                let question = Question::new(
                    &query,
                    &matches.groups,
                    &prepared.rarity,
                    &prepared.frequency,
                    SourceName::Code,
                    8 << 10,
                );
                let ranked: Vec<(DocumentCandidate, f32)> = parts
                    .into_iter()
                    .map(|parts| {
                        let candidate = DocumentCandidate::new(parts, &question);
                        let explanation = signals::explain(
                            &signals::values(&question, &candidate),
                            &signals::weights(&config.ranking, &balance),
                        );
                        (candidate, explanation.sum())
                    })
                    .collect();
                let signals = started.elapsed();
                let raw: Vec<f32> = ranked.iter().map(|(_, raw)| *raw).collect();
                let candidates: Vec<&DocumentCandidate> =
                    ranked.iter().map(|(candidate, _)| candidate).collect();
                let spoken = neighbours(&candidates, &raw, |_| true, &DefinedOnce::new(reader))
                    .expect("neighbours");
                assert_eq!(spoken.len(), CANDIDATES);
                (signals.as_secs_f64() * 1e3, started.elapsed().as_secs_f64() * 1e3)
            })
            .min_by(|left, right| left.0.total_cmp(&right.0))
            .expect("nine rounds");
        timings.push(Timing { name: format!("signals: {text}"), ms: best.0, max_ms: MAX_MS });
        let name = format!("signals and neighbours: {text}");
        timings.push(Timing { name, ms: best.1, max_ms: f64::INFINITY });
    }
    timings
}

/// A copy of a candidate.
fn copy(parts: &[CandidateParts], index: usize) -> CandidateParts {
    let original = &parts[index];
    CandidateParts {
        candidate: original.candidate.clone(),
        document: original.document.clone(),
        chunks: original.chunks.clone(),
        similarities: original.similarities.clone(),
    }
}
