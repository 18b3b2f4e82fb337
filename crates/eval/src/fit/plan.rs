//! Input of a fit: parameters and collections.

use super::samples::Samples;

/// Parameters of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitPlan {
    /// Points of the raw score that multiply a candidate's probability by e, above 0.
    pub temperature: f64,
    /// Strength of the penalty: the loss grows by half of this times the square of the change in
    /// temperatures.
    pub penalty: f64,
    /// Number of folds of the cross-validation, at least 2.
    pub folds: usize,
    /// Grouping of samples in the cross-validation.
    pub folding: Folding,
}

impl Default for FitPlan {
    /// The temperature at which the best hits of the development set take about half of the
    /// softmax, and the penalty with which its weights were found.
    fn default() -> FitPlan {
        FitPlan { temperature: 0.25, penalty: 0.003, folds: 5, folding: Folding::Repository }
    }
}

/// A collection that takes part in a fit.
#[derive(Debug, Clone)]
pub struct Voter {
    /// Its queries.
    pub samples: Samples,
    /// Weight of its mean loss relative to other collections, 0.0 or more.
    pub vote: f64,
}

/// Grouping of samples: a group is either fitted to or held out as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    /// By repository, across collections. A single repository is divided by query.
    Repository,
    /// By identifier of the query.
    Query,
}
