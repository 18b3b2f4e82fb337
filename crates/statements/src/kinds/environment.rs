//! Environment variables, and other names in upper case.

use std::sync::LazyLock;

use regex::Regex;

use crate::{read::Located, segments::Segment, statement::Place};

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\$\{?([A-Z][A-Z0-9]{2,})\b")
        .expect("a valid pattern")
});

/// Finds names in upper case with an underscore, and shorter ones after a dollar sign.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    if segment.place == Place::Link {
        return Vec::new();
    }
    let mut found = Vec::new();
    for name in NAME.captures_iter(segment.text) {
        let whole = name.get(1).or(name.get(0)).expect("the whole match");
        let before = segment.text[..whole.start()].chars().next_back();
        let after = segment.text[whole.end()..].chars().next();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let is_part = before.is_some_and(|c| is_word(c) || c == '.' || c == ':')
            || after.is_some_and(|c| is_word(c) || c == '*');
        if !is_part {
            found.push(Located::new(whole.range(), whole.as_str()));
        }
    }
    found
}
