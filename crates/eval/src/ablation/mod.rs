//! What each signal is worth on each collection.
//!
//! The candidates of a query are asked for once and put in order anew for every signal that is left out
//! or moved. What signals measured stays as it was; the few that depend on how others count (which
//! passages of a document are its best, who its best neighbours are) keep what they said with all.

mod list;
mod markdown;

use lore_engine::SignalWeight;

use crate::{Samples, fit, measures::Measure};

pub use self::{
    list::{ListedCollection, load_collections},
    markdown::{find_sections, write_modes, write_sections, write_signals},
};

/// What changes when one signal counts otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Change of the measure without it; negative for a loss.
    pub without: f64,
    /// Change with three quarters of its weight.
    pub lower: f64,
    /// Change with five quarters of it.
    pub higher: f64,
}

/// What the signals are worth on one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Ablation {
    /// Name of the collection, short.
    pub name: String,
    /// Judged queries.
    pub queries: usize,
    /// The measure, by name.
    pub measure: String,
    /// Mean over repositories with all signals.
    pub all: f64,
    /// The changes, in the order of the signals.
    pub changes: Vec<Change>,
}

/// Leaves each signal out of the order of a collection's candidates, and moves it by a quarter.
pub fn ablate(
    name: &str,
    signals: &[SignalWeight],
    samples: &Samples,
    measure: Measure,
) -> Ablation {
    let weights: Vec<f64> = signals.iter().map(|signal| f64::from(signal.weight)).collect();
    let all = fit::mean_of(&samples.judge(&weights, measure), measure);
    let changes = (0..signals.len())
        .map(|signal| {
            let change = |by| samples.worth_moved(&weights, signal, by, measure) - all;
            Change {
                without: change(-1.0),
                lower: change(-fit::QUARTER),
                higher: change(fit::QUARTER),
            }
        })
        .collect();
    Ablation {
        name: name.to_owned(),
        queries: samples.queries(),
        measure: measure.to_string(),
        all,
        changes,
    }
}

/// What one collection comes to in each mode.
#[derive(Debug, Clone, PartialEq)]
pub struct ModesRow {
    /// What the collection is.
    pub about: String,
    /// Judged queries.
    pub queries: usize,
    /// The measures, by name.
    pub measures: Vec<String>,
    /// For each mode in the order of the table's head, one value a measure, mean over repositories;
    /// `None` where it was not asked.
    pub modes: Vec<Option<Vec<f64>>>,
}

#[cfg(test)]
mod tests;
