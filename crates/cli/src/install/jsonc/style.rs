//! How a text is laid out, so that what is put into it looks like the rest.

use serde_json::Value;

use super::{Document, Node};
use crate::install::line_end;

/// The indentation where a text has none.
const DEFAULT_UNIT: &str = "  ";

/// How a value is written at a place.
pub(super) enum Style {
    /// Each member on a line of its own.
    Lines {
        /// What starts a line of the place's own members.
        indent: String,
        /// What each level adds.
        unit: String,
        /// What ends a line.
        line_end: &'static str,
    },
    /// On one line, with this behind colons and commas.
    OneLine {
        /// A blank, or nothing.
        blank: &'static str,
    },
}

impl Style {
    /// The style of the members of `container`, which may have none yet.
    pub(super) fn of(text: &str, document: &Document, container: &Node) -> Style {
        let root = document.root.as_ref().unwrap_or(container);
        let is_split = |node: &Node| text[node.span.clone()].contains('\n');
        let is_whole = container.span == root.span;
        if !is_split(container) && !(container.items().is_empty() && (is_whole || is_split(root))) {
            return Style::OneLine { blank: blank(text, container, root) };
        }
        let first = |node: &Node| {
            node.items().iter().rev().find_map(|item| indent_of_line(text, item.start))
        };
        let unit = first(root).filter(|unit| !unit.is_empty()).unwrap_or(DEFAULT_UNIT).to_owned();
        let indent = match first(container) {
            Some(indent) => indent.to_owned(),
            None => [blank_start(text, container.span.start), &unit].concat(),
        };
        Style::Lines { indent, unit, line_end: line_end(text) }
    }

    /// The style of a whole new text.
    pub(super) fn whole(text: &str) -> Style {
        Style::Lines {
            indent: String::new(),
            unit: DEFAULT_UNIT.to_owned(),
            line_end: line_end(text),
        }
    }

    /// A member or a value of a list, `depth` levels below the place.
    pub(super) fn item(&self, key: Option<&str>, value: &Value) -> String {
        let mut out = String::new();
        if let Some(key) = key {
            self.key(key, &mut out);
        }
        self.write(value, 0, &mut out);
        out
    }

    /// What stands before an item that starts a new line, or follows another one.
    pub(super) fn lead(&self, is_first: bool) -> String {
        match self {
            Style::Lines { indent, line_end, .. } => [line_end, indent.as_str()].concat(),
            Style::OneLine { .. } if is_first => String::new(),
            Style::OneLine { blank } => (*blank).to_owned(),
        }
    }

    /// What stands between the one item of a container and its closing mark, which stands right
    /// behind.
    pub(super) fn tail(&self, text: &str, container: &Node) -> String {
        match self {
            Style::Lines { line_end, .. } => {
                [line_end, blank_start(text, container.span.start)].concat()
            }
            Style::OneLine { .. } => String::new(),
        }
    }

    fn key(&self, key: &str, out: &mut String) {
        out.push_str(&Value::from(key).to_string());
        out.push(':');
        match self {
            Style::Lines { .. } => out.push(' '),
            Style::OneLine { blank } => out.push_str(blank),
        }
    }

    fn write(&self, value: &Value, depth: usize, out: &mut String) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                out.push('{');
                for (number, (key, value)) in members.iter().enumerate() {
                    self.separate(number, depth + 1, out);
                    self.key(key, out);
                    self.write(value, depth + 1, out);
                }
                self.close(depth, out);
                out.push('}');
            }
            Value::Array(values) if values.iter().any(Value::is_object) => {
                out.push('[');
                for (number, value) in values.iter().enumerate() {
                    self.separate(number, depth + 1, out);
                    self.write(value, depth + 1, out);
                }
                self.close(depth, out);
                out.push(']');
            }
            Value::Array(values) => {
                out.push('[');
                for (number, value) in values.iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                        match self {
                            Style::Lines { .. } => out.push(' '),
                            Style::OneLine { blank } => out.push_str(blank),
                        }
                    }
                    self.write(value, depth + 1, out);
                }
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }

    fn separate(&self, number: usize, depth: usize, out: &mut String) {
        if number > 0 {
            out.push(',');
        }
        match self {
            Style::Lines { .. } => self.close(depth, out),
            Style::OneLine { blank } if number > 0 => out.push_str(blank),
            Style::OneLine { .. } => {}
        }
    }

    /// A new line at this depth.
    fn close(&self, depth: usize, out: &mut String) {
        if let Style::Lines { indent, unit, line_end } = self {
            out.push_str(line_end);
            out.push_str(indent);
            for _ in 0..depth {
                out.push_str(unit);
            }
        }
    }
}

/// What stands behind colons in a text on one line.
fn blank(text: &str, container: &Node, root: &Node) -> &'static str {
    let item = container.items().first().or_else(|| root.items().first());
    let is_tight =
        item.is_some_and(|item| item.key.is_some() && text[..item.value.span.start].ends_with(':'));
    if is_tight { "" } else { " " }
}

/// What stands before a place on its line, if that is blank.
fn indent_of_line(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n')? + 1;
    let before = &text[line..at];
    before.bytes().all(|byte| matches!(byte, b' ' | b'\t')).then_some(before)
}

/// The blanks at the start of the line of a place.
fn blank_start(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = text[line..at].trim_start_matches('\u{feff}');
    let length = before.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(before.len());
    &before[..length]
}
