//! Splits a text that should be JSON into records, by brackets alone, so that a broken record, or
//! one nested too deep for the parser, does not affect the others.
//!
//! Four forms are in use: one object per line, a list of objects, several lists in a row, and an
//! object around the list (`{"issues": [...]}`, as in API responses).

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
