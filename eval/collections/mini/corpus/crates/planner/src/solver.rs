//! Improves a schedule by small moves: swap two vessels, shift one along the quay, delay one.

use crate::allocation::Allocation;

/// Weighted waiting time of a schedule, in minutes. Lower is better.
pub fn cost(schedule: &[Allocation], due: impl Fn(u64) -> i64, weight: impl Fn(u64) -> f64) -> f64 {
    schedule
        .iter()
        .map(|allocation| {
            let late = (allocation.until - due(allocation.vessel)).max(0);
            late as f64 * weight(allocation.vessel)
        })
        .sum()
}

/// Simulated annealing with a geometric cooling plan. `accept` draws uniformly from 0.0..1.0.
pub struct Annealer {
    pub temperature: f64,
    pub cooling: f64,
    pub rounds: u32,
}

impl Annealer {
    /// Whether a worse schedule is taken all the same, to get out of a local optimum.
    pub fn takes(&self, before: f64, after: f64, random: f64) -> bool {
        after <= before || random < ((before - after) / self.temperature).exp()
    }

    pub fn cool(&mut self) {
        self.temperature *= self.cooling;
    }
}
