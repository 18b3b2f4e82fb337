//! Values of all signals for the candidates of a query: what weights are fitted to.
//!
//! A dump holds one query a line. It carries all that is needed to put the candidates in order again
//! under other weights, without asking again.

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

/// How far a score may be above the one before it without standing in the wrong order: what single
/// precision and printing come to.
const ROUNDING: f32 = 1e-4;

/// Most right results of a query that a dump may speak of: far more than anybody labels, and little
/// enough to keep a place for each.
const MOST_TARGETS: usize = 10_000;

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
    /// How raw scores of a source stand beside those of others, by source. What is not here, as all
    /// sources of older dumps, is on the common curve.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub curves: BTreeMap<String, Curve>,
    /// The candidates, in the order of the answer.
    pub candidates: Vec<CandidateSignals>,
}

/// A [`ScoreCurve`] as dumps hold it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// How fast the score rises, above 0.
    pub steepness: f32,
    /// The raw score that is half of `most`.
    pub middle: f32,
    /// The score that no candidate of the source exceeds, above 0.0 and at most 1.0.
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
    /// What each signal measured, by name, 0.0..=1.0; beside a middling hit, -1.0..=1.0.
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
                // All hits of a source are on one curve.
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

    /// Reads a dump; `None` if the file is something else.
    ///
    /// # Errors
    /// When the file cannot be read, or is a dump of which a line cannot be understood.
    pub fn load(path: &Path) -> Result<Option<Vec<QuerySignals>>, EvalError> {
        if path.is_file() && is_dump(&read(path)?) {
            QuerySignals::load_dump(path).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Reads a file that has to be a dump.
    ///
    /// # Errors
    /// When the file cannot be read, holds no query, or holds a line that is no query of a dump.
    pub fn load_dump(path: &Path) -> Result<Vec<QuerySignals>, EvalError> {
        let queries = parse_lines(path, |_, line| {
            let mut query: QuerySignals = serde_json::from_str(line).map_err(|error| {
                // It is one line, whose number is said already.
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

    /// Says which number no dump can hold.
    fn check(&self) -> Result<(), String> {
        if self.targets > MOST_TARGETS {
            return Err(format!("{} targets, of {MOST_TARGETS} at most", self.targets));
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
        // A number with too many digits may be read as an infinite one.
        if of_candidates.chain(of_sources).any(|number| !number.is_finite()) {
            return Err("a number is out of range".to_owned());
        }
        let is_curve = |curve: &Curve| {
            (0.01..=100.0).contains(&curve.steepness)
                && (-100.0..=100.0).contains(&curve.middle)
                && (1e-6..=1.0).contains(&curve.most)
        };
        match self.curves.iter().find(|(_, curve)| !is_curve(curve)) {
            Some((source, _)) => Err(format!("the curve of `{source}` is none")),
            None => Ok(()),
        }
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

/// Whether a text is a dump, a damaged one too: its first line is a query of one, or cannot be read
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
