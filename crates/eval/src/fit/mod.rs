//! Fits the weights of signals to labelled queries.
//!
//! The scores of each query's candidates go through a softmax. The fit finds the weights that
//! maximise the share of the right candidates: the listwise loss of Cao and others (2007). A
//! quadratic penalty keeps each weight near its current value, and no weight changes its sign.
//! Nothing is random or depends on the number of processors: the same dumps give the same bytes.

mod descent;
mod folds;
mod loss;
mod plan;
mod report;
mod samples;
mod tuning;

use lore_engine::SignalWeight;

use self::{descent::minimise, folds::Folds, loss::Loss};
use crate::{Judgement, measures::Measure, report::mean_of};

pub use self::{
    plan::{FitPlan, Folding, Voter},
    report::{write_fit, write_tuning, write_weights},
    samples::Samples,
    tuning::{Tuning, tune},
};

/// Decimals of a fitted weight. The measured weight is the printed one.
const DECIMALS: f64 = 1e3;

/// Relative change of a weight in the plateau check.
pub(crate) const PLATEAU_CHANGE: f64 = 0.25;

/// Change of the measure from which a weight is steep, that is, not on a plateau.
pub const MIN_STEEP_CHANGE: f64 = 0.005;

/// One weight before and after the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightChange {
    /// The signal.
    pub name: &'static str,
    /// Its weight before.
    pub before: f64,
    /// Its fitted weight.
    pub after: f64,
    /// Change of the measure with a quarter less and a quarter more of the fitted weight: the mean
    /// over the collections by their votes.
    pub quarter: (f64, f64),
    /// The largest of these changes on a single collection, in either direction.
    pub steepest: f64,
}

/// The effect of a fit on one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionFit {
    /// Name of the collection.
    pub name: String,
    /// Its vote.
    pub vote: f64,
    /// Judged queries.
    pub queries: usize,
    /// Judgement with the weights before the fit.
    pub before: Judgement,
    /// Judgement with the fitted weights, on the queries they were fitted to.
    pub after: Judgement,
    /// Judgement with weights fitted to the other folds; `None` with a single fold.
    pub validated: Option<Judgement>,
}

/// Fitted weights and their effect.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The weights, in the order of explanations.
    pub weights: Vec<WeightChange>,
    /// The collections, in the given order.
    pub collections: Vec<CollectionFit>,
    /// Measure of the judgements.
    pub measure: Measure,
    /// Number of folds of the cross-validation; 0 if there was none.
    pub folds: usize,
    /// Grouping of the cross-validation.
    pub folding: Folding,
}

/// Fits the weights to all collections, and again without each fold, which is then judged.
///
/// `signals` are those of the samples, with the initial weights, which the penalty keeps the fit
/// near to.
pub fn fit(signals: &[SignalWeight], voters: &[Voter], measure: Measure, plan: &FitPlan) -> Fitted {
    let before: Vec<f64> = signals.iter().map(|signal| f64::from(signal.weight)).collect();
    let folds = Folds::new(voters, plan);
    // A cross-validation needs at least two folds.
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
    let collections: Vec<CollectionFit> = voters
        .iter()
        .zip(validated)
        .map(|(voter, mut validated)| {
            validated.rows.sort_by(|left, right| left.id.cmp(&right.id));
            let before = voter.samples.judge(&before, measure);
            CollectionFit {
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
            WeightChange {
                name: signal.name,
                before: before[at],
                after: after[at],
                quarter,
                steepest,
            }
        })
        .collect();
    Fitted { weights, collections, measure, folds: parts, folding: folds.folding }
}

/// The best weights for the samples that satisfy the predicate.
fn fitted(
    signals: &[SignalWeight],
    voters: &[Voter],
    plan: &FitPlan,
    takes_part: impl Fn(usize, usize) -> bool,
) -> Vec<f64> {
    let scale = 1.0 / plan.temperature;
    let start: Vec<f64> = signals.iter().map(|signal| f64::from(signal.weight) * scale).collect();
    let bounds: Vec<(f64, f64)> = signals
        .iter()
        .map(|signal| {
            let range = signal.range();
            // A weight configured beyond its range is pulled back no further than its current
            // value.
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
            // An unchanged weight keeps its digits.
            if (weight - kept).abs() < 1.0 / DECIMALS { kept } else { weight }
        })
        .collect()
}

/// Change of the measure with a quarter less and more of one weight: the mean by votes, and the
/// largest change on a collection.
fn plateau(
    voters: &[Voter],
    collections: &[CollectionFit],
    weights: &[f64],
    signal: usize,
    measure: Measure,
) -> ((f64, f64), f64) {
    let (mut lower, mut higher, mut votes, mut steepest) = (0.0, 0.0, 0.0, 0.0_f64);
    for (voter, collection_fit) in voters.iter().zip(collections) {
        let start = mean_of(&collection_fit.after, measure);
        let change = |by| voter.samples.worth_moved(weights, signal, by, measure) - start;
        let (down, up) = (change(-PLATEAU_CHANGE), change(PLATEAU_CHANGE));
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
