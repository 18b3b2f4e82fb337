//! Candidates as numbers, and their order under given weights.

use std::collections::BTreeSet;

use lore_engine::{ScoreCurve, SignalWeight};

use crate::{Judged, Judgement, QuerySignals, Row, measures::Measure, report::mean_of};

/// One query with its candidates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) id: String,
    pub(super) repository: String,
    category: String,
    /// Number of right results, found or not.
    targets: usize,
    /// The signal values, candidate by candidate: the score gain for a weight of 1.
    pub(super) values: Vec<f64>,
    /// The part of each candidate's score that no weight changes.
    pub(super) fixed: Vec<f64>,
    /// The curve that makes each candidate's raw score comparable across sources. Empty if all
    /// candidates are of one source: there, raw scores have the order of the search.
    curves: Vec<ScoreCurve>,
    /// The targets that each candidate covers.
    pub(super) covers: Vec<Vec<usize>>,
    /// True for candidates that precede the others independent of scores.
    exact: Vec<bool>,
}

impl Sample {
    fn new(signals: &[SignalWeight], query: &QuerySignals) -> Sample {
        let factor = |source: &str, name: &str| {
            query.factors.get(source).and_then(|of_source| of_source.get(name)).copied()
        };
        let candidates = &query.candidates;
        let values = candidates.iter().flat_map(|candidate| {
            signals.iter().map(move |signal| {
                let value = candidate.signals.get(signal.name).copied().unwrap_or(0.0);
                f64::from(value) * f64::from(factor(&candidate.source, signal.name).unwrap_or(1.0))
            })
        });
        let sources: BTreeSet<&str> =
            candidates.iter().map(|candidate| candidate.source.as_str()).collect();
        let curve = |source: &str| {
            query.curves.get(source).map_or(ScoreCurve::COMMON, |curve| (*curve).into())
        };
        let curves = if sources.len() > 1 {
            candidates.iter().map(|candidate| curve(&candidate.source)).collect()
        } else {
            Vec::new()
        };
        Sample {
            id: query.id.clone(),
            repository: query.repository.clone(),
            category: query.category.clone(),
            targets: query.targets,
            values: values.collect(),
            curves,
            fixed: candidates.iter().map(|candidate| f64::from(candidate.fixed)).collect(),
            covers: candidates.iter().map(|candidate| candidate.covers.clone()).collect(),
            exact: candidates.iter().map(|candidate| candidate.exact.unwrap_or(false)).collect(),
        }
    }

    /// The scores under weights, comparable between the sources of the candidates.
    pub(super) fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let mut scores = self.raw(weights);
        for (score, curve) in scores.iter_mut().zip(&self.curves) {
            *score = curve.common_sum(*score);
        }
        scores
    }

    /// For each candidate, the slope and offset of its curve at the raw scores under `weights`.
    ///
    /// Tangents are used because the curves are concave, and a loss over concave scores has several
    /// minima.
    pub(super) fn tangents(&self, weights: &[f64]) -> Vec<(f64, f64)> {
        if self.curves.is_empty() {
            return vec![(1.0, 0.0); self.fixed.len()];
        }
        let tangent = |(sum, curve): (f64, &ScoreCurve)| {
            let slope = curve.common_slope(sum);
            (slope, curve.common_sum(sum) - slope * sum)
        };
        self.raw(weights).into_iter().zip(&self.curves).map(tangent).collect()
    }

    /// The raw scores under weights.
    fn raw(&self, weights: &[f64]) -> Vec<f64> {
        let rows = self.values.chunks_exact(weights.len().max(1));
        rows.zip(&self.fixed)
            .map(|(row, fixed)| {
                fixed + row.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>()
            })
            .collect()
    }

    /// The ranks of the targets if the candidates are sorted by scores. Ties keep the order of the
    /// dump.
    fn judged(&self, scores: &[f64]) -> Judged {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|left, right| {
            let exact = self.exact[*right].cmp(&self.exact[*left]);
            exact.then_with(|| scores[*right].total_cmp(&scores[*left]))
        });
        let mut ranks = vec![None; self.targets];
        for (position, candidate) in order.iter().enumerate() {
            for target in &self.covers[*candidate] {
                if let Some(rank @ None) = ranks.get_mut(*target) {
                    *rank = Some(position + 1);
                }
            }
        }
        let right = order.iter().map(|candidate| !self.covers[*candidate].is_empty()).collect();
        Judged { ranks, right }
    }

    fn row(&self, scores: &[f64], measure: Measure) -> Row {
        let judged = self.judged(scores);
        Row {
            id: self.id.clone(),
            repository: self.repository.clone(),
            language: String::new(),
            category: self.category.clone(),
            rank: judged.first(),
            values: vec![measure.value(&judged)],
        }
    }
}

/// The queries of a collection with their candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    name: String,
    /// Queries with a right result, sorted by identifier.
    pub(super) list: Vec<Sample>,
    unknown: Vec<String>,
}

impl Samples {
    /// The samples of a collection with this name. Queries without a right result do not affect the
    /// order, and are skipped.
    pub fn new(name: &str, signals: &[SignalWeight], queries: &[QuerySignals]) -> Samples {
        let known: BTreeSet<&str> = signals.iter().map(|signal| signal.name).collect();
        let candidates = queries.iter().flat_map(|query| &query.candidates);
        let unknown: BTreeSet<&String> = candidates
            // Parts that are no signals are in the fixed part.
            .filter(|candidate| candidate.fixed.abs() <= 0.0)
            .flat_map(|candidate| candidate.signals.keys())
            .filter(|name| !known.contains(name.as_str()))
            .collect();
        let unknown = unknown.into_iter().cloned().collect();
        let judged = queries.iter().filter(|query| query.targets > 0);
        let mut list: Vec<Sample> = judged.map(|query| Sample::new(signals, query)).collect();
        list.sort_by(|left, right| left.id.cmp(&right.id));
        Samples { name: name.to_owned(), list, unknown }
    }

    /// Name of the collection.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of judged queries.
    pub fn queries(&self) -> usize {
        self.list.len()
    }

    /// Names in the dump that are not signals of this version, sorted.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Judges the order under these weights, by one measure.
    pub(crate) fn judge(&self, weights: &[f64], measure: Measure) -> Judgement {
        self.judge_some(weights, measure, |_| true)
    }

    /// Judges the samples at the positions that satisfy the predicate.
    pub(super) fn judge_some(
        &self,
        weights: &[f64],
        measure: Measure,
        is_judged: impl Fn(usize) -> bool,
    ) -> Judgement {
        let rows = self
            .list
            .iter()
            .enumerate()
            .filter(|(position, _)| is_judged(*position))
            .map(|(_, sample)| sample.row(&sample.scores(weights), measure))
            .collect();
        Judgement { rows, ..Judgement::default() }
    }

    /// Mean over repositories with one weight changed by a share of itself: -1 removes the signal.
    pub(crate) fn worth_moved(
        &self,
        weights: &[f64],
        signal: usize,
        by: f64,
        measure: Measure,
    ) -> f64 {
        let mut moved = weights.to_vec();
        moved[signal] += by * moved[signal];
        mean_of(&self.judge(&moved, measure), measure)
    }
}
