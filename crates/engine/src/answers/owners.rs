//! Maps files to the specs that name them, and specs to files.
//!
//! A spec names code in the lists `code` (what it governs) and `related` (what it only refers to).
//! An entry is a path, a folder, or a pattern in which `*` matches anything; `#name` after it
//! selects a part of the file.
//!
//! **Invariant:** pure. No I/O, no clock.

use std::cmp::Reverse;

use lore_schema::Document;

use crate::{Link, Owner, OwnersAnswer, SymbolHit};

/// The list of what a spec governs.
pub(crate) const GOVERNS: &str = "code";

/// The list of what a spec refers to.
const RELATED: &str = "related";

/// Splits an entry or a request into path and part.
pub(crate) fn split(entry: &str) -> (&str, Option<&str>) {
    let entry = entry.trim().trim_matches('`');
    let (path, selector) = match entry.split_once('#') {
        Some((path, selector)) => (path, Some(selector.trim()).filter(|name| !name.is_empty())),
        None => (entry, None),
    };
    (path.trim().trim_start_matches("./").trim_end_matches('/'), selector)
}

/// Returns the entries of a spec's list.
pub(crate) fn entries<'a>(
    extra: &'a [(String, String)],
    list: &str,
) -> impl Iterator<Item = &'a str> {
    extra.iter().filter(move |(name, _)| name == list).map(|(_, value)| value.as_str())
}

/// Returns the specs among documents that name a path or, for a folder, a path in it.
pub(crate) fn owners(documents: &[Document], requested: &str) -> OwnersAnswer {
    let (path, selector) = split(requested);
    OwnersAnswer {
        path: path.to_owned(),
        selector: selector.map(str::to_owned),
        governing: naming(documents, GOVERNS, path, selector),
        related: naming(documents, RELATED, path, selector),
        specs: documents.len(),
        exists: false,
    }
}

fn naming(documents: &[Document], list: &str, path: &str, selector: Option<&str>) -> Vec<Owner> {
    // Nothing is inside a file.
    let is_inside =
        |claim: &str| claim.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    let mut owners: Vec<Owner> = documents
        .iter()
        .filter_map(|document| {
            let claims: Vec<(&str, Option<&str>)> = entries(&document.attributes.extra, list)
                .map(split)
                .filter(|(claim, part)| {
                    let fits = match (selector, part) {
                        (Some(asked), Some(named)) => asked == *named,
                        _ => true,
                    };
                    fits && (names(claim, path) || is_inside(claim))
                })
                .collect();
            // The most specific entry counts; an entry for the whole file counts more than one for
            // a part.
            let nearest =
                claims.iter().map(|(claim, _)| *claim).max_by_key(|claim| specificity(claim))?;
            let whole = claims.iter().any(|(_, part)| part.is_none());
            let parts = claims.iter().filter_map(|(_, part)| part.map(str::to_owned));
            let id = document.attributes.id.as_ref().unwrap_or(&document.key.locator);
            Some(Owner {
                id: id.clone(),
                title: if document.title.is_empty() { id.clone() } else { document.title.clone() },
                path: document.path.clone(),
                description: document.attributes.description.clone().unwrap_or_default(),
                claim: nearest.to_owned(),
                selectors: if whole { Vec::new() } else { parts.collect() },
            })
        })
        .collect();
    owners.sort_by(|left, right| {
        let key = |owner: &Owner| Reverse(specificity(&owner.claim));
        let short = |owner: &Owner| owner.id.chars().count();
        key(left)
            .cmp(&key(right))
            .then_with(|| short(left).cmp(&short(right)))
            .then_with(|| (&left.id, &left.path).cmp(&(&right.id, &right.path)))
    });
    owners
}

/// Returns the sort key of an entry's specificity: a path before a pattern, longer before shorter.
fn specificity(claim: &str) -> (bool, usize) {
    (!claim.contains('*'), claim.len())
}

/// Returns true if an entry names a path: the path itself, a folder above it, or a pattern.
fn names(claim: &str, path: &str) -> bool {
    if claim.is_empty() {
        return false;
    }
    let below =
        path.strip_prefix(claim).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below || (claim.contains('*') && matches(claim.as_bytes(), path.as_bytes()))
}

/// Returns true if a text matches a pattern in which `*` stands for any bytes, including none.
/// Takes at most the product of both lengths.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    // Position to resume from if the text after the last `*` does not match.
    let mut again: Option<(usize, usize)> = None;
    while position < text.len() {
        if pattern.get(at) == Some(&b'*') {
            again = Some((at + 1, position));
            at += 1;
        } else if pattern.get(at) == Some(&text[position]) {
            at += 1;
            position += 1;
        } else if let Some((after, from)) = again {
            at = after;
            position = from + 1;
            again = Some((after, from + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Returns links to the files and definitions that entries name. `definitions` are those of the
/// named files; `exists` returns true for existing paths.
pub(crate) fn links(
    claims: &[String],
    definitions: &[SymbolHit],
    exists: impl Fn(&str) -> bool,
) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for claim in claims {
        let (path, selector) = split(claim);
        let link = |id: String, hit: Option<&SymbolHit>, found: bool| Link {
            relation: "governs",
            id,
            path: path.to_owned(),
            start_line: hit.map(|hit| hit.start_line),
            end_line: hit.map(|hit| hit.end_line),
            found,
        };
        let Some(selector) = selector else {
            links.push(link(format!("code:{path}"), None, path.contains('*') || exists(path)));
            continue;
        };
        let dotted = selector.replace("::", ".").replace('#', ".");
        let meant: Vec<&SymbolHit> =
            definitions.iter().filter(|hit| hit.path == path && is_called(hit, &dotted)).collect();
        if meant.is_empty() {
            links.push(link(format!("code:{path}#{selector}"), None, false));
        }
        links.extend(meant.into_iter().map(|hit| link(hit.id.clone(), Some(hit), true)));
    }
    links.dedup();
    links
}

fn is_called(hit: &SymbolHit, name: &str) -> bool {
    let qualified = |container: &String| format!("{container}.{}", hit.name);
    hit.name == name || hit.container.as_ref().is_some_and(|container| qualified(container) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_name_paths_folders_and_patterns() {
        assert!(names("src/oven.rs", "src/oven.rs"));
        assert!(names("src", "src/oven.rs"));
        assert!(!names("src/oven", "src/oven.rs"));
        assert!(names("src/*.rs", "src/oven.rs"));
        assert!(names("src/*.rs", "src/deep/oven.rs"), "a star crosses folders");
        assert!(names("*oven*", "src/oven.rs"));
        assert!(!names("src/*.rs", "src/oven.rs.bak"));
        assert!(!names("src/*.ts", "src/oven.rs"));
        assert!(!names("", "src/oven.rs"));
    }

    #[test]
    fn a_pattern_of_stars_matches_in_bounded_time() {
        let pattern = "*a".repeat(2_000);
        let text = "a".repeat(20_000) + "b";
        assert!(!matches(pattern.as_bytes(), text.as_bytes()));
        assert!(matches(b"***", b"") && !matches(b"", b"x") && matches(b"a*b*c", b"abbc"));
    }

    #[test]
    fn the_part_follows_the_path() {
        assert_eq!(split("src/oven.rs#Oven.heat"), ("src/oven.rs", Some("Oven.heat")));
        assert_eq!(split("./src/"), ("src", None));
        assert_eq!(split("`src/oven.rs#`"), ("src/oven.rs", None));
    }
}
