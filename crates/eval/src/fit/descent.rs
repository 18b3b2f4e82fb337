//! Minimises a convex function within bounds.
//!
//! Accelerated projected gradient descent (FISTA by Beck and Teboulle) with step sizes found by
//! halving, and a restart where the momentum points uphill (O'Donoghue and Candès). Simple, without
//! randomness, and fast enough: the loss has a few dozen weights, and its penalty makes it strongly
//! convex.

use super::loss::Loss;

/// Maximum number of steps; a few hundred are usual.
const MAX_STEPS: usize = 2000;

/// Maximum movement of a weight in the last step, in temperatures: below the printed digits.
const MIN_MOVEMENT: f64 = 1e-6;

/// The weights within bounds with the smallest loss, starting at `start`.
pub(super) fn minimise(loss: &Loss<'_>, start: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    let mut here = start.to_vec();
    let mut ahead = here.clone();
    let mut momentum = 1.0_f64;
    // Inverse of the step length.
    let mut steepness = 0.05;
    let mut slope = vec![0.0; start.len()];
    let mut unused = vec![0.0; start.len()];
    for _ in 0..MAX_STEPS {
        let value = loss.at(&ahead, &mut slope);
        let next = loop {
            let next: Vec<f64> = ahead
                .iter()
                .zip(&slope)
                .zip(bounds)
                .map(|((at, slope), (least, most))| (at - slope / steepness).clamp(*least, *most))
                .collect();
            let steps = || next.iter().zip(&ahead).map(|(to, from)| to - from);
            let linear: f64 = steps().zip(&slope).map(|(step, slope)| step * slope).sum();
            let square: f64 = steps().map(|step| step * step).sum();
            let promised = value + linear + steepness * square / 2.0;
            if loss.at(&next, &mut unused) <= promised + 1e-12 {
                break next;
            }
            steepness *= 2.0;
        };
        let moved = next.iter().zip(&here).map(|(to, from)| (to - from).abs()).fold(0.0, f64::max);
        let uphill: f64 = ahead
            .iter()
            .zip(&next)
            .zip(&here)
            .map(|((ahead, next), here)| (ahead - next) * (next - here))
            .sum();
        let old = momentum;
        momentum =
            if uphill > 0.0 { 1.0 } else { f64::midpoint(1.0, (1.0 + 4.0 * old * old).sqrt()) };
        let push = if uphill > 0.0 { 0.0 } else { (old - 1.0) / momentum };
        ahead = next.iter().zip(&here).map(|(next, here)| next + push * (next - here)).collect();
        here = next;
        if moved < MIN_MOVEMENT && uphill <= 0.0 {
            break;
        }
    }
    here
}
