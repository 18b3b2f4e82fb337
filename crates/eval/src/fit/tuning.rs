//! Weights for one repository, and whether they are better than chance makes them look.

use lore_engine::SignalWeight;

use super::{FitPlan, Fitted, Folding, Samples, Voter, fit};
use crate::{Comparison, compare, measures::Measure};

/// The penalty times the queries: that of the development set, so that the built-in weights count as
/// much beside sixty commits as beside its five hundred questions, and hold the more firmly the fewer
/// there are. Over five sets of sixty commits, each fitted for itself and held out by fifths, the mean
/// comes from 0.7138 to 0.7213 with it, to 0.7159 with 5 and to 0.7245 with 0.6, which is bolder than
/// so few labels deserve.
const FIRMNESS: f64 = 1.5;

/// A gain that chance makes as often as this, or more often, is none.
const CHANCE: f64 = 0.05;

/// Weights that were fitted to one repository.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// The weights, and what they are worth.
    pub fitted: Fitted,
    /// The queries with the weights as they were, and with weights fitted without them; `None` where
    /// there are too few queries to hold any out.
    pub held_out: Option<Comparison>,
}

impl Tuning {
    /// Whether the weights are better where they were not fitted, and more so than chance makes them.
    pub fn is_gain(&self) -> bool {
        self.fitted.moved().next().is_some()
            && self.held_out.as_ref().is_some_and(|held_out| {
                held_out.by_query.0 < held_out.by_query.1 && held_out.p_value < CHANCE
            })
    }
}

/// Fits weights to the queries of one repository, near those of `signals`. Queries are held out by
/// their identifiers; for commits, that is by their hashes, so that no part is of one time.
pub fn tune(signals: &[SignalWeight], samples: Samples, measure: Measure) -> Tuning {
    let plan = FitPlan {
        penalty: FIRMNESS / samples.queries().max(1) as f64,
        folding: Folding::Query,
        ..FitPlan::default()
    };
    let fitted = fit(signals, &[Voter { samples, vote: 1.0 }], measure, &plan);
    let held_out = fitted.collections.first().and_then(|worth| {
        worth.validated.as_ref().map(|validated| compare(&worth.before, validated, 0))
    });
    Tuning { fitted, held_out }
}
