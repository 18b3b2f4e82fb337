//! The difference between two runs, query by query, and its statistical significance.

use std::collections::BTreeMap;

use crate::{
    Judgement,
    judge::{macro_mean, mean},
};

/// Number of random assignments in the test.
const SAMPLES: u32 = 20_000;

/// Differences below this are rounding.
const EPSILON: f64 = 1e-9;

/// One query in both runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Identifier of the query.
    pub id: String,
    /// Its repository.
    pub repository: String,
    /// The value in the other run.
    pub before: f64,
    /// The value in this run.
    pub after: f64,
}

impl Pair {
    /// Gain of this run, -1.0..=1.0.
    pub fn gain(&self) -> f64 {
        self.after - self.before
    }
}

/// Two runs compared by one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The queries, largest loss first, largest gain last, ties by identifier.
    pub pairs: Vec<Pair>,
    /// Number of queries with a higher value in this run.
    pub wins: usize,
    /// Number of queries with a lower value in this run.
    pub losses: usize,
    /// Number of queries with equal values.
    pub ties: usize,
    /// Mean over repositories, in the other run and in this one.
    pub by_repository: (f64, f64),
    /// Mean over queries, in the other run and in this one.
    pub by_query: (f64, f64),
    /// Probability that chance alone makes a mean gain over queries of this size, in either
    /// direction: a paired randomisation test, 0.0..=1.0.
    pub p_value: f64,
}

/// Compares two judgements of the same collection by the measure at position `measure`.
pub fn compare(before: &Judgement, after: &Judgement, measure: usize) -> Comparison {
    let others: BTreeMap<&str, f64> = before
        .rows
        .iter()
        .filter_map(|row| Some((row.id.as_str(), *row.values.get(measure)?)))
        .collect();
    let mut pairs: Vec<Pair> = after
        .rows
        .iter()
        .filter_map(|row| {
            Some(Pair {
                id: row.id.clone(),
                repository: row.repository.clone(),
                before: *others.get(row.id.as_str())?,
                after: *row.values.get(measure)?,
            })
        })
        .collect();
    pairs.sort_by(|left, right| {
        left.gain().total_cmp(&right.gain()).then_with(|| left.id.cmp(&right.id))
    });
    let wins = pairs.iter().filter(|pair| EPSILON < pair.gain()).count();
    let losses = pairs.iter().filter(|pair| pair.gain() < -EPSILON).count();
    let by_repository = |value: fn(&Pair) -> f64| {
        macro_mean(pairs.iter().map(|pair| (pair.repository.as_str(), value(pair)))).unwrap_or(0.0)
    };
    let by_query = |value: fn(&Pair) -> f64| mean(pairs.iter().map(value)).unwrap_or(0.0);
    Comparison {
        wins,
        losses,
        ties: pairs.len() - wins - losses,
        by_repository: (by_repository(|pair| pair.before), by_repository(|pair| pair.after)),
        by_query: (by_query(|pair| pair.before), by_query(|pair| pair.after)),
        p_value: randomisation_test(&pairs),
        pairs,
    }
}

/// Share of random assignments of each query's two values to the two runs whose gain is at least as
/// large as the observed one. The random numbers are the same in every call.
fn randomisation_test(pairs: &[Pair]) -> f64 {
    let gains: Vec<f64> =
        pairs.iter().map(Pair::gain).filter(|gain| EPSILON < gain.abs()).collect();
    let seen = gains.iter().sum::<f64>().abs();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut as_large = 0_u32;
    for _ in 0..SAMPLES {
        let (mut sum, mut bits) = (0.0, 0_u64);
        for (position, gain) in gains.iter().enumerate() {
            if position % 64 == 0 {
                bits = random.next();
            }
            sum += if bits & 1 == 0 { *gain } else { -gain };
            bits >>= 1;
        }
        as_large += u32::from(seen - EPSILON <= f64::abs(sum));
    }
    (f64::from(as_large) + 1.0) / (f64::from(SAMPLES) + 1.0)
}

/// A small generator of uniform bits (xorshift with a multiplication).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

#[cfg(test)]
mod tests;
