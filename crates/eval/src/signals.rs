//! Signal values of a query's candidates, as input for fitting weights.
//!
//! A dump has one query a line. It contains everything that is needed to sort the candidates again
//! under other weights, without another search.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use lore_engine::{Hit, ScoreCurve, SignalWeight};
use serde::{Deserialize, Serialize};

use crate::{
    Answered, EvalError, Ranked,
    collection::{parse_lines, read},
};

/// Tolerance for a score above its predecessor: the rounding of single precision and printing.
const ROUNDING: f32 = 1e-4;

/// Maximum number of right results of a query in a dump: far more than people label, and few enough
/// to allocate a slot for each.
const MAX_TARGETS: usize = 10_000;

/// One query with the signals of its candidates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QuerySignals {
    /// Identifier of the query.
    pub id: String,
    /// Its repository.
    #[serde(rename = "repo")]
    pub repository: String,
    /// Text of the query.
    #[serde(default)]
    pub query: String,
    /// Category of the query; empty if unknown.
    #[serde(default)]
    pub category: String,
    /// Number of right results, among the candidates or not.
    pub targets: usize,
    /// Factors other than 1 that weights are multiplied by, by source and signal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub factors: BTreeMap<String, BTreeMap<String, f32>>,
    /// Curves that make raw scores comparable between sources, by source. Sources without one, as
    /// all in older dumps, use the common curve.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub curves: BTreeMap<String, Curve>,
    /// The candidates, in the order of the answer.
    pub candidates: Vec<CandidateSignals>,
}

/// A [`ScoreCurve`] as stored in dumps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Steepness of the rise, above 0.
    pub steepness: f32,
    /// The raw score at half of `most`.
    pub middle: f32,
    /// Maximum score of a candidate of the source, above 0.0 and at most 1.0.
    pub most: f32,
}

impl From<ScoreCurve> for Curve {
    fn from(ScoreCurve { steepness, middle, most }: ScoreCurve) -> Curve {
        Curve { steepness, middle, most }
    }
}

impl From<Curve> for ScoreCurve {
    fn from(Curve { steepness, middle, most }: Curve) -> ScoreCurve {
        ScoreCurve { steepness, middle, most }
    }
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
    /// Its source; empty in dumps without sources.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// 1 if it is right, 0 if not.
    pub relevant: u8,
    /// Indices of the targets it covers. In dumps without this field, each right path is a target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<usize>,
    /// True if it precedes all others that are not, independent of scores; absent in older dumps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Its raw score.
    pub score: f32,
    /// The part of that score that no weight of a signal changes.
    #[serde(default)]
    pub fixed: f32,
    /// Value of each signal, by name, 0.0..=1.0; relative to a median hit, -1.0..=1.0.
    pub signals: BTreeMap<String, f32>,
}

impl QuerySignals {
    /// The signals of an answer. Without a response or explanations there is nothing to fit.
    /// Excluded results are skipped.
    pub fn of(answered: &Answered<'_>) -> QuerySignals {
        let weights: BTreeMap<&str, &SignalWeight> =
            answered.weights.iter().map(|weight| (weight.name, weight)).collect();
        let hits = answered.response.map(|response| response.hits.as_slice()).unwrap_or_default();
        let query = answered.query;
        let mut factors: BTreeMap<String, BTreeMap<String, f32>> = BTreeMap::new();
        let mut curves: BTreeMap<String, Curve> = BTreeMap::new();
        let mut candidates = Vec::new();
        for (hit, ranked) in hits.iter().zip(&answered.answer.results) {
            if !query.admits(ranked) {
                continue;
            }
            let covers: Vec<usize> = (0..query.targets.len())
                .filter(|target| query.targets[*target].is_covered_by(ranked))
                .collect();
            if let Some(curve) = ScoreCurve::of(hit) {
                // All hits of a source use one curve.
                curves.entry(hit.source.as_str().to_owned()).or_insert(curve.into());
            }
            candidates.push(candidate(hit, ranked, covers, &weights, &mut factors));
        }
        factors.retain(|_, of_source| !of_source.is_empty());
        curves.retain(|_, curve| *curve != ScoreCurve::COMMON.into());
        QuerySignals {
            id: query.id.clone(),
            repository: query.repository.clone(),
            query: query.text.clone(),
            category: query.category.clone(),
            targets: query.targets.len(),
            factors,
            curves,
            candidates,
        }
    }

    /// Reads a dump; `None` for another kind of file.
    ///
    /// # Errors
    /// If the file cannot be read, or is a dump with a malformed line.
    pub fn load(path: &Path) -> Result<Option<Vec<QuerySignals>>, EvalError> {
        if path.is_file() && is_dump(&read(path)?) {
            QuerySignals::load_dump(path).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Reads a file that must be a dump.
    ///
    /// # Errors
    /// If the file cannot be read, contains no query, or contains a line that is not a query of a
    /// dump.
    pub fn load_dump(path: &Path) -> Result<Vec<QuerySignals>, EvalError> {
        let queries = parse_lines(path, |_, line| {
            let mut query: QuerySignals = serde_json::from_str(line).map_err(|error| {
                // It is a single line, whose number is reported already.
                error.to_string().replace(" at line 1 column ", " at column ")
            })?;
            query.check()?;
            query.complete();
            Ok(query)
        })?;
        if queries.is_empty() {
            let reason = "the file ends before the first query".to_owned();
            return Err(EvalError::Malformed { path: path.to_owned(), line: 1, reason });
        }
        Ok(queries)
    }

    /// Checks for numbers that no valid dump contains.
    fn check(&self) -> Result<(), String> {
        if self.targets > MAX_TARGETS {
            return Err(format!("{} targets, of {MAX_TARGETS} at most", self.targets));
        }
        for candidate in &self.candidates {
            if let Some(target) = candidate.covers.iter().find(|target| **target >= self.targets) {
                return Err(format!(
                    "`{}` covers target {target}, counted from 0, of {}",
                    candidate.path, self.targets
                ));
            }
        }
        let of_candidates = self.candidates.iter().flat_map(|candidate| {
            candidate.signals.values().chain([&candidate.score, &candidate.fixed])
        });
        let of_sources = self.factors.values().flat_map(BTreeMap::values);
        // A number with too many digits may be parsed as infinite.
        if of_candidates.chain(of_sources).any(|number| !number.is_finite()) {
            return Err("a number is out of range".to_owned());
        }
        let is_curve = |curve: &Curve| {
            (0.01..=100.0).contains(&curve.steepness)
                && (-100.0..=100.0).contains(&curve.middle)
                && (1e-6..=1.0).contains(&curve.most)
        };
        match self.curves.iter().find(|(_, curve)| !is_curve(curve)) {
            Some((source, _)) => Err(format!("the curve of `{source}` is invalid")),
            None => Ok(()),
        }
    }

    /// Fills in fields that older dumps do not have.
    fn complete(&mut self) {
        if self.candidates.iter().all(|candidate| candidate.exact.is_none()) {
            // Only an exact candidate precedes a better score.
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
            let paths: BTreeSet<String> = self
                .candidates
                .iter()
                .filter(right)
                .map(|candidate| candidate.path.clone())
                .collect();
            for candidate in self.candidates.iter_mut().filter(|candidate| candidate.relevant > 0) {
                candidate.covers =
                    paths.iter().position(|path| *path == candidate.path).into_iter().collect();
            }
            self.targets = self.targets.max(paths.len());
        }
    }
}

/// Returns true for a dump, even a damaged one: its first line is a query, or cannot be parsed
/// while it or another line looks like one.
fn is_dump(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let parsed = |line: &str| serde_json::from_str::<serde_json::Value>(line);
    let has_candidates = |value: &serde_json::Value| value.get("candidates").is_some();
    let Some(first) = lines.next() else { return false };
    match parsed(first) {
        Ok(value) => has_candidates(&value),
        Err(_) => {
            first.contains("\"candidates\"")
                || lines.any(|line| parsed(line).is_ok_and(|value| has_candidates(&value)))
        }
    }
}

/// One hit as numbers. A part that is not a signal, or whose factor is unknown since its weight is
/// 0, is fixed.
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
                // All hits of a source have the same factors.
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
        exact: Some(false),
        score: if hit.explanation.is_some() { score } else { hit.score },
        fixed,
        signals,
    }
}

/// The signals of an answer as one line of JSON.
pub fn signal_line(answered: &Answered<'_>) -> String {
    serde_json::to_string(&QuerySignals::of(answered)).expect("texts and numbers are JSON")
}

#[cfg(test)]
mod tests;
