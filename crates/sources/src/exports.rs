//! Exports of issue trackers: files that the user named, read wherever they are and even if
//! ignored. The content determines the tracker.

use std::{
    io::Read,
    path::{Path, PathBuf},
    time::SystemTime,
};

use lore_schema::SkipReason;

use crate::{
    error::SourceError,
    fingerprint::{self, FileStat, FileVersion},
    listing::Entry,
    native, records,
    regular::open_regular,
    secrets::Secrets,
    table::Table,
    text,
    value::Value,
};

/// Maximum size of an export in bytes.
pub(crate) const MAX_EXPORT_BYTES: u64 = 64 << 20;

/// Number of bytes that are inspected first. Most exports are recognized by then.
const HEAD_BYTES: u64 = 256 << 10;

/// Number of records that are inspected: the first ones may be broken.
const MAX_SNIFFED_RECORDS: usize = 50;

/// Tracker and file format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// Issues or pull requests of GitHub as JSON.
    GitHub,
    /// Issues of Jira as a table.
    JiraTable,
    /// Issues of Jira as JSON.
    JiraJson,
    /// Issues of Linear as a table.
    Linear,
    /// Tickets of sage as JSON.
    Sage,
}

/// Description of the accepted exports, for error messages.
const SHAPES: &str = "issues of GitHub (JSON or JSON lines with `number` and `title`), of Linear \
    (CSV with the columns `ID`, `Title` and `Status`), of Jira (CSV with the columns \
    `Issue key` and `Summary`, or JSON with `key` and `fields`), or of sage (`index.json` with \
    `tickets`)";

/// A recognized export.
#[derive(Debug)]
pub(crate) struct Export {
    /// Entry whose path is root-relative inside the root, and absolute outside, with `/`.
    pub(crate) entry: Entry,
    pub(crate) version: FileVersion,
    pub(crate) format: ExportFormat,
}

/// Inspects the named exports, each once.
pub(crate) fn find(canonical_root: &Path, paths: &[PathBuf]) -> Result<Vec<Export>, SourceError> {
    let mut found: Vec<Export> = Vec::new();
    for path in paths {
        let export = inspect(canonical_root, path)
            .map_err(|reason| SourceError::Export { path: path.clone(), reason })?;
        if found.iter().all(|known| known.entry.path != export.entry.path) {
            found.push(export);
        }
    }
    Ok(found)
}

/// Returns the canonical path of an export: two names of one file give one path.
pub fn canonical_path(root: &Path, path: &Path) -> PathBuf {
    let path = root.join(path);
    native::canonical(&path).unwrap_or(path)
}

/// Inspects one file. The error is the reason why it is not an export.
fn inspect(canonical_root: &Path, path: &Path) -> Result<Export, String> {
    let started = SystemTime::now();
    let real = native::canonical(&canonical_root.join(path)).map_err(|error| error.to_string())?;
    let metadata = real.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    if metadata.len() > MAX_EXPORT_BYTES {
        return Err(format!("it is larger than {} MiB", MAX_EXPORT_BYTES >> 20));
    }
    let name = match native::from_disk(canonical_root, &real) {
        Some(inner) => inner,
        None => native::display(real.to_str().ok_or("its path is not Unicode")?),
    };
    let format = format_of(&real)?;
    let stat = FileStat::of(&metadata);
    let metadata = if stat.is_recent(started) { fingerprint::UNSTABLE } else { stat.fingerprint };
    let entry = Entry { path: name, size: stat.size, metadata };
    Ok(Export { entry, version: stat.version(), format })
}

fn format_of(path: &Path) -> Result<ExportFormat, String> {
    let read = |max: u64| -> Result<String, String> {
        let mut bytes = Vec::new();
        open_regular(path, u64::MAX)
            .and_then(|(file, _)| file.take(max).read_to_end(&mut bytes))
            .map_err(|error| error.to_string())?;
        text::decode(bytes, Secrets::Shown).map_err(|reason| match reason {
            SkipReason::Empty => "it is empty".to_owned(),
            _ => format!("it is not text; expected {SHAPES}"),
        })
    };
    if let Some(format) = sniff(&read(HEAD_BYTES)?) {
        return Ok(format);
    }
    sniff(&read(MAX_EXPORT_BYTES)?)
        .ok_or_else(|| format!("it is not a supported export; expected {SHAPES}"))
}

/// Returns true for an object with a list or a map of tickets, the first of which has a title.
fn is_index_of_sage(text: &str) -> bool {
    let root: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let first = match root.fields().map(|fields| fields.get("tickets")) {
        Some(Value::List(tickets)) => tickets.first(),
        Some(Value::Map(tickets)) => tickets.iter().next().map(|(_, ticket)| ticket),
        _ => None,
    };
    first.and_then(Value::fields).is_some_and(|fields| fields.text(&["title"]).is_some())
}

/// Returns the export format of a text; `None` if it is not recognized.
pub(crate) fn sniff(text: &str) -> Option<ExportFormat> {
    let records = records::records(text);
    let first = records.texts.iter().take(MAX_SNIFFED_RECORDS);
    let by_record = first
        .flat_map(|record| std::iter::once(*record).chain(record.lines().take(MAX_SNIFFED_RECORDS)))
        .filter_map(records::parse)
        .find_map(|fields| {
            let has = |name: &str| !fields.get(name).is_empty();
            let of_github = ["number", "url", "html_url"].iter().any(|name| has(name));
            if has("key") && fields.get("fields").fields().is_some() {
                Some(ExportFormat::JiraJson)
            } else {
                (has("title") && of_github).then_some(ExportFormat::GitHub)
            }
        });
    by_record.or_else(|| {
        let start = text.trim_start();
        if start.starts_with(['[', '{']) {
            // A repository without issues is exported as an empty list.
            let is_empty = start
                .chars()
                .all(|character| character.is_whitespace() || "[],".contains(character));
            let otherwise = is_index_of_sage(text).then_some(ExportFormat::Sage);
            return if is_empty { Some(ExportFormat::GitHub) } else { otherwise };
        }
        let table = Table::of(text)?;
        if table.has(&["Issue key", "Summary"]) {
            Some(ExportFormat::JiraTable)
        } else {
            table.has(&["ID", "Title", "Status"]).then_some(ExportFormat::Linear)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tracker_is_recognized_by_content() {
        use ExportFormat::{GitHub, JiraJson, JiraTable, Linear};
        for (text, expected) in [
            (r#"[{"number": 1, "title": "a"}]"#, Some(GitHub)),
            ("{\"title\": \"a\", \"url\": \"https://x\"}\n", Some(GitHub)),
            ("not json\n{\"number\": 1, \"title\": \"a\"}\n", Some(GitHub)),
            ("{\"number\": 1, \"title\n{\"number\": 2, \"title\": \"b\"}\n", Some(GitHub)),
            ("[]\n", Some(GitHub)),
            (r#"{"issues": [{"key": "A-1", "fields": {"summary": "x"}}]}"#, Some(JiraJson)),
            ("Summary,Issue key,Issue id\nx,A-1,1\n", Some(JiraTable)),
            ("Issue key;Summary\nA-1;x\n", Some(JiraTable)),
            ("\"ID\",\"Team\",\"Title\",\"Description\",\"Status\"\n", Some(Linear)),
            (r#"[{"id": "x-1", "title": "a", "status": "open"}]"#, None),
            (r#"{"tasks": [{"id": 1, "title": "a"}]}"#, None),
            ("name,price\na,1\n", None),
            ("# Title\n\nWords, words.\n", None),
            ("[1, 2]", None),
            ("{}", None),
            ("{\"issues\": [", None),
        ] {
            assert_eq!(sniff(text), expected, "{text}");
        }
    }
}
