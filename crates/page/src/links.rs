//! Addresses of pages. Every part that comes from a tree is percent-encoded.

use lore_engine::Hit;
use lore_schema::SourceName;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// Characters that are encoded: all that have a meaning in an address.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'\'')
    .add(b'+')
    .add(b',')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Encodes a value of a parameter, or a path.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The revision of a tree in an address: nothing for the files on disk.
pub(crate) fn at(revision: Option<&str>) -> String {
    revision.map_or_else(String::new, |revision| format!("?at={}", encode(revision)))
}

/// The page of a file.
pub(crate) fn file(path: &str, revision: Option<&str>) -> String {
    format!("/file/{}{}", encode(path), at(revision))
}

/// The page of a file at its lines, which are marked there.
pub(crate) fn lines(path: &str, revision: Option<&str>, first: u32, last: u32) -> String {
    let mut address = file(path, revision);
    address.push(if revision.is_some() { '&' } else { '?' });
    if first < last {
        address + &format!("lines={first}-{last}#L{first}")
    } else {
        address + &format!("lines={first}#L{first}")
    }
}

/// The page of a folder; that of the root for an empty path.
pub(crate) fn folder(path: &str, revision: Option<&str>) -> String {
    format!("/tree/{}{}", encode(path), at(revision))
}

/// The commits of a file or folder.
pub(crate) fn history(path: &str, revision: Option<&str>) -> String {
    format!("/history/{}{}", encode(path), at(revision))
}

/// The page of a commit. The name of a branch may contain slashes.
pub(crate) fn commit(name: &str) -> String {
    format!("/commit/{}", encode(name).replace('/', "%2F"))
}

/// The page of a definition.
pub(crate) fn symbol(id: &str) -> String {
    format!("/symbol?id={}", encode(id))
}

/// The page of a ticket or spec.
pub(crate) fn record(id: &str) -> String {
    format!("/record?id={}", encode(id))
}

/// The reasons of a place.
pub(crate) fn why(target: &str) -> String {
    format!("/why?target={}", encode(target))
}

/// The page of a hit.
pub(crate) fn hit(hit: &Hit, revision: Option<&str>) -> String {
    if hit.source == SourceName::Git {
        let hash = hit.id.strip_prefix("git:").unwrap_or(&hit.id);
        return commit(hash.split(['#', ':']).next().unwrap_or(hash));
    }
    let is_record = matches!(hit.source, SourceName::Specs | SourceName::Tickets);
    if is_record && revision.is_none() {
        return record(document_of(hit));
    }
    match (&hit.path, hit.start_line, hit.end_line) {
        // The first line of the passage, which is in view, is more useful than the end of a long span.
        (Some(path), Some(first), Some(last)) => lines(path, revision, first, last),
        (Some(path), ..) => file(path, revision),
        (None, ..) => record(&hit.id),
    }
}

/// The document of a hit: a heading and lines are not part of its identifier.
fn document_of(hit: &Hit) -> &str {
    match &hit.path {
        // A file that is one document.
        Some(path) if !hit.is_composed => path,
        _ => &hit.id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_of_a_path_survives() {
        assert_eq!(file("src/a b#c?.rs", None), "/file/src/a%20b%23c%3F.rs");
        assert_eq!(
            file("größe/<x>&\"y\".md", Some("v1")),
            "/file/gr%C3%B6%C3%9Fe/%3Cx%3E%26%22y%22.md?at=v1"
        );
        assert_eq!(lines("a.rs", None, 3, 3), "/file/a.rs?lines=3#L3");
        assert_eq!(lines("a.rs", Some("v1"), 3, 5), "/file/a.rs?at=v1&lines=3-5#L3");
        assert_eq!(symbol("code:a.rs#f"), "/symbol?id=code:a.rs%23f");
    }
}
