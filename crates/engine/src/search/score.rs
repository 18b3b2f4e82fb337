//! Stage 4 of a query: scores the candidates and puts those of all sources into one list.
//!
//! **Invariant:** a score is a function of the candidate's named parts. Nothing is looked up here.

use lore_index::DocumentId;
use lore_schema::{Field, SourceName, Symbol};

use crate::{
    Explanation, Part,
    rank::{
        Balance, Calibration, DocumentCandidate, Ranked, by_rank, exact_first, interleave, signals,
    },
    search::{
        assemble::Candidate,
        context::SearchContext,
        parse::{Order, ParsedQuery},
    },
};

/// A document with its score, part by part, and its positions in the lists of its source.
pub(crate) struct ScoredDocument {
    /// Index of its source in the snapshot.
    pub(crate) source: usize,
    /// The document with its evidence.
    pub(crate) candidate: DocumentCandidate,
    /// Its score, part by part.
    pub(crate) explanation: Explanation,
    /// Position by the best chunk alone inside its source, from 1; `None` for a document that was
    /// reached from another hit.
    pub(crate) bm25_rank: Option<usize>,
    /// Position by the most similar chunk alone inside its source, from 1.
    pub(crate) semantic_rank: Option<usize>,
    /// The steps that lead to it from another hit.
    pub(crate) reached: Option<Reached>,
    /// The definition that answers, where that is known.
    pub(crate) subject: Option<Symbol>,
    /// The line that answers, where that is known, as indexed.
    pub(crate) around: Option<u32>,
    /// First of the lines that answer best, as indexed, where they were chosen.
    pub(crate) window: Option<u32>,
    /// Keys of the documents that were folded into this one as duplicates.
    pub(crate) also: Vec<String>,
}

/// The steps from one hit to another.
pub(crate) struct Reached {
    /// Number of steps, from 1.
    pub(crate) hops: usize,
    /// Name of the definition that leads here.
    pub(crate) via: String,
}

impl ScoredDocument {
    /// A document outside the lists of its source.
    pub(crate) fn unlisted(
        source: usize,
        candidate: DocumentCandidate,
        explanation: Explanation,
    ) -> ScoredDocument {
        ScoredDocument {
            source,
            candidate,
            explanation,
            bm25_rank: None,
            semantic_rank: None,
            reached: None,
            subject: None,
            around: None,
            window: None,
            also: Vec::new(),
        }
    }

    /// Identifier of the document.
    pub(crate) fn id(&self) -> DocumentId {
        self.candidate.parts.candidate.id
    }
}

impl Explanation {
    /// The value of a part, 0 if the score has no such part.
    pub(crate) fn value(&self, name: &str) -> f32 {
        self.parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.value)
    }

    /// A score of one part.
    pub(crate) fn of_one(name: &'static str, score: f32) -> Explanation {
        let raw = Calibration::COMMON.raw(score);
        let value = score.max(f32::MIN_POSITIVE);
        let part = Part { name, value, weight: raw / value, contribution: raw };
        Explanation { parts: vec![part] }
    }
}

/// Scores the candidates of all sources. Returns them, best first.
pub(crate) fn score(
    sources: Vec<Vec<Candidate>>,
    query: &ParsedQuery,
    context: SearchContext<'_>,
) -> Vec<Ranked<ScoredDocument>> {
    let mut scored = Vec::with_capacity(sources.iter().map(Vec::len).sum());
    for (index, candidates) in sources.into_iter().enumerate() {
        let source = context.snapshot.sources[index].reader.source();
        scored.extend(match query.order() {
            Order::LastChange => score_alike(index, source, candidates),
            Order::Similarity => score_similarity(index, source, candidates),
            Order::Signals => {
                let balance = query.balance(context.request.fusion, source);
                let weights = signals::weights(&context.config.ranking, &balance);
                score_signals(index, source, candidates, &balance, &weights)
            }
        });
    }
    scored.sort_by(exact_first);
    scored
}

/// Chooses the hits of an answer from scored documents without duplicates.
pub(crate) fn select(
    mut scored: Vec<Ranked<ScoredDocument>>,
    query: &ParsedQuery,
    limit: usize,
) -> Vec<Ranked<ScoredDocument>> {
    match query.order() {
        Order::Signals => return interleave(scored, limit),
        // A similarity is comparable between sources as it is.
        Order::Similarity => scored.sort_by(by_rank),
        Order::LastChange => {
            scored.sort_by(|left, right| {
                let dates = last_change(right, query).cmp(&last_change(left, query));
                dates.then_with(|| left.key.cmp(&right.key))
            });
        }
    }
    scored.truncate(limit);
    scored
}

/// Time of the last change of a document, in seconds since the epoch, if it is known.
pub(crate) fn last_change(document: &Ranked<ScoredDocument>, query: &ParsedQuery) -> Option<i64> {
    let stored = &document.payload.candidate.parts.document;
    stored.attributes.updated.or_else(|| query.filter.dates.get(&stored.path).copied())
}

/// Score of a document that meets the conditions of a query without words: neither good nor bad.
const NEUTRAL: f32 = 0.5;

/// The documents of a query without words: none is better than another.
fn score_alike(
    index: usize,
    source: SourceName,
    candidates: Vec<Candidate>,
) -> Vec<Ranked<ScoredDocument>> {
    let scored = candidates.into_iter().map(|candidate| {
        let explanation = Explanation::of_one("conditions", NEUTRAL);
        let positions = Positions::default();
        ranked(index, source, candidate, NEUTRAL, explanation, positions)
    });
    scored.collect()
}

/// Scores candidates by their similarity alone, which is comparable between sources.
fn score_similarity(
    index: usize,
    source: SourceName,
    mut candidates: Vec<Candidate>,
) -> Vec<Ranked<ScoredDocument>> {
    candidates.retain(|candidate| !candidate.is_below_minimum);
    let positions = positions(&candidates);
    let scored = candidates.into_iter().zip(positions).map(|(candidate, positions)| {
        let similarity = candidate.document.nearest.unwrap_or(0.0);
        let explanation = Explanation::of_one("similarity", similarity);
        let score = Calibration::COMMON.score(explanation.sum());
        ranked(index, source, candidate, score, explanation, positions)
    });
    scored.collect()
}

/// Scores candidates by the weighted sum of their signals.
fn score_signals(
    index: usize,
    source: SourceName,
    mut candidates: Vec<Candidate>,
    balance: &Balance,
    weights: &[f32],
) -> Vec<Ranked<ScoredDocument>> {
    // Documents below the minimum similarity count here, so that the threshold changes no score.
    let calibration = Calibration::of(source, coverage_of_best(&candidates, weights));
    candidates.retain(|candidate| !candidate.is_below_minimum);
    let positions = positions(&candidates);
    let scored = candidates.into_iter().zip(positions).map(|(candidate, positions)| {
        let mut explanation = signals::explain(&candidate.values, weights);
        balance.complete(&mut explanation, positions.by_words, positions.by_similarity);
        let score = calibration.score(explanation.sum());
        ranked(index, source, candidate, score, explanation, positions)
    });
    scored.collect()
}

/// Share of the query that the best candidate contains; of equals, the larger share.
fn coverage_of_best(candidates: &[Candidate], weights: &[f32]) -> f32 {
    let best = candidates
        .iter()
        .map(|candidate| (signals::sum(&candidate.values, weights), candidate.coverage))
        .max_by(|left, right| left.0.total_cmp(&right.0).then_with(|| left.1.total_cmp(&right.1)));
    best.map_or(1.0, |(_, coverage)| coverage)
}

/// Positions of a candidate in the lists of its source, from 1.
#[derive(Debug, Clone, Copy, Default)]
struct Positions {
    by_words: Option<usize>,
    by_similarity: Option<usize>,
}

/// The position of each candidate by the evidence of its words alone, and by its similarity alone.
fn positions(candidates: &[Candidate]) -> Vec<Positions> {
    let order = |value: &dyn Fn(&DocumentCandidate) -> f32| {
        let values: Vec<f32> =
            candidates.iter().map(|candidate| value(&candidate.document)).collect();
        let mut order: Vec<usize> =
            (0..candidates.len()).filter(|index| values[*index] > 0.0).collect();
        order.sort_by(|left, right| {
            values[*right]
                .total_cmp(&values[*left])
                .then_with(|| candidates[*left].key.cmp(&candidates[*right].key))
        });
        order
    };
    let by_words = order(&|document| {
        if document.holds.contains(&true) {
            document.field(Field::Body).max(f32::MIN_POSITIVE)
        } else {
            0.0
        }
    });
    let by_similarity = order(&|document| document.nearest.unwrap_or(0.0));
    let mut positions = vec![Positions::default(); candidates.len()];
    for (position, index) in by_words.into_iter().enumerate() {
        positions[index].by_words = Some(position + 1);
    }
    for (position, index) in by_similarity.into_iter().enumerate() {
        positions[index].by_similarity = Some(position + 1);
    }
    positions
}

/// A scored candidate.
fn ranked(
    index: usize,
    source: SourceName,
    candidate: Candidate,
    score: f32,
    explanation: Explanation,
    positions: Positions,
) -> Ranked<ScoredDocument> {
    Ranked {
        source,
        exact: candidate.is_exact,
        score,
        coverage: candidate.coverage,
        key: candidate.key,
        payload: ScoredDocument {
            bm25_rank: positions.by_words,
            semantic_rank: positions.by_similarity,
            subject: candidate.subject,
            ..ScoredDocument::unlisted(index, candidate.document, explanation)
        },
    }
}
