//! Parts of a stored commit: the files that it changes, its message, its day.

use lore_index::StoredDocument;

/// Returns the files that a commit changes.
pub(crate) fn changed(commit: &StoredDocument) -> impl Iterator<Item = &str> {
    let files = commit.attributes.extra.iter().filter(|(name, _)| name == "file");
    files.map(|(_, path)| path.as_str())
}

/// Returns the message of a commit without its list of files.
pub(crate) fn message(commit: &StoredDocument) -> &str {
    let text = commit.text.as_deref().unwrap_or_default();
    let list: Vec<&str> = changed(commit).collect();
    text.strip_suffix(list.join("\n").as_str()).unwrap_or(text).trim_end()
}

/// Returns the day and the hash of a commit.
pub(crate) fn short(commit: &StoredDocument) -> String {
    let hash = commit.attributes.id.as_deref().unwrap_or_default();
    let day = commit.attributes.updated.and_then(day).unwrap_or_default();
    format!("{day} {hash}").trim().to_owned()
}

/// Formats a day as `2025-01-31`, in UTC.
pub(crate) fn day(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    Some(time.strftime("%Y-%m-%d").to_string())
}
