//! The weights of the signals for other crates: names, values and permitted ranges.

use std::ops::RangeInclusive;

use super::signals;
use crate::RankingConfig;

/// Maximum absolute weight of a signal: the maximum sum of words alone. Beyond it one signal would
/// decide alone.
const MAX_WEIGHT: f32 = 14.0;

/// One signal with its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignalWeight {
    /// Name in explanations and settings.
    pub name: &'static str,
    /// Default weight; negative for a penalty.
    pub built_in: f32,
    /// Weight with the given settings.
    pub weight: f32,
}

impl SignalWeight {
    /// Range of weights that do not change the meaning of the signal: a bonus never becomes a
    /// penalty, and a signal with a weight of 0 keeps it.
    pub fn range(&self) -> RangeInclusive<f32> {
        if self.built_in > 0.0 {
            0.0..=MAX_WEIGHT
        } else if self.built_in < 0.0 {
            -MAX_WEIGHT..=0.0
        } else {
            0.0..=0.0
        }
    }
}

/// Every signal with its weight, in the order of explanations.
///
/// The other parts of explanations depend on lists, not on documents, and have no weight of their
/// own.
pub fn signal_weights(settings: &RankingConfig) -> Vec<SignalWeight> {
    signals::SIGNALS
        .iter()
        .map(|(signal, built_in)| SignalWeight {
            name: signal.name(),
            built_in: *built_in,
            weight: settings.weights.get(signal.name()).copied().unwrap_or(*built_in),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn every_weight_is_in_its_range_and_settings_count() {
        let built_in = signal_weights(&RankingConfig::default());
        let names: BTreeSet<&str> = built_in.iter().map(|signal| signal.name).collect();
        assert_eq!(names.len(), built_in.len());
        for signal in &built_in {
            assert!(signal.range().contains(&signal.built_in), "{signal:?}");
            assert!(signal.weight.total_cmp(&signal.built_in).is_eq(), "{signal:?}");
        }
        let name = built_in[0].name;
        let weights = BTreeMap::from([(name.to_owned(), 0.125)]);
        let set = signal_weights(&RankingConfig { weights })[0];
        assert!(set.weight.total_cmp(&0.125).is_eq());
        assert!(set.built_in.total_cmp(&built_in[0].built_in).is_eq());
    }

    #[test]
    fn weights_keep_their_sign() {
        let range = |built_in| SignalWeight { name: "a", built_in, weight: 0.0 }.range();
        assert!(range(0.5).contains(&0.0) && !range(0.5).contains(&-0.1));
        assert!(range(-0.5).contains(&-3.0) && !range(-0.5).contains(&0.1));
        assert!(!range(0.0).contains(&0.1) && !range(0.0).contains(&-0.1));
    }
}
