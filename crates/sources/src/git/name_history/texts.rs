//! Reads and compares versions of files.

use std::collections::HashSet;

use gix::{ObjectId, Repository, bstr::ByteSlice};

use super::{MAX_FILE_BYTES, SoughtPath};
use crate::{
    Secrets,
    git::repository::{read_blob, summary},
    secrets::redact,
    text,
};

pub(super) fn read(repository: &Repository, id: ObjectId) -> Option<String> {
    text::decode(read_blob(repository, id, MAX_FILE_BYTES)?, Secrets::Shown).ok()
}

/// The date and the first line of the message of a commit.
pub(super) fn description(repository: &Repository, hash: &str) -> (Option<i64>, String) {
    let id = ObjectId::from_hex(hash.as_bytes()).ok();
    let Some(commit) = id.and_then(|id| repository.find_commit(id).ok()) else {
        return (None, String::new());
    };
    let date = commit.author().ok().map(|author| author.seconds());
    let message = commit.message_raw_sloppy().to_str_lossy().into_owned();
    (date, redact(summary(&message)))
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The part of a deleted path that is a sought file or folder.
pub(super) fn removed_part(deleted: &str, sought: &SoughtPath) -> Option<String> {
    for path in &sought.paths {
        let path = path.trim_end_matches('/');
        let rest = deleted.strip_prefix(path);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            return Some(path.to_owned());
        }
    }
    let first = sought.paths.first().filter(|_| sought.is_suffix)?.trim_end_matches('/');
    let at = deleted.find(&format!("/{first}"))?;
    let end = at + 1 + first.len();
    let is_whole = deleted[end..].is_empty() || deleted[end..].starts_with('/');
    is_whole.then(|| deleted[..end].to_owned())
}

/// Returns true if a form at an offset is a whole word.
pub(super) fn is_whole(text: &str, start: usize, form: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let end = start + form.len();
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(end).copied();
    let starts = !form.bytes().next().is_some_and(is_inner) || !before.is_some_and(is_inner);
    // `--dry` is no part of `--dry-run`.
    let continues = after == Some(b'-')
        && form.contains('-')
        && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
    let ends =
        !form.bytes().last().is_some_and(is_inner) || !(after.is_some_and(is_inner) || continues);
    starts && ends
}

/// The lines that contain a form as a whole word.
pub(super) fn lines_with<'t>(text: &'t str, form: &str) -> Vec<&'t str> {
    let has = |line: &&str| line.match_indices(form).any(|(at, _)| is_whole(line, at, form));
    if !text.contains(form) {
        return Vec::new();
    }
    text.lines().filter(has).collect()
}

/// Returns true if most lines of two texts are equal.
pub(super) fn is_similar(old: &str, new: &str) -> bool {
    let lines = |text: &'_ str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| line.len() > 3).map(str::to_owned).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let known: HashSet<&String> = old.iter().collect();
    let equal = new.iter().filter(|line| known.contains(line)).count();
    let larger = old.len().max(new.len());
    larger > 0 && equal * 2 >= larger
}

/// Returns true if two names have a part of at least four characters in common, or are both flags.
pub(super) fn is_related(name: &str, other: &str) -> bool {
    if name.starts_with("--") && other.starts_with("--") {
        return true;
    }
    let parts = |name: &str| -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut is_lower = false;
        for character in name.chars() {
            if !character.is_alphanumeric() || (character.is_uppercase() && is_lower) {
                parts.push(String::new());
            }
            is_lower = character.is_lowercase();
            if let Some(part) = parts.last_mut().filter(|_| character.is_alphanumeric()) {
                part.extend(character.to_lowercase());
            }
        }
        parts.retain(|part| part.len() >= 4);
        parts
    };
    let known = parts(other);
    parts(name).iter().any(|part| known.contains(part))
}

/// Minimum number of other words of a line that shows by itself that it replaces another one.
const MIN_WORDS: usize = 4;

/// Returns true if a line has enough words beside a form to be recognised without it.
pub(super) fn is_long(line: &str, form: &str) -> bool {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty() && *word != form).count() >= MIN_WORDS
}
