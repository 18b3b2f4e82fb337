//! Command-line flags.

use std::sync::LazyLock;

use regex::Regex;

use crate::{read::Located, segments::Segment, statement::Place};

static FLAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"--[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*").expect("a valid pattern")
});

/// Finds words that start with two hyphens.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    if segment.place == Place::Link {
        return Vec::new();
    }
    let is_flag = |found: &regex::Match<'_>| {
        let before = segment.text[..found.start()].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || "[(|,/\"'`=:*".contains(c))
    };
    let all = FLAG.find_iter(segment.text).filter(is_flag);
    all.map(|found| Located::new(found.range(), found.as_str())).collect()
}
