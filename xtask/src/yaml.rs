//! YAML files as values of JSON, with anchors and merged mappings.
//!
//! The tests of the command line include this file, too.

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail};
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// The documents of a file.
///
/// # Errors
/// If the text is not YAML, or a mapping has a key twice.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event?;
        builder.add(event).with_context(|| format!("line {}", span.start.line()))?;
    }
    Ok(builder.documents)
}

/// A list or mapping that is not complete.
enum Open {
    List(Vec<Value>),
    Map { entries: Map<String, Value>, merged: Map<String, Value>, key: Option<String> },
}

/// Builds values from events.
#[derive(Default)]
struct Builder {
    documents: Vec<Value>,
    /// Open lists and mappings, each with the number of its anchor.
    open: Vec<(Open, usize)>,
    anchors: HashMap<usize, Value>,
}

impl Builder {
    fn add(&mut self, event: Event<'_>) -> Result<()> {
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => (scalar(&text, style), anchor),
            Event::Alias(anchor) => {
                (self.anchors.get(&anchor).cloned().context("an alias has no anchor")?, 0)
            }
            Event::SequenceStart(anchor, _) => {
                self.open.push((Open::List(Vec::new()), anchor));
                return Ok(());
            }
            Event::MappingStart(anchor, _) => {
                let map = Open::Map { entries: Map::new(), merged: Map::new(), key: None };
                self.open.push((map, anchor));
                return Ok(());
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (open, anchor) = self.open.pop().context("an end without a start")?;
                let value = match open {
                    Open::List(items) => Value::Array(items),
                    Open::Map { entries, mut merged, .. } => {
                        merged.extend(entries);
                        Value::Object(merged)
                    }
                };
                (value, anchor)
            }
            _ => return Ok(()),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        self.place(value)
    }

    /// Puts a complete value where it belongs.
    fn place(&mut self, value: Value) -> Result<()> {
        let Some((open, _)) = self.open.last_mut() else {
            self.documents.push(value);
            return Ok(());
        };
        match open {
            Open::List(items) => items.push(value),
            Open::Map { entries, merged, key } => match key.take() {
                None => {
                    let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    *key = Some(name);
                }
                Some(name) if name == "<<" => {
                    merged.extend(value.as_object().context("`<<` is not a mapping")?.clone());
                }
                Some(name) => {
                    if entries.contains_key(&name) {
                        bail!("the key `{name}` occurs twice");
                    }
                    entries.insert(name, value);
                }
            },
        }
        Ok(())
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    match (style, text) {
        (ScalarStyle::Plain, "" | "~" | "null") => Value::Null,
        (ScalarStyle::Plain, "true") => Value::Bool(true),
        (ScalarStyle::Plain, "false") => Value::Bool(false),
        (ScalarStyle::Plain, _) => {
            text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
        }
        _ => Value::from(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::documents;

    #[test]
    fn documents_have_values_of_json() {
        let text = "a: 1\nb: [x, \"2\", true, ~]\n---\n- |\n  two\n  lines\n";
        let expected = [json!({"a": 1, "b": ["x", "2", true, null]}), json!(["two\nlines\n"])];
        assert_eq!(documents(text).unwrap(), expected);
    }

    #[test]
    fn anchors_are_copied_and_merged() {
        let text = "base: &base {a: 1, b: 2}\nother:\n  <<: *base\n  b: 3\nsame: *base\n";
        let expected = json!({
            "base": {"a": 1, "b": 2}, "other": {"a": 1, "b": 3}, "same": {"a": 1, "b": 2},
        });
        assert_eq!(documents(text).unwrap(), [expected]);
    }

    #[test]
    fn faults_are_errors() {
        for text in ["a: [1", "a: 1\na: 2\n", "a: *none\n", "<<: 1\n", "a: b: c\n"] {
            assert!(documents(text).is_err(), "{text:?}");
        }
    }
}
