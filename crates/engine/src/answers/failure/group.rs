//! Groups the frames of failures by the definitions that contain them, and describes the groups.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    rc::Rc,
};

use lore_failures::{Failure, one_line};

use crate::{
    EngineError,
    search::sites::{DocumentText, Resolved, Site, Sites},
};

/// Maximum length of a failure's name in a reason, in characters.
const MAX_NAME_LEN: usize = 80;

/// A definition, or a range of lines, that contains frames.
pub(super) struct Group {
    /// The innermost frame.
    pub(super) site: Site,
    /// Its document.
    pub(super) text: Rc<DocumentText>,
    /// The lines of all its frames.
    pub(super) lines: BTreeSet<u32>,
    /// Per failure: the numbers of its frames, starting at 1.
    pub(super) numbers: BTreeMap<usize, Vec<usize>>,
    /// The innermost frame as written, if its code moved.
    pub(super) was: Option<String>,
}

/// Returns the definitions that contain the frames, without duplicates: first the innermost frame
/// of every failure, then the next ones.
pub(super) fn groups(
    resolved: &[Vec<Resolved>],
    sites: &mut Sites<'_>,
) -> Result<Vec<Group>, EngineError> {
    // Depth among the frames in the tree, failure, number of the frame.
    let mut order: Vec<(usize, usize, usize, &Site)> = Vec::new();
    for (failure, of_failure) in resolved.iter().enumerate() {
        let mut depth = 0;
        for (at, resolution) in of_failure.iter().enumerate() {
            if let Resolved::Site(site) = resolution {
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

/// Returns true if two lines outside definitions fit into one window.
fn near(left: Option<u32>, right: Option<u32>) -> bool {
    left.zip(right).is_none_or(|(left, right)| left.abs_diff(right) < 6)
}

/// Returns the name of the group in reasons: the definition, or its position.
pub(super) fn titled(group: &Group) -> String {
    match (&group.site.symbol, group.site.line) {
        (Some(symbol), _) => symbol.name.clone(),
        (None, Some(line)) => format!("{}:{line}", group.site.path),
        (None, None) => group.site.path.clone(),
    }
}

/// Returns the numbers of the frames: `frame 1`, `frames 1, 3`, `failure 2, frame 1`.
pub(super) fn numbered(group: &Group, failures: usize) -> String {
    let (failure, numbers) = group.numbers.first_key_value().expect("a group has a place");
    let word = if numbers.len() == 1 { "frame" } else { "frames" };
    let shown: Vec<String> = numbers.iter().take(5).map(usize::to_string).collect();
    let more = if numbers.len() > shown.len() { " …" } else { "" };
    let frames = format!("{word} {}{more}", shown.join(", "));
    if failures > 1 { format!("failure {}, {frames}", failure + 1) } else { frames }
}

/// Returns the failure, or its cause, that contains the frame with a number.
fn part_of(failure: &Failure, number: usize) -> &Failure {
    let mut before = 0;
    for part in failure.causes.iter().rev() {
        before += part.frames.len();
        if number <= before {
            return part;
        }
    }
    failure
}

/// Returns the reason for a span: `frame 1 of 7: ValueError: no parts`.
pub(super) fn reason(group: &Group, failures: &[Failure], totals: &[usize]) -> String {
    let (failure, numbers) = group.numbers.first_key_value().expect("a group has a place");
    let first = numbers.first().copied().unwrap_or(1);
    let summary = one_line(&part_of(&failures[*failure], first).summary());
    let mut name: String = summary.chars().take(MAX_NAME_LEN).collect();
    if name.len() < summary.len() {
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
