//! Configuration keys.

use std::sync::LazyLock;

use regex::Regex;

use super::is_settings;
use crate::{read::Located, segments::Segment, statement::Place};

static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\s*(?:- )?["']?([A-Za-z_][A-Za-z0-9_.\-]*)["']?\s*[:=]"#)
        .expect("a valid pattern")
});

static SPAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[a-z][a-z0-9]*(?:[.\-][a-z][a-z0-9_]*)*-[a-z][a-z0-9_\-.]*$")
        .expect("a valid pattern")
});

/// Finds keys in fences of configuration files, and spans with words separated by hyphens.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    let range = match segment.place {
        Place::Fence if is_settings(segment.language) => {
            ENTRY.captures(segment.text).and_then(|found| found.get(1)).map(|key| key.range())
        }
        Place::Span => SPAN.find(segment.text).map(|key| key.range()),
        _ => None,
    };
    let Some(range) = range else { return Vec::new() };
    let text = &segment.text[range.clone()];
    let last = text.rsplit('.').next().unwrap_or(text);
    if last.len() < 3 {
        return Vec::new();
    }
    vec![Located::new(range, last)]
}
