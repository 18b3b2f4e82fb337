//! Tests that decide whether a value is a secret or only an example, a variable or a word.

use super::lexical::{changes, contains_any, entropy, is_token, is_uuid};

/// Words in placeholder values, folded.
pub(super) const PLACEHOLDERS: &[&str] = &[
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

/// UUIDs of documentation, folded: examples of the standard and of its encyclopedia page.
const EXAMPLE_UUIDS: &[&str] = &[
    "550e8400-e29b-41d4-a716-446655440000",
    "123e4567-e89b-12d3-a456-426614174000",
    "123e4567-e89b-12d3-a456-426655440000",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
];

/// Minimum entropy of a UUID that is a key, in bits per byte. Numbered ones, as tests contain them,
/// have less.
const MIN_UUID_ENTROPY: f32 = 3.0;

/// Returns true if a person may have chosen this as a password: at least eight characters,
/// including letters and digits.
pub(super) fn looks_like_password(text: &[u8]) -> bool {
    let has = |matches: fn(&u8) -> bool| text.iter().any(matches);
    8 <= text.len()
        && has(u8::is_ascii_alphabetic)
        && (has(u8::is_ascii_digit) && changes_of_any(text) >= 2)
        && !text.iter().any(|byte| is_code(*byte))
        && !text.starts_with(b"$")
        && !text.contains(&b'/')
        && 2.5 <= entropy(text)
        && !contains_any(text, PLACEHOLDERS)
}

/// Returns true for brackets, which occur in expressions.
pub(super) fn is_code(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'{' | b'}' | b'<' | b'>' | b'[' | b']')
}

/// Returns true for the punctuation that passwords contain and names do not.
pub(super) fn is_password_sign(byte: u8) -> bool {
    matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?')
}

/// Returns how often the character class changes. Signs of passwords count as a class.
fn changes_of_any(text: &[u8]) -> usize {
    let signs = text.iter().filter(|byte| is_password_sign(**byte)).count();
    changes(text) + signs
}

/// Returns true if a program may have generated this: at least `min` characters, letters and digits
/// that alternate, none of them very frequent. UUIDs are excluded: see [`is_uuid_key`].
pub(super) fn looks_random(text: &[u8], min: usize) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    min <= text.len()
        && 2 <= digits
        && 2 <= letters
        && text.len() <= changes(text) * 6
        && 3.0 <= entropy(text)
        && !is_uuid(text)
        && !contains_any(text, PLACEHOLDERS)
}

/// Returns true if this is a key or token of letters and digits, or a UUID.
pub(super) fn is_generated(text: &[u8]) -> bool {
    text.iter().all(|byte| is_token(*byte)) && looks_random(text, 16) || is_uuid_key(text)
}

/// Returns true if this is a key with the punctuation of passwords, such as `p#4$xT&9vQ2m`.
pub(super) fn is_mixed_key(text: &[u8]) -> bool {
    let signs = text.iter().filter(|byte| is_password_sign(**byte)).count();
    let allowed = |byte: &u8| {
        is_token(*byte) || is_password_sign(*byte) || matches!(byte, b':' | b';' | b',' | b'|')
    };
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    12 <= text.len()
        && 1 <= signs
        && 2 <= digits
        && 2 <= letters
        && text.iter().all(allowed)
        && text.len() <= changes_of_any(text) * 5
        && 3.0 <= entropy(text)
        && !is_variable(text)
        && !text.windows(3).any(|window| window == b"://")
        && !text.contains(&b'?')
        && !contains_any(text, PLACEHOLDERS)
}

/// Returns true if this is a UUID that may be a key.
pub(super) fn is_uuid_key(text: &[u8]) -> bool {
    is_uuid(text)
        && MIN_UUID_ENTROPY <= entropy(text)
        && !EXAMPLE_UUIDS.iter().any(|uuid| text.eq_ignore_ascii_case(uuid.as_bytes()))
        && !contains_any(text, &["1234", "abcd"])
}

/// Returns true if this is a variable or a command of a shell or template, which refers to a
/// password elsewhere.
pub(super) fn is_variable(text: &[u8]) -> bool {
    const SIGNS: [&[u8]; 4] = [b"${", b"$(", b"{{", b"%("];
    let within = |open: u8, close: u8| text.first() == Some(&open) && text.last() == Some(&close);
    matches!(text.first(), Some(b'$' | b'%' | b'<'))
        || SIGNS.iter().any(|sign| text.windows(2).any(|pair| pair == *sign))
        || within(b'{', b'}')
        || within(b'[', b']')
        || text.iter().all(|byte| *byte == b'*')
}

/// Returns true if this is a typical example password: a common word, with or without digits after
/// it, or one repeated character.
pub(super) fn is_common(text: &[u8]) -> bool {
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
    let Some(first) = text.first() else { return true };
    let folded = text.to_ascii_lowercase();
    let stem = folded.trim_ascii_end();
    let stem = &stem[..stem.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1)];
    let is_row = text.iter().all(|byte| byte == first);
    is_row
        || COMMON.iter().any(|word| word.as_bytes() == stem)
        || contains_any(&folded, &["example", "your"])
}
