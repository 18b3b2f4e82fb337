//! Private keys in PEM and PGP armour.

use std::ops::Range;

use super::lexical::line_before;

/// Maximum length in bytes of the opening line up to `PRIVATE KEY`.
const MAX_ARMOUR_BYTES: usize = 80;

/// Minimum length of a key in base64 characters: an Ed25519 key in PKCS #8 has 64.
const MIN_KEY_LEN: usize = 40;

/// Maximum length of a key in bytes: an RSA key of 16,384 bits has about 13,000.
const MAX_KEY_BYTES: usize = 64 << 10;

/// Minimum length of a base64 line with upper and lower case letters and digits that no identifier
/// resembles.
const MIN_CERTAIN_LINE_LEN: usize = 32;

/// Returns the key before a closing line that follows further down, with any text of a program or
/// page around its lines: from the first line that is certainly base64 to the last base64
/// character.
fn closed_body(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = &bytes[start..bytes.len().min(start + MAX_KEY_BYTES)];
    let rest = &rest[..rest.windows(8).position(|window| window == b"-----END")?];
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_certain = |line: &[u8]| {
        MIN_CERTAIN_LINE_LEN <= line.len()
            && line.iter().any(u8::is_ascii_digit)
            && line.iter().any(u8::is_ascii_uppercase)
            && line.iter().any(u8::is_ascii_lowercase)
    };
    let mut at = 0;
    for line in rest.split(|byte| !is_base64(byte)) {
        if is_certain(line) {
            let last = rest.iter().rposition(is_base64)?;
            return Some(start + at..start + last + 1);
        }
        at += line.len() + 1;
    }
    None
}

/// Returns the body between the two armour lines of a key, given the end of `PRIVATE KEY` in the
/// first one. Without the closing line, the key ends at the last line that may be part of it.
/// Bodies too short to be a key are ignored, such as the dots of an example.
pub(super) fn body_after(text: &str, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    line_before(bytes, end, MAX_ARMOUR_BYTES)
        .windows(10)
        .rposition(|begin| begin == b"-----BEGIN")?;
    let mut start = end;
    if bytes[start..].starts_with(b" BLOCK") {
        start += 6;
    }
    if !bytes[start..].starts_with(b"-----") {
        return None;
    }
    start += 5;
    let mut at = start;
    let (mut first, mut last, mut characters) = (None, start, 0);
    while let Some(byte) = bytes.get(at).copied()
        && at - start < MAX_KEY_BYTES
    {
        match byte {
            b'-' if bytes[at..].starts_with(b"-----") => break,
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') => {
                // In a string literal, the lines end with `\n` or `\r\n`.
                if matches!(byte, b'n' | b'r') && bytes[at - 1] == b'\\' {
                    at += 1;
                    continue;
                }
                first.get_or_insert(at);
                (last, characters) = (at + 1, characters + 1);
            }
            // Headers (`Proc-Type: 4,ENCRYPTED`), quotes, comment markers and concatenation around
            // the lines of a key.
            b' ' | b'\t' | b'\r' | b'\n' | b'\\' | b'"' | b'\'' | b',' | b':' | b'-' | b'.'
            | b'#' | b'*' | b'>' | b'|' | b'`' => {}
            _ => break,
        }
        at += 1;
    }
    let closed = bytes.get(at..).is_some_and(|rest| rest.starts_with(b"-----"));
    if !closed && let Some(body) = closed_body(bytes, start) {
        return Some(body);
    }
    let body = first?..last;
    let longest = text[body.clone()]
        .split(|character: char| !character.is_ascii_alphanumeric() && !"+/=".contains(character))
        .map(str::len)
        .max()?;
    // Words of a sentence are not a key, whatever is around them.
    (MIN_KEY_LEN <= characters && (closed || MIN_KEY_LEN <= longest) && 16 <= longest)
        .then_some(body)
}
