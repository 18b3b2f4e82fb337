//! Secrets that only the name beside them tells: `password = "…"`, `https://user:…@host`,
//! `Server=…;Password=…;`.
//!
//! A name alone proves little, so that the value has to look made up by a machine: it has letters and
//! digits in a changing order, and no word that placeholders have.

use std::ops::Range;

use super::label::LABEL;

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// People choose it: short, of any characters.
    Password,
    /// A program made it: long, of few characters.
    Token,
    /// It is what comes right behind the name, as in `Bearer …`.
    Header,
}

/// Longest value that is looked at, in bytes.
const LONGEST: usize = 512;

/// Longest rest of a name behind the word that tells, in bytes.
const LONGEST_NAME: usize = 24;

/// Words of placeholders, folded.
const PLACEHOLDERS: &[&str] = &[
    "1234",
    "abcd",
    "admin",
    "change",
    "dummy",
    "example",
    "fake",
    "foobar",
    "hunter2",
    "insert",
    "letmein",
    "mock",
    "my_",
    "my-",
    "mypass",
    "null",
    "passw",
    "placeholder",
    "qwerty",
    "redacted",
    "replace",
    "sample",
    "secret",
    "test",
    "todo",
    "undefined",
    "xxx",
    "your",
];

/// Words that say of a name that its value is no secret, folded.
const HARMLESS: &[&str] = &[
    "algorithm",
    "checksum",
    "class",
    "count",
    "digest",
    "enabled",
    "endpoint",
    "expir",
    "field",
    "file",
    "format",
    "hash",
    "header",
    "hint",
    "kind",
    "label",
    "length",
    "limit",
    "method",
    "name",
    "param",
    "path",
    "pattern",
    "policy",
    "prefix",
    "public",
    "regex",
    "scope",
    "text",
    "title",
    "type",
    "uri",
    "url",
    "version",
];

/// The value that is assigned to a name, given where the word that tells stands in it.
pub(super) fn value_after(bytes: &[u8], word: Range<usize>, kind: Kind) -> Option<Range<usize>> {
    if kind == Kind::Header {
        let value = run(bytes, word.end, is_token);
        return looks_random(&bytes[value.clone()], 20).then_some(value);
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut at = word.end;
    while at - word.end < LONGEST_NAME && bytes.get(at).is_some_and(is_name) {
        at += 1;
    }
    let rest = &bytes[word.end..at];
    let front =
        bytes[..word.start].iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(byte));
    let front = word.start - front.count();
    if holds(rest, HARMLESS) || holds(&bytes[front..word.start], HARMLESS) {
        return None;
    }
    // A label is no name.
    if bytes[..front].ends_with(LABEL.as_bytes()) {
        return None;
    }
    // A quote and a bracket may end the name: `"token": …`, `config['token'] = …`.
    while bytes.get(at).is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`' | b']' | b'\\')) {
        at += 1;
    }
    at = blanks(bytes, at);
    let sign: &[&[u8]] = &[b":=", b"=>", b"=", b":"];
    let sign = sign.iter().find(|sign| bytes[at..].starts_with(sign))?;
    at = blanks(bytes, at + sign.len());
    // Escaped, where the text stands in a text.
    let escaped = usize::from(bytes.get(at) == Some(&b'\\'));
    let quote = bytes.get(at + escaped).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let value = if let Some(quote) = quote {
        // Doubled, where the text stands in a field of CSV.
        let doubled = quote == b'"' && bytes.get(at + escaped + 1) == Some(&quote);
        let start = at + escaped + 1 + usize::from(doubled);
        let is_inside = |byte: u8| byte != quote && byte != b'\\' && !byte.is_ascii_whitespace();
        let value = run(bytes, start, is_inside);
        let end = bytes.get(value.end).copied();
        (end == Some(quote) || (escaped == 1 && end == Some(b'\\'))).then_some(value)?
    } else {
        let value = run(bytes, at, |byte| is_token(byte) || matches!(byte, b'!' | b'@' | b'^'));
        // Without quotes, what is not alone on its line is an expression.
        let rest = blanks(bytes, value.end);
        let ends = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'#' | b'&' | b';' | b'\\' | b'"');
        bytes.get(rest).is_none_or(ends).then_some(value)?
    };
    let secret = &bytes[value.clone()];
    let fits = match kind {
        Kind::Password if quote.is_some() => looks_chosen(secret),
        Kind::Password => looks_chosen(secret) && looks_random(secret, 10),
        Kind::Token | Kind::Header => {
            secret.iter().all(|byte| is_token(*byte)) && looks_random(secret, 16)
        }
    };
    fits.then_some(value)
}

/// The password of `scheme://user:password@host`, given where `://` stands.
pub(super) fn password_in_url(bytes: &[u8], sign: Range<usize>) -> Option<Range<usize>> {
    if !sign.start.checked_sub(1).is_some_and(|at| bytes[at].is_ascii_alphanumeric()) {
        return None;
    }
    let is_part = |byte: u8| {
        byte > b' '
            && !matches!(
                byte,
                b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'\\' | b','
            )
    };
    let authority = run(bytes, sign.end, is_part);
    let at = bytes[authority.clone()].iter().rposition(|byte| *byte == b'@')?;
    let user = authority.start..authority.start + at;
    let colon = bytes[user.clone()].iter().position(|byte| *byte == b':')?;
    let password = user.start + colon + 1..user.end;
    let text = &bytes[password.clone()];
    let name = &bytes[user.start..user.start + colon];
    let differs = !text.eq_ignore_ascii_case(name);
    let is_dots = text.starts_with(b"%s") || text.starts_with(b"...");
    (4 <= text.len() && differs && !is_variable(text) && !is_dots && !is_common(text))
        .then_some(password)
}

/// Parts of a connection string, one of which stands beside its password, folded.
const PARTS: &[&str] =
    &["server=", "data source=", "host=", "database=", "user id=", "uid=", "initial catalog="];

/// The password of a connection string, `Server=db;User Id=app;Password=…;`, given where its name
/// with the sign of equality stands.
pub(super) fn password_of_connection(bytes: &[u8], name: Range<usize>) -> Option<Range<usize>> {
    let is_inside = |byte: u8| !matches!(byte, b';' | b'"' | b'\'' | b'\n' | b'\r' | b'`' | b'<');
    let value = run(bytes, name.end, is_inside);
    let start = name.start.saturating_sub(LONGEST);
    let line = bytes[start..name.start].iter().rposition(|byte| *byte == b'\n');
    let before = &bytes[line.map_or(start, |at| start + at + 1)..name.start];
    let after = run(bytes, value.end, |byte| byte != b'\n');
    let around = [before, &bytes[after]].concat();
    let is_connection =
        before.trim_ascii_end().ends_with(b";") || bytes.get(value.end) == Some(&b';');
    let text = &bytes[value.clone()];
    let fits = is_connection && holds(&around, PARTS) && 4 <= text.len() && !is_variable(text);
    (fits && !is_common(text)).then_some(value)
}

/// Whether this is a variable or a command of a shell or a template, which stands for a password that
/// is elsewhere.
fn is_variable(text: &[u8]) -> bool {
    const SIGNS: [&[u8]; 4] = [b"${", b"$(", b"{{", b"%("];
    let within = |open: u8, close: u8| text.first() == Some(&open) && text.last() == Some(&close);
    matches!(text.first(), Some(b'$' | b'%' | b'<'))
        || SIGNS.iter().any(|sign| text.windows(2).any(|pair| pair == *sign))
        || within(b'{', b'}')
        || within(b'[', b']')
        || text.iter().all(|byte| *byte == b'*')
}

/// Whether this is what examples write for a password: one of a few words, with digits behind it or
/// without, or a row of one character.
fn is_common(text: &[u8]) -> bool {
    const COMMON: &[&str] = &[
        "admin",
        "bar",
        "changeme",
        "dummy",
        "foo",
        "foobar",
        "guest",
        "hunter",
        "letmein",
        "mypass",
        "mypassword",
        "pass",
        "passwd",
        "password",
        "placeholder",
        "pwd",
        "pw",
        "root",
        "secret",
        "test",
        "token",
        "user",
        "xxx",
    ];
    let folded = text.to_ascii_lowercase();
    let stem = folded.trim_ascii_end();
    let stem = &stem[..stem.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1)];
    let is_row = folded.iter().all(|byte| *byte == folded[0]);
    is_row
        || COMMON.iter().any(|word| word.as_bytes() == stem)
        || holds(&folded, &["example", "your"])
}

/// From a place on, as far as the bytes are such, and no farther than [`LONGEST`].
fn run(bytes: &[u8], from: usize, is_such: impl Fn(u8) -> bool) -> Range<usize> {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().take(LONGEST).take_while(|byte| is_such(**byte)).count();
    from..from + length
}

fn blanks(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, |byte| matches!(byte, b' ' | b'\t')).end
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
}

/// Whether one of some words stands in a text, in any case of letters.
fn holds(text: &[u8], words: &[&str]) -> bool {
    let folded = text.to_ascii_lowercase();
    words.iter().any(|word| folded.windows(word.len()).any(|window| window == word.as_bytes()))
}

/// Whether somebody may have chosen this as a password: eight characters or more, of which some are
/// no letters.
fn looks_chosen(text: &[u8]) -> bool {
    let has = |is_such: fn(&u8) -> bool| text.iter().any(is_such);
    let is_code = |byte: &u8| matches!(byte, b'(' | b')' | b'{' | b'}' | b'<' | b'>' | b'[' | b']');
    8 <= text.len()
        && has(u8::is_ascii_alphabetic)
        && (has(u8::is_ascii_digit) && changes(text) >= 2)
        && !text.iter().any(is_code)
        && !text.starts_with(b"$")
        && !text.contains(&b'/')
        && 2.5 <= entropy(text)
        && !holds(text, PLACEHOLDERS)
}

/// Whether a program may have made this: so many characters or more, letters and digits in a
/// changing order, none of them very often. Identifiers in the form of UUIDs are none: they are
/// everywhere, and few of them are secrets.
pub(super) fn looks_random(text: &[u8], least: usize) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    least <= text.len()
        && 2 <= digits
        && 2 <= letters
        && text.len() <= changes(text) * 6
        && 3.0 <= entropy(text)
        && !is_uuid(text)
        && !holds(text, PLACEHOLDERS)
}

/// How often letters and digits, and capital and small letters, follow one another. A capital before
/// small letters begins a word, and does not count.
fn changes(text: &[u8]) -> usize {
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

/// Shannon's entropy of the bytes of a text, in bits a byte.
pub(super) fn entropy(text: &[u8]) -> f32 {
    let mut counts = [0_u16; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let whole = text.len() as f32;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f32::from(*count) / whole);
    -shares.map(|share| share * share.log2()).sum::<f32>()
}

fn is_uuid(text: &[u8]) -> bool {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    text.len() == 36
        && text
            .iter()
            .enumerate()
            .all(|(at, byte)| if is_dash(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() })
}
