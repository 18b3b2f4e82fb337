//! Comments, attributes and decorators that precede a definition and belong to it.

use std::{cmp::Reverse, ops::Range};

use crate::{
    comments,
    limits::{MAX_DOC_COMMENT_LEN, MAX_LEADING},
    line_table::LineTable,
};

/// A comment or attribute that is alone on its lines.
struct Mark {
    range: Range<usize>,
    /// First and last line, from 0.
    first_line: usize,
    last_line: usize,
    is_comment: bool,
    /// True if nothing follows on its last line.
    alone: bool,
}

/// Comments and attributes that may precede definitions.
pub(crate) struct Leading {
    /// Those that are alone on their lines, ordered.
    marks: Vec<Mark>,
    /// All attributes, ordered.
    attributes: Vec<Range<usize>>,
}

/// Start of a definition with its leading marks.
pub(crate) struct Head {
    /// First line that belongs to the definition.
    pub(crate) first_line: usize,
    /// Indices of the marks that lead it.
    pub(crate) marks: Range<usize>,
}

impl Leading {
    pub(crate) fn new(
        text: &str,
        lines: &LineTable,
        comments: &[Range<usize>],
        attributes: Vec<Range<usize>>,
    ) -> Leading {
        let comments = comments.iter().map(|range| (range, true));
        let mut marks: Vec<Mark> = comments
            .chain(attributes.iter().map(|range| (range, false)))
            .filter_map(|(range, is_comment)| {
                // Some grammars include the line end in a comment.
                let content = text[range.clone()].trim_end();
                let range = range.start..range.start + content.len();
                let first_line = lines.line_of(range.start);
                let before = &text[lines.start(first_line)..range.start];
                let inner =
                    is_comment && (content.starts_with("//!") || content.starts_with("/*!"));
                let last_line = lines.line_after(&range) - 1;
                let after = text[range.end..lines.start(last_line + 1).max(range.end)].trim();
                (before.trim().is_empty() && !range.is_empty() && !inner).then_some(Mark {
                    first_line,
                    last_line,
                    is_comment,
                    alone: after.is_empty(),
                    range,
                })
            })
            .collect();
        marks.sort_by_key(|mark| (mark.range.start, Reverse(mark.range.end)));
        marks.dedup_by_key(|mark| mark.range.start);
        let mut attributes = attributes;
        attributes.sort_by_key(|range| range.start);
        Leading { marks, attributes }
    }

    /// Finds the marks directly above a definition: no code in between, and no empty line except
    /// after documentation.
    pub(crate) fn head(&self, text: &str, lines: &LineTable, definition: &Range<usize>) -> Head {
        let end = self.marks.partition_point(|mark| mark.range.end <= definition.start);
        let mut first_line = lines.line_of(definition.start);
        let mut first = end;
        for mark in self.marks[..end].iter().rev().take(MAX_LEADING) {
            let is_doc = mark.is_comment && comments::is_documentation(&text[mark.range.clone()]);
            let apart = is_doc
                && mark.last_line + 2 == first_line
                && lines.text(text, first_line - 1).trim().is_empty();
            let adjacent = mark.alone && (mark.last_line + 1 == first_line || apart);
            if !adjacent && mark.last_line != first_line {
                break;
            }
            first_line = mark.first_line;
            first -= 1;
        }
        Head { first_line, marks: first..end }
    }

    /// Start of a declaration after the attributes that the grammar includes in it.
    pub(crate) fn after_attributes(&self, text: &str, definition: &Range<usize>) -> usize {
        let mut start = definition.start;
        let first = self.attributes.partition_point(|range| range.start < definition.start);
        for attribute in &self.attributes[first..] {
            if attribute.start < start {
                // An attribute nested in the previous one.
                continue;
            }
            if attribute.end > definition.end || !text[start..attribute.start].trim().is_empty() {
                break;
            }
            start = attribute.end;
        }
        start
    }

    /// The text of the comments that lead a definition. If some are marked as documentation, the
    /// others are ignored.
    pub(crate) fn doc(&self, text: &str, marks: Range<usize>) -> Option<String> {
        let comments: Vec<&str> = self.marks[marks]
            .iter()
            .filter(|mark| mark.is_comment)
            .map(|mark| &text[mark.range.clone()])
            .collect();
        let documents = comments.iter().any(|comment| comments::is_documentation(comment));
        let mut doc = String::new();
        for comment in comments {
            if (documents && !comments::is_documentation(comment))
                || doc.len() >= MAX_DOC_COMMENT_LEN
            {
                continue;
            }
            if !doc.is_empty() {
                doc.push('\n');
            }
            doc.push_str(&comments::strip(comment, MAX_DOC_COMMENT_LEN));
        }
        let doc = doc.trim();
        (!doc.is_empty()).then(|| doc.to_owned())
    }
}
