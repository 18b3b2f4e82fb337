//! Reads the statements of a text.

use std::ops::Range;

use crate::{
    ignore::{Ignored, ignored},
    kinds::KINDS,
    segments::{Segment, segments},
    statement::{Kind, Statement, TextFormat},
};

/// Maximum number of statements that are read from one text.
const MAX_STATEMENTS: usize = 50_000;

/// Maximum length of a line in bytes; longer lines are data.
const MAX_LINE_LEN: usize = 2_000;

/// Statement found in a segment, before it has its position in the text.
pub(crate) struct Located {
    /// Byte range in the segment.
    pub(crate) range: Range<usize>,
    pub(crate) names: Vec<String>,
    pub(crate) details: Vec<String>,
}

impl Located {
    pub(crate) fn new(range: Range<usize>, name: impl Into<String>) -> Located {
        Located { range, names: vec![name.into()], details: Vec::new() }
    }
}

/// Returns the statements of a text in order, without those that a comment suppresses.
///
/// A part of the text belongs to at most one statement, except for the parts of messages and
/// signatures, which are also read on their own.
pub fn read(text: &str, format: TextFormat) -> Vec<Statement> {
    let skipped = match ignored(text) {
        Ignored::File => return Vec::new(),
        Ignored::Lines(lines) => lines,
    };
    let mut statements = Vec::new();
    for segment in segments(text, format) {
        if segment.whole.len() > MAX_LINE_LEN || skipped.contains(&segment.line) {
            continue;
        }
        read_segment(&segment, &mut statements);
        if statements.len() >= MAX_STATEMENTS {
            break;
        }
    }
    statements.sort_by_key(|statement| (statement.range.start, statement.kind));
    statements
}

fn read_segment(segment: &Segment<'_>, statements: &mut Vec<Statement>) {
    let mut taken: Vec<Range<usize>> = Vec::new();
    for (kind, find) in KINDS {
        for found in find(segment) {
            let overlaps = |other: &Range<usize>| {
                other.start < found.range.end && found.range.start < other.end
            };
            if taken.iter().any(overlaps) {
                continue;
            }
            if !matches!(kind, Kind::Message | Kind::Signature | Kind::Version) {
                taken.push(found.range.clone());
            }
            let range = segment.start + found.range.start..segment.start + found.range.end;
            statements.push(Statement {
                kind: *kind,
                text: segment.text[found.range].to_owned(),
                names: found.names,
                details: found.details,
                line: segment.line + 1,
                range,
                place: segment.place,
                in_table: segment.in_table,
            });
        }
    }
}

#[cfg(test)]
mod tests;
