//! Exports of issue trackers: files that are read because somebody named them, wherever they lie
//! and whatever ignores them. What tracker one comes from is told by its content.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    time::SystemTime,
};

use lore_schema::SkipReason;

use crate::{
    error::SourceError,
    fingerprint::{self, Facts, Version},
    listing::Entry,
    native, records,
    secrets::Secrets,
    table::Table,
    text,
};

/// The largest export that is read, in bytes.
pub(crate) const LARGEST: u64 = 64 << 20;

/// How much of a file is looked at first, in bytes. Most exports have told by then.
const HEAD: u64 = 256 << 10;

/// How many records are looked at: the first ones may be broken.
const LOOKED_AT: usize = 50;

/// Which tracker, and in which form.
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
}

/// What an export may be, for people.
const SHAPES: &str = "issues of GitHub (JSON or JSON lines with `number` and `title`), of Linear \
    (CSV with the columns `ID`, `Title` and `Status`), or of Jira (CSV with the columns \
    `Issue key` and `Summary`, or JSON with `key` and `fields`)";

/// An export that was found.
#[derive(Debug)]
pub(crate) struct Export {
    /// Its path is root-relative inside the root, and absolute outside, with `/`.
    pub(crate) entry: Entry,
    pub(crate) version: Version,
    pub(crate) format: ExportFormat,
}

/// Looks at the exports that were named, each once.
pub(crate) fn find(canonical_root: &Path, paths: &[PathBuf]) -> Result<Vec<Export>, SourceError> {
    let mut found: Vec<Export> = Vec::new();
    for path in paths {
        let export = look_at(canonical_root, path)
            .map_err(|reason| SourceError::Export { path: path.clone(), reason })?;
        if found.iter().all(|known| known.entry.path != export.entry.path) {
            found.push(export);
        }
    }
    Ok(found)
}

/// Where an export really lies: two ways to name one file give one path.
pub fn canonical_path(root: &Path, path: &Path) -> PathBuf {
    let path = root.join(path);
    native::canonical(&path).unwrap_or(path)
}

/// Looks at one file; otherwise the reason why it is no export.
fn look_at(canonical_root: &Path, path: &Path) -> Result<Export, String> {
    let started = SystemTime::now();
    let real = native::canonical(&canonical_root.join(path)).map_err(|error| error.to_string())?;
    let metadata = real.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    if metadata.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    let name = match native::from_disk(canonical_root, &real) {
        Some(inner) => inner,
        None => native::display(real.to_str().ok_or("its path is not Unicode")?),
    };
    let format = format_of(&real)?;
    let facts = Facts::of(&metadata);
    let metadata = if facts.is_recent(started) { fingerprint::UNSTABLE } else { facts.fingerprint };
    let entry = Entry { path: name, size: facts.size, metadata };
    Ok(Export { entry, version: facts.version(), format })
}

fn format_of(path: &Path) -> Result<ExportFormat, String> {
    let read = |most: u64| -> Result<String, String> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(most).read_to_end(&mut bytes))
            .map_err(|error| error.to_string())?;
        text::decode(bytes, Secrets::Shown).map_err(|reason| match reason {
            SkipReason::Empty => "it is empty".to_owned(),
            _ => format!("it is not text; looked for {SHAPES}"),
        })
    };
    if let Some(format) = sniff(&read(HEAD)?) {
        return Ok(format);
    }
    sniff(&read(LARGEST)?).ok_or_else(|| format!("it holds none of what is looked for: {SHAPES}"))
}

/// What a text holds; `None` when it does not say so.
pub(crate) fn sniff(text: &str) -> Option<ExportFormat> {
    let records = records::records(text);
    let first = records.texts.iter().take(LOOKED_AT);
    let by_record = first
        .flat_map(|record| std::iter::once(*record).chain(record.lines().take(LOOKED_AT)))
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
            // A repository without issues is exported as a list without items.
            let is_empty = start.chars().all(|it| it.is_whitespace() || "[],".contains(it));
            return is_empty.then_some(ExportFormat::GitHub);
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
    fn the_content_tells_the_tracker() {
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
