//! Candidates as numbers, and the order that weights give them.

use std::collections::BTreeSet;

use lore_engine::{ScoreCurve, SignalWeight};

use crate::{Judged, Judgement, QuerySignals, Row, fit::mean_of, measures::Measure};

/// One query with its candidates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) id: String,
    pub(super) repository: String,
    category: String,
    /// Right results, found or not.
    targets: usize,
    /// What a weight of 1 adds to the score: the signals of one candidate after those of another.
    pub(super) values: Vec<f64>,
    /// What no weight changes, by candidate.
    pub(super) fixed: Vec<f64>,
    /// How the raw score of each candidate becomes one that is common to all sources. Empty where
    /// they are of one source: there, the raw scores have the order of the search.
    curves: Vec<ScoreCurve>,
    /// Which targets each candidate covers.
    pub(super) covers: Vec<Vec<usize>>,
    /// Which candidates stand above the others whatever their scores.
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
        let sources: BTreeSet<&str> = candidates.iter().map(|one| one.source.as_str()).collect();
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
            fixed: candidates.iter().map(|one| f64::from(one.fixed)).collect(),
            covers: candidates.iter().map(|one| one.covers.clone()).collect(),
            exact: candidates.iter().map(|one| one.exact.unwrap_or(false)).collect(),
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

    /// For each candidate, what a point of its raw score counts for, and what comes to that, as long
    /// as the raw scores are near those under `weights`.
    ///
    /// These are tangents: the curves bend down, and a loss over what bends down has more than one
    /// least place.
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

    /// Where the targets stand when the candidates are put in order by scores. Ties stay in the order
    /// of the dump.
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
    /// Queries that have a right result, in the order of their identifiers.
    pub(super) list: Vec<Sample>,
    unknown: Vec<String>,
}

impl Samples {
    /// The samples of a collection with this name. Queries without a right result say nothing about
    /// order, and are left out.
    pub fn new(name: &str, signals: &[SignalWeight], queries: &[QuerySignals]) -> Samples {
        let known: BTreeSet<&str> = signals.iter().map(|signal| signal.name).collect();
        let candidates = queries.iter().flat_map(|query| &query.candidates);
        let unknown: BTreeSet<&String> = candidates
            // What is no signal is in the fixed part.
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

    /// Names in the dump that are no signals of this version, sorted.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Judges the order that weights give, by one measure.
    pub(crate) fn judge(&self, weights: &[f64], measure: Measure) -> Judgement {
        self.judge_some(weights, measure, |_| true)
    }

    /// Judges the samples at the positions of which the predicate is true.
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

    /// Mean over repositories with one weight changed by a share of itself: -1 leaves the signal out.
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
