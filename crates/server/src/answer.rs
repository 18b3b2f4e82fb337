//! Shared parts of the tools' answers: their tokens, their cursors and the shape of their objects.
//!
//! An answer is sent twice: as text for the model, and as an object for programs, which the schema of
//! the tool describes. The budget applies to each of them.

use super::failure::Failure;
pub use lore_render::pack::{DEFAULT_BUDGET as TOKENS, MAX_TOKENS};

/// Minimum token budget of an answer.
pub const MIN_TOKENS: usize = 200;

/// Returns the cursor after `offset` items of an answer, which `mark` identifies.
pub fn cursor(offset: usize, mark: u64) -> String {
    format!("{offset}-{mark:016x}")
}

/// Returns the number of items that were sent before a cursor. Fails if the cursor is of an answer
/// with another mark.
pub fn offset(cursor: &str, expected: u64) -> Result<usize, Failure> {
    let remedy = "leave `cursor` out to begin again";
    let parts = cursor.split_once('-').and_then(|(offset, mark)| {
        Some((offset.parse().ok()?, u64::from_str_radix(mark, 16).ok()?))
    });
    match parts {
        Some((offset, mark)) if mark == expected => Ok(offset),
        Some(_) => {
            let reason = "the cursor belongs to another question, or to an older state of the tree";
            Err(Failure::new(reason).remedy(remedy))
        }
        None => Err(Failure::new(format!("`{cursor}` is no cursor")).remedy(remedy)),
    }
}

/// Digest that identifies an answer over its pages: of the tool, of all arguments except the cursor and
/// the budget, and of the content. If the content changed, a next page would skip or repeat some of it.
pub fn mark<T: AsRef<str>>(
    tool: &str,
    arguments: &serde_json::Map<String, serde_json::Value>,
    content: impl IntoIterator<Item = T>,
) -> u64 {
    use sha2::{Digest as _, Sha256};

    let mut names: Vec<&String> = arguments.keys().collect();
    names.retain(|name| !matches!(name.as_str(), "cursor" | "max_tokens"));
    names.sort();
    let mut hash = Sha256::new();
    hash.update(tool);
    for name in names {
        hash.update([0]);
        hash.update(name);
        hash.update([0]);
        hash.update(arguments[name].to_string());
    }
    for part in content {
        hash.update([0]);
        hash.update(part.as_ref());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_be_bytes(first)
}

/// Token budget of an answer, from the requested one.
pub fn tokens(requested: Option<usize>) -> usize {
    requested.unwrap_or(TOKENS).clamp(MIN_TOKENS, MAX_TOKENS)
}
