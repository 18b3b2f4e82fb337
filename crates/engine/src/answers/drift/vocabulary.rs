//! The words of the code: identifiers, words with hyphens, and flags.

use std::collections::{HashMap, HashSet};

use lore_statements::naming;

/// Maximum number of words that are kept.
const MAX_WORDS: usize = 4_000_000;

/// Maximum length of a word in bytes; longer ones are data.
const MAX_WORD_LEN: usize = 100;

/// All words of the code of a tree.
#[derive(Default)]
pub(super) struct Vocabulary {
    words: HashSet<Box<str>>,
}

impl Vocabulary {
    /// Adds the words of a text.
    pub(super) fn add(&mut self, code: &str) {
        let bytes = code.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !is_word(bytes[at]) && bytes[at] != b'-' {
                at += 1;
                continue;
            }
            let start = at;
            while at < bytes.len() && (is_word(bytes[at]) || bytes[at] == b'-') {
                at += 1;
            }
            self.run(&code[start..at]);
            let before = start.checked_sub(1).map(|at| bytes[at]);
            let is_quoted =
                matches!(before, Some(b'"' | b'\'' | b'`')) && bytes.get(at).copied() == before;
            if is_quoted {
                self.insert(&quoted(&code[start..at]));
            }
        }
    }

    /// Adds a run of word characters and hyphens, and its parts.
    fn run(&mut self, run: &str) {
        if !run.contains('-') {
            self.insert(run);
            return;
        }
        // The parts of a flag are no names.
        for part in run.split('-').filter(|part| !part.is_empty() && !run.starts_with("--")) {
            self.insert(part);
        }
        let bare = run.trim_matches('-');
        self.insert(bare);
        if run.starts_with("--") && !run.starts_with("---") {
            self.insert(run.trim_end_matches('-'));
        }
        // `--no-cache` also exists as `--[no-]cache`; `no-cache` contains `cache`.
        if let Some(rest) = bare.strip_prefix("no-") {
            self.insert(rest);
        }
    }

    fn insert(&mut self, word: &str) {
        let is_kept = word.len() > 1 && word.len() <= MAX_WORD_LEN && self.words.len() < MAX_WORDS;
        if is_kept && !self.words.contains(word) {
            self.words.insert(word.into());
        }
    }

    /// Returns true if a string of the code is exactly this word.
    pub(super) fn contains_quoted(&self, word: &str) -> bool {
        self.contains(&quoted(word))
    }

    pub(super) fn extend(&mut self, other: Vocabulary) {
        if self.words.is_empty() {
            self.words = other.words;
        } else {
            self.words.extend(other.words);
        }
    }

    /// Returns true if a word occurs in the code, or if words were omitted.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.words.contains(word) || self.words.len() >= MAX_WORDS
    }

    /// Returns the only word that is a misspelling of each of these names, for names that have one.
    pub(super) fn near<'a>(&self, names: &[&'a str]) -> HashMap<&'a str, String> {
        let mut buckets: HashMap<(u8, usize), Vec<&'a str>> = HashMap::new();
        for name in names {
            for length in name.len().saturating_sub(2)..=name.len() + 2 {
                buckets.entry((name.as_bytes()[0], length)).or_default().push(name);
            }
        }
        let mut found: HashMap<&'a str, Vec<&str>> = HashMap::new();
        #[expect(clippy::iter_over_hash_type, reason = "only the only match counts")]
        for word in &self.words {
            let Some(names) = buckets.get(&(word.as_bytes()[0], word.len())) else { continue };
            for name in names.iter().filter(|name| naming::is_near(name, word)) {
                found.entry(name).or_default().push(word);
            }
        }
        let only = found.into_iter().filter(|(_, words)| words.len() == 1);
        only.map(|(name, words)| (name, words[0].to_owned())).collect()
    }
}

/// The form under which a quoted word is kept.
fn quoted(word: &str) -> String {
    format!("\"{word}")
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_their_parts_are_words() {
        let mut words = Vocabulary::default();
        words.add("a.arg(\"--dry-run\", max_size = é); xx-yy");
        for word in ["--dry-run", "dry-run", "max_size", "xx-yy", "xx", "arg"] {
            assert!(words.contains(word), "{word}");
        }
        assert!(words.contains_quoted("--dry-run") && !words.contains_quoted("arg"));
        assert!(!words.contains("--dry") && !words.contains("dry") && !words.contains("max"));
        let names = ["max_sizes", "maximum_x"];
        assert_eq!(words.near(&names), HashMap::from([("max_sizes", "max_size".to_owned())]));
    }
}
