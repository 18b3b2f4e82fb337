//! Alphabets and lengths of generated secrets.

use std::ops::Range;

use super::{
    label::is_outside_label,
    lexical::{changes, contains_any, entropy, is_name, is_uuid, run, skip_spaces},
    values::{PLACEHOLDERS, looks_random},
};

/// Alphabet of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `0-9`.
    Digits,
    /// `0-9a-fA-F`.
    Hex,
    /// Like `Hex`, with `-`.
    HexParts,
    /// `0-9A-Z`.
    Upper,
    /// Like `Upper`, with `-`.
    UpperParts,
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_`, `-` and `=`.
    Url,
    /// Like `Url`, with `.` between parts.
    Dotted,
    /// Letters, digits and `_`.
    Word,
    /// Like `Word`, with `.`, `-` and `~`.
    Tilde,
    /// Like `Plain`, for short prefixes that also start words: it must look random.
    RandomPlain,
    /// Like `Url`, for short prefixes that also start words: it must look random.
    RandomUrl,
    /// Like `Dotted`, for web tokens: two encoded objects and a signature.
    Jwt,
    /// Like `Dotted`, with `/`, `@`, `:` and `|` between parts.
    Address,
    /// Base64, with `+`, `/`, `=`, `_`, `-` and, in a URL, `%`.
    Base64,
    /// A UUID.
    Uuid,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        let is_plain = byte.is_ascii_alphanumeric();
        match self {
            Alphabet::Digits => byte.is_ascii_digit(),
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::HexParts | Alphabet::Uuid => byte.is_ascii_hexdigit() || byte == b'-',
            Alphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::UpperParts => {
                byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-'
            }
            Alphabet::Plain | Alphabet::RandomPlain => is_plain,
            Alphabet::Word => is_plain || byte == b'_',
            Alphabet::Tilde => is_plain || matches!(byte, b'_' | b'.' | b'-' | b'~'),
            Alphabet::Url | Alphabet::RandomUrl => is_plain || matches!(byte, b'_' | b'-' | b'='),
            Alphabet::Dotted => is_plain || matches!(byte, b'_' | b'-' | b'=' | b'.'),
            Alphabet::Jwt => is_plain || matches!(byte, b'_' | b'-' | b'=' | b'.' | b'/'),
            Alphabet::Address => {
                is_plain
                    || matches!(byte, b'_' | b'-' | b'=' | b'.' | b'/' | b'@' | b':' | b'|' | b'+')
            }
            Alphabet::Base64 => is_plain || matches!(byte, b'+' | b'/' | b'=' | b'%' | b'_' | b'-'),
        }
    }
}

/// Minimum entropy of a random token, in bits per byte. A repeated character or an alphabet has
/// less.
const MIN_ENTROPY: f32 = 2.5;

/// Minimum entropy of a random number, in bits per byte.
const MIN_ENTROPY_OF_DIGITS: f32 = 2.0;

/// Number of characters of base64 before a prefix that mark encoded data, in which any prefix
/// occurs by chance.
const MIN_ENCODED_LEN: usize = 40;

/// Maximum length of the lower-case word that may precede a prefix in upper case.
const MAX_WORD_LEN: usize = 16;

/// A token: `min` to `max` characters of one alphabet after its prefix.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) alphabet: Alphabet,
    pub(super) min: usize,
    pub(super) max: usize,
    /// Alphabet, minimum and maximum number of characters before the prefix that are part of it.
    pub(super) before: Option<(Alphabet, usize, usize)>,
}

impl Token {
    /// Returns the token with this prefix, if it is one.
    pub(super) fn at(self, bytes: &[u8], prefix: Range<usize>) -> Option<Range<usize>> {
        let start = match self.before {
            None => prefix.start,
            Some((alphabet, min, max)) => {
                let front = bytes[..prefix.start].iter().rev().take(max + 1);
                let length = front.take_while(|byte| alphabet.has(**byte)).count();
                if !(min..=max).contains(&length) {
                    return None;
                }
                prefix.start - length
            }
        };
        if !starts(bytes, start, &prefix) {
            return None;
        }
        let rest = &bytes[prefix.end..];
        let mut length =
            rest.iter().take(self.max + 1).take_while(|byte| self.alphabet.has(**byte)).count();
        while length > 0
            && matches!(rest[length - 1], b'.' | b'-' | b'%' | b':' | b'|')
            && self.min < length
        {
            length -= 1;
        }
        let continues = rest.get(length).is_some_and(u8::is_ascii_alphanumeric);
        if !(self.min..=self.max).contains(&length) || continues {
            return None;
        }
        let secret = match self.before {
            None => &rest[..length],
            Some(_) => &bytes[start..prefix.end + length],
        };
        let min =
            if self.alphabet == Alphabet::Digits { MIN_ENTROPY_OF_DIGITS } else { MIN_ENTROPY };
        let is_example = secret.windows(7).any(|window| window.eq_ignore_ascii_case(b"example"))
            || entropy(secret) < min;
        // Short ones are also words: `xoxb-your-token`.
        let is_word = match self.alphabet {
            Alphabet::Upper | Alphabet::Hex | Alphabet::Digits => false,
            Alphabet::RandomPlain | Alphabet::RandomUrl => {
                !looks_random(secret, self.min) || rest.get(length) == Some(&b'(')
            }
            _ => secret.len() < 20 && changes(secret) < 2,
        };
        if is_word {
            return None;
        }
        let has_parts = self.alphabet != Alphabet::Jwt || is_web_token(secret);
        (!is_example && has_parts).then(|| start..prefix.end + length)
    }
}

/// Returns true for the rest of a web token after `eyJ`: a second encoded object, and a signature
/// unless it is long.
fn is_web_token(rest: &[u8]) -> bool {
    let parts: Vec<&[u8]> = rest.split(|byte| *byte == b'.').collect();
    3 <= parts.len() || 2 == parts.len() && parts[1].starts_with(b"eyJ")
}

/// Returns true if a token may start at an offset: not inside encoded data, nor inside a word that
/// only happens to contain a short prefix.
fn starts(bytes: &[u8], start: usize, prefix: &Range<usize>) -> bool {
    let is_escape = |at: usize| {
        matches!(bytes[at], b'n' | b'r' | b't')
            && at.checked_sub(1).map(|at| bytes[at]) == Some(b'\\')
    };
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'_');
    let Some(previous) = start.checked_sub(1) else { return true };
    let starts_word = bytes[start].is_ascii_alphanumeric();
    if !starts_word || !is_inside(bytes[previous]) || is_escape(previous) {
        return true;
    }
    let is_encoded = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_');
    let front = &bytes[..start];
    let length =
        front.iter().rev().take(MIN_ENCODED_LEN).take_while(|byte| is_encoded(byte)).count();
    let front = &front[front.len() - length..];
    if length == MIN_ENCODED_LEN || start != prefix.start {
        return false;
    }
    let prefix = &bytes[prefix.clone()];
    // A prefix with a separator occurs in no word, and in no standard base64.
    let is_distinct = 4 <= prefix.len() && prefix.iter().any(|byte| matches!(byte, b'_' | b'-'));
    if is_distinct || bytes[previous] == b'_' {
        return true;
    }
    // `keyAKIA…`: a word in lower case before a prefix in upper case.
    4 <= prefix.len()
        && prefix.iter().all(u8::is_ascii_uppercase)
        && length <= MAX_WORD_LEN
        && front.iter().all(u8::is_ascii_lowercase)
}

/// Value beside the name of a vendor: a start, and `min` to `max` characters of an alphabet.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) start: &'static str,
    pub(super) alphabet: Alphabet,
    pub(super) min: usize,
    pub(super) max: usize,
}

/// Maximum number of characters of a name after the name of the vendor.
const MAX_REST_LEN: usize = 24;

/// Words in names whose values are not secret, folded.
const HARMLESS: &[&str] =
    &["checksum", "commit", "digest", "hash", "md5", "revision", "sha1", "sha256", "version"];

/// Returns the value that is assigned to a name with the name of a vendor, if it has one of the
/// forms.
pub(super) fn named_value(
    bytes: &[u8],
    name: Range<usize>,
    forms: &[Form],
) -> Option<Range<usize>> {
    // `lob` in `global` is not a name; in `my_lob` and `myLob` it is.
    if let Some(previous) = name.start.checked_sub(1).map(|at| bytes[at]) {
        let is_camel = previous.is_ascii_lowercase() && bytes[name.start].is_ascii_uppercase();
        if previous.is_ascii_alphabetic() && !is_camel {
            return None;
        }
    }
    let is_rest = |byte: u8| is_name(byte) || matches!(byte, b'.' | b' ' | b'\t');
    let rest = run(&bytes[..bytes.len().min(name.end + MAX_REST_LEN)], name.end, is_rest);
    let mut at = rest.end;
    if contains_any(&bytes[rest], HARMLESS) || !is_outside_label(bytes, name) {
        return None;
    }
    at = run(bytes, at, |byte| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b']' | b'\\'))
        .end;
    let sign = run(bytes, at, |byte| {
        matches!(byte, b'=' | b'>' | b':' | b'|' | b'?' | b',' | b'(' | b'!')
    });
    if !(1..=4).contains(&sign.len()) {
        return None;
    }
    at = skip_spaces(bytes, sign.end);
    at = run(bytes, at, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'=' | b'\\')).end;
    let written = run(bytes, at, |byte| {
        byte > b' '
            && !matches!(
                byte,
                b'"' | b'\'' | b'`' | b'\\' | b';' | b',' | b'<' | b')' | b'}' | b'&'
            )
    });
    let text = &bytes[written.clone()];
    forms.iter().any(|form| form.fits(text)).then_some(written)
}

impl Form {
    /// Returns true if a value has this form and looks random.
    fn fits(&self, value: &[u8]) -> bool {
        let Some(text) = value.strip_prefix(self.start.as_bytes()) else { return false };
        if !(self.min..=self.max).contains(&text.len())
            || !text.iter().all(|byte| {
                self.alphabet.has(*byte)
                    || matches!((self.alphabet, byte), (Alphabet::HexParts, b':'))
            })
            || contains_any(text, &["example"])
        {
            return false;
        }
        match self.alphabet {
            Alphabet::Digits => MIN_ENTROPY_OF_DIGITS <= entropy(text),
            Alphabet::Uuid => is_uuid(text) && MIN_ENTROPY <= entropy(text),
            Alphabet::Hex | Alphabet::HexParts => {
                MIN_ENTROPY <= entropy(text) && text.iter().any(u8::is_ascii_digit)
            }
            _ => {
                let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
                1 <= digits
                    && MIN_ENTROPY <= entropy(text)
                    && text.len() <= changes(text) * 7
                    && !contains_any(text, PLACEHOLDERS)
            }
        }
    }
}
