//! The words of a task, for comparison with names of definitions.

use lore_text::{is_stop_word, parts, same_stem};

/// The words of a task that describe its subject.
#[derive(Debug, Default)]
pub(super) struct TaskWords {
    /// Folded, without duplicates, in the order of the task.
    words: Vec<String>,
    /// Words written like names: `retry_refund`, `AuthToken`, `Disk.save`, or in backticks.
    names: Vec<String>,
}

/// Words that state the action of a task, not its subject.
const VERBS: &[&str] = &[
    "add",
    "all",
    "fix",
    "how",
    "implement",
    "make",
    "need",
    "new",
    "please",
    "refactor",
    "should",
    "use",
    "why",
    "work",
    "works",
    "write",
];

/// Words at the start of a task that are not part of its subject. Sorted.
const BEGINNINGS: &[&str] = &[
    "a",
    "add",
    "all",
    "an",
    "any",
    "can",
    "changes",
    "check",
    "could",
    "create",
    "debug",
    "describe",
    "does",
    "explain",
    "find",
    "fix",
    "for",
    "help",
    "how",
    "i",
    "implement",
    "in",
    "integration",
    "is",
    "latest",
    "let's",
    "list",
    "make",
    "me",
    "need",
    "new",
    "of",
    "please",
    "recent",
    "refactor",
    "review",
    "search",
    "show",
    "some",
    "test",
    "tests",
    "the",
    "to",
    "unit",
    "us",
    "want",
    "we",
    "what",
    "where",
    "which",
    "why",
    "write",
    "you",
];

/// Removes the words that only state the action; returns the whole task if it has no others.
pub(super) fn subject(task: &str) -> &str {
    let task = task.trim();
    let mut rest = task;
    while let Some(word) = rest.split_whitespace().next() {
        let plain = word.trim_matches(|c: char| matches!(c, ',' | ':' | '.' | '!')).to_lowercase();
        if BEGINNINGS.binary_search(&plain.as_str()).is_err() {
            return rest;
        }
        rest = rest[word.len()..].trim_start();
    }
    task
}

impl TaskWords {
    pub(super) fn new(text: &str) -> TaskWords {
        let mut task = TaskWords::default();
        for token in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"')) {
            let quoted = token.starts_with('`');
            let name = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if (quoted || is_name(name)) && !name.is_empty() {
                let name = name.to_owned();
                if !task.names.contains(&name) {
                    task.names.push(name);
                }
            }
            for part in parts(name) {
                let says = part.chars().count() > 1
                    && !is_stop_word(&part)
                    && VERBS.binary_search(&part.as_str()).is_err()
                    && !part.bytes().all(|byte| byte.is_ascii_digit());
                if says && !task.words.contains(&part) {
                    task.words.push(part);
                }
            }
        }
        task
    }

    /// Returns the words written like names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns which words are contained in a name.
    pub(super) fn held_by(&self, name: &str) -> Vec<bool> {
        let own = parts(name);
        self.words.iter().map(|word| own.iter().any(|part| same_stem(part, word))).collect()
    }

    /// Returns the number of words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

/// Returns true if a word is written like a name, not like a word of a sentence.
fn is_name(word: &str) -> bool {
    let inner = word.char_indices().skip(1);
    let has_joint = word.trim_matches('_').contains('_') || word.contains("::");
    let letters: Vec<char> = word.chars().collect();
    let changes_case = letters.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase());
    let is_member = inner.clone().any(|(_, c)| c == '.')
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'))
        && !word.ends_with('.')
        && word.chars().next().is_some_and(|first| !first.is_ascii_digit());
    has_joint || changes_case || is_member
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished_from_words() {
        let task = TaskWords::new("fix `save` in Disk.flush, then AuthToken::new and MAX_SIZE.");
        assert_eq!(task.names(), ["save", "Disk.flush", "AuthToken::new", "MAX_SIZE"]);
        let plain = TaskWords::new("Explain version 2.0 of the Refunds, please. e2e");
        assert!(plain.names().is_empty(), "{plain:?}");
    }

    #[test]
    fn words_are_found_in_names_by_stem() {
        let task = TaskWords::new("fix the retries of a refund 12");
        assert_eq!(task.words, ["retries", "refund"]);
        assert_eq!(task.held_by("retryRefunds"), [true, true]);
        assert_eq!(task.held_by("payment"), [false, false]);
    }

    #[test]
    fn the_action_is_separated_from_the_subject() {
        for (task, rest) in [
            ("write unit tests for the parser", "parser"),
            ("Please fix the crash in tests", "crash in tests"),
            ("fix tests", "fix tests"),
            ("explain how the work of stealing works", "work of stealing works"),
            ("Disk.save", "Disk.save"),
        ] {
            assert_eq!(subject(task), rest);
        }
    }

    #[test]
    fn lists_are_sorted() {
        assert!(VERBS.is_sorted());
        assert!(BEGINNINGS.is_sorted());
    }
}
