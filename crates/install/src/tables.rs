//! Inserts a table at the end of a TOML text and removes it again, and changes no other byte.
//!
//! `toml_edit` parses the text and gives the span of every table. Its own writer is not used: it
//! turns CRLF into LF, drops a byte order mark and adds a final line end, so that removing a table
//! could not restore the file. Edits are therefore cut into the text by these spans.

use std::ops::Range;

use serde_json::{Map, Value, json};
use toml_edit::{Document, Item, Table, TableLike};

use super::{Present, Problem, Removal, Target, Trace, line_end};

/// Reports whether the table is in the text.
///
/// # Errors
/// If the text is not TOML, or has something else in place of a table.
pub(super) fn present(text: &str, target: &Target<'_>) -> Result<Present, Problem> {
    let (tree, key_at) = read(text, target)?;
    Ok(match entry(&tree, target) {
        None => Present::Absent,
        Some(value) if value == target.value => Present::Same,
        Some(_) => Present::Different(Problem::at(text, key_at.unwrap_or(0), "")),
    })
}

/// The text with the table at its end, and the trace that removes it.
///
/// # Errors
/// As [`present`]; also where no table can be added to the text.
pub(super) fn insert(text: &str, target: &Target<'_>) -> Result<(String, Trace), Problem> {
    let (before, _) = read(text, target)?;
    let end = line_end(text);
    let lead = match text.trim_start_matches('\u{feff}') {
        "" => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let changed = [text, &lead, &written(target, end)].concat();
    let fits = read(&changed, target).is_ok_and(|(after, _)| {
        entry(&after, target) == Some(target.value)
            && without(after, target) == without(before, target)
    });
    if !fits {
        let name = target.containers.join(".");
        return Err(Problem::whole(format!(
            "`{name}` is written in a form that takes no further table; write `[{name}]` with a line \
             for each entry instead"
        )));
    }
    let trace = Trace { lead: Some(lead), ..Trace::default() };
    match remove(&changed, target, &trace, false) {
        Ok(Removal::Text(restored)) if restored == text => Ok((changed, trace)),
        _ => {
            Err(Problem::whole("an entry could not be removed again from a text with this layout"))
        }
    }
}

/// The text without the table.
///
/// # Errors
/// As [`present`]; also where the table cannot be removed alone.
pub(super) fn remove(
    text: &str,
    target: &Target<'_>,
    trace: &Trace,
    force: bool,
) -> Result<Removal, Problem> {
    let (tree, key_at) = read(text, target)?;
    let Some(value) = entry(&tree, target) else { return Ok(Removal::Absent) };
    let at = key_at.unwrap_or(0);
    let is_ours = value == target.value;
    let rest = without(tree.clone(), target);
    let is_right = |changed: &String| {
        read(changed, target).is_ok_and(|(after, _)| {
            entry(&after, target).is_none() && without(after, target) == rest
        })
    };
    let lead = trace.lead.as_deref().unwrap_or_default();
    if is_ours && let Some(changed) = without_written(text, target, lead, is_right) {
        return Ok(Removal::Text(changed));
    }
    let lines = own_lines(text, target);
    let has_comment = lines.iter().any(|line| text[line.clone()].contains('#'));
    if !force && (!is_ours || has_comment) {
        return Ok(Removal::Edited(Problem::at(text, at, "")));
    }
    let without_lines = |lead: &str| {
        let mut changed = String::new();
        let mut end = 0;
        for (number, line) in lines.iter().enumerate() {
            let before = &text[end..line.start];
            // The text that the insertion wrote before the table precedes its first line.
            let kept =
                if number == 0 { before.strip_suffix(lead).unwrap_or(before) } else { before };
            changed.push_str(kept);
            end = line.end;
        }
        let is_joined = !changed.is_empty() && !changed.ends_with('\n') && end < text.len();
        changed.push_str(&text[end..]);
        (!is_joined && is_right(&changed)).then_some(changed)
    };
    [lead, ""]
        .into_iter()
        .find_map(without_lines)
        .map(Removal::Text)
        .ok_or_else(|| Problem::at(text, at, "the entry cannot be removed alone"))
}

/// The text without the table, if the table is in it exactly as [`insert`] writes it and the result
/// `is_right`.
fn without_written(
    text: &str,
    target: &Target<'_>,
    lead: &str,
    is_right: impl Fn(&String) -> bool,
) -> Option<String> {
    let block = written(target, line_end(text));
    text.match_indices(&block).find_map(|(start, _)| {
        let before = &text[..start];
        let after = &text[start + block.len()..];
        let close = before.strip_suffix(lead).unwrap_or(before);
        let candidates = [[close, after].concat(), [before, after].concat()];
        // Text after the table must not be joined to a line without a line end.
        let is_joined = !after.is_empty() && !close.is_empty() && !close.ends_with('\n');
        candidates.into_iter().skip(usize::from(is_joined)).find(|changed| is_right(changed))
    })
}

/// The table as [`insert`] writes it.
fn written(target: &Target<'_>, line_end: &str) -> String {
    let mut names = target.containers.to_vec();
    names.extend(target.key.map(str::to_owned));
    let mut out = format!("[{}]{line_end}", names.join("."));
    for (key, value) in target.value.as_object().into_iter().flatten() {
        let value = match value {
            Value::Array(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                format!("[{}]", values.join(", "))
            }
            other => other.to_string(),
        };
        out.extend([key.as_str(), " = ", &value, line_end]);
    }
    out
}

/// The lines of the table and of its subtables, from the header to the last key. A comment before the
/// next header belongs to that header.
fn own_lines(text: &str, target: &Target<'_>) -> Vec<Range<usize>> {
    let Ok((document, shift)) = parse(text) else { return Vec::new() };
    let item = target.containers.iter().try_fold(document.as_item(), |item, name| item.get(name));
    let Some(item) = item.and_then(|item| item.get(target.key.unwrap_or_default())) else {
        return Vec::new();
    };
    let mut spans = Vec::new();
    add_tables(item, &mut spans);
    spans.sort_by_key(|span| span.start);
    let whole_lines = |span: &Range<usize>| {
        let (start, end) = (span.start + shift, span.end + shift);
        let start = text[..start].rfind('\n').map_or(shift, |line_end| line_end + 1);
        let end = text[end..].find('\n').map_or(text.len(), |line_end| end + line_end + 1);
        start..end
    };
    spans.iter().map(whole_lines).collect()
}

/// Adds the span of a table, from its header to the end of its last value, and those of the tables
/// below it. A table without a header is part of the one above it.
fn add_tables(item: &Item, spans: &mut Vec<Range<usize>>) {
    let tables: Vec<&Table> = match item {
        Item::Table(table) => vec![table],
        Item::ArrayOfTables(tables) => tables.iter().collect(),
        Item::None | Item::Value(_) => return,
    };
    for table in tables {
        let header = table.span().filter(|_| !table.is_implicit() && !table.is_dotted());
        if let Some(header) = header {
            spans.push(header.start..end_of_values(table).unwrap_or(header.end).max(header.end));
        }
        for (_, item) in table {
            add_tables(item, spans);
        }
    }
}

/// The end of the last value below a header, including those of dotted keys.
fn end_of_values(table: &Table) -> Option<usize> {
    let end = |(_, item): (&str, &Item)| match item {
        Item::Value(value) => Some(value.span()?.end),
        Item::Table(table) if table.is_dotted() => end_of_values(table),
        Item::Table(_) | Item::ArrayOfTables(_) | Item::None => None,
    };
    table.iter().filter_map(end).max()
}

/// Parses a text; also returns the length of its byte order mark, which the spans do not count.
fn parse(text: &str) -> Result<(Document<&str>, usize), Problem> {
    let shift = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let document = Document::parse(&text[shift..]).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Problem::at(text, shift + at, error.message().replace('\n', ", "))
    })?;
    Ok((document, shift))
}

/// The values of a text, and the offset of the entry's key.
fn read(text: &str, target: &Target<'_>) -> Result<(Value, Option<usize>), Problem> {
    let (document, shift) = parse(text)?;
    let start = |table: &dyn TableLike, name: &str| {
        table.key(name).and_then(toml_edit::Key::span).map_or(0, |span| shift + span.start)
    };
    let mut table: &dyn TableLike = document.as_table();
    let mut is_complete = true;
    for name in target.containers {
        let Some(item) = table.get(name) else {
            is_complete = false;
            break;
        };
        let Some(inner) = item.as_table_like() else {
            let reason = format!("`{name}` is not a table");
            return Err(Problem::at(text, start(table, name), reason));
        };
        table = inner;
    }
    let key = target.key.filter(|key| is_complete && table.contains_key(key));
    Ok((plain_table(document.as_table()), key.map(|key| start(table, key))))
}

/// The entry in a tree.
fn entry<'t>(tree: &'t Value, target: &Target<'_>) -> Option<&'t Value> {
    let mut current = tree;
    for name in target.containers {
        current = current.get(name)?;
    }
    current.get(target.key?)
}

/// A tree without the entry, and without the containers that only it needs.
fn without(mut tree: Value, target: &Target<'_>) -> Value {
    fn take(tree: &mut Value, names: &[String], key: &str) {
        let Some(table) = tree.as_object_mut() else { return };
        match names.split_first() {
            None => drop(table.shift_remove(key)),
            Some((name, rest)) => {
                if let Some(inner) = table.get_mut(name) {
                    take(inner, rest, key);
                    if inner.as_object().is_some_and(Map::is_empty) {
                        table.shift_remove(name);
                    }
                }
            }
        }
    }
    take(&mut tree, target.containers, target.key.unwrap_or_default());
    tree
}

/// The values of a table, without spans. Types that JSON lacks become objects with the spelling.
fn plain_table(table: &dyn TableLike) -> Value {
    table.iter().map(|(key, item)| (key.to_owned(), plain_item(item))).collect()
}

fn plain_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain(value),
        Item::Table(table) => plain_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| plain_table(table)).collect(),
    }
}

fn plain(value: &toml_edit::Value) -> Value {
    use toml_edit::Value as Toml;

    match value {
        Toml::String(text) => Value::from(text.value().as_str()),
        Toml::Boolean(switch) => Value::Bool(*switch.value()),
        Toml::Array(values) => values.iter().map(plain).collect(),
        Toml::InlineTable(table) => plain_table(table),
        Toml::Integer(number) => json!({ "integer": number.value() }),
        Toml::Float(number) => json!({ "float": number.value().to_string() }),
        Toml::Datetime(date) => json!({ "date": date.value().to_string() }),
    }
}

#[cfg(test)]
mod tests;
