//! Minimum versions of languages, and versions of packages in examples of dependencies.

use std::sync::LazyLock;

use regex::Regex;

use super::is_settings;
use crate::{read::Located, segments::Segment, statement::Place};

static TOOL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(rustc?|msrv|python|node(?:\.?js)?|go|golang)\b(?:\s+(?:compiler|toolchain|version|is|of|v))*[\s`:*(]*(?:>=|≥)?\s*v?(\d+(?:\.\d+){0,2})(\+| or (?:later|newer|above|higher|greater))?",
    )
    .expect("a valid pattern")
});

static MINIMUM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)msrv|minimum|at least|requires?\b|prerequisite|or (?:later|newer|above|higher|greater)|>=|≥|\d\+")
        .expect("a valid pattern")
});

static DEPENDENCY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"^\s*([A-Za-z][\w\-]*)\s*=\s*(?:\{\s*version\s*=\s*)?"[\^~=]?(\d+(?:\.\d+){0,2})""#,
    )
    .expect("a valid pattern")
});

/// Finds the minimum versions of languages, and the versions of packages in TOML.
///
/// The details are the tool or `package`, and the version.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    let mut found = Vec::new();
    if segment.place == Place::Fence && is_settings(segment.language)
        || segment.place == Place::Span
    {
        let dependency = DEPENDENCY.captures(segment.text);
        found.extend(dependency.map(|parts| Located {
            range: parts.get(0).map_or(0..0, |whole| whole.range()),
            names: vec![parts[1].to_owned()],
            details: vec!["package".to_owned(), parts[2].to_owned()],
        }));
    }
    if segment.place != Place::Prose || !MINIMUM.is_match(segment.whole) {
        return found;
    }
    for parts in TOOL.captures_iter(segment.text) {
        let tool = match parts[1].to_ascii_lowercase().as_str() {
            "rust" | "rustc" | "msrv" => "rust",
            "python" => "python",
            "go" | "golang" => "go",
            _ => "node",
        };
        found.push(Located {
            range: parts.get(0).map_or(0..0, |whole| whole.range()),
            names: vec![tool.to_owned()],
            details: vec![tool.to_owned(), parts[2].to_owned()],
        });
    }
    found
}
