//! Abbreviations: short words that may stand for a longer name, as `ws` for `WebSocket` and `ctx` for
//! `context`. Pure. Which of the possible names is meant is learned from files that use both.

use lore_text::{is_stop_word, parts};

/// Length of an abbreviation in letters.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=5;

/// Minimum number of letters that an abbreviation saves.
const SAVED: usize = 3;

/// Returns true if a folded word looks like an abbreviation. A pronounceable word only stands for
/// the initials of three or more parts: `run` is not short for `runtime`.
pub(crate) fn may_abbreviate(word: &str) -> bool {
    LETTERS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && (!has_vowel(word) || word.len() >= 3)
}

/// The parts of a name that a folded word may abbreviate: those whose initials it consists of, or the
/// one of which it keeps the first letter and some others. Words that occur in every text are excluded.
pub(crate) fn abbreviated(word: &str, name: &str) -> Option<Vec<String>> {
    // Nearly all names of an index end here, without an allocation.
    if name.is_ascii() && !is_within_ascii(word, name) {
        return None;
    }
    let parts = parts(name);
    let initials: String = parts.iter().filter_map(|part| part.chars().next()).collect();
    if has_vowel(word) {
        return (initials == word && parts.len() >= 3).then_some(parts);
    }
    if let Some(at) = initials.find(word)
        && initials.is_ascii()
    {
        return Some(parts[at..at + word.len()].to_vec());
    }
    let mut longer =
        parts.into_iter().filter(|part| word.len() + SAVED <= part.len() && !is_stop_word(part));
    longer.find(|part| part.starts_with(&word[..1]) && is_within(word, part)).map(|part| vec![part])
}

/// Returns true if a word contains these letters in this order.
fn is_within(letters: &str, word: &str) -> bool {
    let mut rest = word.chars();
    letters.chars().all(|letter| rest.any(|other| other == letter))
}

/// As [`is_within`], for any case.
fn is_within_ascii(letters: &str, name: &str) -> bool {
    let mut rest = name.bytes();
    letters.bytes().all(|letter| rest.any(|other| other.to_ascii_lowercase() == letter))
}

fn has_vowel(word: &str) -> bool {
    word.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_match_names() {
        for (word, name, expected) in [
            ("ws", "WebSocket", Some("web socket")),
            ("ws", "openWebSocketStream", Some("web socket")),
            ("ctx", "RequestContext", Some("context")),
            ("cfg", "config_file", Some("config")),
            ("mgr", "SessionManager", Some("manager")),
            ("db", "Database", Some("database")),
            ("ast", "AbstractSyntaxTree", Some("abstract syntax tree")),
            ("ast", "astronomy", None),
            ("ws", "words", Some("words")),
            ("tx", "text", None),
            ("ws", "rows", None),
            ("zq", "WebSocket", None),
        ] {
            let found = abbreviated(word, name).map(|parts| parts.join(" "));
            assert_eq!(found.as_deref(), expected, "{word} in {name}");
        }
    }

    #[test]
    fn pronounceable_words_are_not_abbreviations() {
        for (word, expected) in [
            ("ws", true),
            ("ctx", true),
            ("ast", true),
            ("is", false),
            ("w", false),
            ("b2b", false),
        ] {
            assert_eq!(may_abbreviate(word), expected, "{word}");
        }
    }
}
