//! Assigns samples to the folds of a cross-validation.

use std::collections::BTreeSet;

use super::{
    plan::{FitPlan, Folding, Voter},
    samples::Sample,
};

impl Folding {
    /// The group of a sample.
    fn key(self, sample: &Sample) -> &str {
        match self {
            Folding::Repository => &sample.repository,
            Folding::Query => &sample.id,
        }
    }
}

/// The fold of every sample.
pub(super) struct Folds {
    /// Number of non-empty folds.
    pub(super) count: usize,
    /// The grouping in use.
    pub(super) folding: Folding,
    by_voter: Vec<Vec<usize>>,
}

impl Folds {
    /// Distributes the sorted names over the folds in turn.
    pub(super) fn new(voters: &[Voter], plan: &FitPlan) -> Folds {
        let samples = || voters.iter().flat_map(|voter| &voter.samples.list);
        let repositories: BTreeSet<&str> =
            samples().map(|sample| sample.repository.as_str()).collect();
        let folding = if repositories.len() < 2 { Folding::Query } else { plan.folding };
        let names: BTreeSet<&str> = samples().map(|sample| folding.key(sample)).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let count = plan.folds.min(names.len());
        let fold = |sample: &Sample| {
            let at = names.partition_point(|known| *known < folding.key(sample));
            at % count.max(1)
        };
        let by_voter =
            voters.iter().map(|voter| voter.samples.list.iter().map(fold).collect()).collect();
        Folds { count, folding, by_voter }
    }

    /// The fold of a sample.
    pub(super) fn of(&self, voter: usize, sample: usize) -> usize {
        self.by_voter[voter][sample]
    }
}
