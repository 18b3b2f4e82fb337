//! How long it takes to rank two hundred candidates, texts and rows of the index apart. Ignored: a
//! clock is no law. Run with
//! `cargo test --release -p lorehound-engine rank::latency -- --ignored --nocapture`.

use std::{collections::HashMap, path::Path, time::Instant};

use lore_index::DenseQuery;
use lore_schema::{Filter, SourceName};

use super::{
    Balance, CandidateParts, DefinedOnce, DocumentCandidate, Question, neighbours, signals,
};
use crate::{
    IndexMode, Mode, query,
    state::{embedding::Meaning, snapshot},
    testing::{Silent, in_memory},
};

/// How many are ranked, and in how many milliseconds at most.
const CANDIDATES: usize = 200;
const BOUND: f64 = 1.0;

#[test]
#[ignore = "reads the clock"]
fn two_hundred_candidates() {
    // The code of this project: files of all sizes, with definitions, comments and tests.
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
    let config = in_memory(crates, 2);
    let taken =
        snapshot::take(&config, &[SourceName::Code], IndexMode::Update, &Silent).expect("an index");
    let reader = taken.sources[0].reader.as_ref();
    for text in ["how are the candidates of a question ranked by their words", "SearchRequest"] {
        let query = query::parse(text);
        let prepared = query::prepare(&query, reader).expect("words");
        let filter = Filter::default();
        let matches = reader.lexical(&prepared.lexical, &filter, CANDIDATES).expect("candidates");
        let meaning = Meaning::of(text, Mode::Hybrid, &config.embedding, &taken.sources)
            .expect("a question")
            .query
            .expect("the model inside");
        let ids: Vec<_> = matches.candidates.iter().map(|one| one.id).collect();
        let near = DenseQuery { min_similarity: None, ..meaning };
        let near: HashMap<_, _> = reader
            .similar(&near, &filter, &ids)
            .expect("vectors")
            .into_iter()
            .map(|one| (one.id, one))
            .collect();
        let documents = reader.documents(&ids).expect("rows");
        let parts = || -> Vec<CandidateParts> {
            let pairs = matches.candidates.iter().zip(&documents);
            let of_one = |(candidate, document): (&lore_index::Candidate, _)| {
                let ids: Vec<_> = candidate.chunks.iter().map(|chunk| chunk.id).collect();
                let similarity = |id| {
                    let all = near.get(&candidate.id).into_iter().flat_map(|one| &one.chunks);
                    all.filter(|chunk| chunk.id == id).map(|chunk| chunk.similarity).sum()
                };
                CandidateParts {
                    candidate: candidate.clone(),
                    document: lore_index::StoredDocument::clone(document),
                    similarities: ids.iter().copied().map(similarity).collect(),
                    chunks: reader.chunks(&ids).expect("rows"),
                }
            };
            let mut parts: Vec<CandidateParts> = pairs.map(of_one).collect();
            let known = parts.len();
            assert!(known >= CANDIDATES / 4, "{known} candidates for {text}");
            while parts.len() < CANDIDATES {
                let again = pairs_again(&parts, parts.len() % known);
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
                        let explanation =
                            signals::explain(&question, &candidate, &config.ranking, &balance);
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
        println!("{text}: signals {:.2} ms, with neighbours {:.2} ms", best.0, best.1);
        assert!(best.0 < BOUND, "{text}");
    }
}

/// One of the candidates once more.
fn pairs_again(parts: &[CandidateParts], index: usize) -> CandidateParts {
    let one = &parts[index];
    CandidateParts {
        candidate: one.candidate.clone(),
        document: one.document.clone(),
        chunks: one.chunks.clone(),
        similarities: one.similarities.clone(),
    }
}
