//! Explains rank changes of right results between two runs by the parts of their scores.

use std::collections::BTreeMap;

use crate::{Answer, Collection, Parts, Query, Ranked, Run, Target, run::right_results};

/// Changes below this are rounding: runs have five digits.
const MIN_CHANGE: f32 = 0.0005;

/// Reference that the changes of a move's parts are measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Margin {
    /// The results that were passed or that passed it: the mean change of the distance.
    Passed,
    /// The result itself: the passed results are not in both runs with their parts.
    Own,
    /// No reference: the parts of the right result are not in both runs.
    Unknown,
}

/// A right result whose rank differs between two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The target.
    pub target: Target,
    /// Rank in the other run, from 1; `None` if it was not found.
    pub before: Option<usize>,
    /// Rank in this run.
    pub after: Option<usize>,
    /// Names of the results that were passed or that passed it, best first.
    pub passed: Vec<String>,
    /// Changes of the parts in its favour, largest change first, ties by name.
    pub parts: Vec<(String, f32)>,
    /// Reference of these changes.
    pub margin: Margin,
}

impl Move {
    /// Returns true if its rank is better now.
    pub fn is_up(&self) -> bool {
        self.after.unwrap_or(usize::MAX) < self.before.unwrap_or(usize::MAX)
    }
}

/// The moves of each query, by identifier, with its text. Queries without a move are missing.
pub type Moves = BTreeMap<String, (String, Vec<Move>)>;

/// The moves of all queries that both runs answer.
pub fn moves_of(collection: &Collection, before: &Run, after: &Run) -> Moves {
    let mut moves = Moves::new();
    for query in &collection.queries {
        let (Some(before), Some(after)) = (before.answer(&query.id), after.answer(&query.id))
        else {
            continue;
        };
        let of_query = moves_of_query(query, before, after);
        if !of_query.is_empty() {
            moves.insert(query.id.clone(), (query.text.clone(), of_query));
        }
    }
    moves
}

/// The share of a signal in the moves.
#[derive(Debug, Clone, PartialEq)]
pub struct PartShare {
    /// Name of the signal.
    pub name: String,
    /// Number of queries that improved mainly by this signal.
    pub better: usize,
    /// Number of queries that got worse mainly by this signal.
    pub worse: usize,
    /// Mean of its changes in favour of the right results, over the queries whose parts are known.
    pub mean: f64,
}

impl PartShare {
    /// The signals that changed anything in these queries, given as `(identifier, improved)`. Those
    /// that moved most queries come first, ties by the size of the mean, then by name.
    pub fn of<'a>(moves: &Moves, queries: impl Iterator<Item = (&'a str, bool)>) -> Vec<PartShare> {
        let mut shares = BTreeMap::<&str, (usize, usize, f64)>::new();
        let mut known = 0_usize;
        for (id, is_better) in queries {
            let Some((_, of_query)) = moves.get(id) else { continue };
            // Moves against the direction of the query did not cause its change.
            let along = of_query.iter().filter(|moved| moved.is_up() == is_better);
            let mut sums = BTreeMap::<&str, f64>::new();
            for (name, change) in along.flat_map(|moved| &moved.parts) {
                *sums.entry(name).or_default() += f64::from(*change);
            }
            if sums.is_empty() {
                continue;
            }
            known += 1;
            let sign = if is_better { 1.0 } else { -1.0 };
            let most = sums
                .iter()
                .filter(|(_, sum)| 0.0 < sign * **sum)
                // The first name among equals.
                .reduce(|most, next| if most.1.abs() < next.1.abs() { next } else { most })
                .map(|(name, _)| *name);
            for (name, sum) in sums {
                let share = shares.entry(name).or_default();
                share.2 += sum;
                if most == Some(name) {
                    share.0 += usize::from(is_better);
                    share.1 += usize::from(!is_better);
                }
            }
        }
        let mut shares: Vec<PartShare> = shares
            .into_iter()
            .map(|(name, (better, worse, sum))| PartShare {
                name: name.to_owned(),
                better,
                worse,
                mean: sum / known as f64,
            })
            .collect();
        shares.sort_by(|left, right| {
            (right.better + right.worse)
                .cmp(&(left.better + left.worse))
                .then_with(|| right.mean.abs().total_cmp(&left.mean.abs()))
                .then_with(|| left.name.cmp(&right.name))
        });
        shares
    }
}

/// One run's side of a query.
struct Side<'a> {
    /// The results that count, best first.
    results: Vec<&'a Ranked>,
    /// For each target its rank and the parts of its score.
    right: Vec<(Option<usize>, Parts)>,
}

impl<'a> Side<'a> {
    fn of(query: &Query, answer: &'a Answer) -> Side<'a> {
        let stored = answer.right.as_deref().unwrap_or_default();
        let computed = right_results(query, answer, None);
        let right = query.targets.iter().zip(computed).map(|(target, computed)| {
            let stored = stored
                .iter()
                .find(|right| right.name == target.name && right.lines == target.lines);
            let right = stored.cloned().unwrap_or(computed);
            (right.rank, right.parts)
        });
        Side {
            right: right.collect(),
            results: answer.results.iter().filter(|result| query.admits(result)).collect(),
        }
    }
}

/// The moved right results of one query, in the order of the targets.
fn moves_of_query(query: &Query, before: &Answer, after: &Answer) -> Vec<Move> {
    let (before, after) = (Side::of(query, before), Side::of(query, after));
    let listed = (before.results.len(), after.results.len());
    let pairs = pairs(&before.results, &after.results);
    let moved = |((target, old), new): ((&Target, &(_, Parts)), &(_, Parts))| {
        (old.0 != new.0).then(|| move_of(target, old, new, &pairs, listed))
    };
    query.targets.iter().zip(&before.right).zip(&after.right).filter_map(moved).collect()
}

fn move_of(
    target: &Target,
    (before, old): &(Option<usize>, Parts),
    (after, new): &(Option<usize>, Parts),
    pairs: &[Pair<'_>],
    listed: (usize, usize),
) -> Move {
    let is_known = !old.is_empty() && !new.is_empty();
    let own = difference(new, old);
    let mut passed = Vec::new();
    let mut changes = Vec::new();
    for pair in pairs {
        let was_above = is_above(pair.before, *before, listed.0);
        let is_above = is_above(pair.after, *after, listed.1);
        let is_passed = was_above.zip(is_above).is_some_and(|(was, is)| was != is);
        let Some(named) = pair.before.or(pair.after).map(|(_, result)| result) else { continue };
        if !is_passed || target.is_covered_by(named) {
            continue;
        }
        passed.push(if named.path.is_empty() { &named.id } else { &named.path }.clone());
        if let (Some((_, then)), Some((_, now))) = (pair.before, pair.after)
            && !then.parts.is_empty()
            && !now.parts.is_empty()
        {
            changes.push(difference(&own, &difference(&now.parts, &then.parts)));
        }
    }
    let (margin, parts) = match (is_known, changes.is_empty()) {
        (false, _) => (Margin::Unknown, Parts::new()),
        (true, true) => (Margin::Own, own),
        (true, false) => (Margin::Passed, mean(&changes)),
    };
    let mut parts: Vec<(String, f32)> =
        levelled(&parts).into_iter().filter(|(_, change)| MIN_CHANGE <= change.abs()).collect();
    parts.sort_by(|left, right| {
        right.1.abs().total_cmp(&left.1.abs()).then_with(|| left.0.cmp(&right.0))
    });
    Move { target: target.clone(), before: *before, after: *after, passed, parts, margin }
}

/// A result in both runs, with its rank in each.
struct Pair<'a> {
    before: Option<(usize, &'a Ranked)>,
    after: Option<(usize, &'a Ranked)>,
}

/// Returns true if a result precedes a rank in a run with `listed` results. `None` if neither is
/// listed, since their order is unknown.
fn is_above(result: Option<(usize, &Ranked)>, rank: Option<usize>, listed: usize) -> Option<bool> {
    match (result, rank) {
        (Some((place, _)), rank) => Some(rank.is_none_or(|rank| place < rank)),
        (None, rank) => rank.is_some_and(|rank| rank <= listed + 1).then_some(false),
    }
}

/// Matches the results of two runs, best first: by identifier, otherwise by path, since another
/// passage of a file may be shown.
fn pairs<'a>(before: &[&'a Ranked], after: &[&'a Ranked]) -> Vec<Pair<'a>> {
    let place = |at: usize, results: &[&'a Ranked]| (at + 1, results[at]);
    let mut free: Vec<bool> = vec![true; after.len()];
    let mut partners: Vec<Option<usize>> = vec![None; before.len()];
    let keys: [fn(&Ranked) -> &str; 2] = [|result| &result.id, |result| &result.path];
    for key in keys {
        for (at, result) in before.iter().enumerate() {
            let same = |other: &Ranked| !key(result).is_empty() && key(result) == key(other);
            if partners[at].is_none() {
                partners[at] = (0..after.len()).find(|&other| free[other] && same(after[other]));
            }
            if let Some(other) = partners[at] {
                free[other] = false;
            }
        }
    }
    let mut pairs: Vec<Pair<'a>> = partners
        .iter()
        .enumerate()
        .map(|(at, partner)| Pair {
            before: Some(place(at, before)),
            after: partner.map(|other| place(other, after)),
        })
        .collect();
    let new = (0..after.len()).filter(|&other| free[other]);
    pairs.extend(new.map(|other| Pair { before: None, after: Some(place(other, after)) }));
    let best = |pair: &Pair<'_>| {
        [pair.before, pair.after].into_iter().flatten().map(|(rank, _)| rank).min()
    };
    pairs.sort_by_key(best);
    pairs
}

/// Suffix of a part that subtracts the share of another, preceding part that any good hit has.
const LEVEL: &str = "-level";

/// The parts, with each level added to the part that it belongs to.
fn levelled(parts: &Parts) -> Parts {
    let mut levelled = Parts::new();
    for (name, value) in parts {
        let name = name.strip_suffix(LEVEL).unwrap_or(name);
        *levelled.entry(name.to_owned()).or_default() += value;
    }
    levelled
}

/// The first minus the second, part by part; a missing part is 0.
fn difference(left: &Parts, right: &Parts) -> Parts {
    let mut parts = left.clone();
    for (name, value) in right {
        *parts.entry(name.clone()).or_default() -= value;
    }
    parts
}

fn mean(all: &[Parts]) -> Parts {
    let mut mean = Parts::new();
    for (name, value) in all.iter().flatten() {
        *mean.entry(name.clone()).or_default() += value / all.len() as f32;
    }
    mean
}

#[cfg(test)]
mod tests;
