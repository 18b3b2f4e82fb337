//! Cuts lines at the best boundaries: after empty lines, at low indentation, near a size.

use std::ops::Range;

use crate::{limits::LINES_TARGET, line_table::LineTable, outline::Outline, pieces::Piece};

/// Cost of a distance of one target from the target size, in the unit of preferences.
const DISTANCE: f32 = 2.0;
/// Gain of a cut after an empty line.
const AFTER_EMPTY_LINE: f32 = 2.0;
/// Gain of a cut before a definition: more than the cost at the edge of the window.
const AT_DEFINITION: f32 = 3.0;
/// Cost of each column of indentation.
const COLUMN: f32 = 0.08;
/// Maximum number of columns of indentation that count.
const MAX_COLUMNS: usize = 24;
/// Cost of a closing bracket after a cut.
const CLOSING: f32 = 1.5;

/// Cuts a text without a grammar into pieces, preferably at its definitions.
pub(crate) fn cut(text: &str, lines: &LineTable, outline: &Outline) -> Vec<Piece> {
    let begins_definition = |line: usize| {
        let definitions = &outline.definitions;
        let index = definitions.partition_point(|found| found.lines.start < line);
        definitions.get(index).is_some_and(|found| found.lines.start == line)
    };
    let preferred = |line: usize| {
        preference(text, lines, line) + if begins_definition(line) { AT_DEFINITION } else { 0.0 }
    };
    split(lines, 0..lines.count(), LINES_TARGET, preferred)
        .into_iter()
        .map(|lines| Piece { lines, owner: None, is_definition: false })
        .collect()
}

/// Preference for a cut before a line.
pub(crate) fn preference(text: &str, lines: &LineTable, line: usize) -> f32 {
    let content = lines.text(text, line);
    let trimmed = content.trim_start();
    if trimmed.is_empty() {
        // Cut after the empty lines instead.
        return -CLOSING;
    }
    let columns = (content.len() - trimmed.len()).min(MAX_COLUMNS);
    let mut preference = -COLUMN * columns as f32;
    if line > 0 && lines.text(text, line - 1).trim().is_empty() {
        preference += AFTER_EMPTY_LINE;
    }
    if trimmed.starts_with(['}', ')', ']']) || trimmed.starts_with("end") {
        preference -= CLOSING;
    }
    preference
}

/// Cuts some lines into ranges of about `target` bytes, each at the cut with the highest preference
/// minus the cost of the distance. A line is never cut.
pub(crate) fn split(
    lines: &LineTable,
    range: Range<usize>,
    target: usize,
    preference: impl Fn(usize) -> f32,
) -> Vec<Range<usize>> {
    let largest = target + target / 2;
    let mut ranges = Vec::new();
    let mut start = range.start;
    while start < range.end {
        if lines.size(&(start..range.end)) <= largest {
            ranges.push(start..range.end);
            break;
        }
        let mut best: Option<(usize, f32)> = None;
        for line in start + 1..range.end {
            let size = lines.size(&(start..line));
            if size > largest {
                // The next line makes the piece too large: end it here, even if it is small.
                best = best.or(Some((if line > start + 1 { line - 1 } else { line }, 0.0)));
                break;
            }
            if size < target / 2 {
                continue;
            }
            let distance = size.abs_diff(target) as f32 / target as f32;
            let score = preference(line) - DISTANCE * distance;
            if best.is_none_or(|(_, highest)| score > highest) {
                best = Some((line, score));
            }
        }
        let end = best.map_or(range.end, |(line, _)| line);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::{preference, split};
    use crate::line_table::LineTable;

    #[test]
    fn cuts_after_empty_lines_and_never_inside_a_line() {
        let check = |text: &str, target: usize, expected: &[&str]| {
            let lines = LineTable::new(text);
            let ranges =
                split(&lines, 0..lines.count(), target, |line| preference(text, &lines, line));
            let pieces: Vec<&str> = ranges.iter().map(|range| &text[lines.bytes(range)]).collect();
            assert_eq!(pieces, expected);
        };
        check("aaaa\nbbbb\n\ncccc\ndddd\n", 10, &["aaaa\nbbbb\n\n", "cccc\ndddd\n"]);
        check("a {\n  b\n}\nc {\n  d\n}\n", 10, &["a {\n  b\n}\n", "c {\n  d\n}\n"]);
        check("short\n", 10, &["short\n"]);
        let long = format!("{}\nb\n", "x".repeat(50));
        check(&long, 10, &[&long[..51], "b\n"]);
        check("", 10, &[]);
    }
}
