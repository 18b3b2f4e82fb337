//! The effect of each signal on each collection.
//!
//! The candidates of a query are retrieved once, and sorted again for every signal that is removed
//! or changed. Measured signal values stay the same. The few signals that depend on the weights of
//! others (the best passages of a document, its best neighbours) keep the values of the full set.

mod list;
mod markdown;

use lore_engine::SignalWeight;

use crate::{Samples, fit, measures::Measure, report::mean_of};

pub use self::{
    list::{ListedCollection, load_collections},
    markdown::{find_sections, write_modes, write_sections, write_signals},
};

/// Change of a measure if the weight of one signal changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Without the signal; negative for a loss.
    pub without: f64,
    /// With three quarters of its weight.
    pub lower: f64,
    /// With five quarters of its weight.
    pub higher: f64,
}

/// The effect of all signals on one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Ablation {
    /// Short name of the collection.
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

/// Removes each signal from the ranking of a collection's candidates, and changes its weight by a
/// quarter.
pub fn ablate(
    name: &str,
    signals: &[SignalWeight],
    samples: &Samples,
    measure: Measure,
) -> Ablation {
    let weights: Vec<f64> = signals.iter().map(|signal| f64::from(signal.weight)).collect();
    let all = mean_of(&samples.judge(&weights, measure), measure);
    let changes = (0..signals.len())
        .map(|signal| {
            let change = |by| samples.worth_moved(&weights, signal, by, measure) - all;
            Change {
                without: change(-1.0),
                lower: change(-fit::PLATEAU_CHANGE),
                higher: change(fit::PLATEAU_CHANGE),
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

/// The measures of one collection in each mode.
#[derive(Debug, Clone, PartialEq)]
pub struct ModesRow {
    /// Description of the collection.
    pub about: String,
    /// Judged queries.
    pub queries: usize,
    /// The measures, by name.
    pub measures: Vec<String>,
    /// For each mode in the order of the table's header, one value for each measure, mean over
    /// repositories; `None` for a mode that was not run.
    pub modes: Vec<Option<Vec<f64>>>,
}

#[cfg(test)]
mod tests;
