//! Finds words that stand side by side in a text. Pure.

use std::sync::{LazyLock, OnceLock};

use lore_text::{Form, analyzer};
use regex::{Regex, RegexBuilder, bytes};
use unicode_normalization::UnicodeNormalization as _;

/// A phrase, ready to be looked for.
#[derive(Debug, Clone)]
pub(crate) struct Phrase {
    /// What a text must hold: the phrase, or, of a long one, each of its stretches.
    stretches: Vec<String>,
    /// Finds them; none where one is too large. Made for the first text, since most questions stand
    /// in none.
    finders: OnceLock<Option<Vec<Regex>>>,
    /// Find them as far as bytes tell, and take a fraction of the time to make; none where letters
    /// beyond ASCII have to be told apart.
    narrow: OnceLock<Option<Vec<bytes::Regex>>>,
    /// Terms that every text with the phrase holds, as the index keeps them.
    terms: Vec<PhraseTerm>,
}

/// A run of letters of a phrase, as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PhraseTerm {
    /// One identifier or word, whatever its parts: a whole or a part of that name.
    Joined(String),
    /// One character of a script without spaces.
    Character(String),
}

/// Longest phrase that is looked for, in bytes: a page or two.
const LONGEST: usize = 16_384;

/// Words of a phrase that are one regular expression, whose size grows with them.
const STRETCH: usize = 40;

impl Phrase {
    /// Prepares a phrase; `None` if it says nothing or is a page of text.
    ///
    /// Words match as a whole and in any letter case. Between two words may stand whatever is no
    /// word: a line end, the sign of a comment. Everything else is matched as it is.
    pub(crate) fn new(text: &str) -> Option<Phrase> {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST {
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut stretches = Vec::new();
        // Stretches overlap, so that where one ends the next one goes on.
        for start in (0..words.len()).step_by(STRETCH / 2) {
            let end = words.len().min(start + STRETCH);
            stretches.push(words[start..end].join(" "));
            if end == words.len() {
                break;
            }
        }
        let (finders, narrow) = (OnceLock::new(), OnceLock::new());
        Some(Phrase { stretches, finders, narrow, terms: terms(text) })
    }

    /// Whether a text holds it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let is_ascii = text.is_ascii();
        // Whatever holds a phrase holds it as far as bytes tell, but for the two signs whose small
        // letters are ASCII.
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

    /// Terms that every text with the phrase holds.
    pub(crate) fn terms(&self) -> &[PhraseTerm] {
        &self.terms
    }
}

fn regex(text: &str) -> Option<Regex> {
    // Accents may be written with their letters or behind them, also in one text both ways.
    let mut spellings = vec![text.to_owned(), text.nfc().collect(), text.nfd().collect()];
    spellings.sort_unstable();
    spellings.dedup();
    let patterns: Vec<String> = spellings.iter().map(|text| pattern(text, r"\s+")).collect();
    let pattern = format!("(?:{})", patterns.join("|"));
    RegexBuilder::new(&pattern).case_insensitive(true).size_limit(64 << 20).build().ok()
}

/// Finds a phrase in ASCII in bytes: in a text in ASCII it alone, in another one at least it, since
/// what lies beyond ASCII may be a joint or a space there, and no letter.
fn narrow(text: &str) -> Option<bytes::Regex> {
    if !text.is_ascii() {
        return None;
    }
    let mut builder = bytes::RegexBuilder::new(&pattern(text, r"[\s\x80-\xff]+"));
    builder.case_insensitive(true).unicode(false).size_limit(64 << 20).build().ok()
}

/// The expression of a phrase, with that of the spaces in it.
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

/// Whether regular expressions take it for a part of a word.
fn is_word(character: char) -> bool {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\A\w\z").expect("a valid expression"));
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    WORD.is_match(character.encode_utf8(&mut [0; 4]))
}

/// Whether a word ends beside this character where another word character does not follow: not in
/// scripts without spaces.
fn is_bounded(character: char) -> bool {
    is_word(character) && !lore_text::is_cjk(character)
}

/// The runs of a phrase as terms.
fn terms(text: &str) -> Vec<PhraseTerm> {
    let mut terms = Vec::new();
    let code = analyzer("code");
    // The analyzer counts fractions and the like as digits of the word beside them.
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
        // In a mixed run the parts are told apart by the script: only those are sure.
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
        /// What bytes tell and what letters tell is the same.
        #[test]
        fn both_ways_find_the_same(
            phrase in "[aks+ ]{1,6}",
            text in "[aksKſé+ \n\u{a0}_]{0,12}",
        ) {
            if let Some(phrase) = Phrase::new(&phrase) {
                let wide = phrase.stretches.iter().all(|one| regex(one).expect("small").is_match(&text));
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
    fn terms_are_those_of_the_index() {
        let terms = |text| Phrase::new(text).expect("a phrase").terms;
        let joined = |text: &str| PhraseTerm::Joined(text.to_owned());
        let character = |text: &str| PhraseTerm::Character(text.to_owned());
        assert_eq!(terms("getUser foo_bar"), [joined("getuser"), joined("foobar")]);
        assert_eq!(terms("节点 x"), [character("节"), character("点"), joined("x")]);
        assert_eq!(terms("half½x"), [joined("half1\u{2044}2x")]);
        assert_eq!(terms("->"), []);
    }
}
