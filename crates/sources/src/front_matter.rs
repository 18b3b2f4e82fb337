//! Splits the front matter off a page and parses its fields. Tolerant: malformed front matter
//! yields the fields that can be recognized.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::value::{Fields, Value};

/// Syntax of the fields of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// YAML; line by line if that fails.
    Yaml,
    /// One field per line: the first colon ends the name, the value is taken verbatim up to the end
    /// of the line, and a list consists of `- item` lines below an empty value.
    Lines,
}

/// Front matter of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FrontMatter {
    /// Byte range, including both fences; empty if there is no front matter. The body starts at its
    /// end.
    pub range: Range<usize>,
    /// Parsed fields.
    pub fields: Fields,
}

/// Maximum size of YAML front matter in bytes. Larger blocks are parsed line by line: they are not
/// hand-written YAML.
const YAML_LIMIT: usize = 64 << 10;

/// Maximum nesting depth of YAML. Deeper YAML is treated as an attack and parsed line by line.
const DEPTH_LIMIT: usize = 32;

/// Splits a page. Front matter starts on the first line with `---` and ends at the next line of
/// `---` or `...`. There is none if the second fence is missing or the first line in between is not
/// a field: a page may start with a horizontal rule.
pub(crate) fn split(text: &str, dialect: Dialect) -> FrontMatter {
    let Some((range, block)) = fences(text) else {
        return FrontMatter::default();
    };
    let block = &text[block];
    let fields = match dialect {
        Dialect::Yaml if block.len() <= YAML_LIMIT => {
            yaml(block).unwrap_or_else(|| lines(block, dialect))
        }
        dialect => lines(block, dialect),
    };
    FrontMatter { range, fields }
}

/// Parses a YAML file with one mapping; line by line if that fails.
pub(crate) fn fields(text: &str) -> Fields {
    let block = (text.len() <= YAML_LIMIT).then(|| yaml(text)).flatten();
    block.unwrap_or_else(|| lines(text, Dialect::Yaml))
}

/// Returns the range of the whole front matter and that between the fences.
fn fences(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let mut offset = 0;
    let mut block_start = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let line_start = offset;
        offset += line.len();
        match block_start {
            None if content == "---" => block_start = Some(offset),
            None => return None,
            Some(start) if content == "---" || content == "..." => {
                let block = start..line_start;
                return starts_with_field(&text[block.clone()]).then_some((0..offset, block));
            }
            Some(_) => {}
        }
    }
    None
}

/// Returns whether the first line that is not blank is a field.
fn starts_with_field(block: &str) -> bool {
    block.lines().find(|line| !is_blank(line)).is_none_or(|line| field(line).is_some())
}

fn is_blank(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// Returns the name and the value of a line such as `name: value`.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let name = name.trim();
    let name = name.strip_prefix(['"', '\'']).unwrap_or(name);
    let name = name.strip_suffix(['"', '\'']).unwrap_or(name);
    let is_name = name
        .chars()
        .next()
        .is_some_and(|character| character.is_alphanumeric() || character == '_')
        && name.chars().all(|character| character.is_alphanumeric() || "_-. ".contains(character))
        && name.len() <= 64;
    // "https://…" is a URL, not a field.
    (is_name && !value.starts_with("//")).then_some((name, value.trim()))
}

/// Parses a YAML mapping. `None` if it is not one, or uses features that front matter does not need
/// (aliases, several documents).
fn yaml(block: &str) -> Option<Fields> {
    enum Frame {
        List(Vec<Value>),
        Map(Fields, Option<String>),
    }
    let mut frames: Vec<Frame> = Vec::new();
    for event in Parser::new_from_str(block) {
        let (event, _) = event.ok()?;
        let value = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) if frames.len() >= DEPTH_LIMIT => {
                return None;
            }
            Event::SequenceStart(..) => {
                frames.push(Frame::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                frames.push(Frame::Map(Fields::default(), None));
                continue;
            }
            Event::Scalar(text, style, ..) => match (style, text.as_ref()) {
                (ScalarStyle::Plain, "" | "~" | "null" | "Null" | "NULL") => Value::Null,
                _ => Value::Text(text.into_owned()),
            },
            Event::SequenceEnd | Event::MappingEnd => match frames.pop()? {
                Frame::List(items) => Value::List(items),
                Frame::Map(fields, _) if frames.is_empty() => return Some(fields),
                Frame::Map(fields, _) => Value::Map(fields),
            },
            Event::Alias(_) => return None,
            _ => continue,
        };
        match frames.last_mut()? {
            Frame::List(items) => items.push(value),
            Frame::Map(fields, name) => match name.take() {
                Some(name) => fields.push(name, value),
                None => *name = Some(value.text().unwrap_or_default()),
            },
        }
    }
    // No mapping was closed: the block is empty, or has only comments.
    frames.is_empty().then(Fields::default).filter(|_| block.lines().all(is_blank))
}

/// Parses a block line by line.
fn lines(block: &str, dialect: Dialect) -> Fields {
    let mut fields = Fields::default();
    for line in block.lines() {
        let content = line.trim();
        if is_blank(content) {
            continue;
        }
        if let Some(item) = list_item(content) {
            if let Some(value) = fields.last_mut() {
                append(value, scalar(item, dialect));
            }
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        match field(line) {
            Some((name, value)) if !indented => {
                fields.push(name.to_owned(), flow_value(value, dialect));
            }
            _ => {
                if let Some(value) = fields.last_mut() {
                    continue_value(value, content);
                }
            }
        }
    }
    fields
}

fn list_item(content: &str) -> Option<&str> {
    content.strip_prefix("- ").or_else(|| (content == "-").then_some("")).map(str::trim)
}

fn append(value: &mut Value, item: Value) {
    match value {
        Value::List(items) => items.push(item),
        Value::Null => *value = Value::List(vec![item]),
        other => {
            let first = std::mem::replace(other, Value::Null);
            *other = Value::List(vec![first, item]);
        }
    }
}

/// Appends a continuation line to a value.
fn continue_value(value: &mut Value, content: &str) {
    match value {
        Value::Text(text) if matches!(text.as_str(), "|" | ">" | "|-" | ">-" | "|+" | ">+") => {
            content.clone_into(text);
        }
        Value::Text(text) => {
            text.push(' ');
            text.push_str(content);
        }
        Value::List(items) => match items.last_mut() {
            Some(Value::Text(text)) => {
                text.push_str(", ");
                text.push_str(content);
            }
            _ => items.push(Value::of_text(content)),
        },
        value => *value = Value::of_text(content),
    }
}

/// Parses the value after a colon. Text that failed as YAML may still contain a list in brackets.
fn flow_value(text: &str, dialect: Dialect) -> Value {
    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(items) if dialect == Dialect::Yaml => {
            Value::List(items.split(',').map(|item| scalar(item.trim(), dialect)).collect())
        }
        _ => scalar(text, dialect),
    }
}

fn scalar(text: &str, dialect: Dialect) -> Value {
    if dialect == Dialect::Lines {
        return Value::of_text(text);
    }
    let unquoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text);
    match unquoted {
        "~" | "null" => Value::Null,
        text => Value::of_text(text),
    }
}

#[cfg(test)]
mod tests;
