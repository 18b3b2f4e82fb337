//! Runs of bytes, and measures of randomness.

use std::ops::Range;

/// Maximum length of a value in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 512;

/// Returns the range of matching bytes from an offset on, at most [`MAX_VALUE_BYTES`].
pub(super) fn run(bytes: &[u8], from: usize, matches: impl Fn(u8) -> bool) -> Range<usize> {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().take(MAX_VALUE_BYTES).take_while(|byte| matches(**byte)).count();
    from..from + length
}

/// Returns the offset after spaces and tabs.
pub(super) fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, |byte| matches!(byte, b' ' | b'\t')).end
}

/// Returns the part of the line before an offset, at most `max` bytes.
pub(super) fn line_before(bytes: &[u8], end: usize, max: usize) -> &[u8] {
    let start = end.saturating_sub(max);
    let line = bytes[start..end].iter().rposition(|byte| *byte == b'\n');
    &bytes[line.map_or(start, |at| start + at + 1)..end]
}

/// Returns true for the characters of generated tokens.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
}

/// Returns true for the characters of names of variables and settings.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns true if a text contains one of some words, ignoring case. The words are in lower case.
pub(super) fn contains_any(text: &[u8], words: &[&str]) -> bool {
    let folded = text.to_ascii_lowercase();
    words.iter().any(|word| folded.windows(word.len()).any(|window| window == word.as_bytes()))
}

/// Returns true if a text ends with a word, ignoring case.
pub(super) fn ends_with_folded(text: &[u8], word: &str) -> bool {
    text.len()
        .checked_sub(word.len())
        .is_some_and(|at| text[at..].eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns true if a text starts with a word, ignoring case.
pub(super) fn starts_with_folded(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns how often the character class (digit, upper case, lower case) changes. Upper case before
/// lower case starts a word and does not count.
pub(super) fn changes(text: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'A'..=b'Z' => 2,
        b'a'..=b'z' => 3,
        _ => 0,
    };
    let differ = |pair: &&[u8]| {
        let (left, right) = (class(pair[0]), class(pair[1]));
        left != 0 && right != 0 && left != right && (left, right) != (2, 3)
    };
    text.windows(2).filter(differ).count()
}

/// Returns the Shannon entropy of the bytes of a text, in bits per byte.
pub(super) fn entropy(text: &[u8]) -> f32 {
    let mut counts = [0_u16; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let whole = text.len() as f32;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f32::from(*count) / whole);
    -shares.map(|share| share * share.log2()).sum::<f32>()
}

/// Returns true for the form of a UUID.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    text.len() == 36
        && text
            .iter()
            .enumerate()
            .all(|(at, byte)| if is_dash(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() })
}
