//! Shared parts of the tools' answers: their tokens, their cursors and the shape of their objects.
//!
//! An answer goes out twice, as text for the model and as an object for programs, which the schema of
//! the tool describes. The budget holds for each of them.

use super::failure::Failure;
pub use lore_render::pack::{DEFAULT_BUDGET as TOKENS, MAX_TOKENS};

/// Minimum token budget of an answer.
pub const MIN_TOKENS: usize = 200;

/// A cursor: how many were sent, and of which question.
pub fn cursor(offset: usize, question: u64) -> String {
    format!("{offset}-{question:016x}")
}

/// The number of items that were sent before this cursor of a question.
pub fn offset(cursor: &str, question: u64) -> Result<usize, Failure> {
    let remedy = "leave `cursor` out to begin again";
    let parts = cursor.split_once('-').and_then(|(offset, mark)| {
        Some((offset.parse().ok()?, u64::from_str_radix(mark, 16).ok()?))
    });
    match parts {
        Some((offset, mark)) if mark == question => Ok(offset),
        Some(_) => {
            let reason = "the cursor belongs to another question, or to an older state of the tree";
            Err(Failure::new(reason).remedy(remedy))
        }
        None => Err(Failure::new(format!("`{cursor}` is no cursor")).remedy(remedy)),
    }
}

/// The subject of a cursor: the name of the tool, all arguments except the cursor, and what
/// is paged through: where that is another one now, going on would skip or repeat some of it.
pub fn mark<T: AsRef<str>>(
    tool: &str,
    given: &serde_json::Map<String, serde_json::Value>,
    content: impl IntoIterator<Item = T>,
) -> u64 {
    use sha2::{Digest as _, Sha256};

    let mut names: Vec<&String> = given.keys().collect();
    names.retain(|name| !matches!(name.as_str(), "cursor" | "max_tokens"));
    names.sort();
    let mut hash = Sha256::new();
    hash.update(tool);
    for name in names {
        hash.update([0]);
        hash.update(name);
        hash.update([0]);
        hash.update(given[name].to_string());
    }
    for part in content {
        hash.update([0]);
        hash.update(part.as_ref());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_be_bytes(first)
}

/// Tokens that an answer may have.
pub fn tokens(asked: Option<usize>) -> usize {
    asked.unwrap_or(TOKENS).clamp(MIN_TOKENS, MAX_TOKENS)
}
