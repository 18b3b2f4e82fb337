//! Splits text into words for the built-in model: runs of ASCII letters and digits, split where the
//! case changes.
//!
//! Finds the same words as the pattern `[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+`.
//! Everything else separates words, including every byte of a longer character, so the text is read
//! as bytes.

/// The words of a text in their order, as written.
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

/// The words of a text, see [`Words`].
pub(super) fn words(text: &str) -> Words<'_> {
    Words { rest: text.as_bytes() }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Upper,
    Lower,
    Digit,
}

/// Class of each byte: one load instead of three comparisons.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::cast_possible_truncation, reason = "below 128")]
        let character = byte as u8;
        if character.is_ascii_uppercase() {
            classes[byte] = Class::Upper;
        } else if character.is_ascii_lowercase() {
            classes[byte] = Class::Lower;
        } else if character.is_ascii_digit() {
            classes[byte] = Class::Digit;
        }
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// Length of the run of one class at the start of a text, in bytes.
fn run(text: &[u8], of: Class) -> usize {
    text.iter().position(|&byte| class(byte) != of).unwrap_or(text.len())
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&byte| class(byte) != Class::Other)?;
        let text = &self.rest[start..];
        let first = class(text[0]);
        let mut length = run(text, first);
        if first == Class::Upper
            && text.get(length).is_some_and(|&byte| class(byte) == Class::Lower)
        {
            if length == 1 {
                length += run(&text[1..], Class::Lower);
            } else {
                // The last upper-case letter starts the next word: `HTTPServer`.
                length -= 1;
            }
        }
        let (word, rest) = text.split_at(length);
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_end_at_changes_of_case() {
        for (text, expected) in [
            ("", ""),
            ("_ -", ""),
            ("how are routes registered", "how are routes registered"),
            ("getHTTPResponse", "get HTTP Response"),
            ("XMLHttpRequest", "XML Http Request"),
            ("HTTPServerXYZ", "HTTP Server XYZ"),
            ("ABc", "A Bc"),
            ("aB", "a B"),
            ("AB", "AB"),
            ("sockfd2 mutexLock", "sockfd 2 mutex Lock"),
            ("SHA256Sum", "SHA 256 Sum"),
            ("retry_with_backoff", "retry with backoff"),
            ("naïve Ünicode", "na ve nicode"),
            ("日本語 text", "text"),
            ("v1.2.3", "v 1 2 3"),
        ] {
            let found: Vec<_> =
                words(text).map(|word| std::str::from_utf8(word).unwrap()).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
