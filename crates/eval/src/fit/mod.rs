//! Fits the weights of signals to labelled queries.
//!
//! For each query, the scores of its candidates go through a softmax, and the weights are sought under
//! which the right ones get the most of it: the listwise loss of Cao and others (2007). A
//! quadratic penalty holds each weight near what it is now, and none changes its sign. Nothing is
//! random, and nothing depends on the number of processors: the same dumps give the same bytes.

mod descent;
mod folds;
mod loss;
mod report;
mod samples;
mod tuning;

use lore_engine::SignalWeight;

use self::{descent::minimise, folds::Folds, loss::Loss};
use crate::{Judgement, headline, measures::Measure};

pub use self::{
    folds::Folding,
    report::{write_fit, write_tuning, write_weights},
    samples::Samples,
    tuning::{Tuning, tune},
};

/// Decimals of a fitted weight. What is measured is what is printed.
const DECIMALS: f64 = 1e3;

/// How much a weight moves when its plateau is looked at: a quarter of itself.
pub(crate) const QUARTER: f64 = 0.25;

/// From this change of the measure on, a weight does not sit on a plateau.
pub const STEEP: f64 = 0.005;

/// How weights are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitPlan {
    /// Points of the raw score that multiply a candidate's chance by e, above 0.
    pub temperature: f64,
    /// How strongly weights are held where they are: the penalty is half of this times the square of
    /// the change in temperatures.
    pub penalty: f64,
    /// Parts that the collections are divided into for the cross-validation, at least 2.
    pub folds: usize,
    /// What is kept together there.
    pub folding: Folding,
}

impl Default for FitPlan {
    /// The temperature at which the best hits of the development set take about half of the softmax,
    /// and the penalty with which its weights were found.
    fn default() -> FitPlan {
        FitPlan { temperature: 0.25, penalty: 0.003, folds: 5, folding: Folding::Repository }
    }
}

/// A collection that takes part in a fit.
#[derive(Debug, Clone)]
pub struct Voter {
    /// Its queries.
    pub samples: Samples,
    /// What its mean loss counts for beside that of others, 0.0 or more.
    pub vote: f64,
}

/// One weight before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Movement {
    /// The signal.
    pub name: &'static str,
    /// Its weight before.
    pub before: f64,
    /// Its fitted weight.
    pub after: f64,
    /// Change of the measure with a quarter less and a quarter more of the fitted weight: the mean
    /// over the collections by their votes.
    pub quarter: (f64, f64),
    /// The largest of these changes on a single collection, either way.
    pub steepest: f64,
}

/// What a fit is worth on one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Worth {
    /// Name of the collection.
    pub name: String,
    /// Its vote.
    pub vote: f64,
    /// Judged queries.
    pub queries: usize,
    /// The queries with the weights as they were.
    pub before: Judgement,
    /// The queries with the fitted weights, which were fitted to them, too.
    pub after: Judgement,
    /// The queries with weights that were fitted to the other folds; `None` where there is only one.
    pub validated: Option<Judgement>,
}

/// Fitted weights, and what they are worth.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The weights, in the order of explanations.
    pub weights: Vec<Movement>,
    /// The collections, in the order in which they were given.
    pub collections: Vec<Worth>,
    /// What queries are judged by.
    pub measure: Measure,
    /// Parts of the cross-validation; 0 if there was none.
    pub folds: usize,
    /// What was kept together.
    pub folding: Folding,
}

/// Mean over repositories of a judgement by one measure.
pub(crate) fn mean_of(judgement: &Judgement, measure: Measure) -> f64 {
    headline(judgement, &[measure]).values[0]
}

/// Fits the weights to all collections, and again without each fold to be judged by it.
///
/// `signals` are those of the samples, with the weights to start from and to stay near.
pub fn fit(signals: &[SignalWeight], voters: &[Voter], measure: Measure, plan: &FitPlan) -> Fitted {
    let before: Vec<f64> = signals.iter().map(|signal| f64::from(signal.weight)).collect();
    let folds = Folds::new(voters, plan);
    // Whoever is alone in a fold has nobody else to be judged by.
    let parts = if folds.count > 1 { folds.count } else { 0 };
    let after = fitted(signals, voters, plan, |_, _| true);
    let mut validated: Vec<Judgement> = vec![Judgement::default(); voters.len()];
    for fold in 0..parts {
        let weights =
            fitted(signals, voters, plan, |voter, sample| folds.of(voter, sample) != fold);
        for (at, voter) in voters.iter().enumerate() {
            let held_out =
                voter.samples.judge_some(&weights, measure, |sample| folds.of(at, sample) == fold);
            validated[at].rows.extend(held_out.rows);
        }
    }
    let collections: Vec<Worth> = voters
        .iter()
        .zip(validated)
        .map(|(voter, mut validated)| {
            validated.rows.sort_by(|left, right| left.id.cmp(&right.id));
            let before = voter.samples.judge(&before, measure);
            Worth {
                name: voter.samples.name().to_owned(),
                vote: voter.vote,
                queries: before.rows.len(),
                before,
                after: voter.samples.judge(&after, measure),
                validated: (parts > 0).then_some(validated),
            }
        })
        .collect();
    let weights = signals
        .iter()
        .enumerate()
        .map(|(at, signal)| {
            let (quarter, steepest) = plateau(voters, &collections, &after, at, measure);
            Movement { name: signal.name, before: before[at], after: after[at], quarter, steepest }
        })
        .collect();
    Fitted { weights, collections, measure, folds: parts, folding: folds.folding }
}

/// The weights that fit best to the samples of which the predicate is true.
fn fitted(
    signals: &[SignalWeight],
    voters: &[Voter],
    plan: &FitPlan,
    takes_part: impl Fn(usize, usize) -> bool,
) -> Vec<f64> {
    let scale = 1.0 / plan.temperature;
    let start: Vec<f64> = signals.iter().map(|one| f64::from(one.weight) * scale).collect();
    let bounds: Vec<(f64, f64)> = signals
        .iter()
        .map(|signal| {
            let range = signal.range();
            // A weight that somebody set beyond its range is pulled back no further than it is.
            let (least, most) = (range.start().min(signal.weight), range.end().max(signal.weight));
            (f64::from(least) * scale, f64::from(most) * scale)
        })
        .collect();
    let loss = Loss::new(voters, plan, &start, takes_part);
    minimise(&loss, &start, &bounds)
        .into_iter()
        .zip(signals)
        .map(|(logit, signal)| {
            let weight = (logit * plan.temperature * DECIMALS).round() / DECIMALS;
            let kept = f64::from(signal.weight);
            // What did not move keeps the digits that it had.
            if (weight - kept).abs() < 1.0 / DECIMALS { kept } else { weight }
        })
        .collect()
}

/// How far the measure moves with a quarter less and more of one weight: the mean by votes, and the
/// largest change on a collection.
fn plateau(
    voters: &[Voter],
    collections: &[Worth],
    weights: &[f64],
    signal: usize,
    measure: Measure,
) -> ((f64, f64), f64) {
    let (mut lower, mut higher, mut votes, mut steepest) = (0.0, 0.0, 0.0, 0.0_f64);
    for (voter, worth) in voters.iter().zip(collections) {
        let start = mean_of(&worth.after, measure);
        let change = |by| voter.samples.worth_moved(weights, signal, by, measure) - start;
        let (down, up) = (change(-QUARTER), change(QUARTER));
        lower += voter.vote * down;
        higher += voter.vote * up;
        votes += voter.vote;
        steepest = steepest.max(down.abs()).max(up.abs());
    }
    let mean = |sum: f64| if votes > 0.0 { sum / votes } else { 0.0 };
    ((mean(lower), mean(higher)), steepest)
}

#[cfg(test)]
mod tests;
