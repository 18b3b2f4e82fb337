//! Values of the `data` and `stringData` of Kubernetes secrets.

use std::ops::Range;

use super::{
    lexical::run,
    values::{is_common, is_variable},
};

/// Maximum distance in bytes from the kind of a manifest to its values.
const MAX_DISTANCE: usize = 8 << 10;

/// Minimum length of a value in bytes.
const MIN_VALUE_LEN: usize = 8;

/// Returns the values of a manifest, given the range of `kind: Secret`, and the end of the text that
/// was searched. A further `kind: Secret` before that end is not searched again.
pub(super) fn values(text: &str, kind: Range<usize>) -> (Vec<Range<usize>>, usize) {
    let bytes = text.as_bytes();
    let starts_line = kind.start == 0 || bytes[kind.start - 1] == b'\n';
    let ends_line =
        bytes.get(kind.end).is_none_or(|byte| matches!(byte, b'\r' | b'\n' | b' ' | b'#'));
    if !starts_line || !ends_line {
        return (Vec::new(), 0);
    }
    let mut from = kind.start.saturating_sub(MAX_DISTANCE);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = bytes.len().min(kind.end + MAX_DISTANCE);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let from = text[from..kind.start].rfind("\n---").map_or(from, |at| from + at + 1);
    let to = text[kind.end..to].find("\n---").map_or(to, |at| kind.end + at);
    let (mut found, mut is_data, mut in_block, mut at) = (Vec::new(), false, false, from);
    for line in text[from..to].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_end();
        if content.is_empty() || content.trim_start().starts_with('#') {
            continue;
        }
        if !content.starts_with([' ', '\t']) {
            (is_data, in_block) = (matches!(content, "data:" | "stringData:"), false);
            continue;
        }
        if is_data && in_block && !content.contains(": ") {
            let value = content.trim_start();
            if MIN_VALUE_LEN <= value.len() && !value.contains(['[', '{', '<', ' ']) {
                let begin = start + content.len() - value.len();
                found.push(begin..begin + value.len());
            }
            continue;
        }
        if let Some(value) = content.find(": ").filter(|_| is_data) {
            let mut begin = start + value + 2;
            let quote = text.as_bytes()[begin..].first().copied();
            let quote = quote.filter(|byte| matches!(byte, b'"' | b'\''));
            begin += usize::from(quote.is_some());
            let is_inside = |byte: u8| byte > b' ' && Some(byte) != quote;
            let range = run(bytes, begin, is_inside);
            let value = &bytes[range.clone()];
            in_block = matches!(value.first(), Some(b'|' | b'>'));
            let is_reference = matches!(value.first(), Some(b'!' | b'&' | b'*'));
            if MIN_VALUE_LEN <= value.len()
                && !in_block
                && !is_reference
                && !value.contains(&b'[')
                && !is_variable(value)
                && !is_common(value)
            {
                found.push(range);
            }
        }
    }
    (found, to)
}
