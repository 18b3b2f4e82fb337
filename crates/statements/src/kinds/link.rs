//! Targets of relative links.

use crate::{read::Located, segments::Segment, statement::Place};

/// Finds the target of a link that leads to a file of the repository or to an anchor.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    let target = segment.text.trim();
    let is_external = target.contains("://")
        || target.starts_with("//")
        || target.split(['/', '?', '#', '.']).next().is_some_and(|first| first.contains(':'));
    let is_template = target.contains(['{', '}', '<', '>', '$', '*', '|', '@', ' ', '`', '\\']);
    if segment.place != Place::Link || target.is_empty() || is_external || is_template {
        return Vec::new();
    }
    // A target with a period in place of a slash is a symbol of generated documentation.
    let is_symbol = target.contains("::") || target.contains('(') || target.ends_with('!');
    if is_symbol || !target.contains(['.', '/', '#']) {
        return Vec::new();
    }
    let from = segment.text.find(target).unwrap_or_default();
    vec![Located::new(from..from + target.len(), decoded(target))]
}

/// Decodes `%20` and other escapes of ASCII characters.
fn decoded(target: &str) -> String {
    let mut text = String::with_capacity(target.len());
    let mut rest = target;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = byte.filter(|byte| byte.is_ascii() && !byte.is_ascii_control()) {
            text.push(char::from(byte));
            rest = &after[2..];
        } else {
            text.push('%');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}
