//! The records of a text that ought to be JSON: found by brackets alone, so that a record that is
//! broken, or nested too deep for the parser, takes none of the others with it.
//!
//! Four shapes are in use: one object a line, a list of objects, several of them one after the
//! other, and an object around the list (`{"issues": [...]}`, as APIs answer).

use crate::value::{Fields, Value};

/// Names that APIs give to what lies around the list of records, and to the list itself.
const WRAPPERS: &[&str] =
    &["data", "issues", "items", "nodes", "repository", "results", "search", "values"];

/// The records of a text, as they stand in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Records<'a> {
    /// Their texts in order; the last one may be cut short.
    pub(crate) texts: Vec<&'a str>,
    /// How many items of the lists are no objects.
    pub(crate) strays: u64,
}

/// A bracket that is open.
struct Level {
    /// Whether what lies in it may be records: a list of them, or an object around the list.
    is_wrapper: bool,
    is_list: bool,
}

/// Finds the records of a text. Time and memory are linear in its length; nesting is no recursion.
pub(crate) fn records(text: &str) -> Records<'_> {
    let mut records = Records::default();
    let mut levels: Vec<Level> = Vec::new();
    // Where the record that is open starts, and how many brackets were open before it.
    let mut open: Option<(usize, usize)> = None;
    // Where the outermost object starts, as long as no list was found in it.
    let mut outermost: Option<usize> = None;
    let (mut last_text, mut name) = ("", "");
    let mut is_item_due = false;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let in_list = open.is_none() && levels.last().is_some_and(|it| it.is_wrapper && it.is_list);
        if in_list && is_item_due && !byte.is_ascii_whitespace() && !b"[]{},".contains(&byte) {
            records.strays += 1;
            is_item_due = false;
        }
        match byte {
            // Between the records anything may stand, such as the marks of a conflict.
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

/// Where a string ends whose content starts at `at`: at its quote, at the end of its line (a line
/// end stands in no string), or with the text.
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

/// The fields of a record; `None` for what is no JSON object.
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
    fn every_shape_gives_its_records() {
        let cases: &[(&str, &[&str])] = &[
            (r#"[{"a": 1}, {"b": [{"c": 2}]}]"#, &[r#"{"a": 1}"#, r#"{"b": [{"c": 2}]}"#]),
            ("{\"a\": 1}\n{\"a\": 2}\n", &[r#"{"a": 1}"#, r#"{"a": 2}"#]),
            (r#"[{"a": 1}][{"a": 2}]"#, &[r#"{"a": 1}"#, r#"{"a": 2}"#]),
            (r#"[[{"a": 1}], [{"a": 2}]]"#, &[r#"{"a": 1}"#, r#"{"a": 2}"#]),
            (r#"{"total": 2, "issues": [{"a": 1}], "x": [{"y": 1}]}"#, &[r#"{"a": 1}"#]),
            (r#"{"data": {"search": {"nodes": [{"a": 1}]}}}"#, &[r#"{"a": 1}"#]),
            // An object of its own, whatever lists it holds.
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
