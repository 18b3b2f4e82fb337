//! What is minimised: the cross entropy between the softmax of scores and the right candidates.

use super::{FitPlan, Voter, samples::Sample};

/// The loss over some samples, as a function of the weights in temperatures.
pub(super) struct Loss<'a> {
    /// Samples that hold both right and wrong candidates, each with what it counts for; the sum of
    /// these is 1.
    samples: Vec<(&'a Sample, f64)>,
    start: &'a [f64],
    penalty: f64,
    /// The fixed parts are points, not temperatures.
    scale: f64,
}

impl<'a> Loss<'a> {
    /// The loss over the samples of which the predicate is true, given the number of the voter and of
    /// the sample. Each voter counts by its vote, however many samples it has.
    pub(super) fn new(
        voters: &'a [Voter],
        plan: &FitPlan,
        start: &'a [f64],
        takes_part: impl Fn(usize, usize) -> bool,
    ) -> Loss<'a> {
        let mut samples = Vec::new();
        let mut votes = 0.0;
        for (number, voter) in voters.iter().enumerate() {
            let of_voter: Vec<&Sample> = voter
                .samples
                .list
                .iter()
                .enumerate()
                .filter(|(position, sample)| takes_part(number, *position) && tells(sample))
                .map(|(_, sample)| sample)
                .collect();
            if of_voter.is_empty() || voter.vote <= 0.0 {
                continue;
            }
            votes += voter.vote;
            let share = voter.vote / of_voter.len() as f64;
            samples.extend(of_voter.into_iter().map(|sample| (sample, share)));
        }
        for (_, share) in &mut samples {
            *share /= votes;
        }
        Loss { samples, start, penalty: plan.penalty, scale: 1.0 / plan.temperature }
    }

    /// The loss at some weights, and its slope, which is written to `gradient`.
    pub(super) fn at(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut loss = 0.0;
        for (slope, (weight, start)) in gradient.iter_mut().zip(weights.iter().zip(self.start)) {
            let change = weight - start;
            loss += self.penalty * change * change / 2.0;
            *slope = self.penalty * change;
        }
        let signals = weights.len();
        for (sample, share) in &self.samples {
            let mut chances: Vec<f64> = sample
                .values
                .chunks_exact(signals)
                .zip(&sample.fixed)
                .map(|(row, fixed)| {
                    let sum: f64 = row.iter().zip(weights).map(|(value, one)| value * one).sum();
                    sum + fixed * self.scale
                })
                .collect();
            let most = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for chance in &mut chances {
                *chance = (*chance - most).exp();
            }
            let sum: f64 = chances.iter().sum();
            let right = sample.covers.iter().filter(|covers| !covers.is_empty()).count() as f64;
            for ((row, chance), covers) in
                sample.values.chunks_exact(signals).zip(&chances).zip(&sample.covers)
            {
                let chance = chance / sum;
                let wanted = if covers.is_empty() { 0.0 } else { 1.0 / right };
                if wanted > 0.0 {
                    // The logarithm of nothing is as bad as that of next to nothing.
                    loss -= share * wanted * chance.max(f64::MIN_POSITIVE).ln();
                }
                let pull = share * (chance - wanted);
                for (slope, value) in gradient.iter_mut().zip(row) {
                    *slope += pull * value;
                }
            }
        }
        loss
    }
}

/// Whether a sample holds something to tell apart.
fn tells(sample: &Sample) -> bool {
    let right = sample.covers.iter().filter(|covers| !covers.is_empty()).count();
    0 < right && right < sample.covers.len()
}
