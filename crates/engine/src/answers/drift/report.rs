//! The order of findings, and their columns.

use super::DriftFinding;

/// Sorts findings by path and position, and removes repeated ones.
pub(super) fn sorted(mut findings: Vec<DriftFinding>) -> Vec<DriftFinding> {
    findings.sort_by(|left, right| {
        let key =
            |finding: &DriftFinding| (finding.line, finding.column, finding.state, finding.kind);
        left.path.cmp(&right.path).then(key(left).cmp(&key(right)))
    });
    findings.dedup_by(|later, earlier| {
        later.path == earlier.path && later.line == earlier.line && later.name == earlier.name
    });
    findings
}

/// The 1-based column of a byte offset, in characters.
pub(super) fn column(text: &str, offset: usize) -> usize {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    text[start..offset].chars().count() + 1
}
