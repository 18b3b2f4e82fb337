//! Whether a short word may stand for a longer name: `ws` for `WebSocket`, `ctx` for `context`. Pure.
//! Which of the names that it may stand for it does stand for is learned from who uses both.

use lore_text::{is_stop_word, parts};

/// Letters of an abbreviation.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=5;

/// Letters that a word must have more than what abbreviates it.
const SAVED: usize = 3;

/// Whether a folded word looks like an abbreviation at all. A word that can be spoken is taken for
/// initials of three and more parts only: `run` is not short for `runtime`.
pub(crate) fn may_abbreviate(word: &str) -> bool {
    LETTERS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && (!has_vowel(word) || word.len() >= 3)
}

/// What a folded word may stand for in a name, as folded parts: those whose initials it is, or the one
/// of which it keeps the first letter and some of the others. Words that every text holds are meant by
/// nobody.
pub(crate) fn abbreviated(word: &str, name: &str) -> Option<Vec<String>> {
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

/// Whether these letters stand in a word, in their order.
fn is_within(letters: &str, word: &str) -> bool {
    let mut rest = word.chars();
    letters.chars().all(|letter| rest.any(|other| other == letter))
}

fn has_vowel(word: &str) -> bool {
    word.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_stand_for_names() {
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
    fn words_that_can_be_spoken_are_words() {
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
