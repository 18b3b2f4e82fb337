//! The loss: the cross entropy between the softmax of scores and the right candidates.

use super::{
    plan::{FitPlan, Voter},
    samples::Sample,
};

/// The loss over some samples, as a function of the weights in temperatures.
pub(super) struct Loss<'a> {
    /// Samples with both right and wrong candidates.
    samples: Vec<Part<'a>>,
    start: &'a [f64],
    penalty: f64,
    /// Points per temperature, for the fixed parts of scores.
    scale: f64,
}

/// One sample.
struct Part<'a> {
    sample: &'a Sample,
    /// Share of the total loss; the sum over all samples is 1.
    share: f64,
    /// For each candidate, the factor and offset that turn its raw score into one comparable across
    /// sources.
    tangents: Vec<(f64, f64)>,
}

impl<'a> Loss<'a> {
    /// The loss over the samples that satisfy the predicate, which gets the index of the voter and
    /// of the sample. Each voter counts by its vote, independent of its number of samples.
    pub(super) fn new(
        voters: &'a [Voter],
        plan: &FitPlan,
        start: &'a [f64],
        takes_part: impl Fn(usize, usize) -> bool,
    ) -> Loss<'a> {
        let mut samples = Vec::new();
        let mut votes = 0.0;
        let weights: Vec<f64> = start.iter().map(|weight| weight * plan.temperature).collect();
        for (number, voter) in voters.iter().enumerate() {
            let of_voter: Vec<&Sample> = voter
                .samples
                .list
                .iter()
                .enumerate()
                .filter(|(position, sample)| {
                    takes_part(number, *position) && is_informative(sample)
                })
                .map(|(_, sample)| sample)
                .collect();
            if of_voter.is_empty() || voter.vote <= 0.0 {
                continue;
            }
            votes += voter.vote;
            let share = voter.vote / of_voter.len() as f64;
            samples.extend(of_voter.into_iter().map(|sample| {
                let tangents = sample.tangents(&weights);
                Part { sample, share, tangents }
            }));
        }
        for part in &mut samples {
            part.share /= votes;
        }
        Loss { samples, start, penalty: plan.penalty, scale: 1.0 / plan.temperature }
    }

    /// The loss at some weights; its gradient is written to `gradient`.
    pub(super) fn at(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut loss = 0.0;
        for (slope, (weight, start)) in gradient.iter_mut().zip(weights.iter().zip(self.start)) {
            let change = weight - start;
            loss += self.penalty * change * change / 2.0;
            *slope = self.penalty * change;
        }
        let signals = weights.len();
        for Part { sample, share, tangents } in &self.samples {
            let mut chances: Vec<f64> = sample
                .values
                .chunks_exact(signals)
                .zip(&sample.fixed)
                .zip(tangents)
                .map(|((row, fixed), (factor, offset))| {
                    let sum: f64 =
                        row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
                    factor * sum + (factor * fixed + offset) * self.scale
                })
                .collect();
            let most = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for chance in &mut chances {
                *chance = (*chance - most).exp();
            }
            let sum: f64 = chances.iter().sum();
            let right = sample.covers.iter().filter(|covers| !covers.is_empty()).count() as f64;
            let rows = sample.values.chunks_exact(signals).zip(tangents);
            for (((row, (factor, _)), chance), covers) in rows.zip(&chances).zip(&sample.covers) {
                let chance = chance / sum;
                let wanted = if covers.is_empty() { 0.0 } else { 1.0 / right };
                if wanted > 0.0 {
                    // The logarithm of zero is replaced by that of a tiny number.
                    loss -= share * wanted * chance.max(f64::MIN_POSITIVE).ln();
                }
                let pull = share * (chance - wanted) * factor;
                for (slope, value) in gradient.iter_mut().zip(row) {
                    *slope += pull * value;
                }
            }
        }
        loss
    }
}

/// Returns true for a sample with both right and wrong candidates.
fn is_informative(sample: &Sample) -> bool {
    let right = sample.covers.iter().filter(|covers| !covers.is_empty()).count();
    0 < right && right < sample.covers.len()
}
