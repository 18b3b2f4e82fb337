//! Finds whole words in bytes, ignoring ASCII case.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::text::BINARY_PROBE;

/// Minimum length of a word in characters: shorter words occur in every file.
const MIN_WORD_LEN: usize = 3;

/// Words to search for.
pub(crate) struct WordMatcher<'a> {
    words: Vec<&'a str>,
    automaton: AhoCorasick,
}

impl<'a> WordMatcher<'a> {
    /// Compiles the words; `None` if none of them is searchable.
    pub(crate) fn new(words: &[&'a str]) -> Option<WordMatcher<'a>> {
        // A single non-ASCII character may be a word.
        let is_searchable = |word: &str| word.chars().count() >= MIN_WORD_LEN || !word.is_ascii();
        let words: Vec<&str> =
            words.iter().copied().filter(|word| !word.is_empty() && is_searchable(word)).collect();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(&words)
            .ok()
            .filter(|_| !words.is_empty())?;
        Some(WordMatcher { words, automaton })
    }

    /// Returns the first match: the word and its offset.
    pub(super) fn find(&self, content: &[u8]) -> Option<(&'a str, usize)> {
        self.automaton
            .find_overlapping_iter(content)
            .find(|found| is_whole(content, found.start(), found.end()))
            .map(|found| (self.words[found.pattern().as_usize()], found.start()))
    }
}

/// Returns whether a range is a word or a part of an identifier: `retry` matches in `retry_refund`
/// and `retryRefund`, but not in `retrying`.
fn is_whole(content: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| content.get(at));
    let after = content.get(end);
    let starts = before.is_none_or(|before| {
        !before.is_ascii_alphanumeric()
            || (content[start].is_ascii_uppercase() && !before.is_ascii_uppercase())
    });
    let ends = after.is_none_or(|after| {
        !after.is_ascii_alphanumeric()
            || (after.is_ascii_uppercase() && !content[end - 1].is_ascii_uppercase())
    });
    starts && ends
}

/// Returns whether content is binary, as git decides it.
pub(super) fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(BINARY_PROBE)].contains(&0)
}

/// Returns the 1-based line of an offset.
pub(super) fn line(content: &[u8], offset: usize) -> u32 {
    let lines = content[..offset].split(|byte| *byte == b'\n').count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], content: &str, expected: Option<(&str, u32)>) {
        let found = WordMatcher::new(words).and_then(|matcher| matcher.find(content.as_bytes()));
        let found = found.map(|(word, offset)| (word, line(content.as_bytes(), offset)));
        assert_eq!(found, expected, "{words:?} in {content:?}");
    }

    #[test]
    fn whole_words_and_parts_of_identifiers_are_found() {
        check(&["chargeback"], "a\nthe Chargeback.\n", Some(("chargeback", 2)));
        check(&["chargeback"], "retry_chargeback()", Some(("chargeback", 1)));
        check(&["chargeback"], "retryChargebackLater()", Some(("chargeback", 1)));
        check(&["chargeback"], "chargebacks", None);
        check(&["back"], "chargeback", None);
        check(&["back", "chargeback"], "\n\nchargeback", Some(("chargeback", 3)));
        check(&["back"], "feedback\nback", Some(("back", 2)));
        check(&["ab"], "ab", None);
        check(&["\u{652f}"], "\n\u{652f}\u{6255}", Some(("\u{652f}", 2)));
        check(&["", "no"], "no", None);
    }
}
