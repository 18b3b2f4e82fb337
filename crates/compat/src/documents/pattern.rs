//! Patterns to find in a text: words, phrases, prefixes, and words with typing errors.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use lore_engine::documents::{form_prefixes, stem};

use super::folded::{Folded, is_whole_word, is_word};

/// The folded pattern of one part of a query.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// Any part of a text.
    Part(String, Box<AhoCorasick>),
    /// Adjacent words with any whitespace between them; the first and the last may be parts of words.
    Phrase(Vec<String>),
    /// The start of a word.
    Prefix(String),
    /// A word that differs by at most this number of edits.
    Fuzzy(String, usize),
}

/// The other forms of a word: `token` for `tokens`, `implementation` for `implementing`.
#[derive(Debug, Clone)]
pub(crate) struct Forms {
    stem: String,
    /// Finds the prefixes of forms.
    start: AhoCorasick,
}

impl Forms {
    /// The forms of a word; `None` where it has none.
    pub(crate) fn of(word: &str) -> Option<Forms> {
        let folded = Folded::of(word.trim());
        let prefixes = form_prefixes(folded.as_str());
        if prefixes.is_empty() {
            return None;
        }
        let start = AhoCorasick::new(prefixes).expect("a few short patterns always fit");
        Some(Forms { stem: stem(folded.as_str()), start })
    }

    /// Returns true if one of them is a word of a folded text.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.words(text).next().is_some()
    }

    /// All of them in a folded text, in order.
    pub(crate) fn find(&self, text: &str) -> Vec<PatternMatch> {
        self.words(text).map(|range| PatternMatch { range, exact: false }).collect()
    }

    fn words<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.start.find_iter(text).filter_map(move |found| {
            let rest = &text[found.start()..];
            let end = rest
                .find(|character| !is_word(character) || character == '_')
                .unwrap_or(rest.len());
            let is_form = !text[..found.start()].chars().next_back().is_some_and(is_word)
                && stem(&rest[..end]) == self.stem;
            is_form.then(|| found.start()..found.start() + end)
        })
    }
}

/// One match of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PatternMatch {
    /// Bytes of the folded text.
    pub(crate) range: Range<usize>,
    /// True for whole words, exactly as typed.
    pub(crate) exact: bool,
}

impl Pattern {
    /// Matches a text literally; `None` for a blank text.
    pub(crate) fn part(text: &str) -> Option<Pattern> {
        let folded = Folded::of(text.trim());
        let needle = folded.as_str();
        if needle.is_empty() {
            return None;
        }
        let automaton = AhoCorasick::new([needle]).expect("one short pattern always fits");
        Some(Pattern::Part(needle.to_owned(), Box::new(automaton)))
    }

    /// Matches adjacent words.
    pub(crate) fn phrase(text: &str) -> Option<Pattern> {
        let folded = Folded::of(text);
        let words: Vec<String> = folded.as_str().split_whitespace().map(str::to_owned).collect();
        if words.len() < 2 { Pattern::part(text) } else { Some(Pattern::Phrase(words)) }
    }

    /// Matches the start of a word.
    pub(crate) fn prefix(text: &str) -> Option<Pattern> {
        let folded = Folded::of(text);
        (!folded.as_str().is_empty()).then(|| Pattern::Prefix(folded.as_str().to_owned()))
    }

    /// Matches a word with at most this number of edits.
    pub(crate) fn fuzzy(text: &str, edits: usize) -> Option<Pattern> {
        let folded = Folded::of(text);
        (!folded.as_str().is_empty()).then(|| Pattern::Fuzzy(folded.as_str().to_owned(), edits))
    }

    /// All matches of the pattern, in order, without overlaps.
    pub(crate) fn find(&self, text: &str) -> Vec<PatternMatch> {
        let mut all = Vec::new();
        match self {
            Pattern::Part(_, automaton) => {
                for found in automaton.find_iter(text) {
                    let range = found.range();
                    let exact = is_whole_word(text, &range);
                    all.push(PatternMatch { range, exact });
                }
            }
            Pattern::Phrase(words) => {
                let mut from = 0;
                while let Some(start) = text[from..].find(words[0].as_str()).map(|at| from + at) {
                    if let Some(end) = phrase_end(text, start, words) {
                        let range = start..end;
                        let exact = is_whole_word(text, &range);
                        all.push(PatternMatch { range, exact });
                        from = end;
                    } else {
                        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
                    }
                }
            }
            Pattern::Prefix(prefix) => {
                for (start, found) in text.match_indices(prefix.as_str()) {
                    let before = text[..start].chars().next_back();
                    let starts = !(before.is_some_and(is_word) && prefix.starts_with(is_word));
                    if starts {
                        let range = start..start + found.len();
                        let exact = is_whole_word(text, &range);
                        all.push(PatternMatch { range, exact });
                    }
                }
            }
            Pattern::Fuzzy(term, distance) => {
                // Names are joined words: both the whole and its parts count.
                let length = term.chars().count();
                let joined = |character: char| is_word(character) || character == '-';
                let deep = term.contains(['-', '_']);
                for range in runs(text, move |character| {
                    if deep { joined(character) } else { is_word(character) && character != '_' }
                }) {
                    let word = &text[range.clone()];
                    if word.chars().count().abs_diff(length) <= *distance
                        && strsim::levenshtein(term, word) <= *distance
                    {
                        let exact = word == term;
                        all.push(PatternMatch { range, exact });
                    }
                }
            }
        }
        all
    }

    /// Returns true if both match the same.
    pub(crate) fn is_same(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::Part(left, _), Pattern::Part(right, _))
            | (Pattern::Prefix(left), Pattern::Prefix(right)) => left == right,
            (Pattern::Phrase(left), Pattern::Phrase(right)) => left == right,
            (Pattern::Fuzzy(left, edits), Pattern::Fuzzy(right, others)) => {
                left == right && edits == others
            }
            _ => false,
        }
    }
}

/// End of the phrase that starts at `start`, if there is one.
fn phrase_end(text: &str, start: usize, words: &[String]) -> Option<usize> {
    let mut at = start;
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            let rest = &text[at..];
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() {
                return None;
            }
            at += rest.len() - trimmed.len();
        }
        at += text[at..].starts_with(word.as_str()).then_some(word.len())?;
    }
    Some(at)
}

/// The runs of characters that satisfy the predicate.
fn runs(text: &str, is_inside: impl Fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut rest = text.char_indices();
    std::iter::from_fn(move || {
        let (start, first) = rest.find(|(_, character)| is_inside(*character))?;
        let mut end = start + first.len_utf8();
        for (offset, character) in rest.by_ref() {
            if !is_inside(character) {
                break;
            }
            end = offset + character.len_utf8();
        }
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(pattern: Option<Pattern>, text: &str) -> Vec<String> {
        let folded = Folded::of(text);
        pattern
            .expect("a pattern")
            .find(folded.as_str())
            .into_iter()
            .map(|found| {
                let text = &text[folded.original(&found.range, text)];
                format!("{text}{}", if found.exact { "!" } else { "" })
            })
            .collect()
    }

    #[test]
    fn words_match_anywhere_and_whole_words_exactly() {
        assert_eq!(places(Pattern::part("Auth"), "auth OAuth author"), ["auth!", "Auth", "auth"]);
        assert_eq!(places(Pattern::part("auth.*flow"), "auth flow"), [""; 0]);
        assert!(Pattern::part("  ").is_none());
    }

    #[test]
    fn words_have_forms() {
        let has = |word, text: &str| {
            Forms::of(word).is_some_and(|forms| forms.are_in(Folded::of(text).as_str()))
        };
        assert!(has("tokens", "one Token"));
        assert!(has("validate", "validating, then"));
        assert!(has("implementing", "the implementation of"), "nouns of verbs");
        assert!(has("implementations", "we implemented it"));
        assert!(has("validating", "its validation"));
        assert!(!has("stating", "the station"));
        assert!(!has("tokens", "an untoken"), "whole words only");
        assert!(!has("main", "domain"));
        assert!(!has("auth.*flow", "auth flow"));
    }

    #[test]
    fn phrases_cross_lines() {
        let text = "Token refresh, token\n  refresh; tokens refresh; token, refresh";
        assert_eq!(
            places(Pattern::phrase("token REFRESH"), text),
            ["Token refresh!", "token\n  refresh!"]
        );
    }

    #[test]
    fn prefixes_start_words() {
        assert_eq!(places(Pattern::prefix("auth"), "Authors of OAuth, auth"), ["Auth", "auth!"]);
    }

    #[test]
    fn typing_errors_are_counted() {
        let fuzzy = |term, edits, text: &str| places(Pattern::fuzzy(term, edits), text);
        assert_eq!(fuzzy("authetication", 2, "Authentication flow"), ["Authentication"]);
        assert_eq!(fuzzy("teh", 1, "the"), [""; 0]);
        assert_eq!(fuzzy("oauth3", 2, "oauth2-flow"), ["oauth2"], "names are split into words");
        assert_eq!(fuzzy("flow", 1, "flow"), ["flow!"]);
        assert_eq!(fuzzy("teh", 2, "the"), ["the"]);
    }
}
