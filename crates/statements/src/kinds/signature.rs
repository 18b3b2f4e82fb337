//! Functions with the names of their parameters.

use std::sync::LazyLock;

use regex::Regex;

use crate::{read::Located, segments::Segment, statement::Place};

static CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[A-Za-z_]\w*(?:::|\.|#))*([A-Za-z_]\w{2,})\(([^()]{1,200})\)(?:\s*(?:->|:|=>).*)?$",
    )
    .expect("a valid pattern")
});

static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*[&*]*([a-z_]\w*)\??\s*(?:[:=].*)?$").expect("a valid pattern")
});

/// Finds spans such as `save(path, text)`. The details are the parameters that are plain names.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    if segment.place != Place::Span {
        return Vec::new();
    }
    let Some(parts) = CALL.captures(segment.text.trim()) else { return Vec::new() };
    let names = parts[2].split(',').filter_map(|part| PARAMETER.captures(part));
    let details: Vec<String> = names
        .map(|name| name[1].to_owned())
        .filter(|name| {
            !matches!(name.as_str(), "self" | "this" | "true" | "false" | "null" | "nil" | "None")
        })
        .collect();
    if details.is_empty() {
        return Vec::new();
    }
    let from = segment.text.len() - segment.text.trim_start().len();
    let range = from..from + segment.text.trim().len();
    vec![Located { range, names: vec![parts[1].to_owned()], details }]
}
