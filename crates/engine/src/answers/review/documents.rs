//! Statements in documents that a change makes untrue, as findings.

use crate::{DriftFinding, DriftState, ReviewFinding, ReviewKind, WhyCertainty};

/// Returns a finding of the check of documents as one of the review.
pub(super) fn finding(drift: &DriftFinding) -> ReviewFinding {
    let now = drift.replacement.as_ref().map_or_else(String::new, |now| format!(" to {now}"));
    ReviewFinding {
        support: None,
        kind: ReviewKind::Document,
        path: Some(drift.path.clone()),
        line: u32::try_from(drift.line).ok(),
        name: drift.name.clone(),
        subject: drift.name.clone(),
        evidence: format!("states {}, which is {}{now}", drift.text, drift.state.as_str()),
        quote: String::new(),
        certainty: match drift.state {
            DriftState::Unknown => WhyCertainty::Possible,
            _ => WhyCertainty::Certain,
        },
    }
}
