//! Calibration: maps the sum of a hit's parts to its score, so that scores are comparable between
//! sources.
//!
//! The same sum is better in one source than in another: a spec with a sum of 2.5 is relevant more
//! often than a file of code with 2.5. Where queries were judged in a source, its logistic curve
//! maps a sum to the share of relevant hits, and the score is that of a hit in code with the same
//! share. History and patterns have no judged queries: their scores are limited by the share of the
//! query that their best hit contains.
//!
//! **Invariant:** inside a source, a larger sum gives a larger score.

use lore_schema::SourceName;

use super::{rerank::SOURCE_PART, signals};
use crate::Hit;

/// Logistic curve that maps the sums of one source to scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calibration {
    /// Slope of the curve, as far as hits were judged.
    steepness: f32,
    /// The sum with a score of one half.
    middle: f32,
    /// Maximum score of the source, 0.0..=1.0.
    most: f32,
}

/// The largest sum of a judged hit outside of code. Above it every curve is as steep as that of
/// code: nothing was measured there, and a steeper curve would give many hits a score of nearly 1.
const MAX_JUDGED: f32 = 5.0;

/// Minimum of the maximum score of a source without judged queries. Its best hit may be similar
/// without containing any word, and scores of 0 would have no order.
const MIN_CEILING: f32 = 0.05;

/// The curves of the judged sources: steepness and middle. They were fitted to the ten best hits of
/// each source for 84 queries about two trees (`eval/calibration`) and set half-way to the curve of
/// code, as 84 are few. On the curve of code, the best hits of the development set score 0.4 to
/// 0.99, half of them above 0.8.
const fn curve(source: SourceName) -> Option<(f32, f32)> {
    match source {
        SourceName::Code => Some((1.2, 2.0)),
        SourceName::Docs => Some((1.49, 2.07)),
        SourceName::Specs => Some((1.51, 1.83)),
        SourceName::Tickets => Some((1.32, 1.94)),
        SourceName::Git | SourceName::Patterns => None,
    }
}

impl Calibration {
    /// The curve of code, and of scores that no source calibrates.
    pub(crate) const COMMON: Calibration = Calibration { steepness: 1.2, middle: 2.0, most: 1.0 };

    /// The curve of a source whose best hit contains a share `coverage` of the query's weighted
    /// idf, 0.0..=1.0.
    pub(crate) fn of(source: SourceName, coverage: f32) -> Calibration {
        match curve(source) {
            Some((steepness, middle)) => Calibration { steepness, middle, most: 1.0 },
            None => Calibration { most: coverage.clamp(MIN_CEILING, 1.0), ..Calibration::COMMON },
        }
    }

    /// The score of a sum, 0.0..=1.0.
    pub(crate) fn score(self, sum: f32) -> f32 {
        let above = (sum - MAX_JUDGED).max(0.0);
        let power =
            self.steepness * (sum - above - self.middle) + Calibration::COMMON.steepness * above;
        self.most / (1.0 + (-power).exp())
    }

    /// The sum of a score above 0.0 and below 1.0 on the common curve.
    pub(crate) fn raw(self, score: f32) -> f32 {
        let score = score.clamp(1e-6, 1.0 - 1e-6);
        (score / (1.0 - score)).ln() / self.steepness + self.middle
    }
}

/// Calibration curve of one source in an answer: it ranks hits again after the weights of their
/// parts changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreCurve {
    /// Slope of the curve as far as hits were judged, above 0.
    pub steepness: f32,
    /// The sum with a score of half of `most`.
    pub middle: f32,
    /// Maximum score of the source, above 0.0 and at most 1.0.
    pub most: f32,
}

impl ScoreCurve {
    /// The common curve of all sources: it maps a sum to itself.
    pub const COMMON: ScoreCurve = ScoreCurve {
        steepness: Calibration::COMMON.steepness,
        middle: Calibration::COMMON.middle,
        most: Calibration::COMMON.most,
    };

    /// The curve of a hit's score; `None` where the hit has no explanation.
    pub fn of(hit: &Hit) -> Option<ScoreCurve> {
        let parts = &hit.explanation.as_ref()?.parts;
        // The second ranking compares all sources. A score of one part, such as a similarity, is
        // comparable between sources as it is.
        let is_common = match parts.as_slice() {
            [part] => !signals::SIGNALS.iter().any(|(signal, _)| signal.name() == part.name),
            parts => parts.iter().any(|part| part.name == SOURCE_PART),
        };
        if is_common {
            return Some(ScoreCurve::COMMON);
        }
        let sum: f32 = parts.iter().map(|part| part.contribution).sum();
        let mut calibration = Calibration::of(hit.source, 1.0);
        if curve(hit.source).is_none() {
            calibration.most = (hit.score / calibration.score(sum)).clamp(MIN_CEILING, 1.0);
        }
        let Calibration { steepness, middle, most } = calibration;
        Some(ScoreCurve { steepness, middle, most })
    }

    /// Exponent of e in the score of a sum, and its slope.
    fn power(self, sum: f64) -> (f64, f64) {
        let above = (sum - f64::from(MAX_JUDGED)).max(0.0);
        let (own, common) = (f64::from(self.steepness), f64::from(Calibration::COMMON.steepness));
        let slope = if above > 0.0 { common } else { own };
        (own * (sum - above - f64::from(self.middle)) + common * above, slope)
    }

    /// The sum that has, on the common curve, the score that this sum has here.
    pub fn common_sum(self, sum: f64) -> f64 {
        let (power, _) = self.power(sum);
        let (common, most) = (Calibration::COMMON, f64::from(self.most));
        // The logit of `most` times the logistic function of the power, in a form that keeps its
        // precision where the score is nearly 0 or 1.
        let missing = 1.0 - most;
        let logit = if missing <= 0.0 {
            power
        } else if power > 0.0 {
            most.ln() - ((-power).exp() + missing).ln()
        } else {
            most.ln() + power - (missing * power.exp()).ln_1p()
        };
        logit / f64::from(common.steepness) + f64::from(common.middle)
    }

    /// Slope of [`ScoreCurve::common_sum`] at a sum.
    pub fn common_slope(self, sum: f64) -> f64 {
        let (power, slope) = self.power(sum);
        let missing = 1.0 - f64::from(self.most);
        let share = if missing <= 0.0 {
            1.0
        } else if power > 0.0 {
            (-power).exp() / ((-power).exp() + missing)
        } else {
            1.0 / (1.0 + missing * power.exp())
        };
        share * slope / f64::from(Calibration::COMMON.steepness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve_of(calibration: Calibration) -> ScoreCurve {
        let Calibration { steepness, middle, most } = calibration;
        ScoreCurve { steepness, middle, most }
    }

    #[test]
    fn a_common_sum_has_the_score_of_the_sum() {
        for &source in SourceName::ALL {
            for coverage in [0.0, 0.5, 1.0] {
                let own = Calibration::of(source, coverage);
                let curve = curve_of(own);
                for sum in [-4.0_f32, 0.0, 1.5, 2.5, 4.9, 5.5, 7.0] {
                    let common = curve.common_sum(f64::from(sum));
                    let expected = Calibration::COMMON.raw(own.score(sum));
                    assert!(
                        (common - f64::from(expected)).abs() < 2e-3,
                        "{source} {coverage} {sum}: {common}, not {expected}"
                    );
                    let at = f64::from(sum);
                    let rise = (curve.common_sum(at + 1e-5) - curve.common_sum(at - 1e-5)) / 2e-5;
                    assert!(
                        (rise - curve.common_slope(at)).abs() < 1e-3,
                        "{source} {coverage} {sum}: {rise}"
                    );
                }
            }
        }
        assert!((ScoreCurve::COMMON.common_sum(7.25) - 7.25).abs() < 1e-6);
        // Extreme sums give finite numbers, too.
        for sum in [-1e6, 1e6] {
            for curve in [ScoreCurve::COMMON, curve_of(Calibration::of(SourceName::Git, 0.3))] {
                assert!(curve.common_sum(sum).is_finite(), "{curve:?} at {sum}");
                assert!(curve.common_slope(sum).is_finite(), "{curve:?} at {sum}");
            }
        }
    }

    #[test]
    fn every_curve_rises_without_a_jump_inside_its_range() {
        for &source in SourceName::ALL {
            for coverage in [0.0, 0.3, 1.0] {
                let calibration = Calibration::of(source, coverage);
                let mut before = calibration.score(-6.0);
                assert!(0.0 < before, "{source}");
                for step in -599_i16..=800 {
                    let score = calibration.score(f32::from(step) / 100.0);
                    assert!(before < score, "{source} at {step}: {before} then {score}");
                    assert!(score - before < 0.006, "{source} jumps at {step}");
                    assert!(score <= 1.0, "{source} at {step}");
                    before = score;
                }
            }
        }
    }

    #[test]
    fn what_is_right_as_often_scores_alike() {
        let score = |source, sum: f32| Calibration::of(source, 1.0).score(sum);
        let cases = [
            // With these sums they are right as often as a file of code with 2.0.
            (SourceName::Code, 2.0, 0.5),
            (SourceName::Docs, 2.07, 0.5),
            (SourceName::Specs, 1.83, 0.5),
            (SourceName::Tickets, 1.94, 0.5),
            // No queries are judged for these: the curve is that of code.
            (SourceName::Git, 2.0, 0.5),
        ];
        for (source, sum, expected) in cases {
            assert!((score(source, sum) - expected).abs() < 1e-6, "{source} at {sum}");
        }
        assert!(score(SourceName::Specs, 2.5) > score(SourceName::Code, 2.5));
    }

    #[test]
    fn without_judgements_a_source_counts_for_what_its_best_hit_holds() {
        let half = Calibration::of(SourceName::Git, 0.5);
        let whole = Calibration::of(SourceName::Git, 1.0);
        assert!((half.score(4.0) - whole.score(4.0) / 2.0).abs() < 1e-6);
        assert!(half.score(9.0) <= 0.5, "no commit exceeds what the best one holds");
        let judged = Calibration::of(SourceName::Docs, 0.5);
        assert_eq!(judged, Calibration::of(SourceName::Docs, 1.0), "docs were judged");
    }

    #[test]
    fn the_common_curve_has_a_way_back() {
        for score in [0.01, 0.36, 0.5, 0.9] {
            let sum = Calibration::COMMON.raw(score);
            assert!((Calibration::COMMON.score(sum) - score).abs() < 1e-4, "{score}");
        }
    }
}
