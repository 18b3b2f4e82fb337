//! The places of failures, gathered by the definitions that they lie in, and how they are told.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    rc::Rc,
};

use lore_failures::{Failure, one_line};

use super::sites::{Read, Resolved, Site, Sites};
use crate::EngineError;

/// Longest name of a failure in a reason, in letters.
const LONGEST_NAME: usize = 80;

/// A definition, or a stretch of lines, that places lie in.
pub(super) struct Group {
    /// The innermost place.
    pub(super) site: Site,
    /// Its document.
    pub(super) text: Rc<Read>,
    /// The lines of all its places.
    pub(super) lines: BTreeSet<u32>,
    /// For each failure, the numbers of its places, from 1.
    pub(super) numbers: BTreeMap<usize, Vec<usize>>,
    /// What was written of the innermost place, if that moved.
    pub(super) was: Option<String>,
}

/// The definitions that places lie in, each once: the innermost place of every failure first, then
/// the next ones.
pub(super) fn groups(
    resolved: &[Vec<Resolved>],
    sites: &mut Sites<'_>,
) -> Result<Vec<Group>, EngineError> {
    // Position among the places in the tree, failure, number of the place.
    let mut order: Vec<(usize, usize, usize, &Site)> = Vec::new();
    for (failure, of_failure) in resolved.iter().enumerate() {
        let mut depth = 0;
        for (at, one) in of_failure.iter().enumerate() {
            if let Resolved::Site(site) = one {
                order.push((depth, failure, at + 1, site));
                depth += 1;
            }
        }
    }
    order.sort_by_key(|(depth, failure, number, _)| (*depth, *failure, *number));
    let mut groups: Vec<Group> = Vec::new();
    for (_, failure, number, site) in order {
        let is_same = |group: &&mut Group| {
            let lines =
                |site: &Site| site.symbol.as_ref().map(|symbol| (symbol.start_line, symbol.line));
            group.site.document == site.document
                && match (lines(&group.site), lines(site)) {
                    (None, None) => near(group.site.line, site.line),
                    (left, right) => left == right,
                }
        };
        if let Some(group) = groups.iter_mut().find(is_same) {
            group.lines.extend(site.line);
            group.numbers.entry(failure).or_default().push(number);
            continue;
        }
        let Some(text) = sites.text(site.document)? else { continue };
        groups.push(Group {
            site: site.clone(),
            text,
            lines: site.line.into_iter().collect(),
            numbers: BTreeMap::from([(failure, vec![number])]),
            was: site.was.clone(),
        });
    }
    Ok(groups)
}

/// Whether two lines outside of definitions are shown by one window.
fn near(left: Option<u32>, right: Option<u32>) -> bool {
    left.zip(right).is_none_or(|(left, right)| left.abs_diff(right) < 6)
}

/// What is called in reasons: the definition, or its place.
pub(super) fn titled(group: &Group) -> String {
    match (&group.site.symbol, group.site.line) {
        (Some(symbol), _) => symbol.name.clone(),
        (None, Some(line)) => format!("{}:{line}", group.site.path),
        (None, None) => group.site.path.clone(),
    }
}

/// `frame 1`, `frames 1, 3`, `failure 2, frame 1`.
pub(super) fn numbered(group: &Group, failures: usize) -> String {
    let (failure, numbers) = group.numbers.first_key_value().expect("a group has a place");
    let word = if numbers.len() == 1 { "frame" } else { "frames" };
    let shown: Vec<String> = numbers.iter().take(5).map(usize::to_string).collect();
    let more = if numbers.len() > shown.len() { " …" } else { "" };
    let frames = format!("{word} {}{more}", shown.join(", "));
    if failures > 1 { format!("failure {}, {frames}", failure + 1) } else { frames }
}

/// The failure, or the cause of it, that the place of a number belongs to.
fn part_of(failure: &Failure, number: usize) -> &Failure {
    let mut before = 0;
    for one in failure.causes.iter().rev() {
        before += one.frames.len();
        if number <= before {
            return one;
        }
    }
    failure
}

/// Why a span is in the answer: `frame 1 of 7: ValueError: no parts`.
pub(super) fn reason(group: &Group, failures: &[Failure], totals: &[usize]) -> String {
    let (failure, numbers) = group.numbers.first_key_value().expect("a group has a place");
    let first = numbers.first().copied().unwrap_or(1);
    let told = one_line(&part_of(&failures[*failure], first).summary());
    let mut name: String = told.chars().take(LONGEST_NAME).collect();
    if name.len() < told.len() {
        name.push('…');
    }
    let mut reason = format!("{} of {}: {name}", numbered(group, failures.len()), totals[*failure]);
    let others = group.numbers.len() - 1;
    if others > 0 {
        let word = if others == 1 { "failure" } else { "failures" };
        let _ = write!(reason, ", and {others} more {word}");
    }
    if let Some(was) = &group.was {
        let _ = write!(reason, "; was {was}");
    }
    reason
}
