//! The layout of a text, so that an inserted entry looks like the rest.

use serde_json::Value;

use super::{Document, Node};
use crate::line_end;

/// The default indentation.
const DEFAULT_UNIT: &str = "  ";

/// The layout of a value in its container.
pub(super) enum Style {
    /// Each member on a line of its own.
    Lines {
        /// The indentation of the container's members.
        indent: String,
        /// The additional indentation of each level.
        unit: String,
        /// The line end.
        line_end: &'static str,
    },
    /// All on one line.
    OneLine {
        /// The text after colons and commas: a space or nothing.
        space: &'static str,
    },
}

impl Style {
    /// The style of the members of `container`, which may have none yet.
    pub(super) fn of(text: &str, document: &Document, container: &Node) -> Style {
        let root = document.root.as_ref().unwrap_or(container);
        let is_split = |node: &Node| text[node.span.clone()].contains('\n');
        let is_whole = container.span == root.span;
        if !is_split(container) && !(container.items().is_empty() && (is_whole || is_split(root))) {
            return Style::OneLine { space: space(text, container, root) };
        }
        let first = |node: &Node| {
            node.items().iter().rev().find_map(|item| indent_of_line(text, item.start))
        };
        let unit = first(root).filter(|unit| !unit.is_empty()).unwrap_or(DEFAULT_UNIT).to_owned();
        let indent = match first(container) {
            Some(indent) => indent.to_owned(),
            None => [indentation(text, container.span.start), &unit].concat(),
        };
        Style::Lines { indent, unit, line_end: line_end(text) }
    }

    /// The style of a new text.
    pub(super) fn whole(text: &str) -> Style {
        Style::Lines {
            indent: String::new(),
            unit: DEFAULT_UNIT.to_owned(),
            line_end: line_end(text),
        }
    }

    /// A member or an element, as it is written.
    pub(super) fn item(&self, key: Option<&str>, value: &Value) -> String {
        let mut out = String::new();
        if let Some(key) = key {
            self.key(key, &mut out);
        }
        self.write(value, 0, &mut out);
        out
    }

    /// The whitespace before an item.
    pub(super) fn lead(&self, is_first: bool) -> String {
        match self {
            Style::Lines { indent, line_end, .. } => [line_end, indent.as_str()].concat(),
            Style::OneLine { .. } if is_first => String::new(),
            Style::OneLine { space } => (*space).to_owned(),
        }
    }

    /// The whitespace between the only item of a container and its closing bracket.
    pub(super) fn tail(&self, text: &str, container: &Node) -> String {
        match self {
            Style::Lines { line_end, .. } => {
                [line_end, indentation(text, container.span.start)].concat()
            }
            Style::OneLine { .. } => String::new(),
        }
    }

    fn key(&self, key: &str, out: &mut String) {
        out.push_str(&Value::from(key).to_string());
        out.push(':');
        match self {
            Style::Lines { .. } => out.push(' '),
            Style::OneLine { space } => out.push_str(space),
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
                            Style::OneLine { space } => out.push_str(space),
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
            Style::OneLine { space } if number > 0 => out.push_str(space),
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

/// The text after colons in a container on one line.
fn space(text: &str, container: &Node, root: &Node) -> &'static str {
    let item = container.items().first().or_else(|| root.items().first());
    let is_tight =
        item.is_some_and(|item| item.key.is_some() && text[..item.value.span.start].ends_with(':'));
    if is_tight { "" } else { " " }
}

/// The text before an offset on its line, if that is whitespace.
fn indent_of_line(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n')? + 1;
    let before = &text[line..at];
    before.bytes().all(|byte| matches!(byte, b' ' | b'\t')).then_some(before)
}

/// The whitespace at the start of the line of an offset.
fn indentation(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = text[line..at].trim_start_matches('\u{feff}');
    let length = before.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(before.len());
    &before[..length]
}
