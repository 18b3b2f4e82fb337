//! Puts a table at the end of a TOML text and takes it out again, and touches no other byte.

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::{Place, Present, Problem, Removal, Trace, line_end};

/// Whether the table is in the text.
///
/// # Errors
/// When the text is no TOML, or something else stands where a table should be.
pub(super) fn present(text: &str, place: &Place<'_>) -> Result<Present, Problem> {
    let (tree, key_at) = read(text, place)?;
    Ok(match entry(&tree, place) {
        None => Present::Absent,
        Some(value) if value == place.value => Present::Same,
        Some(_) => Present::Different(Problem::at(text, key_at.unwrap_or(0), "")),
    })
}

/// The text with the table at its end, and what is needed to take it out.
///
/// # Errors
/// As [`present`]; also where the text has no place for a table.
pub(super) fn insert(text: &str, place: &Place<'_>) -> Result<(String, Trace), Problem> {
    let (before, _) = read(text, place)?;
    let end = line_end(text);
    let lead = match text.trim_start_matches('\u{feff}') {
        "" => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let changed = [text, &lead, &written(place, end)].concat();
    let fits = read(&changed, place).is_ok_and(|(after, _)| {
        entry(&after, place) == Some(place.value) && without(after, place) == without(before, place)
    });
    if !fits {
        let name = place.containers.join(".");
        return Err(Problem::whole(format!(
            "`{name}` is written in a form that takes no further table; write `[{name}]` with a line \
             for each entry instead"
        )));
    }
    let trace = Trace { lead: Some(lead), ..Trace::default() };
    match remove(&changed, place, &trace, false) {
        Ok(Removal::Text(restored)) if restored == text => Ok((changed, trace)),
        _ => Err(Problem::whole("it is laid out so that an entry could not be taken out again")),
    }
}

/// The text without the table.
///
/// # Errors
/// As [`present`]; also where nothing but the table cannot be taken out.
pub(super) fn remove(
    text: &str,
    place: &Place<'_>,
    trace: &Trace,
    force: bool,
) -> Result<Removal, Problem> {
    let (tree, key_at) = read(text, place)?;
    let Some(value) = entry(&tree, place) else { return Ok(Removal::Absent) };
    let at = key_at.unwrap_or(0);
    let is_ours = value == place.value;
    let rest = without(tree.clone(), place);
    let is_right = |changed: &String| {
        read(changed, place)
            .is_ok_and(|(after, _)| entry(&after, place).is_none() && without(after, place) == rest)
    };
    let lead = trace.lead.as_deref().unwrap_or_default();
    if is_ours {
        let block = written(place, line_end(text));
        for (start, _) in text.match_indices(&block) {
            let before = &text[..start];
            let after = &text[start + block.len()..];
            let close = before.strip_suffix(lead).unwrap_or(before);
            let candidates = [[close, after].concat(), [before, after].concat()];
            // Where more follows, a line that had no end before gets none of it.
            let is_joined = !after.is_empty() && !close.is_empty() && !close.ends_with('\n');
            let found = candidates
                .into_iter()
                .skip(usize::from(is_joined))
                .find(|changed| is_right(changed));
            if let Some(changed) = found {
                return Ok(Removal::Text(changed));
            }
        }
    }
    let lines = own_lines(text, place);
    let has_comment = lines.iter().any(|line| text[line.clone()].contains('#'));
    if !force && (!is_ours || has_comment) {
        return Ok(Removal::Edited(Problem::at(text, at, "")));
    }
    let without_lines = |lead: &str| {
        let mut changed = String::new();
        let mut end = 0;
        for (number, line) in lines.iter().enumerate() {
            let before = &text[end..line.start];
            // What was written before the table stands before its first line.
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
        .ok_or_else(|| Problem::at(text, at, "the entry cannot be taken out alone"))
}

/// The table as it is written.
fn written(place: &Place<'_>, line_end: &str) -> String {
    let mut names = place.containers.to_vec();
    names.extend(place.key.map(str::to_owned));
    let mut out = format!("[{}]{line_end}", names.join("."));
    for (key, value) in place.value.as_object().into_iter().flatten() {
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

/// The lines of the table and of those below it, from their headers on: comments that stand before
/// the next header belong to that.
fn own_lines(text: &str, place: &Place<'_>) -> Vec<std::ops::Range<usize>> {
    let name = place.key.unwrap_or_default();
    let own = [&place.containers.join("."), ".", name].concat();
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    let mut is_own = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let plain = line.trim_start();
        if plain.starts_with('[') {
            let header: String = plain
                .trim_start_matches('[')
                .chars()
                .take_while(|c| *c != ']')
                .filter(|c| !matches!(c, ' ' | '\t' | '"' | '\''))
                .collect();
            is_own = header == own
                || header.strip_prefix(&own).is_some_and(|rest| rest.starts_with('.'));
            if is_own {
                ranges.push(start..end);
            }
        } else if is_own
            && !plain.is_empty()
            && !plain.starts_with('#')
            && let Some(range) = ranges.last_mut()
        {
            range.end = end;
        }
        start = end;
    }
    ranges
}

/// The values of a text, and where the entry's name stands.
fn read(text: &str, place: &Place<'_>) -> Result<(Value, Option<usize>), Problem> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let table = DeTable::parse(&text[mark..]).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Problem::at(text, mark + at, error.message().replace('\n', ", "))
    })?;
    let mut key_at = None;
    let mut current = table.get_ref();
    for name in place.containers {
        let Some((key, value)) = current.get_key_value(name.as_str()) else { break };
        let DeValue::Table(inner) = value.get_ref() else {
            let reason = format!("`{name}` is not a table");
            return Err(Problem::at(text, mark + key.span().start, reason));
        };
        current = inner;
    }
    if let Some((key, _)) = place.key.and_then(|key| current.get_key_value(key)) {
        key_at = Some(mark + key.span().start);
    }
    Ok((plain_table(table.get_ref()), key_at))
}

/// The entry in a tree.
fn entry<'t>(tree: &'t Value, place: &Place<'_>) -> Option<&'t Value> {
    let mut current = tree;
    for name in place.containers {
        current = current.get(name)?;
    }
    current.get(place.key?)
}

/// A tree without the entry, and without the containers that only it needs.
fn without(mut tree: Value, place: &Place<'_>) -> Value {
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
    take(&mut tree, place.containers, place.key.unwrap_or_default());
    tree
}

/// A table without places. What JSON has no type for is told apart by a sign.
fn plain_table(table: &DeTable<'_>) -> Value {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref()))).collect()
}

fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(switch) => Value::Bool(*switch),
        DeValue::Array(values) => values.iter().map(|value| plain(value.get_ref())).collect(),
        DeValue::Table(table) => plain_table(table),
        DeValue::Integer(digits) => serde_json::json!({ "integer": digits.to_string() }),
        DeValue::Float(digits) => serde_json::json!({ "float": digits.to_string() }),
        DeValue::Datetime(date) => serde_json::json!({ "date": date.to_string() }),
    }
}

#[cfg(test)]
mod tests;
