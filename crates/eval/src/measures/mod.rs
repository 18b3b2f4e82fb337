//! Measures: one number from 0.0 (worst) to 1.0 (best) for one judged answer.

mod ndcg;
mod precision;
mod recall;
mod rr;
mod success;

use std::fmt;

use crate::{EvalError, Judged};

/// A kind of measure.
#[derive(Debug)]
pub struct Family {
    /// The name before `@`.
    pub name: &'static str,
    /// Description for people.
    pub about: &'static str,
    /// The value over the first `cutoff` results; there is at least one target.
    value: fn(&Judged, usize) -> f64,
}

/// All kinds of measures, sorted by name.
pub static MEASURES: &[Family] = &[
    Family {
        name: "P",
        about: "share of the first results that are right",
        value: precision::value,
    },
    Family { name: "R", about: "share of the right results that are found", value: recall::value },
    Family {
        name: "RR",
        about: "one divided by the rank of the first right result",
        value: rr::value,
    },
    Family { name: "Success", about: "whether a right result is found", value: success::value },
    Family {
        name: "nDCG",
        about: "right results, each discounted by the logarithm of its rank",
        value: ndcg::value,
    },
];

/// The default measures; the first is the headline.
pub const DEFAULT: &[&str] = &["nDCG@10", "RR@10", "R@10", "Success@1", "Success@3"];

/// A measure: a kind, and the number of results that count.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    family: &'static Family,
    cutoff: Option<usize>,
}

impl Measure {
    /// The measure with this name: `nDCG@10`, or `RR` for the whole answer.
    pub fn from_name(name: &str) -> Result<Measure, EvalError> {
        let unknown = || EvalError::UnknownMeasure { name: name.to_owned() };
        let (kind, cutoff) = match name.split_once('@') {
            Some((kind, cutoff)) => {
                let cutoff = cutoff.parse().ok().filter(|cutoff| 0 < *cutoff);
                (kind, Some(cutoff.ok_or_else(unknown)?))
            }
            None => (name, None),
        };
        let family = MEASURES
            .iter()
            .find(|family| family.name.eq_ignore_ascii_case(kind))
            .ok_or_else(unknown)?;
        Ok(Measure { family, cutoff })
    }

    /// The value of one judged answer, 0.0..=1.0; 0.0 without targets.
    pub fn value(&self, judged: &Judged) -> f64 {
        if judged.ranks.is_empty() {
            return 0.0;
        }
        (self.family.value)(judged, self.cutoff.unwrap_or(usize::MAX))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cutoff {
            Some(cutoff) => formatter.pad(&format!("{}@{cutoff}", self.family.name)),
            None => formatter.pad(self.family.name),
        }
    }
}

#[cfg(test)]
mod tests;
