//! Chooses the words to search for: those of the messages, or the rarest words of an unrecognised
//! log.

use std::collections::HashSet;

use lore_failures::{Failure, FunctionName, lines, stable_words};
use lore_schema::Field;
use lore_text::parts;

use crate::{EngineError, state::snapshot::Snapshot};

/// Maximum number of words over all messages.
const MAX_WORDS: usize = 24;

/// Maximum number of words per message.
const MAX_WORDS_OF_ONE: usize = 12;

/// Maximum number of functions per failure whose names are searched for, innermost first.
const MAX_NAMES: usize = 2;

/// Maximum number of words from an unrecognised log.
const MAX_RARE: usize = 12;

/// Returns the words of the messages and the names of functions that the index contains.
pub(super) fn words_of(
    failures: &[Failure],
    functions: &[Vec<String>],
    snapshot: &Snapshot,
) -> Result<String, EngineError> {
    let mut words = Words { snapshot, kept: Vec::new(), seen: HashSet::new() };
    for (failure, functions) in failures.iter().zip(functions) {
        let room = (words.kept.len() + MAX_WORDS_OF_ONE).min(MAX_WORDS);
        for part in failure.causes.iter().rev().chain([failure]) {
            words.add(&stable_words(&part.message), room)?;
            let kind = part.kind.rsplit(['.', ':', '\\']).next().unwrap_or_default();
            words.add(kind, room)?;
        }
        let names = functions.iter().take(MAX_NAMES).cloned();
        let test = failure.test.as_deref().and_then(FunctionName::parse).map(|test| test.name);
        for name in names.chain(test) {
            words.add(&name, MAX_WORDS)?;
        }
    }
    Ok(words.kept.join(" "))
}

/// Collects words to search for.
struct Words<'a> {
    snapshot: &'a Snapshot,
    kept: Vec<String>,
    seen: HashSet<String>,
}

impl Words<'_> {
    /// Adds the words of a text that the index contains, as long as there is room.
    fn add(&mut self, text: &str, room: usize) -> Result<(), EngineError> {
        for word in split(text) {
            if self.kept.len() >= room {
                break;
            }
            if self.seen.insert(word.to_lowercase()) {
                for known in known_as(word, self.snapshot)? {
                    if known == word || self.seen.insert(known.clone()) {
                        self.kept.push(known);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Splits a text into words and identifiers.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| word.chars().any(char::is_alphabetic))
}

/// Returns a word in the form that the index contains: as it is, or the parts of an identifier that
/// is not in the index as a whole.
fn known_as(word: &str, snapshot: &Snapshot) -> Result<Vec<String>, EngineError> {
    let parts = parts(word);
    if parts.len() <= 1 {
        let is_known = match parts.first() {
            Some(part) => frequency(Field::Body, part, snapshot)? > 0,
            None => false,
        };
        return Ok(if is_known { vec![word.to_owned()] } else { Vec::new() });
    }
    if frequency(Field::Whole, &parts.concat(), snapshot)? > 0 {
        return Ok(vec![word.to_owned()]);
    }
    let mut known = Vec::new();
    for part in parts {
        if part.chars().count() > 2 && frequency(Field::Body, &part, snapshot)? > 0 {
            known.push(part);
        }
    }
    Ok(known)
}

/// Returns the number of documents in all sources that contain a term.
fn frequency(field: Field, term: &str, snapshot: &Snapshot) -> Result<u64, EngineError> {
    let mut documents = 0;
    for source in &snapshot.sources {
        documents += source.reader.document_frequency(field, term)?;
    }
    Ok(documents)
}

/// Maximum number of distinct words of an unrecognised log that are looked up.
const MAX_LOOKED_UP: usize = 5_000;

/// Returns the rarest words of a text that the index contains, rarest first.
pub(super) fn rare_words(text: &str, snapshot: &Snapshot) -> Result<String, EngineError> {
    let mut seen = HashSet::new();
    let mut known: Vec<(u64, String)> = Vec::new();
    let text = lines(text).join("\n");
    for word in split(&stable_words(&text)) {
        if seen.len() >= MAX_LOOKED_UP {
            break;
        }
        if word.chars().count() < 3 || !seen.insert(word.to_lowercase()) {
            continue;
        }
        let parts = parts(word);
        let field = if parts.len() > 1 { Field::Whole } else { Field::Body };
        let documents = frequency(field, &parts.concat(), snapshot)?;
        if documents > 0 {
            known.push((documents, word.to_owned()));
        }
    }
    // Ties keep the order of the text.
    known.sort_by_key(|(documents, _)| *documents);
    let words: Vec<String> = known.into_iter().take(MAX_RARE).map(|(_, word)| word).collect();
    Ok(words.join(" "))
}
