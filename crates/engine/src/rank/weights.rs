//! The weights of the signals as others see them: what they are called, what they are, and how far
//! they may be moved.

use std::ops::RangeInclusive;

use super::signals;
use crate::RankingConfig;

/// Most that a signal may count for, either way, in points of the raw score: the best that words alone
/// come to. Beyond it one signal would decide alone.
const MOST: f32 = 14.0;

/// One signal with its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignalWeight {
    /// Its name in explanations and settings.
    pub name: &'static str,
    /// What it counts for unless the settings say otherwise; negative for a penalty.
    pub built_in: f32,
    /// What it counts for with the settings at hand.
    pub weight: f32,
}

impl SignalWeight {
    /// Where the weight may lie without changing what the signal means: what speaks for a document
    /// never speaks against one, and a signal that counts for nothing stays out.
    pub fn range(&self) -> RangeInclusive<f32> {
        if self.built_in > 0.0 {
            0.0..=MOST
        } else if self.built_in < 0.0 {
            -MOST..=0.0
        } else {
            0.0..=0.0
        }
    }
}

/// Every signal with its weight, in the order of explanations.
///
/// What else stands in an explanation belongs to lists, not to documents, and has no weight of its own.
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
    fn every_weight_lies_in_its_range_and_settings_count() {
        let built_in = signal_weights(&RankingConfig::default());
        let names: BTreeSet<&str> = built_in.iter().map(|one| one.name).collect();
        assert_eq!(names.len(), built_in.len());
        for one in &built_in {
            assert!(one.range().contains(&one.built_in), "{one:?}");
            assert!(one.weight.total_cmp(&one.built_in).is_eq(), "{one:?}");
        }
        let name = built_in[0].name;
        let weights = BTreeMap::from([(name.to_owned(), 0.125)]);
        let set = signal_weights(&RankingConfig { weights })[0];
        assert!(set.weight.total_cmp(&0.125).is_eq());
        assert!(set.built_in.total_cmp(&built_in[0].built_in).is_eq());
    }

    #[test]
    fn a_sign_stays() {
        let range = |built_in| SignalWeight { name: "a", built_in, weight: 0.0 }.range();
        assert!(range(0.5).contains(&0.0) && !range(0.5).contains(&-0.1));
        assert!(range(-0.5).contains(&-3.0) && !range(-0.5).contains(&0.1));
        assert!(!range(0.0).contains(&0.1) && !range(0.0).contains(&-0.1));
    }
}
