//! Splits a text that should be JSON into records, by brackets alone, so that a broken record, or
//! one nested too deep for the parser, does not affect the others.
//!
//! Four forms are in use: one object per line, a list of objects, several lists in a row, and an
//! object around the list (`{"issues": [...]}`, as in API responses).

use std::collections::HashMap;

use crate::value::{Fields, Value};

/// Names that APIs give to the list of records and to the objects around it.
const WRAPPERS: &[&str] =
    &["data", "issues", "items", "nodes", "repository", "results", "search", "values"];

/// Records of a text, as unparsed slices of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Records<'a> {
    /// Texts of the records in order; the last one may be truncated.
    pub(crate) texts: Vec<&'a str>,
    /// Number of list items that are not objects.
    pub(crate) strays: u64,
}

/// An open bracket.
struct Level {
    /// True if it may contain records: it is a list of records, or an object around the list.
    is_wrapper: bool,
    is_list: bool,
}

/// Finds the records of a text. Time and memory are linear in its length; nesting does not recurse.
pub(crate) fn records(text: &str) -> Records<'_> {
    let mut records = Records::default();
    let mut levels: Vec<Level> = Vec::new();
    // Start of the open record, and the number of brackets that were open before it.
    let mut open: Option<(usize, usize)> = None;
    // Start of the outermost object, until a list is found in it.
    let mut outermost: Option<usize> = None;
    let (mut last_text, mut name) = ("", "");
    let mut is_item_due = false;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let in_list =
            open.is_none() && levels.last().is_some_and(|level| level.is_wrapper && level.is_list);
        if in_list && is_item_due && !byte.is_ascii_whitespace() && !b"[]{},".contains(&byte) {
            records.strays += 1;
            is_item_due = false;
        }
        match byte {
            // Anything may occur between records, such as conflict markers.
            b'"' if !levels.is_empty() => {
                let end = end_of_string(bytes, at + 1);
                last_text = text.get(at + 1..end).unwrap_or_default();
                at = end;
            }
            b':' => name = last_text,
            b',' => is_item_due = true,
            b'[' | b'{' => {
                let is_list = byte == b'[';
                let parent = levels.last();
                let is_wrapper = open.is_none()
                    && match parent {
                        None => true,
                        Some(parent) if parent.is_list => parent.is_wrapper && is_list,
                        Some(parent) => parent.is_wrapper && WRAPPERS.contains(&name),
                    };
                if !is_list && in_list {
                    open = Some((at, levels.len()));
                } else if parent.is_none() && !is_list {
                    outermost = Some(at);
                } else if is_list && is_wrapper {
                    outermost = None;
                }
                is_item_due = is_list;
                levels.push(Level { is_wrapper, is_list });
            }
            b']' | b'}' if !levels.is_empty() => {
                levels.pop();
                is_item_due = false;
                let ended = match open {
                    Some((start, depth)) if levels.len() <= depth => Some(start),
                    _ if levels.is_empty() => outermost.take(),
                    _ => None,
                };
                if let Some(start) = ended {
                    records.texts.push(&text[start..=at]);
                    open = None;
                }
            }
            _ => {}
        }
        at += 1;
    }
    records.texts.extend(open.map(|(start, _)| start).or(outermost).map(|start| &text[start..]));
    records
}

/// Returns the end of a string whose content starts at `at`: its quote, the end of the line
/// (strings contain no line ends), or the end of the text.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\n' => return at,
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// First and last line of a record, from 1.
pub(crate) type RecordLines = (u32, u32);

/// Returns the lines of a part of a text, from 1.
pub(crate) struct LineCounter<'a> {
    text: &'a str,
    /// Offset up to which lines were counted, and the line there.
    at: usize,
    line: u32,
}

impl<'a> LineCounter<'a> {
    pub(crate) fn new(text: &'a str) -> LineCounter<'a> {
        LineCounter { text, at: 0, line: 1 }
    }

    /// Returns the lines of a slice of the text. Fast if the slices are in the order of the text.
    pub(crate) fn lines_of(&mut self, part: &str) -> Option<RecordLines> {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let is_inside = start.checked_add(part.len())? <= self.text.len();
        is_inside.then(|| (self.line_at(start), self.line_at(start + part.len())))
    }

    /// Returns the line of an offset.
    fn line_at(&mut self, offset: usize) -> u32 {
        if offset < self.at {
            (self.at, self.line) = (0, 1);
        }
        let passed = &self.text.as_bytes()[self.at..offset];
        let breaks = passed.split(|byte| *byte == b'\n').count() - 1;
        self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.at = offset;
        self.line
    }
}

/// Maximum depth of the objects whose lines are found.
const MAX_DEPTH: usize = 32;

/// Returns the lines of the objects in the lists of a JSON text, by the path to each: names and
/// positions from 0, joined by `/`. Names are compared as written, without decoding escapes.
pub(crate) fn object_lines(text: &str) -> HashMap<String, RecordLines> {
    struct Open<'a> {
        is_list: bool,
        name: &'a str,
        position: usize,
        first_line: u32,
    }
    let mut found = HashMap::new();
    let mut levels: Vec<Open<'_>> = Vec::new();
    let (mut last_text, mut name) = ("", "");
    let (mut line, mut at) = (1_u32, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => line = line.saturating_add(1),
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                last_text = text.get(at + 1..end).unwrap_or_default();
                at = if bytes.get(end) == Some(&b'\n') { end - 1 } else { end };
            }
            b':' => name = last_text,
            b',' => {
                if let Some(level) = levels.last_mut() {
                    level.position += 1;
                }
            }
            byte @ (b'[' | b'{') => {
                levels.push(Open { is_list: byte == b'[', name, position: 0, first_line: line });
            }
            b']' | b'}' => {
                let Some(closed) = levels.pop() else { break };
                let is_item = levels.last().is_some_and(|level| level.is_list);
                if !closed.is_list && is_item && levels.len() <= MAX_DEPTH {
                    let names = levels.windows(2).map(|pair| {
                        if pair[0].is_list {
                            pair[0].position.to_string()
                        } else {
                            pair[1].name.to_owned()
                        }
                    });
                    let position = levels.last().map(|level| level.position.to_string());
                    let path = names.chain(position).collect::<Vec<_>>().join("/");
                    found.insert(path, (closed.first_line, line));
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Parses a record; `None` if it is not a JSON object.
pub(crate) fn parse(record: &str) -> Option<Fields> {
    match serde_json::from_str(record.trim_end_matches(',')) {
        Ok(Value::Map(fields)) => Some(fields),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_in_lists_have_paths_and_lines() {
        let text = "{\n \"a\": {\"tasks\": [\n  {\"id\": 1, \"t\": \"x, [{ \\\" \"},\n  7,\n  {\"id\": 2,\n   \"subtasks\": [{\"id\": 3}]\n  }\n ]},\n \"tasks\": [[{}]]\n}\n";
        let mut found: Vec<_> = object_lines(text).into_iter().collect();
        found.sort();
        let found: Vec<_> = found.iter().map(|(path, lines)| (path.as_str(), *lines)).collect();
        assert_eq!(
            found,
            [
                ("a/tasks/0", (3, 3)),
                ("a/tasks/2", (5, 7)),
                ("a/tasks/2/subtasks/0", (6, 6)),
                ("tasks/0/0", (9, 9)),
            ]
        );
        for broken in ["", "]", "{\"a\": [{", "[\"", "[\"\n"] {
            assert!(object_lines(broken).is_empty(), "{broken}");
        }
    }

    #[test]
    fn lines_of_parts_are_counted_in_any_order() {
        let text = "a\nbb\ncc\n";
        let mut counter = LineCounter::new(text);
        for (range, expected) in [(5..7, (3, 3)), (0..1, (1, 1)), (2..7, (2, 3)), (8..8, (4, 4))] {
            assert_eq!(counter.lines_of(&text[range.clone()]), Some(expected), "{range:?}");
        }
        assert_eq!(counter.lines_of("elsewhere"), None);
    }

    #[test]
    fn records_are_found_in_every_form() {
        let cases: &[(&str, &[&str])] = &[
            (r#"[{"a": 1}, {"b": [{"c": 2}]}]"#, &[r#"{"a": 1}"#, r#"{"b": [{"c": 2}]}"#]),
            ("{\"a\": 1}\n{\"a\": 2}\n", &[r#"{"a": 1}"#, r#"{"a": 2}"#]),
            (r#"[{"a": 1}][{"a": 2}]"#, &[r#"{"a": 1}"#, r#"{"a": 2}"#]),
            (r#"[[{"a": 1}], [{"a": 2}]]"#, &[r#"{"a": 1}"#, r#"{"a": 2}"#]),
            (r#"{"total": 2, "issues": [{"a": 1}], "x": [{"y": 1}]}"#, &[r#"{"a": 1}"#]),
            (r#"{"data": {"search": {"nodes": [{"a": 1}]}}}"#, &[r#"{"a": 1}"#]),
            // A single object, whatever lists it contains.
            (r#"{"labels": [{"nodes": [{}]}]}"#, &[r#"{"labels": [{"nodes": [{}]}]}"#]),
            (r#"[{"t": "a \" ] } \\"}]"#, &[r#"{"t": "a \" ] } \\"}"#]),
            ("<<<<<<< HEAD\n{\"a\": 1}\n=======\n>>>>>>> \"x", &[r#"{"a": 1}"#]),
            (r#"[{"a": 1}, {"b": "#, &[r#"{"a": 1}"#, r#"{"b": "#]),
            ("[]", &[]),
            ("]} \"{\" x", &["{\" x"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(records(text).texts, *expected, "{text}");
        }
        assert_eq!(records(r#"[1, {"a": 2}, "x,y", null, [3], {}]"#).strays, 4);
    }
}
