//! Token-Oriented Object Notation: the tree of the JSON output in fewer tokens.
//!
//! The output follows version 3.3 of the specification (<https://github.com/toon-format/spec>), with
//! commas between values and two spaces per level. It uses none of the additions of version 4 (keyed
//! tables, groups of fields in a header), but quotes what version 4 requires to be quoted, so that
//! parsers of both versions accept it.

use std::io::{self, Write};

use serde_json::{Map, Number, Value};

use super::{Answer, Format, Style};
use crate::wire;

/// The object of the JSON format, in TOON.
pub(super) struct Toon;

impl Format for Toon {
    fn name(&self) -> &'static str {
        "toon"
    }

    fn write(&self, answer: &Answer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", encode(&wire::search(answer)))
    }

    fn explains_absence(&self) -> bool {
        true
    }
}

/// The indentation of one level, as wide as the marker of an item.
const INDENT: &str = "  ";

/// The marker of an item of a list.
const ITEM: &str = "- ";

/// The value as a TOON document, without a line end.
pub fn encode(value: &Value) -> String {
    let mut lines = Vec::new();
    match value {
        Value::Object(fields) => object(fields, 0, &mut lines),
        Value::Array(items) => array("", items, 0, true, &mut lines),
        primitive => lines.push(text_of(primitive)),
    }
    lines.join("\n")
}

fn line(depth: usize, text: &str) -> String {
    let mut line = INDENT.repeat(depth);
    line.push_str(text);
    line
}

fn object(fields: &Map<String, Value>, depth: usize, lines: &mut Vec<String>) {
    for (name, value) in fields {
        let name = key(name);
        match value {
            Value::Object(fields) => {
                lines.push(line(depth, &format!("{name}:")));
                object(fields, depth + 1, lines);
            }
            Value::Array(items) => array(&name, items, depth, true, lines),
            primitive => lines.push(line(depth, &format!("{name}: {}", text_of(primitive)))),
        }
    }
}

/// An array after its name. Primitives are on one line; objects with the same keys are the rows of a
/// table, where a table is allowed; everything else is a list.
fn array(name: &str, items: &[Value], depth: usize, may_be_table: bool, lines: &mut Vec<String>) {
    let head = format!("{name}[{}]", items.len());
    if items.is_empty() {
        // All versions accept this form, only newer ones accept `[]`.
        lines.push(line(depth, &format!("{head}:")));
    } else if items.iter().all(is_primitive) {
        lines.push(line(depth, &format!("{head}: {}", row(items))));
    } else if let Some(names) = table(items).filter(|_| may_be_table) {
        let keys: Vec<String> = names.iter().map(|name| key(name)).collect();
        lines.push(line(depth, &format!("{head}{{{}}}:", keys.join(","))));
        for fields in items.iter().filter_map(Value::as_object) {
            let cells = names.iter().filter_map(|name| fields.get(*name));
            lines.push(line(depth + 1, &row(cells)));
        }
    } else {
        lines.push(line(depth, &format!("{head}:")));
        for value in items {
            item(value, depth + 1, lines);
        }
    }
}

/// An item of a list. Its fields are one level deeper than its marker, the first on the same line.
fn item(value: &Value, depth: usize, lines: &mut Vec<String>) {
    let first = lines.len();
    match value {
        Value::Object(fields) if fields.is_empty() => {
            lines.push(line(depth, ITEM.trim_end()));
            return;
        }
        Value::Object(fields) => object(fields, depth + 1, lines),
        // Only fields and the whole document may be tables.
        Value::Array(items) => {
            let start = lines.len();
            array("", items, depth, false, lines);
            lines[start].insert_str(INDENT.len() * depth, ITEM);
            return;
        }
        primitive => lines.push(line(depth + 1, &text_of(primitive))),
    }
    let at = INDENT.len() * depth;
    lines[first].replace_range(at..at + ITEM.len(), ITEM);
}

fn is_primitive(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// The keys of the columns, if the items are objects of the same keys with primitive values.
fn table(items: &[Value]) -> Option<Vec<&str>> {
    let first = items.first()?.as_object().filter(|fields| !fields.is_empty())?;
    let fits = |fields: &Map<String, Value>| {
        fields.len() == first.len()
            && first.keys().all(|name| fields.get(name).is_some_and(is_primitive))
    };
    let all_fit = items.iter().all(|item| item.as_object().is_some_and(fits));
    all_fit.then(|| first.keys().map(String::as_str).collect())
}

fn row<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    let cells: Vec<String> = values.into_iter().map(text_of).collect();
    cells.join(",")
}

/// A primitive as text.
fn text_of(value: &Value) -> String {
    match value {
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number_text(number),
        Value::String(text) if needs_quotes(text) => quoted(text),
        Value::String(text) => text.clone(),
        Value::Null | Value::Array(_) | Value::Object(_) => "null".to_owned(),
    }
}

/// The canonical form of a number: decimal digits without trailing zeros, or an exponent for very
/// large and very small numbers.
fn number_text(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else {
        return number.to_string();
    };
    let size = float.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if (1e-6..1e21).contains(&size) {
        float.to_string()
    } else {
        let text = format!("{float:e}");
        if text.contains("e-") { text } else { text.replace('e', "e+") }
    }
}

fn key(name: &str) -> String {
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_.".contains(character);
    if starts && characters.all(is_plain) { name.to_owned() } else { quoted(name) }
}

/// Returns true if a text without quotes would be parsed as another value or as structure.
///
/// This quotes more than the specification requires: parsers in other languages may trim other
/// whitespace and accept other forms of numbers.
fn needs_quotes(text: &str) -> bool {
    let is_special = |character: char| {
        matches!(character, ':' | '"' | '\\' | '[' | ']' | '{' | '}' | ',')
            || character.is_control()
            || wire::needs_escape(character)
    };
    text.trim() != text
        || matches!(text, "" | "true" | "false" | "null")
        || text.starts_with(['-', '+', '#', '.'])
        || text.starts_with(|first: char| first.is_ascii_digit()) && reads_as_number(text)
        || text.contains(is_special)
}

fn reads_as_number(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_digit() || "eE.+-_xX".contains(character))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            character if character.is_control() || wire::needs_escape(character) => {
                // TOON has no escape for the invisible characters beyond U+FFFF.
                let shown = if character <= '\u{ffff}' { character } else { '\u{fffd}' };
                quoted.push_str(&wire::escape(shown));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
