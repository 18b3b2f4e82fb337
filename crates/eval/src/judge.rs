//! Judges a run: ranks of the right results of each query.

use std::collections::BTreeMap;

use crate::{Answer, Collection, Query, Ranked, Run, Target, measures::Measure};

/// Ranks of the right results in one answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// For each target the rank of the first result that covers it, from 1; `None` if there is
    /// none.
    pub ranks: Vec<Option<usize>>,
    /// For each result, in order, true if it covers a target. Several may cover the same one.
    pub right: Vec<bool>,
}

impl Judged {
    /// Judges an answer. Results are not collapsed: two parts of one file use two ranks.
    pub fn of(query: &Query, answer: Option<&Answer>) -> Judged {
        let results: Vec<_> = answer
            .map(|answer| answer.results.as_slice())
            .unwrap_or_default()
            .iter()
            .filter(|ranked| query.admits(ranked))
            .collect();
        let rank = |target: &Target| {
            results.iter().position(|ranked| target.is_covered_by(ranked)).map(|at| at + 1)
        };
        let covers =
            |ranked: &&Ranked| query.targets.iter().any(|target| target.is_covered_by(ranked));
        Judged {
            ranks: query.targets.iter().map(rank).collect(),
            right: results.iter().map(covers).collect(),
        }
    }

    /// Rank of the first right result, from 1.
    pub fn first(&self) -> Option<usize> {
        self.ranks.iter().flatten().min().copied()
    }
}

/// One judged query.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Identifier of the query.
    pub id: String,
    /// Its repository.
    pub repository: String,
    /// Its language.
    pub language: String,
    /// Its category.
    pub category: String,
    /// Rank of the first right result, from 1.
    pub rank: Option<usize>,
    /// One value for each measure, 0.0..=1.0.
    pub values: Vec<f64>,
}

/// A run, judged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// The queries with targets, in the order of the collection.
    pub rows: Vec<Row>,
    /// Number of queries without targets and with an empty answer, and number of queries without
    /// targets.
    pub empty: (usize, usize),
    /// Number of queries whose required first result came first, and number of queries that require
    /// one.
    pub firsts: (usize, usize),
    /// Identifiers of the queries with another first result than required.
    pub misplaced: Vec<String>,
    /// Number of queries with targets and without an answer in the run; they count 0.
    pub unanswered: usize,
}

/// Judges a run by measures.
pub fn judge(collection: &Collection, run: &Run, measures: &[Measure]) -> Judgement {
    let mut judgement = Judgement::default();
    for query in &collection.queries {
        let answer = run.answer(&query.id);
        if let Some(first) = &query.first {
            judgement.firsts.1 += 1;
            let target = Target { name: first.clone(), lines: None };
            if answer
                .and_then(|answer| answer.results.first())
                .is_some_and(|ranked| target.is_covered_by(ranked))
            {
                judgement.firsts.0 += 1;
            } else {
                judgement.misplaced.push(query.id.clone());
            }
        }
        if query.targets.is_empty() {
            judgement.empty.1 += 1;
            judgement.empty.0 += usize::from(answer.is_none_or(|answer| answer.results.is_empty()));
            continue;
        }
        judgement.unanswered += usize::from(answer.is_none());
        let judged = Judged::of(query, answer);
        judgement.rows.push(Row {
            id: query.id.clone(),
            repository: query.repository.clone(),
            language: query.language.clone(),
            category: query.category.clone(),
            rank: judged.first(),
            values: measures.iter().map(|measure| measure.value(&judged)).collect(),
        });
    }
    judgement
}

/// Mean over the repositories of the mean over each one's queries; `None` without rows.
pub(crate) fn macro_mean<'a>(values: impl Iterator<Item = (&'a str, f64)>) -> Option<f64> {
    let mut repositories = BTreeMap::<&str, (f64, f64)>::new();
    for (repository, value) in values {
        let sum = repositories.entry(repository).or_default();
        sum.0 += value;
        sum.1 += 1.0;
    }
    mean(repositories.values().map(|(sum, count)| sum / count))
}

/// Mean; `None` without values.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (0.0 < count).then(|| sum / count)
}
