//! Names of definitions.

use std::sync::LazyLock;

use regex::Regex;

use super::{is_settings, is_shell};
use crate::{read::Located, segments::Segment, statement::Place};

static CHAIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:::|\.|#|->)[A-Za-z_][A-Za-z0-9_]*)*")
        .expect("a valid pattern")
});

/// First parts of names from standard libraries.
const STANDARD: &[&str] = &[
    "Array",
    "JSON",
    "Math",
    "Object",
    "Option",
    "Promise",
    "Result",
    "String",
    "Vec",
    "alloc",
    "char",
    "collections",
    "console",
    "core",
    "f32",
    "f64",
    "fmt",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "io",
    "isize",
    "itertools",
    "logging",
    "os",
    "pathlib",
    "re",
    "std",
    "str",
    "strings",
    "sys",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
];

/// Minimum length of a name that is looked up.
const MIN_NAME_LEN: usize = 3;

/// Finds names: all of a span that is one name, and elsewhere those whose form shows that they are
/// from code.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    if segment.place == Place::Link {
        return Vec::new();
    }
    let mut found = Vec::new();
    for chain in CHAIN.find_iter(segment.text) {
        let before = segment.text[..chain.start()].chars().next_back();
        let after = segment.text[chain.end()..].chars().next();
        let is_part = before.is_some_and(|c| c.is_alphanumeric() || "/-$@%\\".contains(c))
            || after.is_some_and(|c| c.is_alphanumeric() || "/\\".contains(c))
            || (after == Some('-')
                && segment.text[chain.end()..].chars().nth(1).is_some_and(char::is_alphanumeric));
        let root = chain.as_str().split([':', '.']).next().unwrap_or_default();
        let is_external = root.len() < chain.len() && STANDARD.contains(&root);
        if is_part || is_external || is_address(segment.text, chain.end()) {
            continue;
        }
        let is_call = after == Some('(') || (after == Some('!') && segment.place != Place::Prose);
        let is_whole = segment.place == Place::Span && {
            let rest = segment.text.trim();
            chain.as_str()
                == rest
                    .trim_end_matches(['(', ')', '!', '?', ';', ','])
                    .trim_start_matches(['&', '*', '.', ':', '#'])
        };
        let is_code = match segment.place {
            Place::Fence => {
                let is_unknown = segment.language.is_empty();
                !is_settings(segment.language) && (is_unknown || !is_shell(segment.language))
            }
            _ => true,
        };
        let names: Vec<String> = split(chain.as_str())
            .filter(|name| name.len() >= MIN_NAME_LEN)
            .filter(|name| {
                is_whole
                    || (is_code && (is_formed(name) || is_call && chain.as_str().ends_with(name)))
            })
            .map(str::to_owned)
            .collect();
        if !names.is_empty() {
            found.push(Located { range: chain.range(), names, details: Vec::new() });
        }
    }
    found
}

/// The parts of a qualified name.
fn split(chain: &str) -> impl Iterator<Item = &str> {
    chain.split(['.', ':', '#', '-', '>']).filter(|part| !part.is_empty())
}

/// Returns true for a name in a case style that ordinary words do not have.
fn is_formed(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let has_underscore = inner.contains('_');
    let bytes = inner.as_bytes();
    let humps = bytes
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    has_underscore || humps > 0
}

/// Returns true for a name that is followed by the rest of an address.
fn is_address(text: &str, end: usize) -> bool {
    text[end..].starts_with("://") || text[end..].starts_with('@')
}
