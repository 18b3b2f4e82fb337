//! Secrets that are recognised by the name next to them: `password = "…"`, `const API_KEY: &str =
//! "…"`, `--token …`, `<string name="api_key">…</string>`.
//!
//! A name alone is weak evidence. The value must also look machine-made: letters and digits that
//! alternate, and none of the words of placeholders. [`places`] finds the value.

use std::ops::Range;

use super::{
    label::LABEL,
    lexical::{contains_any, ends_with_folded, entropy, is_name, is_token, line_before, run},
    name::{Kind, Name},
    places::{self, Place, Style},
    values::{
        PLACEHOLDERS, is_code, is_generated, is_mixed_key, is_password_sign, is_variable,
        looks_like_password, looks_random,
    },
};

/// Minimum length of credentials after `Bearer` or `Basic`, in prose and in a header.
const MIN_HEADER_LEN: usize = 20;
const MIN_AUTHORIZATION_LEN: usize = 10;

/// Returns the value that is assigned to a name, given the range of the word that was found in the
/// name.
pub(super) fn value_after(bytes: &[u8], word: Range<usize>, kind: Kind) -> Option<Range<usize>> {
    if kind == Kind::Header {
        return header_value(bytes, word);
    }
    let name = Name::around(bytes, word, kind)?;
    let place = places::find(bytes, &name)?;
    if place.style == Style::Prose && kind == Kind::ShortPassword {
        return None;
    }
    let value = quoted(bytes, &place).or_else(|| unquoted(bytes, &name, &place))?;
    let text = &bytes[value.range.clone()];
    if text.contains(&b'[') && contains_any(text, &[LABEL]) {
        return None;
    }
    let is_password = match value.certainty {
        Certainty::Delimited => looks_like_password(text),
        Certainty::Line => looks_like_password(text) && !is_expression(text),
        Certainty::Code => looks_like_password(text) && looks_random(text, 10),
        Certainty::Prose => is_mixed_key(text) || looks_random(text, 10) && is_password_like(text),
    };
    let fits = match kind {
        Kind::Password | Kind::ShortPassword => is_password,
        Kind::Token | Kind::Header => {
            // `AtomicU32TokenProvider` is a type.
            let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
            if value.certainty == Certainty::Code && digits < 3 {
                return None;
            }
            let is_long = value.certainty != Certainty::Prose
                || MIN_PROSE_LEN <= text.len() && text.iter().any(|byte| b'g' <= *byte);
            is_generated(text) && is_long
                || value.certainty != Certainty::Code && is_mixed_key(text)
        }
    };
    fits.then_some(value.range)
}

/// Returns the credentials after `Bearer` or `Basic`.
fn header_value(bytes: &[u8], word: Range<usize>) -> Option<Range<usize>> {
    let value = run(bytes, word.end, is_token);
    let text = &bytes[value.clone()];
    let before = line_before(bytes, word.start, 24);
    let before = before.trim_ascii_end();
    let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
    let is_header = [
        "authorization:",
        "authorization",
        "authorization\":",
        "authorization':",
        "authorization=",
    ]
    .iter()
    .any(|name| ends_with_folded(before.trim_ascii_end(), name));
    let is_credential = looks_random(text, MIN_HEADER_LEN)
        || is_header
            && MIN_AUTHORIZATION_LEN <= text.len()
            && 2.75 <= entropy(text)
            && text.iter().any(u8::is_ascii_digit)
            && text.iter().any(u8::is_ascii_alphabetic)
            && !contains_any(text, PLACEHOLDERS);
    is_credential.then_some(value)
}

/// Minimum length of a token in a sentence.
const MIN_PROSE_LEN: usize = 20;

/// Returns true if a word of a sentence is no path, no name of a version and no number.
fn is_password_like(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || is_password_sign(*byte);
    text.iter().all(is_plain) && text.iter().any(u8::is_ascii_uppercase)
}

/// Certainty that the bytes of a value are a value and not an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// In quotes, or between two tags.
    Delimited,
    /// The rest of a line of a settings file, or an argument of a command.
    Line,
    /// Possibly an expression of a program.
    Code,
    /// A word of a sentence.
    Prose,
}

/// A value and its certainty.
struct Value {
    range: Range<usize>,
    certainty: Certainty,
}

/// Returns the value in quotes.
fn quoted(bytes: &[u8], place: &Place) -> Option<Value> {
    let mut at = place.at;
    // `r"…"`, `b'…'`, `@"…"`, `r#"…"#`.
    let is_quote = |at: usize| matches!(bytes.get(at), Some(b'"' | b'\'' | b'`'));
    let is_mark = |at: usize| {
        matches!(
            bytes.get(at),
            Some(b'r' | b'R' | b'b' | b'B' | b'u' | b'U' | b'L' | b'f' | b'@' | b'#')
        )
    };
    let marks = (at..at + 3).take_while(|at| is_mark(*at)).count();
    if is_quote(at + marks) {
        at += marks;
    }
    // The quote is escaped inside another string.
    let escaped = usize::from(bytes.get(at) == Some(&b'\\'));
    let quote =
        bytes.get(at + escaped).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    // The quote is doubled inside a CSV field.
    let doubled = quote == b'"' && bytes.get(at + escaped + 1) == Some(&quote);
    let start = at + escaped + 1 + usize::from(doubled);
    let is_inside = |byte: u8| byte != quote && byte != b'\\' && !byte.is_ascii_whitespace();
    let range = run(bytes, start, is_inside);
    let end = bytes.get(range.end).copied();
    (end == Some(quote) || (escaped == 1 && end == Some(b'\\')))
        .then_some(Value { range, certainty: Certainty::Delimited })
}

/// Returns the value without quotes.
fn unquoted(bytes: &[u8], name: &Name, place: &Place) -> Option<Value> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    match place.style {
        Style::Quoted => None,
        Style::Element => {
            let range = run(bytes, place.at, |byte| byte > b' ' && byte != b'<');
            let certainty = Certainty::Delimited;
            (bytes.get(range.end) == Some(&b'<')).then_some(Value { range, certainty })
        }
        Style::Argument => {
            let is_inside =
                |byte: u8| byte > b' ' && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b';');
            let range = run(bytes, place.at, is_inside);
            Some(Value { range, certainty: Certainty::Line })
        }
        Style::Prose => {
            let is_inside = |byte: u8| {
                byte > b' ' && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b';' | b',' | b')')
            };
            let mut range = run(bytes, place.at, is_inside);
            if bytes[range.clone()].ends_with(b".") {
                range.end -= 1;
            }
            Some(Value { range, certainty: Certainty::Prose })
        }
        Style::Assigned => {
            // A line of a settings file: the value is the rest of it.
            let rest = run(bytes, place.at, |byte| {
                byte > b' ' && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
            });
            if is_settings_line(bytes, name, place.at) && bytes.get(rest.end).is_none_or(is_end) {
                let text = &bytes[rest.clone()];
                let is_plain = text.iter().all(|byte| is_token(*byte));
                if !is_plain && text.iter().any(|byte| is_password_sign(*byte))
                    || is_upper(bytes, name)
                {
                    return Some(Value { range: rest, certainty: Certainty::Line });
                }
            }
            let inside = |byte| is_token(byte) || matches!(byte, b'!' | b'@' | b'^');
            let range = run(bytes, place.at, inside);
            // Without quotes, a value that is followed by other text is an expression.
            let rest = run(bytes, range.end, |byte| matches!(byte, b' ' | b'\t')).end;
            let ends =
                |byte: &u8| matches!(byte, b'\n' | b'\r' | b'#' | b'&' | b';' | b'\\' | b'"');
            let certainty = Certainty::Code;
            bytes.get(rest).is_none_or(ends).then_some(Value { range, certainty })
        }
    }
}

/// Returns true if a line consists of a name, a sign and a value, as in settings files: `NAME=value`
/// without spaces, or `name: value`.
fn is_settings_line(bytes: &[u8], name: &Name, value: usize) -> bool {
    let before = line_before(bytes, name.range.start, 120).trim_ascii();
    let before = before.strip_prefix(b"-").unwrap_or(before).trim_ascii();
    let is_start = before.is_empty()
        || matches!(before, b"export" | b"set" | b"ENV" | b"ARG" | b"env")
        || before.iter().all(|byte| is_name(*byte) || *byte == b'.');
    let sign = &bytes[name.range.end..value];
    is_start && matches!(sign, b"=" | b" = " | b": " | b":  " | b"\": " | b"' : ")
}

/// Returns true if a name has no lower-case letters, as variables of the environment.
fn is_upper(bytes: &[u8], name: &Name) -> bool {
    !bytes[name.range.clone()].iter().any(u8::is_ascii_lowercase)
}

/// Returns true for parts of programs: calls, lists, paths of fields, statements, variables.
fn is_expression(text: &[u8]) -> bool {
    let is_end = matches!(text.last(), Some(b',' | b';' | b':' | b'='));
    is_end
        || is_variable(text)
        || text.iter().any(|byte| is_code(*byte))
        || text.windows(2).any(|pair| matches!(pair, b"::" | b"->" | b"=="))
        || text.windows(3).any(|part| part == b"://")
}
