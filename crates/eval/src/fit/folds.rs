//! Which samples are held out together.

use std::collections::BTreeSet;

use super::{FitPlan, Voter, samples::Sample};

/// What is kept together in the cross-validation: never partly fitted to and partly judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    /// Repositories, whichever collections they are in. A single one is divided by query.
    Repository,
    /// Queries with the same identifier.
    Query,
}

impl Folding {
    /// What samples that are kept together have in common.
    fn key(self, sample: &Sample) -> &str {
        match self {
            Folding::Repository => &sample.repository,
            Folding::Query => &sample.id,
        }
    }
}

/// The fold of every sample.
pub(super) struct Folds {
    /// Number of folds that hold something.
    pub(super) count: usize,
    /// What is kept together in the end.
    pub(super) folding: Folding,
    by_voter: Vec<Vec<usize>>,
}

impl Folds {
    /// Names in their order go to the folds in turn.
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

    /// The fold of a voter's sample.
    pub(super) fn of(&self, voter: usize, sample: usize) -> usize {
        self.by_voter[voter][sample]
    }
}
