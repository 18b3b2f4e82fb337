//! Finds words in bytes, whole and in any case of ASCII letters.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::text::BINARY_PROBE;

/// Words of fewer letters stand in every file.
const SHORTEST: usize = 3;

/// The words that are looked for.
pub(crate) struct Needles<'a> {
    words: Vec<&'a str>,
    automaton: AhoCorasick,
}

impl<'a> Needles<'a> {
    /// Prepares the words; `None` if none of them can be looked for.
    pub(crate) fn new(words: &[&'a str]) -> Option<Needles<'a>> {
        // A character beyond ASCII may be a word of its own.
        let is_telling = |word: &str| word.chars().count() >= SHORTEST || !word.is_ascii();
        let words: Vec<&str> =
            words.iter().copied().filter(|word| !word.is_empty() && is_telling(word)).collect();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(&words)
            .ok()
            .filter(|_| !words.is_empty())?;
        Some(Needles { words, automaton })
    }

    /// The first place at which one of the words stands: the word and its offset.
    pub(super) fn find(&self, content: &[u8]) -> Option<(&'a str, usize)> {
        self.automaton
            .find_overlapping_iter(content)
            .find(|found| is_whole(content, found.start(), found.end()))
            .map(|found| (self.words[found.pattern().as_usize()], found.start()))
    }
}

/// Whether a range is a word or a part of an identifier: `retry` is one in `retry_refund` and
/// `retryRefund`, and none in `retrying`.
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

/// Whether a content is no text, as git decides it.
pub(super) fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(BINARY_PROBE)].contains(&0)
}

/// The line of an offset, 1-based.
pub(super) fn line(content: &[u8], offset: usize) -> u32 {
    let lines = content[..offset].split(|byte| *byte == b'\n').count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], content: &str, expected: Option<(&str, u32)>) {
        let found = Needles::new(words).and_then(|needles| needles.find(content.as_bytes()));
        let found = found.map(|(word, offset)| (word, line(content.as_bytes(), offset)));
        assert_eq!(found, expected, "{words:?} in {content:?}");
    }

    #[test]
    fn words_are_found_whole_and_in_identifiers() {
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
