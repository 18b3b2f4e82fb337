//! What the tools' answers have in common: their tokens, their cursors and the shape of their objects.
//!
//! An answer goes out twice, as text for the model and as an object for programs, which the schema of
//! the tool describes. The budget holds for each of them.

use serde_json::{Value, json};

use super::failure::Failure;
pub use lore_render::pack::{DEFAULT_BUDGET as TOKENS, MAX_TOKENS};

/// Fewest tokens that can be asked for.
pub const MIN_TOKENS: usize = 200;

/// What the objects look like.
pub fn schema() -> Value {
    let text = json!({"type": "string"});
    let text_or_null = json!({"type": ["string", "null"]});
    let number = json!({"type": "integer"});
    let number_or_null = json!({"type": ["integer", "null"]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let or_null = |value: Value| json!({"anyOf": [{"type": "null"}, value]});
    let hit = object(&[
        ("rank", number.clone()),
        ("id", text.clone()),
        ("path", text_or_null.clone()),
        ("startLine", number_or_null.clone()),
        ("endLine", number_or_null.clone()),
        ("origin", json!({"type": "string", "enum": ["own", "outside"]})),
        ("shown", json!({"type": "string", "enum": ["body", "passage", "reference"]})),
        ("answer", number_or_null),
        ("text", text.clone()),
    ]);
    let absence = object(&[("reasons", texts.clone()), ("nearest", texts.clone())]);
    let scanned = object(&[
        ("files", number.clone()),
        ("looked", number.clone()),
        ("listedAll", json!({"type": "boolean"})),
    ]);
    object(&[
        ("hits", json!({"type": "array", "items": hit})),
        ("further", texts.clone()),
        ("files", text.clone()),
        ("shown", number.clone()),
        ("total", number),
        ("nextCursor", text_or_null.clone()),
        ("absence", or_null(absence)),
        ("root", text.clone()),
        ("tree", text_or_null),
        ("fresh", text),
        ("scanned", or_null(scanned)),
        ("notes", texts),
    ])
}

/// An object that has all of these fields and no others.
pub fn object(fields: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// A cursor: how many were sent, and of which question.
pub fn cursor(offset: usize, question: u64) -> String {
    format!("{offset}-{question:016x}")
}

/// How many were sent before this cursor of a question.
pub fn offset(cursor: &str, question: u64) -> Result<usize, Failure> {
    let remedy = "leave `cursor` out to begin again";
    let parts = cursor.split_once('-').and_then(|(offset, mark)| {
        Some((offset.parse().ok()?, u64::from_str_radix(mark, 16).ok()?))
    });
    match parts {
        Some((offset, mark)) if mark == question => Ok(offset),
        Some(_) => {
            let told = "the cursor belongs to another question, or to what stood there before";
            Err(Failure::new(told).remedy(remedy))
        }
        None => Err(Failure::new(format!("`{cursor}` is no cursor")).remedy(remedy)),
    }
}

/// What a cursor belongs to: the name of the tool, all that was asked but where to go on, and what
/// is paged through: where that is another one now, going on would skip or repeat some of it.
pub fn mark<T: AsRef<str>>(
    tool: &str,
    given: &serde_json::Map<String, Value>,
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
