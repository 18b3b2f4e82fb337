//! Reads one settings file.

use std::{fs, io, path::Path};

use toml::{
    Spanned,
    de::{DeArray, DeTable, DeValue},
};

use crate::{
    error::SettingsError,
    keys::WEIGHTS,
    kind::{Kind, Value},
    policy,
    registry::Setting,
};

/// Maximum size of a settings file. The limit keeps a hostile file from filling the memory.
const MAX_BYTES: u64 = 1 << 20;

/// One value of a file.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    /// The key, with its table.
    pub(super) key: String,
    /// Line of the key, 1-based.
    pub(super) line: usize,
    /// The value, or the expected kind and the value found instead.
    pub(super) value: Result<Value, (String, String)>,
}

/// The text of a settings file, if it exists.
pub(super) fn read(path: &Path) -> Result<Option<String>, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { path: path.to_owned(), source };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !metadata.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    match lore_engine::read_regular_text(path, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(unreadable(io::Error::other("it is larger than 1 MiB")))
        }
        Err(error) => Err(unreadable(error)),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The values of a settings file, in file order.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Entry>, SettingsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = DeTable::parse(text).map_err(|error| SettingsError::Syntax {
        path: path.to_owned(),
        line: line(text, error.span().map_or(0, |span| span.start)),
        reason: error.message().replace('\n', ", "),
    })?;
    let mut entries = Vec::new();
    collect(path, text, "", table.get_ref(), &mut entries)?;
    // A table does not keep the order of its keys.
    entries.sort_by(|left, right| left.line.cmp(&right.line).then(left.key.cmp(&right.key)));
    Ok(entries)
}

fn collect(
    path: &Path,
    text: &str,
    prefix: &str,
    table: &DeTable<'_>,
    entries: &mut Vec<Entry>,
) -> Result<(), SettingsError> {
    let mut unknown: Option<(usize, String)> = None;
    for (name, value) in table {
        let key = format!("{prefix}{}", name.get_ref());
        let line = line(text, name.span().start);
        if let Some(kind) = kind(&key) {
            entries.push(Entry { value: read_value(kind, value), key, line });
        } else if let (DeValue::Table(table), true) = (value.get_ref(), is_table(&key)) {
            collect(path, text, &format!("{key}."), table, entries)?;
        } else if unknown.as_ref().is_none_or(|(first, _)| line < *first) {
            unknown = Some((line, key));
        }
    }
    match unknown {
        Some((line, key)) => Err(SettingsError::UnknownKey { path: path.to_owned(), line, key }),
        None => Ok(()),
    }
}

/// The kind of the setting with this key, if there is one.
fn kind(key: &str) -> Option<Kind> {
    let weight = || {
        let signal = key.strip_prefix(WEIGHTS)?;
        (!signal.is_empty() && !signal.contains('.')).then_some(Kind::Weight)
    };
    Setting::find(key).map(|setting| setting.kind).or_else(weight).or_else(|| policy::kind(key))
}

/// Returns true if some key starts with this table.
fn is_table(name: &str) -> bool {
    let prefix = format!("{name}.");
    WEIGHTS.starts_with(&prefix)
        || policy::is_table(&prefix)
        || super::SETTINGS.iter().any(|setting| setting.key.starts_with(&prefix))
}

fn read_value(kind: Kind, value: &Spanned<DeValue<'_>>) -> Result<Value, (String, String)> {
    let read = match (kind, value.get_ref()) {
        (
            Kind::Choice(_) | Kind::Collector | Kind::Endpoint | Kind::Text | Kind::Variable,
            DeValue::String(text),
        ) => Some(Value::Text(text.to_string())),
        (Kind::Command | Kind::Size { .. }, DeValue::String(text)) => kind.parse(text),
        (Kind::Folder, DeValue::String(text)) => Some(Value::Folder(text.as_ref().into())),
        (Kind::Command | Kind::Names(_), DeValue::Array(values)) => words(values),
        (Kind::Files, DeValue::Array(values)) => values
            .iter()
            .map(|value| value.get_ref().as_str().map(Into::into))
            .collect::<Option<Vec<_>>>()
            .map(Value::Files),
        (Kind::Number { .. }, DeValue::Integer(digits)) => {
            u64::from_str_radix(digits.as_str(), digits.radix()).ok().map(Value::Number)
        }
        (Kind::Size { .. }, DeValue::Integer(digits)) => {
            u64::from_str_radix(digits.as_str(), digits.radix()).ok().map(Value::Size)
        }
        (Kind::Switch, DeValue::Boolean(switch)) => Some(Value::Switch(*switch)),
        (Kind::Share | Kind::Weight, DeValue::Float(digits)) => {
            digits.as_str().parse().ok().map(Value::Weight)
        }
        (Kind::Share | Kind::Weight, DeValue::Integer(digits)) => {
            digits.as_str().parse().ok().map(Value::Weight)
        }
        _ => None,
    };
    read.filter(|value| kind.accepts(value)).ok_or_else(|| {
        let hidden = value.get_ref().as_str().and_then(|text| kind.refused(text));
        (kind.to_string(), hidden.map_or_else(|| shown(value.get_ref()), str::to_owned))
    })
}

/// A list of strings; `None` if it contains anything else.
fn words(values: &DeArray<'_>) -> Option<Value> {
    let words = values.iter().map(|value| value.get_ref().as_str().map(str::to_owned));
    words.collect::<Option<Vec<_>>>().map(Value::Names)
}

/// A value, quoted for a message.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("`\"{text}\"`"),
        DeValue::Integer(digits) => format!("`{digits}`"),
        DeValue::Float(digits) => format!("`{digits}`"),
        DeValue::Boolean(switch) => format!("`{switch}`"),
        DeValue::Datetime(date) => format!("`{date}`"),
        DeValue::Array(values) => {
            let values: Vec<String> =
                values.iter().map(|value| shown(value.get_ref()).replace('`', "")).collect();
            format!("`[{}]`", values.join(", "))
        }
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// The line of a byte offset, 1-based.
fn line(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count()
}
