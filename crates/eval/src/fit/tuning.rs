//! Fits weights to one repository, and tests the gain for significance.

use lore_engine::SignalWeight;

use super::{FitPlan, Fitted, Folding, Samples, Voter, fit};
use crate::{Comparison, compare, measures::Measure};

/// The penalty times the number of queries. It is that of the development set, so that the built-in
/// weights count as much beside sixty commits as beside its five hundred questions, and the more
/// the fewer commits there are. Means over five sets of sixty commits, each fitted for itself and
/// held out by fifths: 0.7138 before, 0.7213 with 1.5, 0.7159 with 5, 0.7245 with 0.6, which trusts
/// few labels too much.
const FIRMNESS: f64 = 1.5;

/// p-value from which a gain counts as chance.
const CHANCE: f64 = 0.05;

/// Weights that were fitted to one repository.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// The weights and their effect.
    pub fitted: Fitted,
    /// Held-out comparison of the weights before with those fitted to the other queries; `None` if
    /// there are too few queries.
    pub held_out: Option<Comparison>,
}

impl Tuning {
    /// Returns true for a significant gain on held-out queries.
    pub fn is_gain(&self) -> bool {
        self.fitted.moved().next().is_some()
            && self.held_out.as_ref().is_some_and(|held_out| {
                held_out.by_query.0 < held_out.by_query.1 && held_out.p_value < CHANCE
            })
    }
}

/// Fits weights to the queries of one repository, near those of `signals`. Queries are held out by
/// their identifiers; for commits these are hashes, so that no fold is a period of time.
pub fn tune(signals: &[SignalWeight], samples: Samples, measure: Measure) -> Tuning {
    let plan = FitPlan {
        penalty: FIRMNESS / samples.queries().max(1) as f64,
        folding: Folding::Query,
        ..FitPlan::default()
    };
    let fitted = fit(signals, &[Voter { samples, vote: 1.0 }], measure, &plan);
    let held_out = fitted.collections.first().and_then(|collection_fit| {
        collection_fit
            .validated
            .as_ref()
            .map(|validated| compare(&collection_fit.before, validated, 0))
    });
    Tuning { fitted, held_out }
}
