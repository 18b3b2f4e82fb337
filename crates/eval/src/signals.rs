//! Values of all signals for the candidates of a query: what weights are fitted to.
//!
//! A dump holds one query a line. It carries all that is needed to put the candidates in order again
//! under other weights, without asking again.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use lore_engine::{Hit, SignalWeight};
use serde::{Deserialize, Serialize};

use crate::{
    Answered, EvalError, Ranked,
    collection::{parse_lines, read},
};

/// How far a score may be above the one before it without standing in the wrong order: what single
/// precision and printing come to.
const ROUNDING: f32 = 1e-4;

/// One query with the signals of its candidates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QuerySignals {
    /// Identifier of the query.
    pub id: String,
    /// Its repository.
    #[serde(rename = "repo")]
    pub repository: String,
    /// What was asked.
    #[serde(default)]
    pub query: String,
    /// What kind of question it is; empty if unknown.
    #[serde(default)]
    pub category: String,
    /// Number of right results, whether they are among the candidates or not.
    pub targets: usize,
    /// Factors other than 1 that weights are multiplied by, by source and signal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub factors: BTreeMap<String, BTreeMap<String, f32>>,
    /// The candidates, in the order of the answer.
    pub candidates: Vec<CandidateSignals>,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CandidateSignals {
    /// Path from the repository's root; empty where there is none.
    #[serde(default)]
    pub path: String,
    /// Identifier of the hit.
    #[serde(default)]
    pub id: String,
    /// The source that it is from; empty in dumps that do not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// 1 if it is right, 0 if not.
    pub relevant: u8,
    /// Which of the targets it covers, from 0. Dumps that do not say count each right path as one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<usize>,
    /// Whether it stands above all that are not, whatever their scores; absent in dumps that do not
    /// say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// The raw score that it had.
    pub score: f32,
    /// The part of that score that no weight of a signal changes.
    #[serde(default)]
    pub fixed: f32,
    /// What each signal measured, by name, 0.0..=1.0.
    pub signals: BTreeMap<String, f32>,
}

impl QuerySignals {
    /// The signals of a fresh answer. Without a response, or where hits do not explain themselves,
    /// there is nothing to fit to. What the query excludes is left out.
    pub fn of(answered: &Answered<'_>) -> QuerySignals {
        let weights: BTreeMap<&str, &SignalWeight> =
            answered.weights.iter().map(|weight| (weight.name, weight)).collect();
        let hits = answered.response.map(|response| response.hits.as_slice()).unwrap_or_default();
        let query = answered.query;
        let mut factors: BTreeMap<String, BTreeMap<String, f32>> = BTreeMap::new();
        let mut candidates = Vec::new();
        for (hit, ranked) in hits.iter().zip(&answered.answer.results) {
            if !query.admits(ranked) {
                continue;
            }
            let covers: Vec<usize> = (0..query.targets.len())
                .filter(|target| query.targets[*target].is_covered_by(ranked))
                .collect();
            candidates.push(candidate(hit, ranked, covers, &weights, &mut factors));
        }
        factors.retain(|_, of_source| !of_source.is_empty());
        QuerySignals {
            id: query.id.clone(),
            repository: query.repository.clone(),
            query: query.text.clone(),
            category: query.category.clone(),
            targets: query.targets.len(),
            factors,
            candidates,
        }
    }

    /// Reads a dump; `None` if the file is something else.
    ///
    /// # Errors
    /// When the file cannot be read, or begins as a dump and does not go on as one.
    pub fn load(path: &Path) -> Result<Option<Vec<QuerySignals>>, EvalError> {
        if !path.is_file() {
            return Ok(None);
        }
        let text = read(path)?;
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_dump = serde_json::from_str::<serde_json::Value>(first)
            .is_ok_and(|value| value.get("candidates").is_some());
        if !is_dump {
            return Ok(None);
        }
        parse_lines(path, |_, line| {
            let mut query: QuerySignals =
                serde_json::from_str(line).map_err(|error| error.to_string())?;
            query.complete();
            Ok(query)
        })
        .map(Some)
    }

    /// Fills in what a dump does not say.
    fn complete(&mut self) {
        if self.candidates.iter().all(|candidate| candidate.exact.is_none()) {
            // Only what holds the question as it stands is above a better score.
            let mut best_below = f32::NEG_INFINITY;
            let mut above = 0;
            for (position, candidate) in self.candidates.iter().enumerate().rev() {
                if candidate.score + ROUNDING < best_below {
                    above = position + 1;
                    break;
                }
                best_below = best_below.max(candidate.score);
            }
            for (position, candidate) in self.candidates.iter_mut().enumerate() {
                candidate.exact = Some(position < above);
            }
        }
        if self.candidates.iter().all(|candidate| candidate.covers.is_empty()) {
            let right = |candidate: &&CandidateSignals| candidate.relevant > 0;
            let paths: BTreeSet<String> =
                self.candidates.iter().filter(right).map(|one| one.path.clone()).collect();
            for candidate in self.candidates.iter_mut().filter(|one| one.relevant > 0) {
                candidate.covers =
                    paths.iter().position(|path| *path == candidate.path).into_iter().collect();
            }
            self.targets = self.targets.max(paths.len());
        }
    }
}

/// One hit as numbers. A part that is no signal, or whose factor cannot be told since its weight is 0,
/// is fixed.
fn candidate(
    hit: &Hit,
    ranked: &Ranked,
    covers: Vec<usize>,
    weights: &BTreeMap<&str, &SignalWeight>,
    factors: &mut BTreeMap<String, BTreeMap<String, f32>>,
) -> CandidateSignals {
    let source = hit.source.as_str().to_owned();
    let parts = hit.explanation.iter().flat_map(|explanation| &explanation.parts);
    let is_first = !factors.contains_key(&source);
    let of_source = factors.entry(source.clone()).or_default();
    let mut fixed = 0.0;
    let mut signals = BTreeMap::new();
    let mut score = 0.0;
    for part in parts {
        score += part.contribution;
        signals.insert(part.name.to_owned(), part.value);
        match weights.get(part.name).map(|signal| signal.weight) {
            Some(weight) if 0.0 < weight.abs() => {
                let factor = part.weight / weight;
                // All hits of a source are weighed alike.
                if is_first && ROUNDING < (factor - 1.0).abs() {
                    of_source.insert(part.name.to_owned(), factor);
                }
            }
            _ => fixed += part.contribution,
        }
    }
    CandidateSignals {
        path: ranked.path.clone(),
        id: ranked.id.clone(),
        source,
        relevant: u8::from(!covers.is_empty()),
        covers,
        exact: Some(hit.match_type == "exact"),
        score: if hit.explanation.is_some() { score } else { hit.score },
        fixed,
        signals,
    }
}

/// One line of JSON with the signals of an answer.
pub fn signal_line(answered: &Answered<'_>) -> String {
    serde_json::to_string(&QuerySignals::of(answered)).expect("texts and numbers are JSON")
}

#[cfg(test)]
mod tests;
