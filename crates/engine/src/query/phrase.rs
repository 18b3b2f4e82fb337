//! Finds words that are side by side in a text. Pure.

use std::sync::{LazyLock, OnceLock};

use lore_text::{Form, analyzer};
use regex::{Regex, RegexBuilder, bytes};
use unicode_normalization::UnicodeNormalization as _;

/// A prepared phrase.
#[derive(Debug, Clone)]
pub(crate) struct Phrase {
    /// Texts that must all be found: the phrase, or the overlapping stretches of a long one.
    stretches: Vec<String>,
    /// Regular expressions for them; `None` if one is too large. Compiled for the first text, since most
    /// queries contain no phrase.
    finders: OnceLock<Option<Vec<Regex>>>,
    /// Expressions over bytes, which compile in a fraction of the time; `None` if letters beyond ASCII
    /// have to be distinguished.
    narrow: OnceLock<Option<Vec<bytes::Regex>>>,
    /// Terms in the index that every text with the phrase contains.
    terms: Vec<PhraseTerm>,
}

/// A run of letters of a phrase, as the index stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PhraseTerm {
    /// One identifier or word, of any number of parts: all or part of that name.
    Joined(String),
    /// One character of a script without spaces.
    Character(String),
}

/// Maximum length of a phrase, in bytes: a page or two.
const MAX_PHRASE_LEN: usize = 16_384;

/// Number of words of a phrase in one regular expression, whose size grows with them.
const WORDS_PER_STRETCH: usize = 40;

impl Phrase {
    /// Prepares a phrase; `None` if it has no words or is longer than a page or two.
    ///
    /// Words match as a whole and ignore case. Between two words, any characters that are not part of a word
    /// may occur: a line end, the sign of a comment. Everything else is matched literally.
    pub(crate) fn new(text: &str) -> Option<Phrase> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_PHRASE_LEN {
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut stretches = Vec::new();
        // Stretches overlap, so that the matches connect.
        for start in (0..words.len()).step_by(WORDS_PER_STRETCH / 2) {
            let end = words.len().min(start + WORDS_PER_STRETCH);
            stretches.push(words[start..end].join(" "));
            if end == words.len() {
                break;
            }
        }
        let (finders, narrow) = (OnceLock::new(), OnceLock::new());
        Some(Phrase { stretches, finders, narrow, terms: terms(text) })
    }

    /// Returns true if a text contains the phrase.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let is_ascii = text.is_ascii();
        // The byte expressions match every text with the phrase, except for the two characters whose
        // lower-case letters are ASCII.
        if is_ascii || !text.contains(['\u{212a}', '\u{17f}']) {
            let make = || self.stretches.iter().map(|stretch| narrow(stretch)).collect();
            if let Some(narrow) = self.narrow.get_or_init(make) {
                let holds = narrow.iter().all(|finder| finder.is_match(text.as_bytes()));
                if is_ascii || !holds {
                    return holds;
                }
            }
        }
        let make = || self.stretches.iter().map(|stretch| regex(stretch)).collect();
        let finders = self.finders.get_or_init(make).as_ref();
        finders.is_some_and(|finders| finders.iter().all(|finder| finder.is_match(text)))
    }

    /// Terms that every text with the phrase contains.
    pub(crate) fn terms(&self) -> &[PhraseTerm] {
        &self.terms
    }
}

fn regex(text: &str) -> Option<Regex> {
    // An accent may be composed or a separate character, even both in one text.
    let mut spellings = vec![text.to_owned(), text.nfc().collect(), text.nfd().collect()];
    spellings.sort_unstable();
    spellings.dedup();
    let patterns: Vec<String> = spellings.iter().map(|text| pattern(text, r"\s+")).collect();
    let pattern = format!("(?:{})", patterns.join("|"));
    RegexBuilder::new(&pattern).case_insensitive(true).size_limit(64 << 20).build().ok()
}

/// Byte expression of a phrase in ASCII: exact in a text in ASCII. In other texts it also matches some
/// without the phrase, since bytes beyond ASCII may be a separator or a space there, but no letter.
fn narrow(text: &str) -> Option<bytes::Regex> {
    if !text.is_ascii() {
        return None;
    }
    let mut builder = bytes::RegexBuilder::new(&pattern(text, r"[\s\x80-\xff]+"));
    builder.case_insensitive(true).unicode(false).size_limit(64 << 20).build().ok()
}

/// The expression of a phrase, with a given expression for the spaces in it.
fn pattern(text: &str, spaces: &str) -> String {
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let mut pattern = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let starts = piece.starts_with(is_word);
        if index > 0 {
            let before = pieces[index - 1].ends_with(is_word);
            pattern.push_str(if before && starts { r"\W+" } else { spaces });
        } else if piece.starts_with(is_bounded) {
            pattern.push_str(r"\b");
        }
        pattern.push_str(&regex::escape(piece));
    }
    if text.ends_with(is_bounded) {
        pattern.push_str(r"\b");
    }
    pattern
}

/// Returns true if regular expressions treat it as a word character.
fn is_word(character: char) -> bool {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\A\w\z").expect("a valid expression"));
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    WORD.is_match(character.encode_utf8(&mut [0; 4]))
}

/// Returns true if a word ends at this character unless another word character follows: false in
/// scripts without spaces.
fn is_bounded(character: char) -> bool {
    is_word(character) && !lore_text::is_cjk(character)
}

/// The terms of a phrase.
fn terms(text: &str) -> Vec<PhraseTerm> {
    let mut terms = Vec::new();
    let code = analyzer("code");
    // The analyzer treats fractions and similar characters as digits of the adjacent word.
    let is_joint = |c: char| !is_word(c) && !c.is_numeric();
    for run in text.split(is_joint).filter(|run| !run.is_empty()) {
        let mut joined = String::new();
        let mut characters = Vec::new();
        code.analyze(run, &mut |token| {
            if token.form == Form::Part {
                if run[token.start..token.end].chars().any(lore_text::is_cjk) {
                    characters.push(token.term.to_owned());
                } else {
                    joined.push_str(token.term);
                }
            }
        });
        // In a mixed run the script separates the parts: only those are certain.
        if characters.is_empty() && !joined.is_empty() {
            terms.push(PhraseTerm::Joined(joined));
        }
        terms.extend(characters.into_iter().map(PhraseTerm::Character));
    }
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(phrase: &str, text: &str, expected: bool) {
        let found = Phrase::new(phrase).is_some_and(|phrase| phrase.is_in(text));
        assert_eq!(found, expected, "{phrase:?} in {text:?}");
    }

    proptest! {
        /// Checks that the expressions over bytes and over characters agree.
        #[test]
        fn both_ways_find_the_same(
            phrase in "[aks+ ]{1,6}",
            text in "[aksKſé+ \n\u{a0}_]{0,12}",
        ) {
            if let Some(phrase) = Phrase::new(&phrase) {
                let wide = phrase.stretches.iter().all(|stretch| regex(stretch).expect("small").is_match(&text));
                prop_assert_eq!(phrase.is_in(&text), wide);
            }
        }
    }

    #[test]
    fn words_are_whole_and_side_by_side() {
        check("token refresh", "the Token  Refresh flow", true);
        check("token refresh", "token\n// refresh", true);
        check("token refresh", "token-refresh", true);
        check("token refresh", "token a refresh", false);
        check("token refresh", "tokens refresh", false);
        check("token refresh", "token_refresh", false);
        check("main", "domain", false);
        check("getuser", "call getUser now", true);
        check("a - b", "a - b", true);
        check("a - b", "a b", false);
        check("C++ code", "in C++ code.", true);
        check("->", "a->b", true);
        check("", "a", false);
    }

    #[test]
    fn scripts_and_marks() {
        check("ÉTUDE", "une étude.", true);
        check("étude", "une e\u{301}tude", true);
        check("e\u{301}tude", "une étude", true);
        check("节点", "我的节点是", true);
        check("会话", "我的节点是", false);
        check("🦀 crab", "a 🦀 crab", true);
        check("½ cup", "add ½ cup", true);
        let page = ["word", "other", "third"].map(|word| format!("{word} ").repeat(200)).concat();
        check(page.trim(), &format!("so: {page}."), true);
        check(page.trim(), &page.replacen("other", "oter", 1), false);
    }

    #[test]
    fn terms_match_the_index() {
        let terms = |text| Phrase::new(text).expect("a phrase").terms;
        let joined = |text: &str| PhraseTerm::Joined(text.to_owned());
        let character = |text: &str| PhraseTerm::Character(text.to_owned());
        assert_eq!(terms("getUser foo_bar"), [joined("getuser"), joined("foobar")]);
        assert_eq!(terms("节点 x"), [character("节"), character("点"), joined("x")]);
        assert_eq!(terms("half½x"), [joined("half1\u{2044}2x")]);
        assert_eq!(terms("->"), []);
    }
}
