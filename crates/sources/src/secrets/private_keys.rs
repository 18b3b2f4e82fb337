//! Private keys in the armour of PEM and of PGP.

use std::ops::Range;

/// Shortest key that is one, in characters of base64: an Ed25519 key in PKCS #8 has 64.
const SHORTEST: usize = 40;

/// Longest key, in bytes: one of RSA with 16,384 bits has some 13,000.
const LONGEST: usize = 64 << 10;

/// Shortest line of base64 that no name of a program looks like, where it has letters of both cases
/// and digits.
const SURE: usize = 32;

/// The key before a last line that stands further down, whatever a program or a page writes around its
/// lines: from the first line that is one for sure to what could be the last one.
fn closed_body(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = &bytes[start..bytes.len().min(start + LONGEST)];
    let rest = &rest[..rest.windows(8).position(|window| window == b"-----END")?];
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_sure = |line: &[u8]| {
        SURE <= line.len()
            && line.iter().any(u8::is_ascii_digit)
            && line.iter().any(u8::is_ascii_uppercase)
            && line.iter().any(u8::is_ascii_lowercase)
    };
    let mut at = 0;
    for line in rest.split(|byte| !is_base64(byte)) {
        if is_sure(line) {
            let last = rest.iter().rposition(is_base64)?;
            return Some(start + at..start + last + 1);
        }
        at += line.len() + 1;
    }
    None
}

/// What lies between the two lines around a key, given where the words `PRIVATE KEY` of the first one
/// end. A key without its last line ends with the last line that could be part of one. What is too
/// short to be a key is none, such as the dots of an example.
pub(super) fn body_after(text: &str, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let line = bytes[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = line.max(end.saturating_sub(80));
    bytes[line..end].windows(10).rposition(|begin| begin == b"-----BEGIN")?;
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
        && at - start < LONGEST
    {
        match byte {
            b'-' if bytes[at..].starts_with(b"-----") => break,
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') => {
                // Written into a string of a program, the lines end with `\n` or `\r\n`.
                if matches!(byte, b'n' | b'r') && bytes[at - 1] == b'\\' {
                    at += 1;
                    continue;
                }
                first.get_or_insert(at);
                (last, characters) = (at + 1, characters + 1);
            }
            // Headers (`Proc-Type: 4,ENCRYPTED`), quotes, comment signs and concatenation around the
            // lines of a key.
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
    // Words of a sentence are no key, whatever stands around them.
    (SHORTEST <= characters && (closed || SHORTEST <= longest) && 16 <= longest).then_some(body)
}
