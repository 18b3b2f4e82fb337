//! The failures of a log, for people.

use lore_engine::{Failure, FailureReport};

use super::{count, plural};

/// Maximum number of failures with a line of their own.
const MAX_LINES: usize = 5;

/// The number of failures and of resolved frames, on one line.
pub fn summary(report: &FailureReport) -> String {
    if report.failures.is_empty() {
        return "no failure recognised".to_owned();
    }
    let failures = (report.failures.len() + report.beyond) as u64;
    let mut parts = vec![format!("{} in the tree", count(report.in_tree as u64))];
    let others = [
        (report.outside, "outside"),
        (report.unresolved, "unresolved"),
        (report.relocated, "relocated"),
    ];
    for (number, outcome) in others.into_iter().filter(|(number, _)| *number > 0) {
        parts.push(format!("{} {outcome}", count(number as u64)));
    }
    format!("{}; frames: {}", plural(failures, "failure", "failures"), parts.join(", "))
}

/// The failures, one line each: type and message, test, number of occurrences.
pub fn lines(report: &FailureReport) -> Vec<String> {
    let mut lines: Vec<String> = report.failures.iter().take(MAX_LINES).map(line).collect();
    let more = report.failures.len().saturating_sub(MAX_LINES) + report.beyond;
    if more > 0 {
        lines.push(format!("and {}", plural(more as u64, "more failure", "more failures")));
    }
    lines
}

fn line(failure: &Failure) -> String {
    let mut about = vec![failure.family.to_owned()];
    about.extend(failure.test.as_ref().map(|test| format!("test {test}")));
    if failure.count > 1 {
        about.push(format!("{} times", count(failure.count as u64)));
    }
    let mut line = format!("{} ({})", failure.summary(), about.join(", "));
    for cause in &failure.causes {
        line.push_str(" ← ");
        line.push_str(&cause.summary());
    }
    line
}
