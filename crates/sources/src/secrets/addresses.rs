//! Passwords in addresses and connection strings: `https://user:…@host`,
//! `Server=…;Password=…;`, `curl -u user:…`.

use std::ops::Range;

use super::{
    lexical::{MAX_VALUE_BYTES, contains_any, line_before, run, skip_spaces},
    values::{is_common, is_variable, looks_random},
};

/// Returns the password of `scheme://user:password@host`, or the token of `scheme://token@host`,
/// given the range of `://`.
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
    let Some(colon) = bytes[user.clone()].iter().position(|byte| *byte == b':') else {
        return looks_random(&bytes[user.clone()], 20).then_some(user);
    };
    let password = user.start + colon + 1..user.end;
    let text = &bytes[password.clone()];
    let name = &bytes[user.start..user.start + colon];
    // Both halves of a generated pair are secret.
    let is_half = |part: &[u8]| 8 <= part.len() && part.iter().all(u8::is_ascii_hexdigit);
    if is_half(name) && is_half(text) && name.len() == text.len() && name != text {
        return (!is_common(text)).then_some(user);
    }
    let differs = !text.eq_ignore_ascii_case(name);
    // `[user[:password]@]host` is a syntax.
    let is_syntax = text.ends_with(b"]") && name.contains(&b'[');
    let is_dots = text.starts_with(b"%s") || text.starts_with(b"...") || is_syntax;
    (4 <= text.len() && differs && !is_variable(text) && !is_dots && !is_common(text))
        .then_some(password)
}

/// Parts of a connection string, folded. One of them must occur next to the password.
const PARTS: &[&str] =
    &["server=", "data source=", "host=", "database=", "user id=", "uid=", "initial catalog="];

/// Returns the password of a connection string, `Server=db;User Id=app;Password=…;` or
/// `host=db user=app password=…`, given the range of its name with the equals sign.
pub(super) fn password_of_connection(bytes: &[u8], name: Range<usize>) -> Option<Range<usize>> {
    let is_inside = |byte: u8| !matches!(byte, b';' | b'"' | b'\'' | b'\n' | b'\r' | b'`' | b'<');
    let value = run(bytes, name.end, is_inside);
    let before = line_before(bytes, name.start, MAX_VALUE_BYTES);
    let after = run(bytes, value.end, |byte| byte != b'\n');
    let around = [before, &bytes[after]].concat();
    let is_connection =
        before.trim_ascii_end().ends_with(b";") || bytes.get(value.end) == Some(&b';');
    if is_connection {
        let text = &bytes[value.clone()];
        let fits = 4 <= text.len() && !is_variable(text) && !is_common(text);
        return (fits && contains_any(&around, PARTS)).then_some(value);
    }
    // Parts separated by spaces.
    let word = name.end..value.start + bytes[value].iter().position(u8::is_ascii_whitespace)?;
    let line = run(bytes, name.end, |byte| byte != b'\n');
    let text = &bytes[word.clone()];
    let is_connection = before.ends_with(b" ") || bytes[..name.start].ends_with(b"\"");
    let parts = [before, &bytes[line]].concat();
    let parts = ["host=", "user=", "dbname="].iter().filter(|part| contains_any(&parts, &[part]));
    (is_connection
        && 2 <= parts.count()
        && 4 <= text.len()
        && !is_variable(text)
        && !is_common(text))
    .then_some(word)
}

/// Returns the password of `curl -u user:password`, given the range of the flag with a space
/// after it.
pub(super) fn password_of_curl(bytes: &[u8], flag: Range<usize>) -> Option<Range<usize>> {
    if !contains_any(line_before(bytes, flag.start, MAX_VALUE_BYTES), &["curl "]) {
        return None;
    }
    let at = skip_spaces(bytes, flag.end);
    let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let value = match quote {
        Some(quote) => run(bytes, at + 1, |byte| byte != quote && byte != b'\n'),
        None => run(bytes, at, |byte| byte > b' ' && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')),
    };
    let colon = bytes[value.clone()].iter().position(|byte| *byte == b':')?;
    let password = value.start + colon + 1..value.end;
    let text = &bytes[password.clone()];
    let differs = *text != bytes[value.start..value.start + colon];
    let is_dots = text.starts_with(b"...") || text.contains(&b'[') || text.contains(&b'/');
    (4 <= text.len() && differs && !is_variable(text) && !is_common(text) && !is_dots)
        .then_some(password)
}
